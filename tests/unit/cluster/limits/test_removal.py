"""A group that the kernel does not let go at once."""

from cluster.limits.group import NoGroup
from cluster.limits.removal import remove_patiently


class Lingering(NoGroup):
    """Goes at the so many-th attempt."""

    def __init__(self, attempts: int) -> None:
        self.left = attempts

    def remove(self) -> bool:
        self.left -= 1
        return self.left <= 0


async def test_it_is_asked_again_until_it_goes() -> None:
    group = Lingering(3)
    await remove_patiently(group)
    assert group.left == 0


async def test_one_that_never_goes_holds_nobody_up_for_ever() -> None:
    group = Lingering(1_000)
    await remove_patiently(group)
    assert 0 < group.left < 1_000
