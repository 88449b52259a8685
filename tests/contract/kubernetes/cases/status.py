"""The status and scale subresources."""

from tests.contract.apiserver.client import APPLY, MERGE, widget
from tests.contract.kubernetes.conversation import Conversation


def status_and_nothing_else(talk: Conversation) -> None:
    made = talk.say("POST", talk.api.widgets, widget("one"))
    at = f"{talk.api.widgets}/one/status"
    patch = {"status": {"phase": "a"}, "spec": {"note": "m"}, "metadata": {"labels": {"x": "y"}}}
    talk.say("PATCH", at, patch, MERGE)
    talk.say("PATCH", at, {"metadata": {"labels": {"x": "y"}}}, MERGE)
    talk.say("PATCH", at, {"status": {"junk": 1}}, MERGE)
    talk.say("PATCH", at, {"status": {"phase": 1}}, MERGE)
    talk.say("PUT", at, {**made, "status": {"phase": "b"}})
    talk.say("GET", at)
    applied = {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}
    body = {key: value for key, value in widget("one").items() if key != "spec"}
    talk.say("PATCH", at, {**body, **applied}, APPLY, fieldManager="me")


def scale(talk: Conversation) -> None:
    talk.say("POST", talk.api.widgets, widget("one"))
    at = f"{talk.api.widgets}/one/scale"
    found = talk.say("GET", at)
    talk.say("PUT", at, {**found, "spec": {"replicas": 3}})
    talk.say("PUT", at, {**found, "spec": {"replicas": 4}})
    talk.say("PATCH", at, {"spec": {"replicas": 0}}, MERGE)
    talk.say("PATCH", at, {"spec": {"replicas": -1}}, MERGE)
    talk.say("PATCH", at, {"spec": {"replicas": 101}}, MERGE)
    talk.say("PATCH", f"{talk.api.widgets}/one/status", {"status": {"replicas": 2, "selector": "a=b"}}, MERGE)
    talk.say("GET", at)
    talk.say("GET", f"{talk.api.widgets}/one")
    talk.say("GET", f"{talk.api.widgets}/absent/scale")
