"""The sandboxed look into a repository that a plan needs: git clones in the sandbox, nothing is built or kept."""

from api.inspecting import InspectionFailed
from cluster.builder.errors import BuildFailed, BuildInterrupted
from cluster.builder.inspect import inspect
from cluster.builder.repository import Refused
from cluster.sandbox.check import find_separate_users
from cluster.sandbox.identity import PLANS, own_uid_of
from planning.inspection import Inspection
from setpoint.installation import Installation
from setpoint.run.node import base_python, machine_of
from setpoint.settings import Settings


async def user_of_plans(installation: Installation, settings: Settings) -> int | None:
    """The user that git runs as in them, who is nobody else; None: our own."""
    if not await find_separate_users(machine_of(settings)):
        return None
    return own_uid_of(str(installation.root), PLANS)


async def inspect_repository(
    installation: Installation, settings: Settings, uid: int | None, repository: str, ref: str, path: str
) -> Inspection:
    """What the commit at `ref` holds below `path`; `uid`: see `user_of_plans`. Raises InspectionFailed with a
    sentence for the caller."""
    try:
        return await inspect(
            repository,
            ref,
            path,
            scratch=installation.folder("inspect"),
            python=base_python(),
            machine=machine_of(settings),
            allow_addresses=settings.allow_addresses,
            git_ca=settings.git_ca,
            fabric=installation.folder("fabric"),
            uid=uid,
        )
    except (Refused, BuildFailed, BuildInterrupted) as error:
        raise InspectionFailed(str(error)) from error
