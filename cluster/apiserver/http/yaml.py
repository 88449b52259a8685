"""YAML 1.1 the way Kubernetes reads it: bare y and n are booleans, dates stay strings."""

from typing import Any

import orjson
import yaml

_ENDLESS = 1 << 62
BOOLEANS = {"y": True, "Y": True, "n": False, "N": False}


class _Loader(yaml.CSafeLoader):
    """Its tables are its own: the library's loader is not changed."""

    yaml_implicit_resolvers = {  # noqa: RUF012
        first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
    }

    def get_single_data(self) -> Any:
        node = self.get_single_node()
        if node is None:
            return None
        value = self.construct_document(node)
        _take_apart(node)
        return value


def _take_apart(node: yaml.Node) -> None:
    """Let go of one node after the other. All of them at once keep every other request waiting: 60 ms of 3 MB."""
    left = [node]
    while left:
        node = left.pop()
        value, node.value = node.value, None
        for each in value if isinstance(value, list) else ():
            left += each if isinstance(each, tuple) else (each,)


def _scalar(loader: yaml.CSafeLoader, node: yaml.ScalarNode) -> Any:
    text = loader.construct_scalar(node)
    return BOOLEANS.get(text, text) if node.style in (None, "") else text


_Loader.add_constructor("tag:yaml.org,2002:str", _scalar)


def load_yaml(raw: bytes) -> Any:
    """One document as JSON values. Raises ValueError for anything else (anchors that explode included)."""
    try:
        value = yaml.load(raw, Loader=_Loader)  # noqa: S506
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error
    if raw.count(b"*") and _written_out(value, {}) > 10 * len(raw) + 100_000:
        raise ValueError("excessive aliasing")
    return orjson.loads(orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS))


def _written_out(value: Any, known: dict[int, int]) -> int:
    """How many values there would be if every alias were written out. Each is looked at once: written out, a page of
    aliases fills any memory."""
    if not isinstance(value, dict | list):
        return 1
    if id(value) not in known:
        # One that holds itself has no end.
        known[id(value)] = _ENDLESS
        below = value.values() if isinstance(value, dict) else value
        known[id(value)] = 1 + sum(_written_out(each, known) for each in below)
    return known[id(value)]
