"""The sandboxed look into a repository that a plan needs: git clones in the sandbox, nothing is built or kept."""

import shutil
import tempfile
import time
from pathlib import Path

from api.inspecting import InspectionFailed
from cluster.builder.errors import BuildFailed, BuildInterrupted
from cluster.builder.git import Source, check_links, export, resolve
from cluster.builder.log import BuildLog
from cluster.builder.repository import Refused, check_folder
from cluster.builder.source import look, project_folder
from cluster.builder.step import Steps
from cluster.node.agent import workshop_of
from planning.inspection import Inspection
from setpoint.installation import Installation
from setpoint.run.node import config_of
from setpoint.settings import Settings

_NAME = "inspect"
_SECONDS = 60.0


async def inspect_repository(
    installation: Installation, settings: Settings, repository: str, ref: str, path: str
) -> Inspection:
    """What the commit at `ref` holds below `path`. Raises InspectionFailed with a sentence for the caller."""
    workshop = workshop_of(config_of(settings, installation, _NAME))
    workshop.state.mkdir(parents=True, exist_ok=True, mode=0o700)
    work = Path(tempfile.mkdtemp(dir=workshop.state))
    try:
        commit = await resolve(workshop, repository, ref)
        log = BuildLog(work / "log.ndjson", workshop.limits.output_bytes, [])
        steps = Steps(workshop.machine, log, work / "lock", time.monotonic() + _SECONDS)
        exported = await export(workshop, steps, Source(repository, commit, ref), work / "git", work)
        check_links(exported)
        folder = project_folder(exported.tree, check_folder(path))
        return look(folder, path, commit, exported.message, list(exported.files))
    except (Refused, BuildFailed, BuildInterrupted) as error:
        raise InspectionFailed(str(error)) from error
    finally:
        shutil.rmtree(work, ignore_errors=True)
