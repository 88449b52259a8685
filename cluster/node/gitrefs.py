"""The git refs that this node looks at: when somebody asks, and every so often; only what changed is written."""

import asyncio
import contextlib
import logging
from collections.abc import Coroutine
from datetime import UTC, datetime
from typing import Any

from cluster.builder.errors import BuildFailed, BuildInterrupted
from cluster.builder.git import Source, resolve
from cluster.builder.prefetch import Prefetch
from cluster.builder.repository import Refused, is_commit
from cluster.node.reporter import difference, persist
from cluster.node.services import Services
from crds.client.errors import ApiError
from crds.conditions import READY, with_condition
from crds.models.gitref import GitRef
from crds.models.project import Project

_log = logging.getLogger(__name__)
_TICK_SECONDS = 2.0
_AT_ONCE = 4
_LOOK_SECONDS = 60.0
_PATIENCE_SECONDS = 2.0


class GitRefs:
    """One look at a time at each; `run` keeps the intervals."""

    def __init__(self, services: Services):
        self._services = services
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._looked: dict[str, datetime] = {}
        self._ahead: set[asyncio.Task[None]] = set()
        self._places = asyncio.Semaphore(_AT_ONCE)

    def see(self, old: GitRef | None, new: GitRef | None) -> None:
        if new is None:
            if old:
                self._looked.pop(old.uid, None)
            return
        due = not new.deleting and new.status.node == self._services.config.name and self._due(new)
        if due and new.uid not in self._tasks:
            task = asyncio.ensure_future(self._look(new))
            self._tasks[new.uid] = task
            task.add_done_callback(lambda _: self._done(new))

    def _done(self, record: GitRef) -> None:
        self._tasks.pop(record.uid, None)
        newest = self._services.gitrefs.by_uid(record.uid)
        if newest and asked(newest):
            self.see(None, newest)

    def _due(self, record: GitRef) -> bool:
        if asked(record):
            return True
        seconds = record.spec.interval_seconds
        last = self._looked.get(record.uid) or record.status.resolved_at
        return bool(seconds) and (last is None or (datetime.now(UTC) - last).total_seconds() >= seconds)

    async def run(self) -> None:
        while True:
            await asyncio.sleep(_TICK_SECONDS)
            for record in self._services.gitrefs.list():
                self.see(None, record)

    async def close(self) -> None:
        tasks = [*self._tasks.values(), *self._ahead]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _look(self, record: GitRef) -> None:
        spec = record.spec
        async with self._places:
            self._looked[record.uid] = datetime.now(UTC)
            found = await self._resolve(record)
        status = {"request": spec.request, "repository": spec.repository, "ref": spec.ref, **found}
        newest = self._services.gitrefs.by_uid(record.uid) or record
        if not difference(newest, status):
            return
        good = found["phase"] == "resolved"
        conditions = with_condition(
            newest.status.conditions,
            READY,
            "True" if good else "False",
            reason=str(found["phase"]).capitalize(),
            message=found["message"] or "",
            now=datetime.now(UTC),
            generation=record.metadata.generation,
        )
        status["conditions"] = [condition.wire() for condition in conditions]
        status["observedGeneration"] = record.metadata.generation
        status["resolvedAt"] = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        await persist(self._services.client, self._services.gitrefs, newest, status)

    def _fetch_ahead(self, record: GitRef, commit: str) -> None:
        if commit == record.status.commit:
            return
        source = Source(record.spec.repository, commit, record.spec.ref)

        async def fetch() -> None:
            with contextlib.suppress(ApiError):
                ahead = await self._prefetch(record)
                async with self._places:
                    await ahead.commit(source)

        self._aside(fetch())

    def _aside(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.ensure_future(work)
        self._ahead.add(task)
        task.add_done_callback(self._ahead.discard)
        return task

    async def _prefetch(self, record: GitRef) -> Prefetch:
        services = self._services
        project = await services.client.get(Project, record.spec.project, record.namespace)
        user = services.user_of(record.namespace, project.name)
        return Prefetch(services.workshop, services.artifacts, project.uid, user)

    async def _resolve(self, record: GitRef) -> dict[str, Any]:
        spec = record.spec
        user = self._services.user_of(record.namespace, spec.project)
        try:
            async with asyncio.timeout(_LOOK_SECONDS):
                commit = await self._fetched(record) if asked(record) and not is_commit(spec.ref) else None
                if commit is None:
                    commit = await resolve(self._services.workshop, spec.repository, spec.ref, user)
                    self._fetch_ahead(record, commit)
        except (Refused, BuildFailed, BuildInterrupted) as error:
            return {"phase": "failed", "message": str(error)[:1000]}
        except TimeoutError:
            message = f"The repository did not answer within {_LOOK_SECONDS:.0f} s."
            return {"phase": "failed", "message": message}
        return {"phase": "resolved", "message": None, "commit": commit}

    async def _fetched(self, record: GitRef) -> str | None:
        """Who asks wants to build, mostly the head of a branch: it is fetched at once, and its commit known by that.
        None: it is no branch, cannot be had, or is too much to wait for (it is fetched on, aside)."""
        known: asyncio.Future[str] = asyncio.get_running_loop().create_future()

        def tell(commit: str) -> None:
            if not known.done():
                known.set_result(commit)

        async def fetch() -> None:
            with contextlib.suppress(ApiError, ValueError, OSError):
                ahead = await self._prefetch(record)
                await ahead.branch(record.spec.repository, record.spec.ref, tell)

        fetching = self._aside(fetch())
        either: set[asyncio.Future[Any]] = {fetching, known}
        await asyncio.wait(either, timeout=_PATIENCE_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if known.done():
            return known.result()
        known.cancel()
        return None


def asked(record: GitRef) -> bool:
    """Does the status answer another question than the one that the spec asks now?"""
    spec, status = record.spec, record.status
    if status.phase not in ("resolved", "failed"):
        return True
    return (spec.request, spec.repository, spec.ref) != (status.request or "", status.repository, status.ref or "")
