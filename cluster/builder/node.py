"""Node.js packages by npm: into a layer keyed by the lock file, or, where the project's own scripts take part, into a
copy of its files that then is the release."""

import os
from pathlib import Path

from cluster.builder.common_cache import common_cache
from cluster.builder.errors import BuildFailed
from cluster.builder.layers import (
    Installed,
    Job,
    LayerMount,
    copy_files,
    file_hash,
    installer_environment,
    text_hash,
)
from cluster.builder.ownership import hand_over, own_cache
from cluster.builder.source import copy_tree
from cluster.builder.toolchain import NodeTool, find_node
from cluster.sandbox.machine import CERTIFICATES
from cluster.sandbox.view import Mount, View
from planning.detect_node import builds_in_place, has_build_script
from planning.wheels import node_scripts_absent

_SETTINGS = "1"
_FILES = ("package.json", "package-lock.json", "npm-shrinkwrap.json", ".npmrc")
_QUIET = ["--no-audit", "--no-fund", "--no-update-notifier", "--no-progress"]


async def install_node(job: Job, strategy: str) -> Installed:
    """Raises BuildFailed, BuildInterrupted."""
    node = await find_node(job)
    if strategy == "none":
        return Installed(path=node.path, tools=("node",))
    in_place = builds_in_place(job.source.inspection)
    manifest = {"kind": "node", "project": job.project, "key": _key(job, strategy, node, in_place)}
    digest = job.store.find(manifest)
    if digest is None:
        part, content = await (_build_tree if in_place else _install_packages)(job, strategy, node)
        digest = job.store.publish(manifest, {part: content})
    else:
        job.steps.log.system("Node.js packages: unchanged, those of an earlier build are used")
    part, target = ("tree", "/app") if in_place else ("node_modules", f"{job.cwd}/node_modules")
    path = (f"{job.cwd}/node_modules/.bin", *node.path)
    return Installed((LayerMount(digest, part, target),), path, {"NODE_ENV": "production"}, ("node",))


def _key(job: Job, strategy: str, node: NodeTool, in_place: bool) -> str:
    seen = job.source.inspection
    whole = f"{seen.commit}/{job.path}" if in_place else ""
    return text_hash(_SETTINGS, strategy, node.version, job.variables_hash(), whole, file_hash(job, _FILES))


async def _install_packages(job: Job, strategy: str, node: NodeTool) -> tuple[str, Path]:
    work = job.work / "npm"
    work.mkdir()
    copy_files(job, _FILES, work)
    options = [*_install(strategy), "--omit=dev", *_QUIET]
    with job.steps.timed(f"Installing Node.js packages with {_name(strategy)}"):
        # No script runs then: the step may write to the cache that all projects share.
        if not job.variables and node_scripts_absent(job.source.inspection):
            downloading = job.downloading()
            with common_cache(job.workshop.state, "npm", downloading.steps.user) as common:
                await _npm_in(downloading, node, work, [*options, "--ignore-scripts"], common)
        else:
            await _npm_in(job, node, work, options, _own_cache(job))
    packages = work / "node_modules"
    if not packages.is_symlink():
        packages.mkdir(exist_ok=True)
    return "node_modules", packages


async def _npm_in(job: Job, node: NodeTool, work: Path, arguments: list[str], cache: Path) -> None:
    hand_over(work, job.steps.user)
    await _npm(job, node, Mount(work, job.cwd, "bind"), arguments, cache)


async def _build_tree(job: Job, strategy: str, node: NodeTool) -> tuple[str, Path]:
    tree = job.work / "built"
    copy_tree(job.source.tree, tree)
    hand_over(tree, job.steps.user)
    mount = Mount(tree, "/app", "bind")
    cache = _own_cache(job)
    with job.steps.timed(f"Installing Node.js packages with {_name(strategy)}"):
        await _npm(job, node, mount, [*_install(strategy), *_QUIET], cache)
    if has_build_script(job.source.inspection):
        with job.steps.timed("Running npm run build"):
            await _npm(job, node, mount, ["run", "build"], cache)
    return "tree", tree


def _own_cache(job: Job) -> Path:
    return own_cache(job.workshop.cache(job.project, "npm"), job.steps.user)


def _install(strategy: str) -> list[str]:
    return ["ci"] if strategy == "npm-ci" else ["install", "--no-save", "--no-package-lock"]


def _name(strategy: str) -> str:
    return strategy.replace("-", " ")


async def _npm(job: Job, node: NodeTool, files: Mount, arguments: list[str], cache: Path) -> None:
    path = ":".join((f"{job.cwd}/node_modules/.bin", *node.path, "/usr/local/bin", "/usr/bin", "/bin"))
    environment = {
        **installer_environment(job, path),
        "npm_config_cache": "/npm",
        "npm_config_prefer_offline": "true",
        # Fewer threads start faster, and a build shares two cores with what it must not slow down.
        "UV_THREADPOOL_SIZE": str(min(4, os.cpu_count() or 1)),
    }
    if CERTIFICATES.exists():
        environment["NODE_EXTRA_CA_CERTS"] = str(CERTIFICATES)
    mounts = (*node.mounts, Mount(cache, "/npm", "bind"), files)
    view = View(mounts, environment, job.cwd, limits=job.workshop.limits.of_step)
    if await job.steps.run(view, ["node", str(node.npm), *arguments]) != 0:
        what = "npm run build" if arguments[0] == "run" else "Installing the Node.js packages"
        raise BuildFailed("InstallFailed", f"{what} failed: see the build log.")
