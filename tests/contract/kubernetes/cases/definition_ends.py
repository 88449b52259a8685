"""How a definition goes, and its objects with it."""

from contextlib import suppress

from tests.contract.apiserver.client import APPLY, MERGE, eventually
from tests.contract.kubernetes.conversation import Conversation
from tests.contract.kubernetes.gadgets import (
    DEFINITIONS,
    await_condition,
    await_status,
    definition,
    establish,
    gadget,
    objects,
    place,
)

_IN_PROGRESS = ("Terminating", "True", "InstanceDeletionInProgress")


def without_objects(talk: Conversation) -> None:
    body = definition(talk)
    start = talk.api.get(DEFINITIONS)["metadata"]["resourceVersion"]
    at = establish(talk, body)
    uid = talk.api.get(at)["metadata"]["uid"]
    talk.say("DELETE", at, dryRun="All")
    talk.say("DELETE", at, {"preconditions": {"uid": "00000000-0000-0000-0000-000000000000"}})
    talk.say("DELETE", at, {"preconditions": {"resourceVersion": "1"}})
    talk.say("DELETE", at, {"preconditions": {"uid": uid}})
    await_status(talk, 404, "GET", at)
    talk.say("DELETE", at)
    await_status(talk, 404, "GET", objects(talk))
    talk.say("GET", objects(talk))
    talk.watch(DEFINITIONS, resourceVersion=start, timeoutSeconds=1, fieldSelector=f"metadata.name={at.split('/')[-1]}")


def with_objects(talk: Conversation) -> None:
    body = definition(talk)
    at, things = establish(talk, body), objects(talk)
    talk.api.ok("POST", things, gadget(talk, "free", {"a": "x"}))
    talk.api.ok("POST", things, gadget(talk, "held", {"a": "x"}, finalizers=["example.com/a"]))
    talk.say("DELETE", at)
    await_condition(talk, body, *_IN_PROGRESS)
    eventually(lambda: talk.api.get(f"{things}/held")["metadata"].get("deletionTimestamp"))
    await_status(talk, 404, "GET", f"{things}/free")
    await_status(talk, 403, "POST", things, gadget(talk, "new"), dryRun="All")
    talk.say("GET", at)
    talk.say("DELETE", at)
    talk.say("GET", f"{things}/held")
    talk.say("GET", things)
    talk.say("POST", things, gadget(talk, "new"))
    talk.say("PATCH", f"{things}/new", gadget(talk, "new"), APPLY, fieldManager="me")
    talk.say("PATCH", f"{things}/held", {"spec": {"a": "y"}}, MERGE)
    talk.say("PATCH", at, {"metadata": {"labels": {"a": "b"}}}, MERGE)
    talk.say("PATCH", at, {"metadata": {"finalizers": ["example.com/new"]}}, MERGE)
    talk.say("POST", DEFINITIONS, body)
    talk.say("PATCH", f"{things}/held", {"metadata": {"finalizers": None}}, MERGE)
    await_status(talk, 404, "GET", at)
    await_status(talk, 404, "GET", things)
    talk.say("GET", f"{things}/held")


def held(talk: Conversation) -> None:
    body = definition(talk, finalizers=["example.com/a"])
    at, things = establish(talk, body), objects(talk)
    talk.api.ok("POST", things, gadget(talk, "one"))
    talk.say("DELETE", at, propagationPolicy="Foreground")
    await_condition(talk, body, "Terminating", "False", "InstanceDeletionCompleted")
    talk.say("GET", at)
    talk.say("GET", things)
    talk.say("DELETE", at)
    talk.say("PATCH", at, {"metadata": {"finalizers": None}}, MERGE)
    await_status(talk, 404, "GET", at)


def an_object_made_late(talk: Conversation) -> None:
    body = definition(talk, finalizers=["example.com/a"])
    at = establish(talk, body)
    talk.api.ok("DELETE", at)
    late = gadget(talk, "late")
    await_condition(talk, body, "Terminating", "False", "InstanceDeletionCompleted")
    with suppress(AssertionError):
        # A real server looks at the definition a little later, and takes it then; ours never does.
        eventually(lambda: talk.api.request("POST", objects(talk), late, dryRun="All").status_code == 201, 2.0)
    talk.say("POST", objects(talk), late)
    talk.api.patch(at, {"metadata": {"finalizers": None}}, MERGE)


def made_again(talk: Conversation) -> None:
    body = definition(talk)
    at, things = establish(talk, body), objects(talk)
    talk.api.ok("POST", things, gadget(talk, "one", {"a": "x"}))
    talk.api.ok("DELETE", at)
    await_status(talk, 404, "GET", at)
    await_status(talk, 404, "GET", things)
    establish(talk, body)
    talk.say("GET", f"{things}/one")
    talk.say("GET", things)


def watched_by_who_reads_its_objects(talk: Conversation) -> None:
    at, things = establish(talk, definition(talk)), objects(talk)
    start = talk.api.ok("POST", things, gadget(talk, "one"))["metadata"]["resourceVersion"]
    talk.api.ok("DELETE", at)
    await_status(talk, 404, "GET", things)
    talk.watch(things, resourceVersion=start, timeoutSeconds=1)


def many(talk: Conversation) -> None:
    bodies = [
        definition(talk, names={"plural": name, "kind": name.title()}, labels={"case": talk.api.namespace})
        for name in ("a", "b", "c")
    ]
    for body in bodies:
        establish(talk, body)
    talk.api.patch(place(bodies[2]), {"metadata": {"labels": {"case": None}}}, MERGE)
    talk.say("DELETE", DEFINITIONS, labelSelector=f"case={talk.api.namespace}")
    for body in bodies[:2]:
        await_status(talk, 404, "GET", place(body))
    talk.say("GET", place(bodies[2]))
