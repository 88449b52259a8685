"""Server-side apply: who owns what, and what becomes of it."""

from tests.contract.apiserver.client import APPLY, MERGE, Json, widget
from tests.contract.kubernetes.conversation import Conversation


def _apply(talk: Conversation, spec: Json, manager: str, **query: str) -> Json:
    return talk.say("PATCH", f"{talk.api.widgets}/one", widget("one", spec), APPLY, fieldManager=manager, **query)


def makes_and_owns(talk: Conversation) -> None:
    _apply(talk, {"note": "n", "limits": {"a": "1"}, "tpl": {}}, "me")
    _apply(talk, {"note": "n", "limits": {"a": "1"}, "tpl": {}}, "me")
    _apply(talk, {"note": "m", "limits": {"b": "1"}}, "me")
    _apply(talk, {"note": "m"}, "me")


def lists(talk: Conversation) -> None:
    mine = {"note": "n", "ports": [{"port": 1, "label": "x"}], "tags": ["a"], "plain": ["p"], "atomic": {"a": "1"}}
    _apply(talk, mine, "me")
    _apply(talk, {"tags": ["b"], "ports": [{"port": 2}, {"port": 1, "protocol": "UDP"}]}, "you")
    _apply(talk, {"note": "n"}, "me")
    _apply(talk, {}, "you")


def conflicts(talk: Conversation) -> None:
    _apply(talk, {"note": "n", "limits": {"a": "1"}, "ports": [{"port": 1, "label": "x"}]}, "me")
    _apply(talk, {"limits": {"a": "1"}}, "you")
    _apply(talk, {"limits": {"a": "2"}}, "third")
    _apply(talk, {"limits": {"a": "2"}, "ports": [{"port": 1, "label": "y"}], "note": "m"}, "third")
    _apply(talk, {"limits": {"a": "2"}}, "third", force="true")
    _apply(talk, {"note": "n"}, "me")


def after_updates(talk: Conversation) -> None:
    talk.say("POST", talk.api.widgets, widget("one", {"note": "n", "limits": {"a": "1"}}))
    _apply(talk, {"note": "n", "limits": {"a": "1"}}, "me")
    talk.say("PATCH", f"{talk.api.widgets}/one", {"spec": {"limits": {"a": "2"}}}, MERGE, fieldManager="hand")
    _apply(talk, {"note": "n", "limits": {"a": "1"}}, "me")
    _apply(talk, {"note": "n", "limits": {"a": "1"}}, "me", force="true")


def without_owners(talk: Conversation) -> None:
    talk.say("POST", talk.api.widgets, widget("one", {"note": "n", "limits": {"a": "1"}}))
    talk.say("PATCH", f"{talk.api.widgets}/one", {"metadata": {"managedFields": [{}]}}, MERGE)
    _apply(talk, {"note": "n"}, "me")


def refused(talk: Conversation) -> None:
    at = f"{talk.api.widgets}/one"
    talk.say("PATCH", at, widget("one"), APPLY)
    talk.say("PATCH", at, widget("one"), APPLY, fieldManager="x" * 129)
    talk.say("PATCH", at, widget("one", managedFields=[{"manager": "me"}]), APPLY, fieldManager="me")
    talk.say("PATCH", at, widget("two"), APPLY, fieldManager="me")
    talk.say("PATCH", at, widget("one", {"note": 1}), APPLY, fieldManager="me")
    _apply(talk, {"note": "n"}, "me", dryRun="All")
    _apply(talk, {"note": "n"}, "me")
    talk.say("PATCH", at, widget("one", resourceVersion="1"), APPLY, fieldManager="me")


def as_yaml(talk: Conversation) -> None:
    text = (
        b"apiVersion: test.example.com/v1\nkind: Widget\nmetadata: {name: one}\n"
        b"spec: {note: 'yes', limits: {a: 'on'}, replicas: 2}\n"
    )
    talk.say("PATCH", f"{talk.api.widgets}/one", text, APPLY, fieldManager="me")
