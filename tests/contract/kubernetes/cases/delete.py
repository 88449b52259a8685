"""DELETE: at once, with finalizers, with preconditions, of many."""

from tests.contract.apiserver.client import MERGE, widget
from tests.contract.kubernetes.conversation import Conversation


def at_once(talk: Conversation) -> None:
    at = f"{talk.api.widgets}/one"
    talk.say("POST", talk.api.widgets, widget("one"))
    talk.say("DELETE", at, dryRun="All")
    talk.say("DELETE", at)
    talk.say("DELETE", at)


def with_finalizers(talk: Conversation) -> None:
    at = f"{talk.api.widgets}/one"
    talk.say("POST", talk.api.widgets, widget("one", finalizers=["example.com/a"]))
    talk.say("DELETE", at)
    talk.say("DELETE", at)
    talk.say("PATCH", at, {"metadata": {"finalizers": ["example.com/a", "example.com/b"]}}, MERGE)
    talk.say("PATCH", at, {"spec": {"note": "m"}}, MERGE)
    talk.say("PATCH", at, {"metadata": {"finalizers": None}}, MERGE)
    talk.say("GET", at)


def preconditions(talk: Conversation) -> None:
    at = f"{talk.api.widgets}/one"
    made = talk.say("POST", talk.api.widgets, widget("one"))
    for wanted in (
        {"preconditions": {"uid": "00000000-0000-0000-0000-000000000000"}},
        {"preconditions": {"resourceVersion": "1"}},
        {"propagationPolicy": "Nonsense"},
        {"preconditions": {"uid": made["metadata"]["uid"]}, "dryRun": ["All"]},
        {"preconditions": {"uid": made["metadata"]["uid"]}},
    ):
        talk.say("DELETE", at, {"apiVersion": "v1", "kind": "DeleteOptions", **wanted})


def many(talk: Conversation) -> None:
    for name in ("a", "b", "c"):
        talk.say("POST", talk.api.widgets, widget(name, labels={"keep": str(name == "c").lower()}))
    talk.say("DELETE", talk.api.widgets, labelSelector="keep=false")
    talk.say("GET", talk.api.widgets)
