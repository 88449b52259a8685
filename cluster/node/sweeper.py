"""Giving back what no record names any more: artifacts, logs, build folders, caches, volumes."""

import asyncio
import contextlib
import logging
import shutil
import time
from collections.abc import Iterable
from pathlib import Path

from cluster.builder.common_cache import trim_common_caches
from cluster.builder.ownership import GONE
from cluster.node.services import Services
from crds.client.errors import ApiError
from crds.models.build import Build
from crds.models.deploy import Deploy
from crds.models.project import Project
from crds.models.workload import Workload

_log = logging.getLogger(__name__)
_EVERY_SECONDS = 600.0
_SOON_SECONDS = 5.0


def clean_scratch(state: Path) -> None:
    """What builds of an earlier agent left half done; their logs stay."""
    _remove([state / "prefetch", *state.glob("builds/*/*/work")])


async def keep_sweeping(services: Services) -> None:
    """Every ten minutes; sooner, and then less and less often, while a project is on its way out."""
    pause = _EVERY_SECONDS
    while True:
        ending = False
        try:
            ending = await sweep(services)
        except (ApiError, OSError) as error:
            _log.info("sweep: %s", error)
        pause = min(2 * pause, _EVERY_SECONDS) if ending else _EVERY_SECONDS
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(services.sweep_soon.wait(), pause)
            services.sweep_soon.clear()
            pause = _SOON_SECONDS
            await asyncio.sleep(pause)


async def sweep(services: Services) -> bool:
    """Folders are listed before the records: what is made in between has a record by the time we look. True when a
    project with volumes is about to go: another look is worth while soon."""
    logs = list(_below(services.logs.root, 3))
    builds = list(_below(services.config.state / "builds", 2))
    caches = list(_below(services.config.state / "caches", 1))
    put_away = list((services.config.state / "caches").glob(f"*/{GONE}*"))
    volumes = services.volumes.all()
    deploys, _ = await services.client.list(Deploy)
    build_records, _ = await services.client.list(Build)
    workloads, _ = await services.client.list(Workload)
    projects, _ = await services.client.list(Project)
    named = {deploy.status.artifact for deploy in deploys} | {build.status.artifact for build in build_records}
    named |= {workload.spec.artifact for workload in workloads}
    await asyncio.to_thread(services.artifacts.sweep, [digest for digest in named if digest])
    services.releases = await asyncio.to_thread(_releases, services, deploys)
    kept_logs = {(d.namespace, d.spec.project, d.name) for d in deploys}
    kept_logs |= {(w.namespace, w.spec.project, w.spec.deploy) for w in workloads}
    kept_builds = {build.key for build in build_records} | {deploy.key for deploy in deploys}
    _remove([path for path in logs if path.parts[-3:] not in kept_logs])
    _remove([path for path in builds if path.parts[-2:] not in kept_builds])
    uids = {project.uid for project in projects}
    await asyncio.to_thread(services.volumes.sweep, volumes, projects)
    await asyncio.to_thread(trim_common_caches, services.config.state, time.time())
    await asyncio.to_thread(_remove, [*put_away, *(path for path in caches if path.name not in uids)])
    having = {path.name for path in volumes}
    return any(project.deleting and project.uid in having for project in projects)


def _releases(services: Services, deploys: Iterable[Deploy]) -> dict[tuple[str, str], set[Path]]:
    digests: dict[tuple[str, str], set[str]] = {}
    for deploy in deploys:
        if deploy.status.artifact:
            digests.setdefault((deploy.namespace, deploy.spec.project), set()).add(deploy.status.artifact)
    return {project: services.artifacts.folders(named) for project, named in digests.items()}


def _below(root: Path, depth: int) -> Iterable[Path]:
    return [path for path in root.glob("/".join(["*"] * depth)) if path.is_dir()]


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        shutil.rmtree(path, ignore_errors=True)
