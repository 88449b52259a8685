"""Brings HAProxy's table to the wanted one through its socket, and sees retired servers out."""

import asyncio
import logging
from collections.abc import Callable, Sequence

from cluster.haproxy.admin import AdminSocket, NoAnswer, Refused, of_old_worker, read_old_workers
from cluster.router import encode
from cluster.router.admin import read_held, read_sessions, read_table
from cluster.router.table import Operation, Retire, ServerKey, Table, applied, difference

_log = logging.getLogger(__name__)
_FIRST_PAUSE, _LONGEST_PAUSE = 0.02, 0.25
_REMOVAL_SECONDS = 10.0
# What HAProxy answers when all is well (it says nothing to most commands).
_GOOD = ("", "New server registered.", "Server deleted.", "No such server.")


class Applier:
    """`actual` is what HAProxy has, as read from it and changed by what it accepted since. `drain_seconds`: for how
    long a server may finish what it has. `changed` is called when a retired server is gone."""

    def __init__(
        self,
        admin: AdminSocket,
        master: AdminSocket,
        drain_seconds: Callable[[ServerKey], float],
        changed: Callable[[], None],
    ):
        self.actual = Table()
        self._admin = admin
        self._master = master
        self._drain_seconds = drain_seconds
        self._changed = changed
        self._retiring: dict[ServerKey, asyncio.Task[None]] = {}

    def servers(self) -> set[ServerKey]:
        """Those that are there, and those that are seen out (perhaps by an old worker only)."""
        return set(self.actual.servers) | set(self._retiring)

    async def refresh(self) -> None:
        """What HAProxy has, and what only a worker that a reload left behind still holds: that is seen out."""
        actual, left_behind = await read_table(self._admin), await self._held_by_old_workers()
        self.actual = actual
        for key in left_behind - set(actual.servers) - set(self._retiring):
            self._begin(key)

    async def _held_by_old_workers(self) -> set[ServerKey]:
        held: set[ServerKey] = set()
        for worker in await read_old_workers(self._master):
            question = read_held(self._master, f"@!{worker} ")
            held |= await of_old_worker(self._master, worker, question, gone=set())
        return held

    async def apply(self, wanted: Table) -> None:
        """Raises NoAnswer or Refused; then `refresh`, and apply again. Retired servers are seen out meanwhile."""
        await self._call_back(wanted)
        operations = [op for op in difference(self.actual, wanted) if not self._under_way(op)]
        if not operations:
            return
        # What is there first, then what goes; one that is refused keeps none of the others back.
        others = [operation for operation in operations if not isinstance(operation, Retire)]
        refusals = await self._carry_out(others)
        refusals += await self._carry_out([op for op in operations if isinstance(op, Retire)])
        if refusals:
            raise Refused("; ".join(refusals[:3]))

    async def close(self) -> None:
        tasks = list(self._retiring.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _under_way(self, operation: Operation) -> bool:
        return isinstance(operation, Retire) and (operation.slot, operation.name) in self._retiring

    async def _call_back(self, wanted: Table) -> None:
        """What is wanted again is not seen out any further; what became of it is read anew."""
        back = [key for key in self._retiring if key in wanted.servers]
        if back:
            tasks = [self._retiring.pop(key) for key in back]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self.refresh()

    async def _carry_out(self, operations: Sequence[Operation]) -> list[str]:
        """What was refused, as sentences."""
        lines = [(operation, line) for operation in operations for line in encode.commands(operation)]
        if not lines:
            return []
        answers = await self._admin.tell([line for _, line in lines])
        refusals = {
            operation: f"HAProxy refuses `{line}`: {answer[:200]}"
            for (operation, line), answer in zip(lines, answers, strict=True)
            if answer not in _GOOD
        }
        self._done([operation for operation in operations if operation not in refusals])
        return list(refusals.values())

    def _done(self, operations: Sequence[Operation]) -> None:
        self.actual = applied(self.actual, [op for op in operations if not isinstance(op, Retire)])
        for operation in operations:
            if isinstance(operation, Retire):
                self._begin((operation.slot, operation.name))

    def _begin(self, key: ServerKey) -> None:
        self._retiring[key] = asyncio.create_task(self._see_out(key))

    async def _see_out(self, key: ServerKey) -> None:
        try:
            await self._until_idle(key, self._drain_seconds(key))
            await self._remove(key)
        except (Refused, TimeoutError) as error:
            _log.info("server %s/%s: %s", *key, error)
        if self._retiring.get(key) is asyncio.current_task():
            del self._retiring[key]
        self._changed()

    async def _until_idle(self, key: ServerKey, seconds: float) -> None:
        """Until no worker holds a request or connection of it, or the time is over. While nobody answers (the master
        is away for a moment at a reload) it counts as held."""
        loop = asyncio.get_running_loop()
        deadline, pause = loop.time() + seconds, _FIRST_PAUSE
        while (left := deadline - loop.time()) > 0:
            try:
                if not await self._open_sessions(key):
                    return
            except (NoAnswer, TimeoutError) as error:
                _log.debug("server %s/%s: %s", *key, error)
            await asyncio.sleep(min(pause, left))
            pause = min(_LONGEST_PAUSE, pause * 1.5)

    async def _open_sessions(self, key: ServerKey) -> int:
        slot, name = encode.slot(key[0]), key[1]
        count = (await read_sessions(self._admin, slot)).get(name, 0)
        for worker in await read_old_workers(self._master):
            question = read_sessions(self._master, slot, f"@!{worker} ")
            count += (await of_old_worker(self._master, worker, question, gone={})).get(name, 0)
        return count

    async def _remove(self, key: ServerKey) -> None:
        """What is still open on it is closed (in an old worker it ends with the instance); idle connections to it go a
        moment after it is in maintenance."""
        loop = asyncio.get_running_loop()
        deadline, pause = loop.time() + _REMOVAL_SECONDS, _FIRST_PAUSE
        while (answer := await self._try_to_remove(key)) not in _GOOD:
            if loop.time() > deadline:
                raise Refused(answer[:200])
            await asyncio.sleep(pause)
            pause = min(_LONGEST_PAUSE, pause * 1.5)
        self.actual = applied(self.actual, [Retire(*key)])

    async def _try_to_remove(self, key: ServerKey) -> str:
        target = f"{encode.slot(key[0])}/{encode.server(key[1])}"
        lines = [f"set server {target} state maint", f"shutdown sessions server {target}", f"del server {target}"]
        try:
            return (await self._admin.tell(lines))[-1]
        except NoAnswer as error:
            return str(error)
