"""All instances of this node: one supervisor each, made from what is on disk and from what the records say."""

import asyncio
import logging

from cluster.node.services import Services
from cluster.node.supervisor import Supervisor
from crds.models.instance import Instance

_log = logging.getLogger(__name__)
_AGAIN_SECONDS = 1.0


class Fleet:
    """`adopt` first, then `see` each record."""

    def __init__(self, services: Services):
        self._services = services
        self._supervisors: dict[str, Supervisor] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._closed = False

    def adopt(self) -> None:
        """Whatever an earlier agent had runs on under a supervisor; what was never started is forgotten."""
        for folder, state in list(self._services.folders.all()):
            if state is None and not folder.alive():
                folder.remove()
            else:
                self._begin(folder.path.name)

    def see(self, old: Instance | None, new: Instance | None) -> None:
        """A record changed. One that ended here does not begin again as long as it says so."""
        if new is None:
            if old and old.uid in self._supervisors:
                self._supervisors[old.uid].see(None)
            return
        supervisor = self._supervisors.get(new.uid)
        if supervisor is None:
            if new.spec.node != self._services.config.name or new.status.phase == "lost":
                return
            supervisor = self._begin(new.uid)
        supervisor.see(new)

    def end_unwanted(self) -> list[asyncio.Task[None]]:
        """After the first list of records: those without one end. Their tasks."""
        ending: list[asyncio.Task[None]] = []
        for uid, supervisor in self._supervisors.items():
            if self._services.instances.by_uid(uid) is None:
                supervisor.see(None)
            if not supervisor.wanted:
                ending.append(self._tasks[uid])
        return ending

    def _begin(self, uid: str) -> Supervisor:
        supervisor = Supervisor(self._services, uid)
        self._supervisors[uid] = supervisor
        task = asyncio.ensure_future(supervisor.run())
        self._tasks[uid] = task
        task.add_done_callback(lambda done: self._done(uid, done))
        return supervisor

    def _done(self, uid: str, task: asyncio.Task[None]) -> None:
        self._supervisors.pop(uid, None)
        self._tasks.pop(uid, None)
        if not task.cancelled() and (error := task.exception()):
            _log.error("instance %s: its supervisor failed and begins anew", uid, exc_info=error)
            asyncio.get_running_loop().call_later(_AGAIN_SECONDS, self._again, uid)

    def _again(self, uid: str) -> None:
        record = self._services.instances.by_uid(uid)
        if record and uid not in self._supervisors and not self._closed:
            self.see(None, record)

    async def close(self) -> None:
        """The agent ends; the instances do not."""
        self._closed = True
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
