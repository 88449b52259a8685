"""Several versions: which is served, which is stored, which may go; and what they show of objects."""

from tests.contract.apiserver.client import MERGE, Json
from tests.contract.kubernetes.conversation import Conversation
from tests.contract.kubernetes.gadgets import (
    DEFINITIONS,
    TABLE,
    TEXT,
    await_field,
    await_status,
    definition,
    establish,
    gadget,
    group_of,
    objects,
    schema,
    version,
)

_FIRST, _SECOND = version("v1"), version("v2", storage=False)


def moved(talk: Conversation) -> None:
    at = establish(talk, definition(talk, _FIRST, _SECOND))
    talk.say("POST", objects(talk), gadget(talk, "one", {"a": "x"}))
    talk.say("GET", f"{objects(talk, version='v2')}/one")
    storage = [version("v1", storage=False), version("v2")]
    talk.say("PATCH", at, {"spec": {"versions": storage}}, MERGE)
    talk.say("PATCH", at, {"spec": {"versions": [version("v2")]}}, MERGE)
    talk.say("PATCH", f"{at}/status", {"status": {"storedVersions": ["v2"]}}, MERGE)
    talk.say("PATCH", at, {"spec": {"versions": [version("v2")]}}, MERGE)
    await_status(talk, 404, "GET", objects(talk))
    talk.say("GET", f"{objects(talk, version='v2')}/one")
    talk.settled(lambda: len(talk.api.get(f"/apis/{group_of(talk)}")["versions"]) == 1)
    talk.say("GET", f"/apis/{group_of(talk)}")


def not_served(talk: Conversation) -> None:
    at = establish(talk, definition(talk, _FIRST, _SECOND))
    talk.say("POST", objects(talk, version="v2"), gadget(talk, "one", {"a": "x"}, "v2"))
    talk.say("PATCH", at, {"spec": {"versions": [version("v1", served=False), _SECOND]}}, MERGE)
    await_status(talk, 404, "GET", objects(talk))
    talk.say("GET", objects(talk))
    talk.say("GET", f"{objects(talk, version='v2')}/one")
    talk.say(
        "PATCH",
        at,
        {"spec": {"versions": [version("v1", served=False), version("v2", served=False, storage=False)]}},
        MERGE,
    )
    await_status(talk, 404, "GET", objects(talk, version="v2"))
    await_status(talk, 404, "GET", f"/apis/{group_of(talk)}")
    talk.say("GET", f"/apis/{group_of(talk)}")
    talk.say("GET", f"/apis/{group_of(talk)}/v2")


def that_differ(talk: Conversation) -> None:
    wide = version("v2", storage=False, schema={"openAPIV3Schema": schema(a=TEXT, b={**TEXT, "default": "d"})})
    establish(talk, definition(talk, _FIRST, wide))
    talk.say("POST", objects(talk, version="v2"), gadget(talk, "one", {"a": "x", "b": "y"}, "v2"))
    talk.say("GET", f"{objects(talk)}/one")
    talk.say("GET", f"{objects(talk, version='v2')}/one")
    talk.say("PATCH", f"{objects(talk, version='v2')}/one", {"spec": {"a": "z"}}, MERGE)


def that_are_refused(talk: Conversation) -> None:
    at = establish(talk, definition(talk, _FIRST, _SECOND))
    for versions in (
        [version("v1"), version("v2")],
        [version("v1", storage=False), version("v2", storage=False)],
        [_SECOND],
        [version("v2")],
        [version("v1"), version("V2", storage=False)],
    ):
        talk.say("PATCH", at, {"spec": {"versions": versions}}, MERGE)


def deprecated(talk: Conversation) -> None:
    told = version("v2", storage=False, deprecated=True, deprecationWarning="use v1")
    establish(talk, definition(talk, version("v1", deprecated=True), told))
    talk.say("POST", objects(talk), gadget(talk, "one", {"a": "x"}))
    talk.say("GET", f"{objects(talk, version='v2')}/one")
    talk.say("GET", objects(talk, version="v2"))


def _shown(found: Json) -> Json:
    """Without the version of the whole store, in which others write, too."""
    return {name: found[name] for name in ("columnDefinitions", "rows")}


def columns(talk: Conversation) -> None:
    shown = [
        {"name": "A", "type": "string", "jsonPath": ".spec.a", "description": "What a is", "priority": 1},
        {"name": "N", "type": "integer", "format": "int32", "jsonPath": ".spec.n"},
        {"name": "When", "type": "date", "jsonPath": ".spec.when"},
    ]
    fields = {"a": TEXT, "n": {"type": "integer"}, "when": TEXT}
    wide = version(schema={"openAPIV3Schema": schema(**fields)}, additionalPrinterColumns=shown)
    at = establish(talk, definition(talk, wide))
    talk.api.ok("POST", objects(talk), gadget(talk, "one", {"a": "x", "n": 3}))
    talk.api.ok("POST", objects(talk), gadget(talk, "two", {"when": "words"}))
    talk.look(f"{objects(talk)}?includeObject=None", _shown, TABLE)
    # A field is gone with the columns that showed it: whoever waits for the one has waited for the others.
    talk.say("PATCH", at, {"spec": {"versions": [version(additionalPrinterColumns=shown[:1])]}}, MERGE)
    await_field(talk, 400, "n")
    talk.look(f"{objects(talk)}?includeObject=None", _shown, TABLE)


def selectable_fields(talk: Conversation) -> None:
    fields = {
        "a": TEXT,
        "n": {"type": "integer"},
        "yes": {"type": "boolean"},
        "o": schema(x=TEXT),
        "l": {"type": "array", "items": TEXT},
    }
    shape = {"openAPIV3Schema": schema(**fields)}
    paths = [{"jsonPath": f".spec.{name}"} for name in ("a", "n", "yes")]
    at = establish(talk, definition(talk, version(schema=shape, selectableFields=paths)))
    talk.api.ok("POST", objects(talk), gadget(talk, "one", {"a": "x", "n": 3, "yes": True}))
    talk.api.ok("POST", objects(talk), gadget(talk, "two", {}))
    for selector in ("spec.a=x", "spec.n=3", "spec.yes=true", "spec.a=", "spec.n=", "spec.n!=3", "spec.o=1"):
        talk.say("GET", objects(talk), fieldSelector=selector)
    talk.say("GET", at)
    for wrong in (".spec.o", ".spec.l", ".spec.none", "spec.a", ".metadata.name", "", ".spec.l[0]"):
        body = version(schema=shape, selectableFields=[{"jsonPath": wrong}])
        talk.say("PATCH", at, {"spec": {"versions": [body]}}, MERGE, dryRun="All")
    twice = version(schema=shape, selectableFields=[*paths, paths[0]])
    talk.say("PATCH", at, {"spec": {"versions": [twice]}}, MERGE, dryRun="All")
    many = {f"f{number}": TEXT for number in range(9)}
    all_of_them = [{"jsonPath": f".spec.{name}"} for name in many]
    body = version(schema={"openAPIV3Schema": schema(**many)}, selectableFields=all_of_them)
    talk.say("POST", DEFINITIONS, definition(talk, body, names={"plural": "others", "kind": "Other"}), dryRun="All")
