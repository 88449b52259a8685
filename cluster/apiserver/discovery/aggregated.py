"""All groups, versions and resources in one document."""

from collections.abc import Iterable

from cluster.apiserver.discovery.plain import resource_list, served_groups
from cluster.apiserver.kinds.registry import Registry
from cluster.apiserver.types import Json

GROUP = "apidiscovery.k8s.io"
VERSION = "v2"
KIND = "APIGroupDiscoveryList"


def core(registry: Registry) -> Json:
    return _list([_group(registry, "", ["v1"])])


def groups(registry: Registry) -> Json:
    return _list(_group(registry, name, versions) for name, versions in served_groups(registry).items())


def _list(items: Iterable[Json]) -> Json:
    return {"kind": KIND, "apiVersion": f"{GROUP}/{VERSION}", "metadata": {}, "items": list(items)}


def _group(registry: Registry, name: str, versions: list[str]) -> Json:
    told = [
        {"version": version, "resources": _resources(registry, name, version), "freshness": "Current"}
        for version in versions
    ]
    return {"metadata": {"name": name} if name else {}, "versions": told}


def _resources(registry: Registry, group: str, version: str) -> list[Json]:
    """From the entries of the plain document, where subresources stand beside what they are of."""
    custom = {resource.plural for resource in registry if resource.group == group and resource.custom}
    entries = (resource_list(registry, group, version) or {"resources": []})["resources"]
    made: dict[str, Json] = {}
    for entry in entries:
        plural, _, subresource = entry["name"].partition("/")
        # The real server leaves the group and version of kinds of its own out.
        home = (group, version) if plural in custom else ("", "")
        if subresource:
            made[plural].setdefault("subresources", []).append(_subresource(entry, subresource, home))
        else:
            made[plural] = _resource(entry, home)
    for plural, resource in made.items():
        if "subresources" in resource and plural not in custom:
            resource["subresources"].sort(key=lambda told: str(told["subresource"]))
    return [made[plural] for plural in sorted(made)]


def _resource(entry: Json, home: tuple[str, str]) -> Json:
    told: Json = {
        "resource": entry["name"],
        "responseKind": _kind(entry, home),
        "scope": "Namespaced" if entry["namespaced"] else "Cluster",
        "singularResource": entry["singularName"],
        "verbs": entry["verbs"],
    }
    return {**told, **{name: entry[name] for name in ("shortNames", "categories") if name in entry}}


def _subresource(entry: Json, name: str, home: tuple[str, str]) -> Json:
    return {"subresource": name, "responseKind": _kind(entry, home), "verbs": entry["verbs"]}


def _kind(entry: Json, home: tuple[str, str]) -> Json:
    group, version = entry.get("group", home[0]), entry.get("version", home[1])
    return {"group": group, "version": version, "kind": entry["kind"]}
