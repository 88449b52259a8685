"""The reconciler table: what the loop keeps true, and what it watches to know."""

from controller.engine.reconciler import Reconciler
from controller.reconcilers import account, deploy, domain, project, scaling, workload
from crds.models.build import Build
from crds.models.gitref import GitRef
from crds.models.hostclaim import HostClaim
from crds.models.instance import Instance
from crds.models.record import Record
from crds.models.route import Route

RECONCILERS: list[Reconciler] = [
    account.RECONCILER,
    project.RECONCILER,
    scaling.RECONCILER,
    domain.RECONCILER,
    deploy.RECONCILER,
    workload.RECONCILER,
]

WATCHED: list[type[Record]] = [r.model for r in RECONCILERS] + [Build, GitRef, HostClaim, Instance, Route]
