"""Watches, each ended by the server after a second."""

from tests.contract.apiserver.client import MERGE, widget
from tests.contract.kubernetes.conversation import Conversation


def resumed(talk: Conversation) -> None:
    version = talk.say("GET", talk.api.widgets)["metadata"]["resourceVersion"]
    at = f"{talk.api.widgets}/one"
    talk.say("POST", talk.api.widgets, widget("one", finalizers=["example.com/a"]))
    talk.say("PATCH", at, {"spec": {"note": "m"}}, MERGE)
    talk.say("PATCH", at, {"spec": {"note": "m"}}, MERGE)
    talk.say("DELETE", at)
    talk.say("PATCH", at, {"metadata": {"finalizers": None}}, MERGE)
    talk.watch(talk.api.widgets, resourceVersion=version, timeoutSeconds=1)


def from_the_beginning(talk: Conversation) -> None:
    talk.say("POST", talk.api.widgets, widget("one"))
    talk.watch(talk.api.widgets, timeoutSeconds=1)
    talk.watch(talk.api.widgets, timeoutSeconds=1, resourceVersion="0")


def initial_events(talk: Conversation) -> None:
    talk.say("POST", talk.api.widgets, widget("one"))
    talk.watch(talk.api.widgets, timeoutSeconds=1, sendInitialEvents="true")
    talk.watch(
        talk.api.widgets,
        timeoutSeconds=1,
        sendInitialEvents="true",
        resourceVersionMatch="NotOlderThan",
        allowWatchBookmarks="true",
    )


def through_a_selector(talk: Conversation) -> None:
    version = talk.say("GET", talk.api.widgets)["metadata"]["resourceVersion"]
    at = f"{talk.api.widgets}/one"
    talk.say("POST", talk.api.widgets, widget("one", {"note": "n", "color": "red"}, labels={"a": "1"}))
    talk.say("PATCH", at, {"metadata": {"labels": {"a": "2"}}}, MERGE)
    talk.say("PATCH", at, {"metadata": {"labels": {"a": "1"}}}, MERGE)
    talk.say("PATCH", at, {"spec": {"color": "green"}}, MERGE)
    talk.say("DELETE", at)
    talk.watch(talk.api.widgets, resourceVersion=version, timeoutSeconds=1, labelSelector="a=1")
    talk.watch(talk.api.widgets, resourceVersion=version, timeoutSeconds=1, fieldSelector="spec.color=red")


def refused(talk: Conversation) -> None:
    talk.watch(talk.api.widgets, timeoutSeconds=1, fieldSelector="spec.note=n")
    talk.watch(talk.api.widgets, timeoutSeconds=1, resourceVersion="words")
    talk.watch(talk.api.widgets, timeoutSeconds=1, resourceVersionMatch="Exact")
