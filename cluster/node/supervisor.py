"""One instance, from its record to its end: start, wait until ready, start again when it ends, stop it when it is no
longer wanted. It ends when the instance does; when the agent ends, the process goes on."""

import asyncio
import contextlib
import logging
from collections.abc import Coroutine

from cluster.fabric.client import NoAnswer
from cluster.fabric.networks import endpoint_of
from cluster.node import quota, restart
from cluster.node.folder import RunState
from cluster.node.health import until_ready
from cluster.node.leaving import wait_for_traffic
from cluster.node.listening import on_loopback_only
from cluster.node.process import Process, StillRunning
from cluster.node.report import InstanceReport
from cluster.node.reporter import current
from cluster.node.services import Services
from cluster.node.starter import Inputs, note_last_will, read_inputs, start
from cluster.node.taken import claims
from cluster.node.view import CannotStart
from cluster.sandbox.cell import Cell
from cluster.sandbox.launch import put_into
from crds.client.backoff import pause_after
from crds.client.errors import ApiError, Conflict, NotFound
from crds.models.instance import Instance
from crds.names import FINALIZER_NODE

_log = logging.getLogger(__name__)
_ALIVE_SECONDS = 1.0
_SLOW_LOOK_SECONDS = 1.0
_RETRY_SECONDS = 5.0


class Supervisor:
    """Fed with the newest record by `see`; `run` returns when there is nothing left of the instance here."""

    def __init__(self, services: Services, uid: str):
        self._services = services
        self._uid = uid
        self._folder = services.folders.of(uid)
        self._record: Instance | None = None
        self._gone = False
        self._changed = asyncio.Event()
        self._report = InstanceReport(services)
        self._process: Process | None = None
        self._state: RunState | None = None
        self._inputs: Inputs | None = None
        self._restarts = 0
        self._crashes = 0
        self._was_ready = False
        self._cause: restart.Cause | None = None

    def see(self, record: Instance | None) -> None:
        """None: there is no such record any more."""
        self._gone = record is None
        if record is not None:
            self._record = record
            self._report.see(record)
        self._changed.set()

    @property
    def wanted(self) -> bool:
        record = self._record
        lost = record is not None and (record.deleting or record.status.phase == "lost")
        return not (self._gone or lost)

    async def run(self) -> None:
        try:
            await self._adopt()
            while self.wanted:
                await self._while_wanted(self._one_run())
            await self._leave()
        finally:
            if self._process:
                self._process.abandon()
            await self._report.close()

    async def _adopt(self) -> None:
        """Go on with what an earlier agent started, or, when it has ended meanwhile, with its log and its count."""
        self._state = self._folder.read()
        if self._state is None:
            return
        self._services.logs.open(self._state, self._folder)
        self._process = self._running()
        if self._process and self._state.network != self._services.networks.description.id:
            # Its network is no more, or it was started while there was none: nobody reaches it.
            await self._process.kill()
            self._process = None
        self._restarts = self._state.restarts
        self._was_ready = self._process is not None
        if self._process:
            self._services.networks.keep(self._state.address)
        else:
            self._restarts += 1
            self._services.logs.flush(self._uid)

    def _running(self) -> Process | None:
        """What an earlier agent started, if it lives; also when that died before it had put it into its group."""
        group = self._services.groups.of(self._uid)
        process = Process.adopt(self._folder, Cell(group=group))
        if process and (reaper := process.reaper):
            with contextlib.suppress(OSError):
                put_into(group, reaper)
        return process

    async def _while_wanted(self, work: Coroutine[None, None, None]) -> None:
        """Do it, but leave it as soon as the instance is no longer wanted."""
        task = asyncio.ensure_future(work)
        try:
            while self.wanted and not task.done():
                self._changed.clear()
                change = asyncio.ensure_future(self._changed.wait())
                await asyncio.wait({task, change}, return_when=asyncio.FIRST_COMPLETED)
                change.cancel()
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _one_run(self) -> None:
        """One run to its end, and the pause after it."""
        if self._process is None:
            pause = await self._try_start()
            if pause:
                await asyncio.sleep(pause)
                return
        if self._process and self._state:
            await asyncio.sleep(await self._live(self._process, self._state))

    async def _try_start(self) -> float:
        """0 when it runs; otherwise how long to wait before the next try."""
        while self._record is None:
            await asyncio.sleep(0.05)
        try:
            self._inputs = self._inputs or await read_inputs(self._services, self._record)
            self._state, self._process = await start(self._services, self._record, self._inputs, self._restarts)
        except CannotStart as error:
            self._report.crashed(None, error.reason, error.message, self._restarts)
            return _RETRY_SECONDS
        except StillRunning:
            self._process = self._running()
            return 0.0 if self._process else 0.05
        except (ApiError, OSError, NoAnswer) as error:
            _log.warning("starting %s: %s", self._record.name, error)
            return pause_after(5)
        self._report.starting(self._state)
        return 0.0

    async def _live(self, process: Process, state: RunState) -> float:
        """Until it ends; how long to wait then."""
        self._watch_use(process, state)
        ready = asyncio.ensure_future(self._become_ready(process, state))
        begun = asyncio.get_running_loop().time()
        try:
            code = await process.wait()
        finally:
            ready.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await ready
        self._process = None
        if process.ran_out:
            self._cause = restart.OUT_OF_MEMORY
        return self._ended(state, code, asyncio.get_running_loop().time() - begun)

    async def _become_ready(self, process: Process, state: RunState) -> None:
        if not state.served:
            await asyncio.sleep(_ALIVE_SECONDS)
        else:
            networks = self._services.networks
            verdict = await until_ready(networks, state.address, state.health_path, state.health_seconds)
            while not verdict.ready:
                problem = _why(process, state) or verdict.problem
                message = f"The instance {problem} (waited {state.health_seconds} s)."
                self._report.unhealthy(restart.UNHEALTHY, message)
                verdict = await until_ready(networks, state.address, state.health_path, 60, _SLOW_LOOK_SECONDS)
        self._was_ready = True
        self._report.ready(state)
        await self._know()
        self._watch_use(process, state)

    def _watch_use(self, process: Process, state: RunState) -> None:
        services = self._services
        if reaper := process.reaper:
            group = services.groups.of(self._uid)
            services.sampler.watch(state, reaper, self._end_for, self._report.strained, group)
        if state.volumes_of:
            taken = claims(services, state.volumes_of, state.namespace, state.project, state.volumes)
            services.quotas.watch(state.volumes_of, taken, self._uid, self._on_full)

    async def _know(self) -> None:
        """Of an adopted instance: what it was started from, to mask its log and to start it again at any time."""
        if self._inputs is None and self._record is not None:
            with contextlib.suppress(ApiError, CannotStart):
                self._inputs = await read_inputs(self._services, self._record)
                self._services.logs.mask(self._uid, list(self._inputs.secrets))

    def _ended(self, state: RunState, code: int | None, seconds: float) -> float:
        services = self._services
        services.logs.flush(self._uid)
        services.sampler.pause(self._uid)
        services.quotas.forget(state.volumes_of, self._uid)
        services.networks.release(state.address)
        self._crashes = 1 if seconds > restart.STEADY_SECONDS else self._crashes + 1
        self._restarts += 1
        pause = restart.pause_before(self._crashes)
        found = restart.Cause(restart.reason_of(self._crashes, self._was_ready), restart.sentence_of(code))
        cause, self._cause = self._cause or found, None
        services.logs.system(state, f"{cause.message} It is started again in {pause:g} s.")
        self._report.crashed(code, cause.reason, cause.message, self._restarts)
        return pause

    async def _on_full(self, message: str) -> None:
        await self._end_for(restart.Cause(quota.REASON, message))

    async def _end_for(self, cause: restart.Cause) -> None:
        if self._process:
            self._cause = cause
            await self._process.kill()

    async def _leave(self) -> None:
        """Traffic first, then the process, then what is kept of it, and last our finalizer."""
        services = self._services
        process = self._process or self._running()
        if process and self._state:
            self._process = process
            if self._record is None or self._record.status.phase != "lost":
                self._report.stopping()
            await wait_for_traffic(lambda: None if self._gone else self._record, self._changed, self._state)
            await process.stop(self._state.grace_seconds)
            services.logs.system(self._state, "Stopped.")
        if self._state:
            services.networks.release(self._state.address)
        services.logs.forget(self._uid)
        services.sampler.forget(self._uid)
        if self._state:
            services.quotas.forget(self._state.volumes_of, self._uid)
        services.groups.of(self._uid).remove()
        self._folder.remove()
        await self._let_go()

    async def _let_go(self) -> None:
        failures = 0
        while self._record is not None and not self._gone:
            try:
                if self._state:
                    await note_last_will(self._services, self._state)
                newest = await current(self._services.client, self._record)
                if newest and newest.deleting and FINALIZER_NODE in newest.metadata.finalizers:
                    await self._services.client.remove_finalizer(newest, FINALIZER_NODE)
                return
            except NotFound:
                return
            except Conflict:
                continue
            except ApiError as error:
                failures += 1
                _log.info("finalizer of %s: %s", self._record.name, error)
                await asyncio.sleep(pause_after(failures))


def _why(process: Process, state: RunState) -> str:
    """What its network tells beyond that nobody answers."""
    host, port = endpoint_of(state.address)
    reaper = process.reaper
    if reaper and not host.startswith("127.") and on_loopback_only(reaper, port):
        return f"listens on 127.0.0.1:{port} only, where nobody else reaches it: let it listen on HOST (0.0.0.0)"
    return ""
