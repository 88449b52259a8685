"""PUT: preconditions, what cannot change, what changes the generation."""

from tests.contract.apiserver.client import widget
from tests.contract.kubernetes.conversation import Conversation


def generation_counts_the_spec_only(talk: Conversation) -> None:
    made = talk.say("POST", talk.api.widgets, widget("one"))
    at = f"{talk.api.widgets}/one"
    made = talk.say("PUT", at, {**made, "spec": {**made["spec"], "note": "m"}})
    made = talk.say("PUT", at, {**made, "metadata": {**made["metadata"], "labels": {"a": "b"}}})
    made = talk.say("PUT", at, {**made, "status": {"phase": "x"}})
    talk.say("PUT", at, made)


def preconditions(talk: Conversation) -> None:
    made = talk.say("POST", talk.api.widgets, widget("one"))
    at, meta = f"{talk.api.widgets}/one", made["metadata"]
    talk.say("PUT", at, widget("one"))
    talk.say("PUT", at, {**made, "metadata": {**meta, "resourceVersion": "1"}})
    talk.say("PUT", at, {**made, "metadata": {**meta, "uid": "00000000-0000-0000-0000-000000000000"}})
    talk.say("PUT", at, {**made, "metadata": {**meta, "name": "two"}})
    talk.say("PUT", at, {**made, "metadata": {**meta, "namespace": "default"}})
    talk.say("PUT", f"{talk.api.widgets}/absent", {**made, "metadata": {**meta, "name": "absent"}})


def what_cannot_change(talk: Conversation) -> None:
    made = talk.say("POST", talk.api.widgets, widget("one", {"note": "n", "pinned": "p", "fixed": "f"}))
    at = f"{talk.api.widgets}/one"
    talk.say("PUT", at, {**made, "spec": {**made["spec"], "pinned": "q"}})
    talk.say("PUT", at, {**made, "spec": {**made["spec"], "fixed": "g"}})
    talk.say("PUT", at, {**made, "spec": {"note": "n"}})
    stamped = {**made["metadata"], "creationTimestamp": "2020-01-01T00:00:00Z", "generation": 9}
    talk.say("PUT", at, {**made, "metadata": stamped})


def warnings_and_strictness(talk: Conversation) -> None:
    made = talk.say("POST", talk.api.widgets, widget("one"))
    at, odd = f"{talk.api.widgets}/one", {**made, "spec": {**made["spec"], "junk": 1}}
    talk.say("PUT", at, odd)
    talk.say("PUT", at, odd, fieldValidation="Strict")
    talk.say("PUT", at, {**odd, "metadata": {**made["metadata"], "resourceVersion": "1"}})


def without_a_resource_version(talk: Conversation) -> None:
    at = talk.api.core("configmaps")
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one"}, "data": {"a": "1"}}
    talk.say("POST", at, body)
    talk.say("PUT", f"{at}/one", {**body, "data": {"a": "2"}})
    talk.say("PUT", f"{at}/absent", {**body, "metadata": {"name": "absent"}})
