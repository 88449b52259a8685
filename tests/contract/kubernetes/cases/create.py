"""POST, and what is made of the body: defaults, pruning, warnings, refusals."""

from tests.contract.apiserver.client import GROUP, Json, widget
from tests.contract.kubernetes.conversation import Conversation

_REFUSED: tuple[Json, ...] = (
    {},
    {"note": 1},
    {"note": "n" * 201},
    {"note": "n", "color": "pink"},
    {"note": "n", "replicas": -1},
    {"note": "n", "replicas": 101},
    {"note": "n", "replicas": "3"},
    {"note": "n", "replicas": 2.5},
    {"note": "n", "replicas": 2**40},
    {"note": "n", "code": "A1"},
    {"note": "n", "when": "yesterday"},
    {"note": "n", "tags": ["a", "b", "a"]},
    {"note": "n", "tags": ["a", "b", "c", "d", "e", "f"]},
    {"note": "n", "ports": [{"port": 1}, {"port": 1}]},
    {"note": "n", "ports": [{"label": "x"}]},
    {"note": "n", "limits": {"a": 1}},
    {"note": "n", "limits": {"x" * 20: "1"}},
    {"note": "n", "port": True},
    {"note": "n", "plain": "no list"},
)

_FITTED: tuple[Json, ...] = (
    {"note": "n", "tpl": {"size": 2.0}},
    {"note": "n", "replicas": None},
    {"note": "n", "maybe": None},
    {"note": "n", "port": 80},
    {"note": "n", "port": "http"},
    {"note": "n", "free": {"a": [1, {"b": None}]}},
    {"note": "n", "ports": [{"port": 1}, {"port": 1, "protocol": "UDP"}]},
)


def defaults_and_ownership(talk: Conversation) -> None:
    talk.say("POST", talk.api.widgets, widget("one", {"note": "n", "tpl": {}, "limits": {"a": "1"}}))
    talk.say("GET", f"{talk.api.widgets}/one")


def without_a_spec(talk: Conversation) -> None:
    body = widget("one")
    del body["spec"]
    talk.say("POST", talk.api.widgets, body)
    talk.say("POST", talk.api.widgets, {**widget("two"), "spec": None})
    talk.say("POST", talk.api.widgets, {**widget("three"), "spec": {}})


def unknown_fields(talk: Conversation) -> None:
    body = widget("one", {"note": "n", "junk": 1, "tpl": {"imagge": "x"}, "ports": [{"port": 1, "no": 2}]})
    for validation in ("", "Warn", "Ignore", "Strict", "Nonsense"):
        query = {"fieldValidation": validation} if validation else {}
        talk.say("POST", talk.api.widgets, {**body, "metadata": {"name": f"w{validation.lower()}"}}, **query)


def keys_sent_twice(talk: Conversation) -> None:
    raw = (
        b'{"apiVersion":"test.example.com/v1","kind":"Widget","metadata":{"name":"%b"},"spec":{"note":"a","note":"b"}}'
    )
    talk.say("POST", talk.api.widgets, raw % b"one")
    talk.say("POST", talk.api.widgets, raw % b"two", fieldValidation="Strict")


def values_that_do_not_fit(talk: Conversation) -> None:
    for number, spec in enumerate(_REFUSED):
        talk.say("POST", talk.api.widgets, widget(f"w{number}", spec))


def values_that_are_made_to_fit(talk: Conversation) -> None:
    for number, spec in enumerate(_FITTED):
        talk.say("POST", talk.api.widgets, widget(f"w{number}", spec))


def a_whole_number_with_a_point(talk: Conversation) -> None:
    talk.say("POST", talk.api.widgets, widget("one", {"note": "n", "replicas": 2.0}))


def names(talk: Conversation) -> None:
    for name in ("1a.b-c.2", "UPPER", "under_score", "a" * 253, "a" * 254, "-dash", "dot.", ""):
        talk.say("POST", talk.api.widgets, widget(name))


def metadata_that_is_refused(talk: Conversation) -> None:
    for metadata in (
        {"labels": {"k": "not ok!"}},
        {"labels": {"bad key!": "v"}},
        {"labels": {"k": 1}},
        {"annotations": {"a": "x" * (256 * 1024 + 1)}},
        {"finalizers": ["has space"]},
        {"finalizers": ["unqualified"]},
        {"resourceVersion": "1"},
        {"namespace": "another"},
        {"ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "a"}]},
    ):
        talk.say("POST", talk.api.widgets, widget("one", **metadata))


def what_the_server_sets_itself(talk: Conversation) -> None:
    talk.say(
        "POST",
        talk.api.widgets,
        {
            **widget("one", uid="mine", generation=7, creationTimestamp="2020-01-01T00:00:00Z", selfLink="/x"),
            "status": {"phase": "sent"},
        },
    )


def the_wrong_kind(talk: Conversation) -> None:
    talk.say("POST", talk.api.widgets, {**widget("one"), "kind": "Gadget"})
    talk.say("POST", talk.api.widgets, {**widget("one"), "apiVersion": "v2"})
    talk.say("POST", talk.api.widgets, b"no json")
    talk.say("POST", talk.api.widgets, b"[1]")
    talk.say("POST", talk.api.widgets, b"")
    talk.say("POST", talk.api.widgets, b"<x/>", kind="text/xml")


def twice(talk: Conversation) -> None:
    talk.say("POST", talk.api.widgets, widget("one"))
    talk.say("POST", talk.api.widgets, widget("one"))


def dry(talk: Conversation) -> None:
    talk.say("POST", talk.api.widgets, widget("one"), dryRun="All")
    talk.say("POST", talk.api.widgets, widget("one"), dryRun="Some")
    talk.say("GET", f"{talk.api.widgets}/one")


def where_there_is_nothing(talk: Conversation) -> None:
    talk.say("POST", f"{GROUP}/namespaces/absent-{talk.api.namespace}/widgets", widget("one"))
    talk.say("GET", f"{GROUP}/namespaces/absent-{talk.api.namespace}/widgets")
    talk.say("POST", f"{GROUP}/namespaces/{talk.api.namespace}/gadgets", widget("one"))
    talk.say("GET", f"{talk.api.widgets}/absent")
    talk.say("GET", "/apis/no.such.group/v1/things")
    talk.say("GET", f"/api/v1/namespaces/{talk.api.namespace}/things")
    talk.say("POST", GROUP + "/widgets", widget("one"))
