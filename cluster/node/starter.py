"""From an instance's record to its running process: what it needs is read by name, and noted before it starts."""

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from cluster.fabric.networks import endpoint_of
from cluster.node import quota
from cluster.node.folder import RunState
from cluster.node.process import Process
from cluster.node.services import Services
from cluster.node.taken import claims
from cluster.node.tenancy import REASON, refusal
from cluster.node.view import CannotStart, Wanted, prepare
from cluster.node.volumes import NOTHING, Mounted
from cluster.sandbox.cell import Cell
from cluster.sandbox.confinement import serving
from crds.client.errors import NotFound
from crds.models.core import Secret
from crds.models.instance import Instance
from crds.models.project import Project
from crds.models.workload import Workload, WorkloadSpec
from crds.names import ANNOTATION_SECRET_NAMES
from crds.sizes import MIB, SIZES

_LOOKS_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL", re.IGNORECASE)
_URL_WITH_PASSWORD = re.compile(r"^[a-z][a-z0-9+.-]*://[^/@\s]*:[^/@\s]+@", re.IGNORECASE)


@dataclass(frozen=True)
class Inputs:
    """What an instance is started from. Immutable records: kept while the instance lives, so that it is started again
    also while no record can be read. Never on disk."""

    workload: Workload
    variables: Mapping[str, str] = field(repr=False)
    secrets: tuple[str, ...] = field(repr=False)
    volumes: Mounted


async def read_inputs(services: Services, record: Instance) -> Inputs:
    """Raises ApiError; CannotStart when something is not there."""
    client, namespace = services.client, record.namespace
    refused = refusal(services.networks.description, services.config.sole_namespace, namespace)
    if refused:
        raise CannotStart(REASON, refused)
    try:
        workload = await client.get(Workload, record.spec.workload, namespace)
        name = workload.spec.snapshot
        snapshot = await client.get(Secret, name, namespace) if name else Secret()
    except NotFound as error:
        raise CannotStart("SnapshotMissing", "The workload or its snapshot of variables is gone.") from error
    variables = snapshot.values()
    return Inputs(workload, variables, secret_values(snapshot), await _volumes(services, workload))


def secret_values(snapshot: Secret) -> tuple[str, ...]:
    """Values that no log may show: of the names that the project marked, or that look like it."""
    variables = snapshot.values()
    try:
        marked = set(json.loads(snapshot.metadata.annotations.get(ANNOTATION_SECRET_NAMES, "[]")))
    except (ValueError, TypeError):
        marked = set()
    return tuple(
        value
        for name, value in variables.items()
        if name in marked or _LOOKS_SECRET.search(name) or _URL_WITH_PASSWORD.match(value)
    )


async def _volumes(services: Services, workload: Workload) -> Mounted:
    if not workload.spec.volumes:
        return NOTHING
    project = await services.client.get(Project, workload.spec.project, workload.namespace)
    names = [volume.name for volume in workload.spec.volumes]
    owner = services.user_of(workload.namespace, workload.spec.project)
    return await asyncio.to_thread(services.volumes.provide, project, names, owner)


async def note_last_will(services: Services, state: RunState) -> None:
    """Before an instance with volumes is let go of its project is still there: may its files outlive it? Raises
    ApiError."""
    if not state.volumes_of:
        return
    try:
        project = await services.client.get(Project, state.project, state.namespace)
    except NotFound:
        services.sweep_soon.set()
        return
    services.volumes.note(project)
    if project.deleting:
        services.sweep_soon.set()


async def start(services: Services, record: Instance, inputs: Inputs, restarts: int) -> tuple[RunState, Process]:
    """Raises CannotStart, StillRunning, OSError, NoAnswer."""
    await _must_have_room(services, record, inputs)
    networks = services.networks
    place = await networks.attach()
    try:
        wanted = Wanted(inputs.workload, place.address, networks.listen_host, inputs.variables, inputs.volumes.folders)
        prepared = prepare(services.workshop, services.artifacts, wanted)
        state = _state(record, inputs, place.address, networks.description.id, restarts)
        folder = services.folders.of(record.uid)
        folder.write(state)
        services.logs.open(state, folder)
        services.logs.mask(record.uid, list(inputs.secrets))
        machine = services.workshop.machine
        port = endpoint_of(place.address)[1]
        confinement = serving(place.entry, port, services.config.allow_ports)
        group = services.groups.make(record.uid, state.allowance)
        cell = Cell(place.entry, group, confinement, services.user_of(record.namespace, inputs.workload.spec.project))
        return state, Process.start(folder, prepared.view, prepared.command, machine, cell)
    except BaseException:
        networks.release(place.address)
        place.close()
        raise


async def _must_have_room(services: Services, record: Instance, inputs: Inputs) -> None:
    owner = inputs.volumes.owner
    if owner:
        spec = inputs.workload.spec
        taken = claims(services, owner, record.namespace, spec.project, _sizes(spec))
        if refused := await services.quotas.refusal(owner, taken):
            raise CannotStart(quota.REASON, refused)


def _sizes(spec: WorkloadSpec) -> dict[str, int]:
    return {volume.name: volume.size_mi_b * MIB for volume in spec.volumes}


def _state(record: Instance, inputs: Inputs, address: str, network: str, restarts: int) -> RunState:
    spec = inputs.workload.spec
    return RunState(
        uid=record.uid,
        namespace=record.namespace,
        name=record.name,
        project=spec.project,
        deploy=spec.deploy,
        process=spec.process,
        address=address,
        started_at=datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        served=spec.served,
        health_path=spec.health.path,
        health_seconds=spec.health.timeout_seconds,
        drain_seconds=spec.drain_seconds,
        grace_seconds=spec.stop_grace_seconds,
        memory_bytes=SIZES[record.spec.size].memory_bytes,
        restarts=restarts,
        cpu=SIZES[record.spec.size].cpu,
        volumes_of=inputs.volumes.owner,
        volumes=_sizes(spec),
        network=network,
    )
