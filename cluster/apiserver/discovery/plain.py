"""A document for each group and version: /api, /apis and what is below them; and /version."""

import base64
import hashlib

from cluster.apiserver.kinds.builtin.table import SERVICE_ACCOUNTS
from cluster.apiserver.kinds.model import Resource, Version
from cluster.apiserver.kinds.registry import Registry
from cluster.apiserver.types import Json
from cluster.apiserver.verbs.reviews.table import REVIEWS

VERSION: Json = {
    "major": "1",
    "minor": "33",
    "gitVersion": "v1.33.0+setpoint",
    "gitCommit": "",
    "gitTreeState": "clean",
    "buildDate": "2025-04-23T00:00:00Z",
    "goVersion": "",
    "compiler": "python",
    "platform": "linux",
}
# In the real server's order.
_CUSTOM_VERBS = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"]
# In which version the real server keeps what is served in another one.
STORED_ELSEWHERE = {"customresourcedefinitions.apiextensions.k8s.io": "v1beta1"}
STATUS_VERBS = ["get", "patch", "update"]


def api_versions() -> Json:
    return {
        "kind": "APIVersions",
        "versions": ["v1"],
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": ""}],
    }


def served_groups(registry: Registry) -> dict[str, list[str]]:
    """Groups beside the core one, with their versions, best first."""
    groups = {group: versions for group, versions in registry.groups().items() if group}
    for group, _ in REVIEWS:
        groups.setdefault(group, ["v1"])
    return groups


def group_list(registry: Registry) -> Json:
    groups = [_group(name, versions) for name, versions in served_groups(registry).items()]
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}


def group(registry: Registry, name: str) -> Json | None:
    versions = served_groups(registry).get(name)
    if versions is None:
        return None
    return {"kind": "APIGroup", "apiVersion": "v1", **_group(name, versions)}


def resource_list(registry: Registry, group_name: str, version: str) -> Json | None:
    """None for a group version that is not served."""
    if group_name and version not in served_groups(registry).get(group_name, []):
        return None
    entries: list[Json] = []
    for resource in registry:
        served = resource.versions.get(version)
        if resource.group == group_name and served is not None and served.served:
            entries.extend(_entries(resource, served))
    entries.extend(_review(each.resource) for each in REVIEWS.values() if each.resource.group == group_name)
    if not entries:
        return None
    if not group_name:
        # As old as it is, the real one's has no version of its own.
        return {"kind": "APIResourceList", "groupVersion": version, "resources": entries}
    full = f"{group_name}/{version}"
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": full, "resources": entries}


def _group(name: str, versions: list[str]) -> Json:
    told = [{"groupVersion": f"{name}/{version}", "version": version} for version in versions]
    return {"name": name, "versions": told, "preferredVersion": told[0]}


def _hash(resource: Resource) -> str:
    """Says whether two servers store the kind in the same version."""
    told = f"{resource.group}/{STORED_ELSEWHERE.get(resource.id, resource.storage_version)}/{resource.kind}"
    return base64.b64encode(hashlib.sha256(told.encode()).digest()[:8]).decode()


def _review(resource: Resource) -> Json:
    return {
        "name": resource.plural,
        "singularName": resource.singular,
        "namespaced": resource.namespaced,
        "kind": resource.kind,
        "verbs": list(resource.verbs),
    }


def _entries(resource: Resource, version: Version) -> list[Json]:
    main: Json = {
        "name": resource.plural,
        "singularName": resource.singular,
        "namespaced": resource.namespaced,
        "kind": resource.kind,
        "verbs": _CUSTOM_VERBS if resource.custom else list(resource.verbs),
        "storageVersionHash": _hash(resource),
    }
    if resource.short_names:
        main["shortNames"] = list(resource.short_names)
    if resource.categories:
        main["categories"] = list(resource.categories)
    entries = [main]
    below: Json = {"singularName": "", "namespaced": resource.namespaced, "verbs": STATUS_VERBS}
    if version.has_status:
        entries.append({"name": f"{resource.plural}/status", **below, "kind": resource.kind})
    if resource.plural == "namespaces" and not resource.group:
        entries.append({"name": "namespaces/finalize", **below, "kind": "Namespace", "verbs": ["update"]})
    if resource.id == SERVICE_ACCOUNTS:
        token = {"group": "authentication.k8s.io", "version": "v1", "kind": "TokenRequest", "verbs": ["create"]}
        entries.append({"name": f"{SERVICE_ACCOUNTS}/token", **below, **token})
    if version.scale is not None:
        scaled = {"group": "autoscaling", "version": "v1", "kind": "Scale"}
        entries.append({"name": f"{resource.plural}/scale", **below, **scaled})
    return entries
