"""The addresses of one version of a resource, what may be asked there, and with which options."""

import re

from cluster.apiserver.kinds.model import Resource, Version
from cluster.apiserver.openapi.metadata import DELETE_OPTIONS, PATCH, SCALE, STATUS, kind_of, reference
from cluster.apiserver.types import Json

_FORMS = ("application/json", "application/yaml")
_PATCHES = ("application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json")
_STRATEGIC = "application/strategic-merge-patch+json"
_FLAGS = frozenset(
    {"allowWatchBookmarks", "force", "orphanDependents", "sendInitialEvents", "watch"},
)
_NUMBERS = frozenset({"gracePeriodSeconds", "limit", "timeoutSeconds"})
_LIST = ["allowWatchBookmarks", "continue", "fieldSelector", "labelSelector", "limit"]
_LIST += ["resourceVersion", "resourceVersionMatch", "sendInitialEvents", "timeoutSeconds", "watch"]
_WRITE = ["dryRun", "fieldManager", "fieldValidation"]
_OPTIONS: dict[str, list[str]] = {
    "list": _LIST,
    "deletecollection": _LIST,
    "get": ["resourceVersion"],
    "post": _WRITE,
    "put": _WRITE,
    "patch": [*_WRITE, "force"],
    "delete": ["dryRun", "gracePeriodSeconds", "orphanDependents", "propagationPolicy"],
}
_METHODS = {"list": "get", "deletecollection": "delete"}
_VERBS = {"get": "read", "post": "create", "put": "replace", "deletecollection": "delete"}
_CODES = {"post": (200, 201, 202), "put": (200, 201), "delete": (200, 202)}
# The verb of a resource without which an action is not there.
_NEEDS = {"post": "create", "put": "update"}


def collection_path(resource: Resource, version: str) -> str:
    root = f"/apis/{resource.group}/{version}" if resource.group else f"/api/{version}"
    return f"{root}/namespaces/{{namespace}}/{resource.plural}" if resource.namespaced else f"{root}/{resource.plural}"


def paths(resource: Resource, version: Version, name: str) -> Json:
    """`name`: of the schema of its objects."""
    collection = collection_path(resource, version.name)
    one = f"{collection}/{{name}}"
    about = _About(resource, version.name)
    found = {
        collection: about.operations(("list", "post", "deletecollection"), name),
        one: about.operations(("get", "put", "delete", "patch"), name, ["name"]),
    }
    if resource.namespaced and "list" in resource.verbs:
        found[collection.replace("/namespaces/{namespace}", "")] = about.everywhere(name)
    if version.has_status:
        found[f"{one}/status"] = about.operations(("get", "put", "patch"), name, ["name"], "Status")
    if version.scale:
        found[f"{one}/scale"] = about.operations(("get", "put", "patch"), SCALE, ["name"], "Scale")
    return {path: told for path, told in found.items() if set(told) - {"parameters"}}


def query_parameters(action: str) -> list[Json]:
    return [parameter(name) for name in _OPTIONS[action]]


def parameter(name: str, place: str = "query") -> Json:
    kind = "boolean" if name in _FLAGS else "integer" if name in _NUMBERS else "string"
    required = {"required": True} if place == "path" else {}
    return {"name": name, "in": place, **required, "schema": {"type": kind, "uniqueItems": True}}


class _About:
    """One version of a resource."""

    def __init__(self, resource: Resource, version: str):
        self._resource, self._version = resource, version
        self._place = _camel(_told_group(resource))
        self._shared = {
            "tags": [f"{self._place[0].lower()}{self._place[1:]}_{version}"],
            "x-kubernetes-group-version-kind": kind_of(resource.group, version, resource.kind),
        }
        self._patches = _PATCHES if resource.custom else (*_PATCHES, _STRATEGIC)

    def operations(self, actions: tuple[str, ...], name: str, path: list[str] | None = None, sub: str = "") -> Json:
        namespace = ["namespace"] if self._resource.namespaced else []
        offered = [each for each in actions if _NEEDS.get(each, each) in self._resource.verbs]
        return {
            **{_METHODS.get(action, action): self._operation(action, name, sub) for action in offered},
            "parameters": [*(parameter(each, "path") for each in [*(path or []), *namespace]), parameter("pretty")],
        }

    def everywhere(self, name: str) -> Json:
        """Of all namespaces: its options stand beside the operation here."""
        operation = {
            **self._told("list", _shown(f"{name}List")),
            "operationId": f"list{self._about()}{self._resource.kind}ForAllNamespaces",
        }
        return {"get": operation, "parameters": [parameter(each) for each in sorted([*_LIST, "pretty"])]}

    def _operation(self, action: str, name: str, sub: str) -> Json:
        kind, one = self._resource.kind, "Namespaced" if self._resource.namespaced else ""
        many = "Collection" if action == "deletecollection" else ""
        found = {
            **self._told(action, _shown(_answered(action, name))),
            "operationId": f"{_VERBS.get(action, action)}{self._about()}{many}{one}{kind}{sub}",
            "parameters": query_parameters(action),
        }
        body = self._body(action, name)
        return {**found, "requestBody": body} if body else found

    def _told(self, action: str, content: Json) -> Json:
        answers = {str(code): {"description": "Done", "content": content} for code in _CODES.get(action, (200,))}
        refused = {"401": {"description": "Unauthorized"}}
        return {**self._shared, "x-kubernetes-action": action, "responses": answers | refused}

    def _body(self, action: str, name: str) -> Json | None:
        if action in ("post", "put"):
            return {"content": _shown(name), "required": True}
        if action == "patch":
            return {"content": {form: {"schema": reference(PATCH)} for form in self._patches}, "required": True}
        return {"content": _shown(DELETE_OPTIONS)} if action == "delete" else None

    def _about(self) -> str:
        return self._place + _camel(self._version)


def _answered(action: str, name: str) -> str:
    return {"list": f"{name}List", "delete": STATUS, "deletecollection": STATUS}.get(action, name)


def _shown(name: str) -> Json:
    return {form: {"schema": reference(name)} for form in _FORMS}


def _told_group(resource: Resource) -> str:
    return resource.group if resource.custom else resource.group.removesuffix(".k8s.io") or "core"


def _camel(text: str) -> str:
    return "".join(word[0].upper() + word[1:] for word in re.findall(r"[A-Za-z0-9]+", text))
