"""GET of many: selectors, pages, versions, tables."""

from tests.contract.apiserver.client import widget
from tests.contract.kubernetes.conversation import Conversation

_TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
_BY_LABEL = ("name=a", "name!=a", "name in (a,b)", "name notin (a,b)", "!name", "name", "name=a,name=b", "=bad=")
_BY_FIELD = ("spec.color=red", "spec.color!=red", "metadata.name=b", "spec.note=n", "spec.color=red,metadata.name=c")
_METADATA = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"


def _three(talk: Conversation) -> None:
    for name, color in (("a", "red"), ("b", "green"), ("c", "red")):
        talk.say("POST", talk.api.widgets, widget(name, {"note": "n", "color": color}, labels={"name": name}))


def empty(talk: Conversation) -> None:
    talk.say("GET", talk.api.widgets)
    talk.say("GET", talk.api.core("configmaps"), fieldSelector="metadata.name=absent")


def selectors(talk: Conversation) -> None:
    _three(talk)
    for selector in (
        "name=a",
        "name!=a",
        "name in (a,b)",
        "name notin (a,b)",
        "!name",
        "name",
        "name=a,name=b",
        "=bad=",
    ):
        talk.say("GET", talk.api.widgets, labelSelector=selector)
    for selector in (
        "spec.color=red",
        "spec.color!=red",
        "metadata.name=b",
        "spec.note=n",
        "spec.color=red,metadata.name=c",
    ):
        talk.say("GET", talk.api.widgets, fieldSelector=selector)


def pages(talk: Conversation) -> None:
    _three(talk)
    page = talk.say("GET", talk.api.widgets, limit=2)
    token = page["metadata"]["continue"]
    talk.say("POST", talk.api.widgets, widget("b2"))
    talk.say("GET", talk.api.widgets, limit=2, **{"continue": token})
    talk.say("GET", talk.api.widgets, limit=2, **{"continue": "garbage"})
    talk.say("GET", talk.api.widgets, limit=2, resourceVersion="1", **{"continue": token})
    talk.say("GET", talk.api.widgets, limit=1, labelSelector="name")
    talk.say("GET", talk.api.widgets, limit="many")


def versions(talk: Conversation) -> None:
    _three(talk)
    for match in ("NotOlderThan", "Exact", "Nonsense"):
        talk.say("GET", talk.api.widgets, resourceVersionMatch=match)
        talk.say("GET", talk.api.widgets, resourceVersion="0", resourceVersionMatch=match)
    talk.say("GET", talk.api.widgets, resourceVersion="0")
    talk.say("GET", talk.api.widgets, resourceVersion="words")


def tables(talk: Conversation) -> None:
    talk.say("POST", talk.api.widgets, widget("a", {"note": "n", "tags": ["x", "y"]}))
    talk.say("GET", talk.api.widgets, accept=_TABLE, includeObject="None")
    talk.say("GET", f"{talk.api.widgets}/a", accept=_TABLE, includeObject="None")
    talk.say("GET", talk.api.widgets, accept=_TABLE, includeObject="Nonsense")
    talk.say("GET", talk.api.widgets, accept=_METADATA)
    talk.say("GET", talk.api.widgets, accept="application/xml")
