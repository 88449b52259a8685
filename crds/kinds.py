"""The kind table: every kind of Setpoint, once."""

from dataclasses import dataclass

from crds.models.account import Account
from crds.models.build import Build
from crds.models.computenode import ComputeNode
from crds.models.deploy import Deploy
from crds.models.domain import Domain
from crds.models.gitref import GitRef
from crds.models.hostclaim import HostClaim
from crds.models.instance import Instance
from crds.models.project import Project
from crds.models.record import Record
from crds.models.route import Route
from crds.models.scaling import Scaling
from crds.models.workload import Workload


@dataclass(frozen=True)
class Kind:
    """`prefix`: of its id in the /v1 API, None where that API never names one."""

    model: type[Record]
    prefix: str | None = None


KINDS: list[Kind] = [
    Kind(Account, "acc"),
    Kind(Project, "prj"),
    Kind(Scaling),
    Kind(Domain, "dom"),
    Kind(HostClaim),
    Kind(Deploy, "dep"),
    Kind(GitRef),
    Kind(Build),
    Kind(Workload),
    Kind(Route),
    Kind(Instance, "ins"),
    Kind(ComputeNode, "nod"),
]

PREFIXES: dict[type[Record], str] = {kind.model: kind.prefix for kind in KINDS if kind.prefix}
