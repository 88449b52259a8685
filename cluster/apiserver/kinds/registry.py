"""Which resources are served right now."""

from collections.abc import Iterator

from cluster.apiserver.kinds.custom import resource_of, version_order
from cluster.apiserver.kinds.model import Resource, Version
from cluster.apiserver.types import Json


class Registry:
    """The built-in resources and those of accepted CRDs. `revision` changes whenever they do."""

    def __init__(self, built_in: list[Resource]) -> None:
        self._resources: dict[tuple[str, str], Resource] = {(r.group, r.plural): r for r in built_in}
        self._terminating: set[str] = set()
        self._by_id = {r.id: r for r in built_in}
        self.revision = 0

    def __iter__(self) -> Iterator[Resource]:
        return iter(self._resources.values())

    def find(self, group: str, version: str, plural: str) -> tuple[Resource, Version] | None:
        resource = self._resources.get((group, plural))
        if resource is None:
            return None
        served = resource.versions.get(version)
        return (resource, served) if served is not None and served.served else None

    def by_id(self, identity: str) -> Resource | None:
        return self._by_id.get(identity)

    def by_kind(self, api_version: str, kind: str) -> Resource | None:
        group, _, version = api_version.rpartition("/")
        for resource in self:
            if resource.group == group and resource.kind == kind and version in resource.versions:
                return resource
        return None

    def groups(self) -> dict[str, list[str]]:
        """Group -> its served versions, best first; the core group is ""."""
        found: dict[str, set[str]] = {}
        for resource in self:
            names = found.setdefault(resource.group, set())
            names.update(version.name for version in resource.versions.values() if version.served)
        return {group: sorted(names, key=version_order) for group, names in found.items() if names}

    def name_conflict(self, definition: Json) -> tuple[str, str] | None:
        """(reason, message) if another resource of the group already has one of the names."""
        spec = definition["spec"]
        names = spec["names"]
        for other in self:
            if other.group != spec["group"] or other.plural == names["plural"]:
                continue
            taken = {other.plural, other.singular, *other.short_names}
            if names["kind"] in (other.kind, other.list_kind):
                return "KindConflict", f'"{names["kind"]}" is already in use'
            for reason, wanted in (
                ("PluralConflict", [names["plural"]]),
                ("SingularConflict", [names.get("singular", "")]),
                ("ShortNamesConflict", names.get("shortNames") or []),
            ):
                for name in wanted:
                    if name in taken:
                        return reason, f'"{name}" is already in use'
        return None

    def serve(self, definition: Json) -> Resource:
        resource = resource_of(definition)
        self._resources[(resource.group, resource.plural)] = resource
        self._by_id[resource.id] = resource
        if "deletionTimestamp" in definition["metadata"]:
            self._terminating.add(resource.id)
        self.revision += 1
        return resource

    def withdraw(self, group: str, plural: str) -> None:
        resource = self._resources.pop((group, plural), None)
        if resource is not None:
            del self._by_id[resource.id]
            self._terminating.discard(resource.id)
            self.revision += 1

    def terminating(self, resource: Resource) -> bool:
        """Its CRD is being deleted: nothing new may be created."""
        return resource.id in self._terminating
