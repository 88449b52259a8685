"""What is described of a group: which addresses it has, what may be asked there, and how its objects look.

Descriptions are everybody's own. Of what ours does not offer (shards of lists, objects that cannot be read) the options
are left out, and of the groups that take the options of a delete a real server has more."""

import json
import re
from functools import partial
from typing import Any

from tests.contract.apiserver.client import Json, eventually
from tests.contract.kubernetes.conversation import Conversation
from tests.contract.kubernetes.gadgets import TEXT, definition, establish, group_of, schema, version

_NOT_OFFERED = ("shardSelector", "shardInfo", "ignoreStoreReadErrorWithClusterBreakingPotential")
_SHARD_INFO = "io.k8s.apimachinery.pkg.apis.meta.v1.ShardInfo"
_INTEGER = {"type": "integer"}


def of_a_group(talk: Conversation) -> None:
    keyed = {"type": "object", "required": ["k"], "properties": {"k": TEXT}}
    fields: Json = {
        "a": {**TEXT, "nullable": True, "pattern": "^a", "maxLength": 9, "enum": ["a", "ab"]},
        "count": {**_INTEGER, "default": 1, "minimum": 0},
        "either": {"x-kubernetes-int-or-string": True},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "map": {"type": "object", "additionalProperties": TEXT},
        "list": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["k"],
            "items": keyed,
        },
        "embedded": {
            "type": "object",
            "x-kubernetes-embedded-resource": True,
            "x-kubernetes-preserve-unknown-fields": True,
        },
    }
    whole = schema(**fields)
    whole["properties"]["metadata"] = {"type": "object", "properties": {"name": {**TEXT, "maxLength": 9}}}
    whole["properties"]["spec"]["x-kubernetes-validations"] = [{"rule": "self.count >= 0", "message": "no"}]
    whole["properties"]["status"] = {"type": "object", "properties": {"count": _INTEGER}}
    scale = {"specReplicasPath": ".spec.count", "statusReplicasPath": ".status.count"}
    first = version(schema={"openAPIV3Schema": whole}, subresources={"status": {}, "scale": scale})
    establish(talk, definition(talk, first, version("v2", storage=False)))
    other = definition(talk, names={"plural": "others", "kind": "Other"})
    other["spec"]["scope"] = "Cluster"
    establish(talk, other)
    group = group_of(talk)
    for each, kind in (("v1", "Other"), ("v2", "Gadget")):
        place = f"/openapi/v3/apis/{group}/{each}"
        eventually(partial(_tells_of, talk, place, kind))
        talk.look(place, lambda found: _plain(found, group))


def that_is_not_there(talk: Conversation) -> None:
    talk.say("GET", "/openapi/v3/apis/no.such.group/v1")
    talk.say("GET", "/openapi/v3/nonsense")


def that_is_kept(talk: Conversation) -> None:
    place = "/openapi/v3/apis/coordination.k8s.io/v1"
    address = talk.api.get("/openapi/v3")["paths"][place.removeprefix("/openapi/v3/")]["serverRelativeURL"]
    talk.keep(place)
    talk.keep(f"{place}?hash=another")
    found = talk.api.http.get(address)
    talk.look(address, lambda _: sorted(found.headers.get("cache-control", "").split(", ")))


def of_all_groups(talk: Conversation) -> None:
    establish(talk, definition(talk))
    place = f"apis/{group_of(talk)}/v1"
    eventually(lambda: place in talk.api.get("/openapi/v3")["paths"])
    talk.look("/openapi/v3", lambda found: _addresses(found, place, "api/v1", "apis/coordination.k8s.io/v1"))


def of_built_in_groups(talk: Conversation) -> None:
    for place, plurals in (
        ("api/v1", ("configmaps", "secrets", "events", "namespaces")),
        ("apis/coordination.k8s.io/v1", ("leases",)),
    ):
        talk.look(f"/openapi/v3/{place}", partial(_operations, plurals))


def _tells_of(talk: Conversation, place: str, kind: str) -> bool:
    return f'"{kind}"' in talk.api.http.get(place).text


def _plain(found: Json, group: str) -> Any:
    left = _left(found)
    schemas = left["components"]["schemas"]
    schemas.pop(_SHARD_INFO, None)
    for name in ("DeleteOptions", "Status"):
        schemas[f"io.k8s.apimachinery.pkg.apis.meta.v1.{name}"]["x-kubernetes-group-version-kind"] = "<kinds>"
    camel = "".join(word[0].upper() + word[1:] for word in re.findall("[A-Za-z0-9]+", group))
    text = json.dumps(left).replace(camel, "<Group>").replace(camel[0].lower() + camel[1:], "<group>")
    return json.loads(text)


def _left(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {name: below for name, below in value.items() if not (name == "description" and isinstance(below, str))}
        return {name: _left(below) for name, below in kept.items() if name not in _NOT_OFFERED}
    if isinstance(value, list):
        return [_left(each) for each in value if not (isinstance(each, dict) and each.get("name") in _NOT_OFFERED)]
    return value


def _addresses(found: Json, *places: str) -> Json:
    return {place: found["paths"][place]["serverRelativeURL"] for place in places}


def _operations(plurals: tuple[str, ...], found: Json) -> Json:
    """Those on these resources. Not offered: addresses that only watch, and to end a namespace by hand."""
    return {
        path: {
            method: {name: told[name] for name in ("operationId", "tags", *_KINDS)}
            for method, told in operations.items()
            if method != "parameters"
        }
        for path, operations in found["paths"].items()
        if "/watch/" not in path and not path.endswith("/finalize") and _one_of(path, plurals)
    }


_KINDS = ("x-kubernetes-action", "x-kubernetes-group-version-kind")


def _one_of(path: str, plurals: tuple[str, ...]) -> bool:
    """Not what lies below a namespace, but for these."""
    rest = path.removeprefix("/api/v1").removeprefix("/apis/coordination.k8s.io/v1")
    return rest.removeprefix("/namespaces/{namespace}").strip("/").split("/")[0] in plurals
