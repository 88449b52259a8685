"""A look into a repository without a node agent: what a plan needs to know of one commit. Builds and keeps nothing."""

import ipaddress
import shutil
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

import uv

from cluster.builder.git import Source, check_links, export, resolve
from cluster.builder.log import BuildLog
from cluster.builder.place import a_place
from cluster.builder.repository import check_folder
from cluster.builder.source import look, project_folder
from cluster.builder.step import Steps
from cluster.builder.workshop import Workshop
from cluster.fabric.networks import Networks, find_networks
from cluster.sandbox.machine import this_machine
from cluster.sandbox.view import Machine
from planning.inspection import Inspection

_SECONDS = 60.0
_LOG_BYTES = 256 * 1024


async def inspect(
    repository: str,
    ref: str = "",
    path: str = "",
    *,
    scratch: Path,
    python: Path,
    machine: Machine | None = None,
    allow_addresses: Iterable[str] = (),
    git_ca: Path | None = None,
    fabric: Path | None = None,
    uid: int | None = None,
) -> Inspection:
    """Clone in the sandbox into a folder below `scratch`, read, and remove it again. `uid`: the user that git runs as
    (None: our own).

    Raises Refused (the address, ref or path may not be used) and BuildFailed (it cannot be read); the messages are
    for the user."""
    folder_path = check_folder(path)
    scratch.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder = Path(tempfile.mkdtemp(prefix="inspect-", dir=scratch))
    try:
        workshop = _workshop(
            folder, python, machine or this_machine(), allow_addresses, git_ca, await find_networks(fabric)
        )
        commit = await resolve(workshop, repository, ref, uid)
        log = BuildLog(folder / "log.ndjson", _LOG_BYTES)
        try:
            (folder / "work").mkdir()
            source = Source(repository, commit, ref)
            async with a_place(workshop.networks) as cell:
                steps = Steps(workshop.machine, log, folder / "lock", time.monotonic() + _SECONDS, cell, uid)
                exported = await export(workshop, steps, source, folder / "git", folder / "work")
        finally:
            log.close()
        check_links(exported)
        root = project_folder(exported.tree, folder_path)
        return look(root, folder_path, commit, exported.message, list(exported.files))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _workshop(
    folder: Path, python: Path, machine: Machine, allow: Iterable[str], git_ca: Path | None, networks: Networks
) -> Workshop:
    return Workshop(
        state=folder,
        artifacts=folder / "artifacts",
        tools=folder / "tools",
        python=python.resolve(),
        uv=Path(uv.find_uv_bin()),
        machine=machine,
        allow=tuple(ipaddress.ip_network(text, strict=False) for text in allow),
        git_ca=git_ca,
        networks=networks,
    )
