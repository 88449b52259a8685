"""Names that two definitions of a group want, and names that change."""

from tests.contract.apiserver.client import MERGE, Json
from tests.contract.kubernetes.conversation import Conversation
from tests.contract.kubernetes.gadgets import (
    DEFINITIONS,
    await_condition,
    await_status,
    definition,
    establish,
    group_of,
    objects,
    place,
)


def _by_name(found: Json) -> Json:
    """The hashes are of the group's name, and the order of a real server's resources is anyone's guess."""
    listed = [{**resource, "storageVersionHash": "<hash>"} for resource in found["resources"]]
    return {**found, "resources": sorted(listed, key=lambda resource: str(resource["name"]))}


def a_kind_that_is_taken(talk: Conversation) -> None:
    first = establish(talk, definition(talk))
    second = definition(talk, names={"plural": "others"})
    talk.say("POST", DEFINITIONS, second)
    await_condition(talk, second, "NamesAccepted", "False")
    talk.say("GET", place(second))
    talk.say("GET", objects(talk, "others"))
    talk.api.ok("DELETE", first)
    await_condition(talk, second, "Established", "True")
    await_status(talk, 200, "GET", objects(talk, "others"))
    talk.say("GET", place(second))
    await_status(talk, 404, "GET", objects(talk))
    talk.look(f"/apis/{group_of(talk)}/v1", _by_name)


def every_name_that_is_taken(talk: Conversation) -> None:
    establish(talk, definition(talk, names={"shortNames": ["gd", "gg"], "singular": "thing"}))
    others = (
        {"plural": "gd", "kind": "A"},
        {"plural": "bs", "kind": "B", "singular": "gadgets"},
        {"plural": "cs", "kind": "C", "shortNames": ["cc", "gg"], "categories": ["all"]},
        {"plural": "ds", "kind": "D", "listKind": "Gadget"},
        {"plural": "es", "kind": "GadgetList", "singular": "thing"},
        {"plural": "thing", "kind": "Gadget", "shortNames": ["gd"]},
    )
    for names in others:
        body = definition(talk, names=names)
        talk.api.ok("POST", DEFINITIONS, body)
        await_condition(talk, body, "NamesAccepted", "False")
        talk.say("GET", place(body))


def another_choice(talk: Conversation) -> None:
    establish(talk, definition(talk))
    second = definition(talk, names={"plural": "others", "shortNames": ["gadgets"]})
    talk.api.ok("POST", DEFINITIONS, second)
    await_condition(talk, second, "NamesAccepted", "False")
    names = {"kind": "Other", "listKind": "OtherList", "singular": "other", "shortNames": ["ot"]}
    talk.say("PATCH", place(second), {"spec": {"names": names}}, MERGE)
    await_condition(talk, second, "Established", "True")
    talk.say("GET", place(second))
    third = definition(talk, names={"plural": "thirds", "kind": "Third", "shortNames": ["tt"]})
    establish(talk, third)
    talk.say("PATCH", place(second), {"spec": {"names": {"shortNames": ["tt"], "singular": "oth"}}}, MERGE)
    await_condition(talk, second, "NamesAccepted", "False")
    talk.say("GET", place(second))
    await_status(talk, 200, "GET", objects(talk, "others"))
    talk.look(f"/apis/{group_of(talk)}/v1", _by_name)
    talk.api.ok("DELETE", place(third))
    await_condition(talk, second, "NamesAccepted", "True")
    talk.say("GET", place(second))


def one_that_never_was(talk: Conversation) -> None:
    establish(talk, definition(talk))
    second = definition(talk, names={"plural": "others"}, finalizers=["example.com/a"])
    talk.api.ok("POST", DEFINITIONS, second)
    await_condition(talk, second, "NamesAccepted", "False")
    talk.say("DELETE", place(second))
    await_condition(talk, second, "Terminating", "False")
    talk.say("GET", place(second))
