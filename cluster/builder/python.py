"""Python packages by uv, into an environment of this project alone: installing runs the packages' own code."""

import re
import uuid
from pathlib import Path

from cluster.builder.bytecode import compile_later
from cluster.builder.common_cache import common_cache
from cluster.builder.errors import BuildFailed
from cluster.builder.layers import Installed, Job, LayerMount, file_hash, installer_environment, text_hash
from cluster.builder.ownership import hand_over, own_cache, own_folder
from cluster.builder.source import copy_tree
from cluster.sandbox.machine import CERTIFICATES, interpreter_mounts
from cluster.sandbox.view import Mount, View
from planning.pipfile import pipfile_requirements
from planning.wheels import python_wheels_suffice

ENVIRONMENT = "/env/python"
_SETTINGS = "3"  # raise it when what is below installs differently
_UV = "/opt/setpoint/uv"
_LISTED = "/opt/setpoint/requirements.txt"
_LOCAL = re.compile(
    r"^\s*(-e|--editable|-r|--requirement|-c|--constraint|\.|/|[\w.-]+/|file:|.*@\s*file:)", re.MULTILINE
)
_LOCKED_LOCAL = re.compile(r"(editable|directory|path|virtual) = \"(?!\.\")")

# $1 interpreter; the rest is the installing command.
_SCRIPT = 'set -e; uv venv -q --python "$1" /env/python; shift; exec uv "$@"'

_COMMANDS = {
    "uv-lock": ["sync", "--locked", "--no-install-project", "--no-dev"],
    "requirements": ["pip", "install", "-r", "requirements.txt"],
    "pyproject": ["pip", "install", "-r", "pyproject.toml"],
    "pipfile": ["pip", "install", "-r", _LISTED],
}


async def install_python(job: Job, strategy: str) -> Installed:
    """The environment for these lock files, from the store or made now. Raises BuildFailed, BuildInterrupted."""
    manifest = {"kind": "python", "project": job.project, "key": _key(job, strategy)}
    digest = job.store.find(manifest)
    if digest is None:
        with job.steps.timed("Installing Python packages with uv"):
            environment = await _install(job, strategy)
        digest = job.store.publish(manifest, {"python": environment})
        compile_later(job.workshop, job.store.path(digest) / "python")
    else:
        job.steps.log.system("Python packages: unchanged, the environment of an earlier build is used")
    return Installed((LayerMount(digest, "python", ENVIRONMENT),), (f"{ENVIRONMENT}/bin",), _environment(job))


def _key(job: Job, strategy: str) -> str:
    seen = job.source.inspection
    files = file_hash(job, ("requirements.txt", "pyproject.toml", "uv.lock", "Pipfile", "Pipfile.lock"))
    # What names other files of the repository depends on all of it.
    whole = seen.commit if _refers_to_files(job, strategy) else ""
    return text_hash(_SETTINGS, strategy, str(job.workshop.python.resolve()), job.variables_hash(), whole, files)


def _refers_to_files(job: Job, strategy: str) -> bool:
    seen = job.source.inspection
    if strategy == "requirements":
        return bool(_LOCAL.search(seen.text("requirements.txt")))
    if strategy == "pipfile":
        return any(line.startswith("file:") for line in pipfile_requirements(seen))
    if strategy == "pyproject":
        return "dynamic" in seen.text("pyproject.toml")
    return strategy == "uv-lock" and bool(_LOCKED_LOCAL.search(seen.text("uv.lock")))


def _environment(job: Job) -> dict[str, str]:
    found = {"VIRTUAL_ENV": ENVIRONMENT}
    if any(name.startswith("src/") for name in job.source.inspection.files):
        found["PYTHONPATH"] = f"{job.cwd}/src"
    return found


async def _install(job: Job, strategy: str) -> Path:
    """The environment's folder."""
    # Wheels alone are unpacked then, and nothing runs: the step may write to the cache that all projects share.
    if not job.variables and python_wheels_suffice(job.source.inspection, strategy):
        downloading = job.downloading()
        with common_cache(job.workshop.state, "uv", downloading.steps.user) as common:
            wheels = Mount(common, "/cache", "bind")
            settings = {"UV_CACHE_DIR": "/cache", "UV_NO_BUILD": "1"}
            found = await _uv(downloading, strategy, Mount(job.source.tree, "/app"), wheels, settings)
        if found is not None:
            return found
        job.steps.log.system("Not every package is there as a wheel: trying again with building allowed")
    own = Mount(own_cache(job.workshop.cache(job.project, "env"), job.steps.user), "/cache", "bind")
    found = await _uv(job, strategy, Mount(_copy_of_tree(job), "/app", "bind"), own, {"UV_CACHE_DIR": "/cache/cache"})
    if found is None:
        raise BuildFailed("InstallFailed", "The project's Python packages could not be installed: see the build log.")
    return found


def _copy_of_tree(job: Job) -> Path:
    """What builds a package of the repository's own (setuptools does) writes beside its files."""
    copy = job.work / "python-tree"
    copy_tree(job.source.tree, copy)
    hand_over(copy, job.steps.user)
    return copy


async def _uv(job: Job, strategy: str, tree: Mount, cache: Mount, settings: dict[str, str]) -> Path | None:
    """The environment's folder, in which nothing else ever was; None: they could not be installed. It is a mount of its
    own, so that no later step has another name (a hard link in a cache) for a file that is published with it."""
    made = own_folder(job.work / f"python-{uuid.uuid4().hex}", job.steps.user, 0o755)
    mounts = (Mount(made, ENVIRONMENT, "bind"), cache, *_listed(job, strategy))
    python = job.workshop.python.resolve()
    mounts = (*interpreter_mounts(python), Mount(job.workshop.uv, _UV), tree, *mounts)
    view = View(mounts, _variables(job) | settings, job.cwd, limits=job.workshop.limits.of_step)
    code = await job.steps.run(view, ["/bin/sh", "-c", _SCRIPT, "install", str(python), *_COMMANDS[strategy]])
    return made if code == 0 else None


def _listed(job: Job, strategy: str) -> tuple[Mount, ...]:
    """What a Pipfile wants, as uv reads it."""
    if strategy != "pipfile":
        return ()
    listed = job.work / "requirements.txt"
    listed.write_text("\n".join(pipfile_requirements(job.source.inspection, job.cwd)) + "\n")
    return (Mount(listed, _LISTED),)


def _variables(job: Job) -> dict[str, str]:
    """Copies, as the cache is under another mount than the environment."""
    environment = {
        **installer_environment(job, "/opt/setpoint:/usr/local/bin:/usr/bin:/bin"),
        "UV_PYTHON_DOWNLOADS": "never",
        "UV_PROJECT_ENVIRONMENT": ENVIRONMENT,
        "UV_NO_PROGRESS": "1",
        "UV_LINK_MODE": "copy",
        "VIRTUAL_ENV": ENVIRONMENT,
    }
    if CERTIFICATES.exists():
        environment["SSL_CERT_FILE"] = str(CERTIFICATES)
    return environment
