"""Networks and limits of an errand: made once, when something runs in them."""

import os

import pytest

from cluster.builder.place import a_place
from cluster.fabric.entry import Entry
from cluster.fabric.networks import SharedNetwork
from cluster.limits.allowance import Allowance
from cluster.limits.group import Group, NoGroups

ALLOWANCE = Allowance(1, 1, 1 << 26, 10)


class Rooms(SharedNetwork):
    """Each is an open file."""

    def __init__(self) -> None:
        super().__init__()
        self.made: list[Entry] = []

    async def room(self) -> Entry | None:
        self.made.append(Entry(os.open(os.devnull, os.O_RDONLY)))
        return self.made[-1]


class Limits:
    def __init__(self) -> None:
        self.made: list[Group] = []

    def __call__(self) -> Group:
        self.made.append(NoGroups("a test", "").make("one", ALLOWANCE))
        return self.made[-1]


async def test_nothing_is_made_for_what_runs_nothing() -> None:
    rooms, limits = Rooms(), Limits()
    async with a_place(rooms, (), limits):
        pass
    assert (rooms.made, limits.made) == ([], [])


async def test_all_steps_share_what_is_gone_at_the_end() -> None:
    rooms, limits = Rooms(), Limits()
    async with a_place(rooms, (), limits) as find:
        first = await find()
        assert await find() is first
        assert (first.room, first.group) == (rooms.made[0], limits.made[0])
        os.fstat(rooms.made[0].network)
    assert (len(rooms.made), len(limits.made)) == (1, 1)
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(rooms.made[0].network)
