"""PATCH with a merge patch, a JSON patch, a strategic merge patch."""

from typing import Any

from tests.contract.apiserver.client import JSON_PATCH, MERGE, STRATEGIC, Json, config_map, widget
from tests.contract.kubernetes.conversation import Conversation


def merge(talk: Conversation) -> None:
    talk.say("POST", talk.api.widgets, widget("one", {"note": "n", "limits": {"a": "1"}}, labels={"x": "y"}))
    at = f"{talk.api.widgets}/one"
    talk.say("PATCH", at, {"spec": {"note": "m", "limits": {"b": "2"}}}, MERGE)
    talk.say("PATCH", at, {"spec": {"limits": {"a": None}}, "metadata": {"labels": None}}, MERGE)
    talk.say("PATCH", at, {}, MERGE)
    talk.say("PATCH", at, {"spec": {"note": "m"}}, MERGE)
    talk.say("PATCH", at, {"spec": {"replicas": None}}, MERGE)


def merge_that_is_refused(talk: Conversation) -> None:
    talk.say("POST", talk.api.widgets, widget("one"))
    at = f"{talk.api.widgets}/one"
    for patch in (
        {"metadata": {"resourceVersion": "1"}, "spec": {"note": "m"}},
        {"metadata": {"name": "two"}},
        {"metadata": {"namespace": "default"}},
        {"spec": {"note": None}},
        {"spec": {"color": "pink"}},
        {"kind": "Gadget"},
        [1],
    ):
        talk.say("PATCH", at, patch, MERGE)
    talk.say("PATCH", at, b"no json", MERGE)
    talk.say("PATCH", at, {"spec": {"junk": 1}}, MERGE)
    talk.say("PATCH", at, {"spec": {"junk": 1}}, MERGE, fieldValidation="Strict")
    talk.say("PATCH", at, {"spec": {"note": "m"}}, MERGE, force="true")
    talk.say("PATCH", at, {"spec": {"note": "m"}}, MERGE, dryRun="All")
    talk.say("PATCH", f"{talk.api.widgets}/absent", {"spec": {"note": "m"}}, MERGE)
    talk.say("PATCH", at, {"spec": {"note": "m"}})
    talk.say("PATCH", at, {"spec": {"note": "m"}}, STRATEGIC)


def json(talk: Conversation) -> None:
    talk.say("POST", talk.api.widgets, widget("one", {"note": "n", "plain": ["a", "c"]}))
    at = f"{talk.api.widgets}/one"
    for patch in (
        [{"op": "test", "path": "/spec/note", "value": "n"}, {"op": "replace", "path": "/spec/note", "value": "m"}],
        [{"op": "add", "path": "/spec/plain/1", "value": "b"}, {"op": "add", "path": "/spec/plain/-", "value": "d"}],
        [{"op": "move", "from": "/spec/note", "path": "/spec/color"}],
        [{"op": "copy", "from": "/spec/plain/0", "path": "/spec/plain/3"}],
        [{"op": "remove", "path": "/spec/plain/0"}],
        [],
    ):
        talk.say("PATCH", at, patch, JSON_PATCH)


def json_that_is_refused(talk: Conversation) -> None:
    talk.say("POST", talk.api.widgets, widget("one", {"note": "n", "plain": ["a"]}))
    at = f"{talk.api.widgets}/one"
    for patch in (
        [{"op": "test", "path": "/spec/note", "value": "x"}],
        [{"op": "replace", "path": "/spec/absent", "value": 1}],
        [{"op": "remove", "path": "/spec/plain/7"}],
        [{"op": "add", "path": "/spec/plain/7", "value": "b"}],
        [{"op": "fold", "path": "/spec/note"}],
        {"op": "add"},
    ):
        talk.say("PATCH", at, patch, JSON_PATCH)
    talk.say("PATCH", at, b"no json", JSON_PATCH)


def json_that_is_too_much(talk: Conversation) -> None:
    """Copies of copies double what there is with each; and how many operations there may be."""
    talk.say("POST", talk.api.widgets, widget("one", {"note": "n", "plain": ["a"]}))
    at = f"{talk.api.widgets}/one"
    once = {"op": "copy", "from": "/spec/plain", "path": "/spec/plain/-"}
    talk.say("PATCH", at, [once] * 40, JSON_PATCH)
    talk.say("PATCH", at, [{"op": "test", "path": "/spec/note", "value": "n"}] * 10_001, JSON_PATCH)


def _owner(talk: Conversation, name: str) -> Json:
    made = talk.say("POST", talk.api.core("configmaps"), config_map(name))
    return {"apiVersion": "v1", "kind": "ConfigMap", "name": name, "uid": made["metadata"]["uid"]}


def strategic_lists(talk: Conversation) -> None:
    """Finalizers are a set; owners are told apart by their uid."""
    at = talk.api.core("configmaps")
    a, b, c = (_owner(talk, name) for name in ("a", "b", "c"))
    talk.say("POST", at, config_map("one", ownerReferences=[a, b], finalizers=["example.com/a", "example.com/b"]))
    for owners in (
        [{**a, "blockOwnerDeletion": True}, c],
        [b, a],
        [{"$patch": "delete", "uid": b["uid"]}],
        [{"$patch": "replace"}, c],
    ):
        talk.say("PATCH", f"{at}/one", {"metadata": {"ownerReferences": owners}}, STRATEGIC, dryRun="All")
    for finalizers in (["example.com/a", "example.com/c"], ["example.com/c", "example.com/b"], ["example.com/b"]):
        talk.say("PATCH", f"{at}/one", {"metadata": {"finalizers": finalizers}}, STRATEGIC, dryRun="All")
    odd: list[list[Any]] = [[{"no": "text"}, "example.com/c"], ["example.com/c", "example.com/c"]]
    for values in odd:
        talk.say("PATCH", f"{at}/one", {"metadata": {"finalizers": values}}, STRATEGIC, dryRun="All")
    for directive in ("$setElementOrder/finalizers", "$deleteFromPrimitiveList/finalizers", "$retainKeys"):
        talk.say("PATCH", f"{at}/one", {"metadata": {directive: 5}}, STRATEGIC, dryRun="All")
    talk.say("PATCH", f"{at}/one", {"metadata": {"finalizers": None}}, MERGE)


def strategic(talk: Conversation) -> None:
    at = talk.api.core("configmaps")
    talk.say("POST", at, config_map("one", {"a": "1"}, finalizers=["example.com/a"]))
    talk.say("PATCH", f"{at}/one", {"metadata": {"finalizers": ["example.com/b"]}}, STRATEGIC)
    talk.say("PATCH", f"{at}/one", {"data": {"$patch": "replace", "b": "2"}}, STRATEGIC)
    talk.say("PATCH", f"{at}/one", {"metadata": {"$deleteFromPrimitiveList/finalizers": ["example.com/a"]}}, STRATEGIC)
    talk.say("PATCH", f"{at}/one", {"data": 5}, STRATEGIC)
    talk.say("PATCH", f"{at}/one", {"metadata": {"finalizers": None}}, STRATEGIC)
