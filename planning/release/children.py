"""The records that a deploy makes: names computed from it, owned by it."""

from crds.models.build import Build, BuildSpec
from crds.models.deploy import DeployedProcess
from crds.models.gitref import GitRef, GitRefSpec
from crds.models.project import ProcessSpec
from crds.models.record import Metadata
from crds.models.workload import Workload, WorkloadSpec
from crds.names import labels_for, snapshot_secret, workload_name
from crds.sizes import DEFAULT_SIZE
from planning.release.view import ReleaseView

SERVED = "web"


def gitref(view: ReleaseView) -> GitRef:
    """Asks for the commit of the deploy's ref, once."""
    source = view.project.spec.source
    spec = GitRefSpec(
        runner="local" if view.runner == "local" else "kubernetes",
        project=view.project.name,
        repository=source.repository,
        ref=view.deploy.spec.ref or source.branch,
    )
    return GitRef(metadata=_metadata(view, view.deploy.name), spec=spec)


def build(view: ReleaseView, commit: str) -> Build:
    spec = BuildSpec(
        runner="local" if view.runner == "local" else "kubernetes",
        project=view.project.name,
        deploy=view.deploy.name,
        repository=view.project.spec.source.repository,
        commit=commit,
        ref=view.deploy.spec.ref or view.project.spec.source.branch,
        path=view.project.spec.source.path,
        runtime=view.project.spec.runtime,
        variables=view.project.spec.env.build,
        snapshot=snapshot_secret(view.deploy.name),
        timeout_seconds=view.project.spec.build_timeout_seconds,
    )
    return Build(metadata=_metadata(view, view.deploy.name), spec=spec)


def processes(view: ReleaseView, detected: list[DeployedProcess]) -> list[DeployedProcess]:
    """What was detected, with the project's own commands over it, and the processes that only the project names."""
    declared = {process.name: process for process in view.project.spec.processes}
    found = [
        DeployedProcess(name=p.name, command=declared[p.name].command if _says(declared.get(p.name)) else p.command)
        for p in detected
    ]
    names = {p.name for p in found}
    return found + [
        DeployedProcess(name=p.name, command=p.command)
        for p in view.project.spec.processes
        if p.name not in names and p.command
    ]


def _says(process: ProcessSpec | None) -> bool:
    return process is not None and bool(process.command)


def workload(view: ReleaseView, process: DeployedProcess, artifact: str, runtime: str, commit: str) -> Workload:
    declared = next((p for p in view.project.spec.processes if p.name == process.name), ProcessSpec(name=process.name))
    scaling = view.scaling(process.name)
    spec = WorkloadSpec(
        runner="local" if view.runner == "local" else "kubernetes",
        project=view.project.name,
        deploy=view.deploy.name,
        process=process.name,
        artifact=artifact,
        runtime=runtime,
        command=process.command,
        commit=commit,
        served=process.name == SERVED,
        snapshot=snapshot_secret(view.deploy.name),
        health=declared.health,
        drain_seconds=declared.drain_seconds,
        stop_grace_seconds=declared.stop_grace_seconds,
        volumes=view.project.spec.volumes,
        siblings=view.project.spec.siblings,
        replicas=scaling.spec.instances if scaling else 1,
        size=scaling.spec.size if scaling else DEFAULT_SIZE,
    )
    name = workload_name(view.deploy.name, process.name)
    record = Workload(metadata=_metadata(view, name), spec=spec)
    record.metadata.labels = labels_for(view.project.name, view.deploy.name, process.name, name)
    return record


def _metadata(view: ReleaseView, name: str) -> Metadata:
    return Metadata(
        name=name,
        namespace=view.deploy.namespace,
        labels=labels_for(view.project.name, view.deploy.name),
        owner_references=[view.deploy.owner_reference()],
    )
