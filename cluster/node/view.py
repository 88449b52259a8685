"""What an instance sees of this machine: its release, its volumes, its own variables. Nothing is decided twice: the
manifest says what the build prepared, the workload what the project wants."""

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cluster.builder.artifacts import ArtifactStore, Manifest
from cluster.builder.toolchain import known_node
from cluster.builder.workshop import Workshop
from cluster.fabric.networks import endpoint_of
from cluster.limits.allowance import most_processes
from cluster.sandbox.launch import check_environment
from cluster.sandbox.machine import CERTIFICATES, interpreter_mounts
from cluster.sandbox.view import Limits, Mount, View
from crds.models.workload import Workload
from crds.sizes import SIZES

STATIC_SERVER = Path(__file__).with_name("static_server.py")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class CannotStart(Exception):
    """What is missing is not coming by itself: `reason` for programs, the message for people."""

    def __init__(self, reason: str, message: str):
        super().__init__(message)
        self.reason = reason
        self.message = message


@dataclass(frozen=True)
class Prepared:
    """What to start."""

    view: View
    command: list[str]


@dataclass(frozen=True)
class Wanted:
    """`address`: under which it is reached; `listen_host`: where it is to listen for that. `volumes`: folder of each of
    the workload's volumes, by name."""

    workload: Workload
    address: str
    listen_host: str
    variables: Mapping[str, str] = field(repr=False)
    volumes: Mapping[str, Path]


def prepare(workshop: Workshop, store: ArtifactStore, wanted: Wanted) -> Prepared:
    """Raises CannotStart."""
    spec = wanted.workload.spec
    try:
        manifest = store.read(spec.artifact)
    except ValueError as error:
        raise CannotStart("ArtifactMissing", str(error)) from error
    if manifest is None:
        raise CannotStart("ArtifactMissing", "The release's files are not on this machine: deploy again.")
    environment = _environment(manifest, wanted)
    try:
        check_environment(environment)
    except ValueError as error:
        raise CannotStart("BadVariable", str(error)) from error
    mounts = (*_tools(manifest, workshop), *_layers(manifest, store), *_volumes(wanted))
    python = workshop.python.resolve()
    links = ((str(python), "/opt/setpoint/bin/python"), (str(python), "/opt/setpoint/bin/python3"))
    limits = Limits(processes=most_processes(SIZES[spec.size].memory_bytes))
    view = View(mounts, environment, manifest["cwd"], limits=limits, survives=True, links=links)
    return Prepared(view, ["/bin/sh", "-c", spec.command])


def _layers(manifest: Manifest, store: ArtifactStore) -> list[Mount]:
    mounts = [Mount(store.path(m["layer"]) / m["part"], m["target"]) for m in manifest["mounts"]]
    if not all(mount.source.exists() for mount in mounts):
        raise CannotStart("ArtifactMissing", "A part of the release is not on this machine: deploy again.")
    return mounts


def _tools(manifest: Manifest, workshop: Workshop) -> list[Mount]:
    mounts = [*interpreter_mounts(workshop.python), Mount(STATIC_SERVER, "/opt/setpoint/static_server.py")]
    if "node" in manifest["tools"]:
        node = known_node(workshop)
        if node is None:
            raise CannotStart("NodeMissing", "Node.js is no longer on this machine: install it, or deploy again.")
        mounts += node.mounts
    return mounts


def _volumes(wanted: Wanted) -> list[Mount]:
    volumes = sorted(wanted.workload.spec.volumes, key=lambda volume: volume.mount_path)
    if lie_in_each_other([volume.mount_path for volume in volumes]):
        # The records refuse it since they know of it; a link in the outer one would lead the inner one anywhere.
        raise CannotStart("NestedVolumes", "A volume lies in another: give each a mountPath beside the others.")
    return [Mount(wanted.volumes[volume.name], volume.mount_path, "bind") for volume in volumes]


def lie_in_each_other(paths: Sequence[str]) -> bool:
    return any(f"{inner}/".startswith(f"{outer}/") for inner, outer in itertools.permutations(paths, 2))


def _environment(manifest: Manifest, wanted: Wanted) -> dict[str, str]:
    spec = wanted.workload.spec
    path = [*manifest["path"], "/opt/setpoint/bin", "/usr/local/bin", "/usr/bin", "/bin"]
    defaults = {"LANG": "C.UTF-8", "PYTHONUNBUFFERED": "1", **manifest["environment"]}
    if "node" in manifest["tools"] and CERTIFICATES.exists():
        defaults["NODE_EXTRA_CA_CERTS"] = str(CERTIFICATES)
    own = {name: value for name, value in wanted.variables.items() if _VARIABLE.fullmatch(name)}
    ours = {
        "HOME": "/tmp",  # noqa: S108 (inside the sandbox)
        "TMPDIR": "/tmp",  # noqa: S108 (inside the sandbox)
        "PORT": str(endpoint_of(wanted.address)[1]),
        "HOST": wanted.listen_host,
        "SETPOINT_PROJECT": spec.project,
        "SETPOINT_DEPLOY": spec.deploy,
        "SETPOINT_COMMIT": spec.commit,
    }
    return {"PATH": ":".join(path), **defaults, **own, **ours}
