"""Answers without what differs from run to run: versions, uids, times and names that were made up become words.

Two that were equal stay equal: the second version that a conversation saw is `<version 2>` in each of its answers. And
without the sentences of errors: programs go by reason, code and details."""

import re
from typing import Any

TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$")
AGE = re.compile(r"^\d{1,2}s$")
TOKEN = re.compile(r"^eyJ[\w-]+\.[\w-]+\.[\w-]+$")
HASH = re.compile(r"\bhash=[0-9A-F]{64,}")
UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


class Words:
    """Of one conversation; `namespace`: the one that was made for it."""

    def __init__(self, namespace: str):
        self._namespace = namespace
        self._known: dict[tuple[str, str], str] = {}

    def normal(self, value: Any) -> Any:
        """`value` is decoded JSON, and is not changed."""
        return self._value("", value)

    def text(self, text: str) -> str:
        plain = HASH.sub("hash=<hash>", text.replace(self._namespace, "<namespace>"))
        return UID.sub(lambda found: self._word("uid", found[0]), plain)

    def _value(self, name: str, value: Any) -> Any:
        if isinstance(value, dict):
            return self._object(value)
        if isinstance(value, list):
            return [self._value("", item) for item in value]
        return self._string(name, value) if isinstance(value, str) else value

    def _object(self, value: dict[str, Any]) -> dict[str, Any]:
        if value.get("kind") == "Status" and value.get("status") == "Failure":
            value = _without_sentences(value)
        if isinstance(value.get("items"), list) and isinstance(value.get("metadata"), dict):
            value = {**value, "metadata": _of_list(value["metadata"])}
        if value.get("kind") == "Table" and isinstance(value.get("columnDefinitions"), list):
            value = {**value, "columnDefinitions": [_without_help(column) for column in value["columnDefinitions"]]}
        if isinstance(value.get("managedFields"), list):
            # They are in the order of their times, which are whole seconds.
            value = {**value, "managedFields": sorted(value["managedFields"], key=_owner)}
        # In the order of their names, so that words are given in the same order whatever order they were sent in.
        return {self.text(name): self._value(name, value[name]) for name in sorted(value)}

    def _string(self, name: str, value: str) -> str:
        if name == "resourceVersion" and value.isdigit():
            return self._word("version", value)
        if name == "continue" and value:
            return "<continue>"
        if TOKEN.match(value):
            return "<token>"
        if AGE.match(value):
            return "<age>"
        return "<time>" if TIME.match(value) else self.text(value)

    def _word(self, kind: str, value: str) -> str:
        number = sum(1 for known, _ in self._known if known == kind) + 1
        return self._known.setdefault((kind, value), f"<{kind} {number}>")


def _without_sentences(status: dict[str, Any]) -> dict[str, Any]:
    left = {name: value for name, value in status.items() if name != "message"}
    details = status.get("details")
    if isinstance(details, dict) and "causes" in details:
        causes = [{name: cause.get(name) for name in ("reason", "field")} for cause in details["causes"]]
        # The same one may come from two of its checks.
        unique = {(cause["reason"] or "", cause["field"] or ""): cause for cause in causes}
        left["details"] = {**details, "causes": [unique[key] for key in sorted(unique)]}
    return left


def _without_help(column: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in column.items() if name != "description"}


def _of_list(metadata: dict[str, Any]) -> dict[str, Any]:
    """Its version is that of the whole store, in which others write, too."""
    return {**metadata, "resourceVersion": "<any>"} if "resourceVersion" in metadata else metadata


def _owner(entry: dict[str, Any]) -> tuple[str, ...]:
    return tuple(str(entry.get(name, "")) for name in ("manager", "operation", "apiVersion", "subresource"))
