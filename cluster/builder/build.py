"""One attempt of one build, from a commit to a release in the artifact store."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cluster.builder.artifacts import ArtifactStore, Manifest
from cluster.builder.errors import BuildFailed
from cluster.builder.git import Source
from cluster.builder.layers import Installed, Job, LayerMount
from cluster.builder.node import install_node
from cluster.builder.python import install_python
from cluster.builder.repository import Refused, check_folder
from cluster.builder.source import source_layer
from cluster.builder.step import Steps
from cluster.builder.workshop import Workshop
from planning.detect import Detection, NothingFits, detect
from planning.procfile import DetectedProcess


@dataclass(frozen=True)
class Order:
    """What is to be built. `project` is its uid; `variables` are those that the project lists for its builds."""

    project: str
    source: Source
    path: str = ""
    runtime: str = ""
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Release:
    """What came out: the artifact's digest and what runs it."""

    artifact: str
    runtime: str
    processes: tuple[DetectedProcess, ...]
    commit_message: str


async def build(workshop: Workshop, store: ArtifactStore, steps: Steps, order: Order, work: Path) -> Release:
    """Everything of a build but its record. Raises BuildFailed, BuildInterrupted."""
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True, mode=0o700)
    try:
        path = check_folder(order.path)
        source = await source_layer(workshop, store, steps, order.project, order.source, path, work)
        found = detect(source.inspection, order.runtime)
        _tell(steps, found)
        job = Job(workshop, store, steps, order.project, source, path, work, order.variables)
        installed = [await _install(job, strategy) for strategy in _strategies(found)]
        digest = store.publish(_manifest(job, found, installed))
        return Release(digest, found.runtime, found.processes, source.inspection.message[:500])
    except (Refused, NothingFits) as error:
        reason = "NothingFits" if isinstance(error, NothingFits) else "RepositoryRefused"
        raise BuildFailed(reason, str(error)) from error
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _tell(steps: Steps, found: Detection) -> None:
    steps.log.system(f"Runtime: {found.runtime}")
    for process in found.processes:
        steps.log.system(f"Process {process.name}: {process.command}")
    for warning in found.warnings:
        steps.log.system(f"Warning: {warning}")


def _strategies(found: Detection) -> tuple[str, ...]:
    """A Node.js project without packages still needs Node.js to be there."""
    if found.runtime == "node" and not found.installers:
        return ("node",)
    return found.installers


async def _install(job: Job, strategy: str) -> Installed:
    if strategy == "node":
        return await install_node(job, "none")
    return await (install_node if strategy.startswith("npm") else install_python)(job, strategy)


def _manifest(job: Job, found: Detection, installed: list[Installed]) -> Manifest:
    """What the node agent needs to run it: mounts in order, PATH, variables and tools."""
    own_tree = any(mount.target == "/app" for each in installed for mount in each.mounts)
    mounts = [] if own_tree else [LayerMount(job.source.digest, "tree", "/app")]
    # The tree first: the others are mounted on it.
    rest = sorted((mount for each in installed for mount in each.mounts), key=lambda mount: mount.target)
    environment: dict[str, str] = {}
    for each in installed:
        environment |= each.environment
    return {
        "kind": "release",
        "runtime": found.runtime,
        "processes": [{"name": process.name, "command": process.command} for process in found.processes],
        "cwd": job.cwd,
        "mounts": [mount.wire() for mount in (*mounts, *rest)],
        "path": [folder for each in installed for folder in each.path],
        "environment": environment,
        "tools": sorted({tool for each in installed for tool in each.tools}),
    }
