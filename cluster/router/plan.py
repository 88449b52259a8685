"""From records to what shall be served: pure."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache

from cluster.fabric.networks import endpoint_of
from cluster.router import encode
from cluster.router.table import Server, ServerKey, Table
from crds.models.instance import Instance
from crds.models.route import Route
from crds.models.workload import Workload
from crds.names import handle_of

Key = tuple[str, str]
_EPOCH = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True)
class Serving:
    """How one Route is served. `workload`: the one that traffic goes to; `waiting_for`: the one that shall take over
    as soon as one of its instances is ready. `servers`: name -> address. `refused`: hostnames, and why.
    `generation`: of the Route that this was made from. `crowded`: why some requests are refused; empty: none are."""

    hosts: tuple[str, ...]
    workload: str | None
    servers: Mapping[str, str]
    generation: int = 0
    waiting_for: str | None = None
    refused: Mapping[str, str] = field(default_factory=dict)
    crowded: str = ""


@dataclass(frozen=True)
class Records:
    """`instances`: those of a workload, by (namespace, name of the workload); `workload`: one by its key."""

    instances: Callable[[str, str], Iterable[Instance]]
    workload: Callable[[str, str], Workload | None]


def host_owners(routes: Iterable[Route], base_domain: str, holders: Mapping[str, Key] | None = None) -> dict[str, Key]:
    """To whom each hostname belongs: the oldest Route that names it and may have it; of two that were made in one
    second, the one that has it now (`holders`: hostname -> Route)."""
    claims: dict[str, list[Route]] = {}
    for route in routes:
        for name in route.spec.hostnames:
            if not route.deleting and not _never(route, name, base_domain):
                claims.setdefault(name, []).append(route)

    def rank(name: str, route: Route) -> tuple[datetime, bool, Key]:
        return (route.metadata.creation_timestamp or _EPOCH, (holders or {}).get(name) != route.key, route.key)

    return {name: min(rank(name, route) for route in found)[2] for name, found in claims.items()}


def serve(records: Records, route: Route, base_domain: str, owners: Mapping[str, Key]) -> Serving:
    """The new workload takes over when one of its instances is ready, or when nothing is lost by it."""
    hosts, refused = _hosts(route, base_domain, owners)
    namespace, new, old = route.namespace, route.spec.workload or None, route.status.served_by
    servers = _servers(records, namespace, new)
    generation = route.metadata.generation
    if servers or old in (None, new) or _nothing_to_wait_for(records, namespace, new, old):
        return Serving(hosts, new, servers, generation, refused=refused)
    kept = _servers(records, namespace, old)
    return Serving(hosts, old, kept, generation, waiting_for=new, refused=refused)


def wanted_table(served: Mapping[Key, Serving], slots: Mapping[Key, str], calls: Mapping[str, Key]) -> Table:
    """`calls`: how an instance names a sibling, and the sibling's Route."""
    hosts: dict[str, str] = {call: slots[key] for call, key in calls.items() if key in served}
    servers: dict[ServerKey, Server] = {}
    for key, one in served.items():
        slot = slots[key]
        hosts.update(dict.fromkeys(one.hosts, slot))
        servers.update({(slot, name): Server(address) for name, address in one.servers.items()})
    return Table(hosts, servers)


def calls(instances: Iterable[Instance], siblings: Iterable[str]) -> dict[str, Key]:
    """How these instances name the projects that theirs may call, by the address they call from."""
    names = list(siblings)
    return {
        f"{endpoint_of(instance.status.address)[0]}/S/{name}.internal": (instance.namespace, name)
        for instance in instances
        if instance.status.address
        for name in names
    }


def server_name(instance: Instance, address: str) -> str:
    """The instance's name and a hash: an instance that comes back at another address is another server."""
    return f"{instance.name}.{_digest(instance.uid, address)}"


def instance_of(server: str) -> str:
    """The name of the instance that a server is."""
    return server.rpartition(".")[0]


def _hosts(route: Route, base_domain: str, owners: Mapping[str, Key]) -> tuple[tuple[str, ...], dict[str, str]]:
    """Those that it is served under; and those that it is not, with the reason."""
    problems: dict[str, str] = {}
    for name in route.spec.hostnames:
        problems[name] = _never(route, name, base_domain)
        if not problems[name] and owners.get(name) != route.key:
            problems[name] = f"{name} is served for another project."
    good = tuple(name for name, problem in problems.items() if not problem)
    return good, {name: problem for name, problem in problems.items() if problem}


def _never(route: Route, name: str, base_domain: str) -> str:
    """Why this Route may not have the hostname, whoever else names it; empty when it may."""
    try:
        encode.host(name)
    except encode.Unsafe as error:
        return str(error)
    label = name.removesuffix(f".{base_domain}")
    if label != name and not label.endswith(f"--{handle_of(route.namespace)}"):
        return f"{name} lies under {base_domain} and is not a name of this account."
    return ""


@lru_cache(maxsize=10_000)
def _digest(uid: str, address: str) -> str:
    return hashlib.sha256(f"{uid} {address}".encode()).hexdigest()[:8]


def _nothing_to_wait_for(records: Records, namespace: str, new: str | None, old: str | None) -> bool:
    """Nothing shall run of the new workload, or nothing is there any more of the old one."""
    after = records.workload(namespace, new) if new else None
    before = records.workload(namespace, old) if old else None
    return new is None or before is None or (after is not None and after.spec.replicas == 0)


def _servers(records: Records, namespace: str, workload: str | None) -> dict[str, str]:
    found: dict[str, str] = {}
    for instance in records.instances(namespace, workload) if workload else ():
        address = _address(instance)
        if address:
            found[server_name(instance, address)] = address
    # A name that HAProxy cannot have keeps this one instance out, not the whole table.
    return {name: address for name, address in found.items() if encode.fits(name)}


def _address(instance: Instance) -> str | None:
    """Where it answers; None when it gets no requests: not ready, on its way out, or not to be reached."""
    status = instance.status
    if instance.deleting or not status.ready or not status.address or status.phase in ("lost", "stopped"):
        return None
    try:
        return encode.address(status.address)
    except encode.Unsafe:
        return None
