"""The builds of this node: taken from their records, tried again when something from outside ended them."""

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cluster.builder.build import Order, Release, build
from cluster.builder.errors import BuildFailed, BuildInterrupted
from cluster.builder.git import Source
from cluster.builder.log import BuildLog
from cluster.builder.place import a_place
from cluster.builder.step import Steps
from cluster.builder.turn import a_turn
from cluster.limits.group import Group
from cluster.node import disk, quota
from cluster.node.reporter import persist
from cluster.node.services import Services
from cluster.node.tenancy import REASON, refusal
from crds.client.backoff import pause_after
from crds.client.errors import ApiError, NotFound
from crds.conditions import READY, with_condition
from crds.models.build import Build
from crds.models.core import Secret
from crds.models.project import Project

_log = logging.getLogger(__name__)
_ATTEMPTS = 3
Key = tuple[str, str]


class Builds:
    """One task a build. `live` holds the logs that are still being written."""

    def __init__(self, services: Services):
        self._services = services
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._places = asyncio.Semaphore(max(1, int(services.config.cpu)))
        self.live: dict[Key, BuildLog] = {}

    def see(self, old: Build | None, new: Build | None) -> None:
        """A record changed; None: it is not (or no longer) there."""
        if new is None or new.deleting:
            gone = new or old
            if gone and gone.uid in self._tasks:
                self._tasks[gone.uid].cancel()
        elif self._mine(new) and new.uid not in self._tasks:
            task = asyncio.ensure_future(self._work(new))
            self._tasks[new.uid] = task
            task.add_done_callback(lambda _: self._tasks.pop(new.uid, None))

    def _mine(self, record: Build) -> bool:
        status = record.status
        return status.node == self._services.config.name and status.phase in (None, "pending", "building")

    async def close(self) -> None:
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _work(self, record: Build) -> None:
        folder = self._services.workshop.build_folder(record.namespace, record.name)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        async with self._places:
            try:
                status = await self._attempts(record, folder)
            except BuildFailed as error:
                status = {"phase": "failed", "reason": error.reason, "message": error.message[:2000]}
            except Exception:
                _log.exception("build %s", record.name)
                message = "The node could not run the build: see the node's own log."
                status = {"phase": "failed", "reason": "NodeError", "message": message}
            await self._report(record, {**status, "finishedAt": _now()})

    async def _attempts(self, record: Build, folder: Path) -> dict[str, Any]:
        """The status of a success. Raises BuildFailed."""
        refused = refusal(self._services.networks.description, self._services.config.sole_namespace, record.namespace)
        if refused:
            raise BuildFailed(REASON, refused)
        data_dir = self._services.config.data_dir
        full = disk.refusal(disk.free_bytes(data_dir), disk.LOW_BYTES)
        if full:
            raise BuildFailed(disk.REASON, full)
        for attempt in range(record.status.attempt + 1, _ATTEMPTS + 1):
            begun = asyncio.ensure_future(self._begin(record, attempt))
            try:
                return _succeeded(await self._attempt(record, folder, attempt))
            except BuildInterrupted as error:
                _log.warning("build %s, attempt %d: %s", record.name, attempt, error)
            finally:
                await begun
        raise BuildFailed("BuildInterrupted", f"The build was ended from outside {_ATTEMPTS} times: deploy again.")

    async def _begin(self, record: Build, attempt: int) -> None:
        await self._report(record, {"phase": "building", "attempt": attempt, "startedAt": _now()})

    async def _attempt(self, record: Build, folder: Path, attempt: int) -> Release:
        services, spec = self._services, record.spec
        order = await self._order(record)
        log = BuildLog(folder / "log.ndjson", services.workshop.limits.output_bytes, order.variables.values())
        self.live[record.key] = log
        try:
            if attempt > 1:
                log.system(f"The build was interrupted: attempt {attempt} of {_ATTEMPTS} begins")
            lock = services.workshop.builds_lock(order.project)
            place = a_place(services.networks, services.config.allow_ports, self._limits(record))
            async with a_turn(lock), place as cell:
                begun = time.monotonic()
                user = services.user_of(record.namespace, spec.project)
                steps = Steps(services.workshop.machine, log, lock, begun + spec.timeout_seconds, cell, user)
                work = build(services.workshop, services.artifacts, steps, order, folder / "work")
                release = await self._while_there_is_room(work, folder / "work")
            log.system(f"Built in {time.monotonic() - begun:.2f} s")
            return release
        except BuildFailed as error:
            log.system(f"The build failed: {error.message}")
            raise
        finally:
            self.live.pop(record.key, None)
            log.close()

    def _limits(self, record: Build) -> Callable[[], Group]:
        services = self._services
        return lambda: services.groups.make(f"build-{record.uid}", services.workshop.limits.allowance)

    async def _while_there_is_room(self, work: Coroutine[None, None, Release], folder: Path) -> Release:
        services = self._services
        full = {
            disk.REASON: disk.until_low(services.config.data_dir),
            quota.REASON: quota.until_over(folder, services.quotas.share),
        }
        return await unless(work, full)

    async def _order(self, record: Build) -> Order:
        spec = record.spec
        failures = 0
        while True:
            try:
                project = await self._services.client.get(Project, spec.project, record.namespace)
                variables = await self._variables(record)
                return Order(
                    project.uid, Source(spec.repository, spec.commit, spec.ref), spec.path, spec.runtime, variables
                )
            except NotFound as error:
                raise BuildFailed("SnapshotMissing", "The project or its variables are gone.") from error
            except ApiError as error:
                failures += 1
                _log.info("build %s: %s", record.name, error)
                await asyncio.sleep(pause_after(failures))

    async def _variables(self, record: Build) -> Mapping[str, str]:
        """Only those that the project lists for its builds."""
        if not record.spec.variables or not record.spec.snapshot:
            return {}
        snapshot = await self._services.client.get(Secret, record.spec.snapshot, record.namespace)
        values = snapshot.values()
        return {name: values[name] for name in record.spec.variables if name in values}

    async def _report(self, record: Build, status: dict[str, Any]) -> None:
        done = status["phase"] == "succeeded"
        conditions = with_condition(
            record.status.conditions,
            READY,
            "True" if done else "False",
            reason=status.get("reason") or str(status["phase"]).capitalize(),
            message=status.get("message") or "",
            now=datetime.now(UTC),
            generation=record.metadata.generation,
        )
        wire = [condition.wire() for condition in conditions]
        more = {"conditions": wire, "observedGeneration": record.metadata.generation}
        await persist(self._services.client, self._services.builds, record, {**status, **more})


async def unless(work: Coroutine[None, None, Release], ends: Mapping[str, Coroutine[None, None, str]]) -> Release:
    """Its result. Raises BuildFailed when one of `ends` (by its reason) comes about first; the build is over then."""
    building = asyncio.ensure_future(work)
    ending = {asyncio.ensure_future(end): reason for reason, end in ends.items()}
    try:
        await asyncio.wait({building, *ending}, return_when=asyncio.FIRST_COMPLETED)
        if building.done():
            return building.result()
        end = next(end for end in ending if end.done())
        raise BuildFailed(ending[end], end.result())
    finally:
        for task in (building, *ending):
            task.cancel()
        await asyncio.gather(building, *ending, return_exceptions=True)


def _succeeded(release: Release) -> dict[str, Any]:
    return {
        "phase": "succeeded",
        "artifact": release.artifact,
        "runtime": release.runtime,
        "processes": [{"name": process.name, "command": process.command} for process in release.processes],
        "commitMessage": release.commit_message,
        "reason": None,
        "message": None,
    }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
