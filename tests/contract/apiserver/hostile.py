"""What nobody means well with: bodies that are too big, too deep, too many, or no text at all."""

import json
from collections.abc import Callable
from dataclasses import dataclass

from tests.contract.apiserver.client import APPLY, GROUP, JSON_PATCH, STRATEGIC, Json, widget

_MANY = 10_000
_JSON, _YAML = "application/json", "application/yaml"
WIDGETS = f"{GROUP}/namespaces/default/widgets"
PROBE = "/api/v1/namespaces/default/configmaps/probe"


@dataclass(frozen=True)
class Hostile:
    """`statuses`: how it may be answered."""

    name: str
    method: str
    path: str
    body: Callable[[], bytes]
    kind: str
    statuses: frozenset[int]


def _owners(backwards: bool = False) -> list[Json]:
    uid = "{:08d}-0000-0000-0000-000000000000"
    found = [
        {"apiVersion": "v1", "kind": "ConfigMap", "name": f"n{index}", "uid": uid.format(index)}
        for index in range(_MANY)
    ]
    return found[::-1] if backwards else found


def _dumped(value: object) -> Callable[[], bytes]:
    return lambda: json.dumps(value).encode()


def _unknown() -> bytes:
    spec = {"note": "n", **{f"f{index}": index for index in range(170_000)}}
    return json.dumps(widget("unknown", spec)).encode()


def _map() -> bytes:
    return json.dumps(widget("map", {"note": "n", "limits": {f"f{index}": "v" for index in range(150_000)}})).encode()


def _repeated() -> bytes:
    return b'{"metadata":{"name":"repeated"},"spec":{' + b",".join([b'"note":"n"'] * 270_000) + b"}}"


def _bomb() -> bytes:
    lines = [b"a: &a [x,x,x,x,x,x,x,x,x]"]
    for before, name in zip("abcdefgh", "bcdefghi", strict=True):
        lines.append(f"{name}: &{name} [{','.join(['*' + before] * 9)}]".encode())
    return b"\n".join(lines)


def _yaml() -> bytes:
    return b"spec:\n  note: n\n  limits:\n" + b"".join(f"    k{index}: v\n".encode() for index in range(200_000))


def _flat() -> bytes:
    return b'{"metadata":{"name":"flat"},"spec":{"note":[' + b",".join([b"[]"] * 900_000) + b"]}}"


_ADDS = [{"op": "add", "path": "/metadata/finalizers/0", "value": "a.example.com/b"}] * _MANY
_COPIES = [{"op": "copy", "from": "/data", "path": "/data/a"}] * 64
HOSTILE = [
    Hostile("four megabytes", "POST", WIDGETS, lambda: b'{"a":"' + b"x" * (4 << 20) + b'"}', _JSON, frozenset({413})),
    Hostile("a long text", "POST", WIDGETS, _dumped(widget("x", {"note": "x" * 3_000_000})), _JSON, frozenset({422})),
    Hostile("unknown fields", "POST", f"{WIDGETS}?dryRun=All", _unknown, _JSON, frozenset({201})),
    Hostile("a large map", "POST", f"{WIDGETS}?dryRun=All", _map, _JSON, frozenset({201})),
    Hostile("deep objects", "POST", WIDGETS, lambda: b'{"a":' * _MANY + b"1" + b"}" * _MANY, _JSON, frozenset({400})),
    Hostile("deep lists", "POST", WIDGETS, lambda: b"[" * 300_000, _JSON, frozenset({400})),
    Hostile("many lists", "POST", WIDGETS, _flat, _JSON, frozenset({422})),
    Hostile("a key again and again", "POST", f"{WIDGETS}?dryRun=All", _repeated, _JSON, frozenset({201})),
    Hostile("no text", "POST", WIDGETS, lambda: b'{"metadata":{"name":"\xff\xfe"}}', _JSON, frozenset({400})),
    Hostile("many owners", "POST", f"{WIDGETS}?dryRun=All", _dumped(widget("o", ownerReferences=_owners())), _JSON,
            frozenset({201})),
    Hostile("owners merged", "PATCH", f"{PROBE}?dryRun=All", _dumped({"metadata": {"ownerReferences": _owners()}}),
            STRATEGIC, frozenset({200})),
    Hostile("owners applied", "PATCH", f"{PROBE}?fieldManager=x&force=true&dryRun=All",
            _dumped({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"ownerReferences": _owners(True)}}), APPLY,
            frozenset({200})),
    Hostile("many labels", "POST", f"{WIDGETS}?dryRun=All",
            _dumped(widget("l", labels={f"l{index}": "v" for index in range(100_000)})), _JSON, frozenset({201})),
    Hostile("many additions", "PATCH", PROBE, _dumped(_ADDS), JSON_PATCH, frozenset({422})),
    Hostile("copies of copies", "PATCH", PROBE, _dumped(_COPIES), JSON_PATCH, frozenset({400, 422})),
    Hostile("a bomb of aliases", "POST", WIDGETS, _bomb, _YAML, frozenset({400})),
    Hostile("much YAML", "POST", WIDGETS, _yaml, _YAML, frozenset({400, 422})),
    Hostile("a name that leads up", "GET", f"{WIDGETS}/%2e%2e", lambda: b"", "", frozenset({404})),
    Hostile("a name with a slash", "GET", f"{WIDGETS}/a%2fb", lambda: b"", "", frozenset({404})),
    Hostile("a long selector", "GET", f"{WIDGETS}?labelSelector=a{'+' * 20_000}", lambda: b"", "", frozenset({200})),
]  # fmt: skip
