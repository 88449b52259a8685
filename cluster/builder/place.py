"""Where the steps of one errand run: a network and limits, made when the first of them begins. Most redeploys have no
step: what they need is in the store."""

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager

from cluster.builder.step import FindCell
from cluster.fabric.networks import Networks, a_room
from cluster.limits.group import Group
from cluster.limits.removal import remove_patiently
from cluster.sandbox.cell import Cell
from cluster.sandbox.confinement import connecting


def unlimited() -> None:
    return None


@asynccontextmanager
async def a_place(
    networks: Networks, ports: Iterable[int] = (), limits: Callable[[], Group | None] = unlimited
) -> AsyncIterator[FindCell]:
    """`ports`: of TCP, that all steps reach where the network is shared. It is gone when the block ends."""
    async with AsyncExitStack() as stack:
        made: list[Cell] = []

        async def find() -> Cell:
            if not made:
                room = await stack.enter_async_context(a_room(networks))
                if group := limits():
                    stack.push_async_callback(remove_patiently, group)
                made.append(Cell(room, group, connecting(room, ports)))
            return made[0]

        yield find
