"""Who is at which address, and what his account may reach beside the public internet. Pure."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from cluster.egress.policy import Network

TENANTS, NETWORKS, OPENINGS = "tenants.map", "networks.map", "openings.map"
Maps = Mapping[str, Mapping[str, str]]
"""By the map's file name: key -> value."""
Lists = Mapping[str, frozenset[str]]
"""By the list's file name."""
_NAMESPACE = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")


@dataclass(frozen=True)
class Tenant:
    """What runs at an address."""

    namespace: str
    project: str
    instance: str


def maps_of(tenants: Mapping[str, Tenant], allow: Mapping[str, tuple[Network, ...]]) -> Maps:
    """`tenants` by address, `allow` by namespace. HAProxy finds the narrowest network around a destination, so each
    one's opening is noted for everybody whose list has it, or a wider one."""
    lists = {namespace: nets for namespace, nets in allow.items() if nets and _NAMESPACE.fullmatch(namespace)}
    networks = {network for nets in lists.values() for network in nets}
    openings = {
        f"{namespace}@{network}": "open"
        for namespace, nets in lists.items()
        for network in networks
        if any(network.subnet_of(wider) for wider in nets)
    }
    return {
        TENANTS: {address: tenant.namespace for address, tenant in tenants.items() if tenant.namespace in lists},
        NETWORKS: {str(network): str(network) for network in networks},
        OPENINGS: openings,
    }


def map_changes(file: str, there: Mapping[str, str], wanted: Mapping[str, str]) -> list[str]:
    """The commands that make one map of HAProxy the other: who may less comes first."""
    gone = [f"del map {file} {key}" for key in sorted(set(there) - set(wanted))]
    moved = [
        f"set map {file} {key} {wanted[key]}" for key in sorted(wanted) if there.get(key, wanted[key]) != wanted[key]
    ]
    new = [f"add map {file} {key} {wanted[key]}" for key in sorted(set(wanted) - set(there))]
    return gone + moved + new


def list_changes(file: str, there: Collection[str], wanted: Collection[str]) -> list[str]:
    """The same for a list."""
    return [f"del acl {file} {item}" for item in sorted(set(there) - set(wanted))] + [
        f"add acl {file} {item}" for item in sorted(set(wanted) - set(there))
    ]
