"""Domain: claims its hostname on the installation, waits until the name leads here, then is served."""

import asyncio
import socket
from collections.abc import Iterable

from controller.engine.context import Context
from controller.engine.errors import NotYet, Terminal
from controller.engine.reconciler import Reconciler, Watch
from crds.client.changes import appeared_or_gone
from crds.conditions import READY, with_condition
from crds.models.account import Account
from crds.models.domain import DnsRecord, Domain, DomainStatus
from crds.models.hostclaim import HostClaim, HostClaimSpec
from crds.models.project import Project
from crds.models.record import Metadata, Record
from crds.names import FINALIZER_CONTROLLER, handle_of, host_claim_name, project_host
from planning.hostname import hostname_problem

_LOOK_AGAIN_SECONDS = 60.0


async def reconcile(context: Context, domain: Domain, status: DomainStatus) -> float | None:
    if domain.deleting:
        await _release(context, domain)
        return None
    settings = context.settings
    problem = hostname_problem(domain.spec.hostname, settings.base_domain, settings.api_host)
    if problem:
        status.phase, status.error = "failed", f"The hostname {problem}."
        raise Terminal("InvalidHostname", status.error)
    project = context.cache.get(Project, domain.namespace, domain.spec.project)
    if project is None:
        raise NotYet("ProjectNotFound", f"There is no project {domain.spec.project} in this account yet.", 600)
    if FINALIZER_CONTROLLER not in domain.metadata.finalizers:
        domain = await context.patch(domain, {"metadata": {"finalizers": [FINALIZER_CONTROLLER]}})
    await _claim(context, domain, status)
    await _verify(context, domain, status)
    return None


async def _claim(context: Context, domain: Domain, status: DomainStatus) -> None:
    """One name, one claim: the API server lets only one record of that name be made."""
    claim = await context.ensure(
        HostClaim(
            metadata=Metadata(name=host_claim_name(domain.spec.hostname)),
            spec=HostClaimSpec(
                hostname=domain.spec.hostname,
                namespace=domain.namespace,
                project=domain.spec.project,
                domain=domain.name,
                domain_uid=domain.uid,
            ),
        )
    )
    if claim.spec.domain_uid != domain.uid:
        status.phase, status.error = "failed", "The hostname is taken: remove it where it is, then make this again."
        raise NotYet("HostnameTaken", status.error, again_in=600)


async def _verify(context: Context, domain: Domain, status: DomainStatus) -> None:
    target = project_host(domain.spec.project, handle_of(domain.namespace), context.settings.base_domain)
    status.dns = DnsRecord(type="CNAME", name=domain.spec.hostname, value=target)
    status.tls = "none"
    account = context.cache.get(Account, None, handle_of(domain.namespace))
    # The operator owns the machine; anybody else shows that the name is theirs by pointing it here.
    trusted = account is not None and account.spec.operator
    if not (trusted or status.phase == "active" or await _leads_to(domain.spec.hostname, target)):
        status.phase = "pending"
        message = f"Set a CNAME record from {domain.spec.hostname} to {target}."
        raise NotYet("NotVerified", message, again_in=_LOOK_AGAIN_SECONDS)
    status.phase, status.error = "active", None
    status.conditions = with_condition(
        status.conditions,
        READY,
        "True",
        reason="Active",
        now=context.now(),
        generation=domain.metadata.generation,
    )


async def _leads_to(hostname: str, target: str) -> bool:
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(hostname, None, flags=socket.AI_CANONNAME, type=socket.SOCK_STREAM)
    except OSError:
        return False
    return any(name.rstrip(".").lower() == target for _, _, _, name, _ in found if name)


async def _release(context: Context, domain: Domain) -> None:
    claim = context.cache.get(HostClaim, None, host_claim_name(domain.spec.hostname))
    if claim is not None and claim.spec.domain_uid == domain.uid:
        await context.remove(claim)
    if FINALIZER_CONTROLLER in domain.metadata.finalizers:
        await context.client.remove_finalizer(domain, FINALIZER_CONTROLLER)


def _same_hostname(context: Context, claim: HostClaim) -> Iterable[tuple[str, str]]:
    found = (d for d in context.cache.store(Domain).list() if d.spec.hostname == claim.spec.hostname)
    return [domain.key for domain in found]


def _of_project(context: Context, project: Record) -> Iterable[tuple[str, str]]:
    return [domain.key for domain in context.cache.of_project(Domain, project.namespace, project.name)]


RECONCILER = Reconciler(
    Domain, reconcile, [Watch(HostClaim, _same_hostname), Watch(Project, _of_project, appeared_or_gone)]
)
