"""Which resources are served right now."""

from collections.abc import Iterator

from cluster.apiserver.kinds.accepted_names import Taken, Verdict, judge, taken
from cluster.apiserver.kinds.custom import resource_of, version_order
from cluster.apiserver.kinds.model import Resource, Version
from cluster.apiserver.types import Json


class Registry:
    """The built-in resources and those of accepted CRDs. `revision` changes whenever they do."""

    def __init__(self, built_in: list[Resource]) -> None:
        self._resources: dict[tuple[str, str], Resource] = {(r.group, r.plural): r for r in built_in}
        self._terminating: set[str] = set()
        self._claims: dict[str, tuple[str, Json]] = {}
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

    def judge(self, definition: Json) -> Verdict:
        """Which of its names a definition may have, beside all those that others have already."""
        had = (definition.get("status") or {}).get("acceptedNames") or {}
        used = self._taken(definition["spec"]["group"], definition["metadata"]["name"], had)
        return judge(definition["spec"]["names"], had, used)

    def _taken(self, group: str, but: str, own: Json) -> Taken:
        claims = (names for name, (where, names) in self._claims.items() if where == group and name != but)
        built_in = (_names_of(resource) for resource in self if resource.group == group and not resource.custom)
        return taken([own, *claims, *built_in])

    def claim(self, definition: Json, names: Json) -> None:
        """These are its names from now on, whether it is served or not."""
        self._claims[definition["metadata"]["name"]] = (definition["spec"]["group"], names)

    def serve(self, definition: Json, names: Json) -> Resource:
        resource = resource_of(definition, names)
        self._resources[(resource.group, resource.plural)] = resource
        self._by_id[resource.id] = resource
        if "deletionTimestamp" in definition["metadata"]:
            self._terminating.add(resource.id)
        self.revision += 1
        return resource

    def withdraw(self, identity: str) -> None:
        """Of a definition that is no more, or is not to be served any more."""
        resource = self._by_id.get(identity)
        if resource is not None and resource.custom:
            del self._resources[(resource.group, resource.plural)]
            del self._by_id[identity]
            self._terminating.discard(identity)
            self.revision += 1

    def forget(self, name: str) -> None:
        """A definition is gone: its names are free."""
        self.withdraw(name)
        self._claims.pop(name, None)

    def terminating(self, resource: Resource) -> bool:
        """Its CRD is being deleted: nothing new may be created."""
        return resource.id in self._terminating


def _names_of(resource: Resource) -> Json:
    return {
        "plural": resource.plural,
        "singular": resource.singular,
        "shortNames": list(resource.short_names),
        "kind": resource.kind,
        "listKind": resource.list_kind,
    }
