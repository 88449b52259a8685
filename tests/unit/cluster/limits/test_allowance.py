"""How many processes an instance may have."""

import pytest

from cluster.limits.allowance import most_processes
from crds.sizes import SIZES


@pytest.mark.parametrize(
    ("size", "processes"), [("nano", 256), ("small", 256), ("medium", 256), ("large", 512), ("xlarge", 1024)]
)
def test_small_ones_may_have_as_many_as_hold_up_nobody_and_larger_ones_by_their_memory(
    size: str, processes: int
) -> None:
    assert most_processes(SIZES[size].memory_bytes) == processes
