"""Field sets and ownership: laws that must hold for any objects."""

import contextlib
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cluster.apiserver.errors import ApiError
from cluster.apiserver.fields.managed import Entry, canonical, capped, read_entries, write_entries
from cluster.apiserver.fields.merge import merge
from cluster.apiserver.fields.sets import EMPTY, FieldSet, difference, intersection, paths, union, without_trees
from cluster.apiserver.fields.updater import _prune, apply, track_update
from cluster.apiserver.fields.walk import compare, everything_in, to_set
from cluster.apiserver.types import Json
from tests.unit.cluster.apiserver.values import NODE, SPEC, an_object

SPECS = SPEC.map(lambda spec: {"spec": spec})
SETS = SPECS.map(lambda obj: to_set(obj, NODE))


def members(found: FieldSet) -> set[tuple[str, ...]]:
    return set(paths(found))


def who(manager: str, operation: str = "Apply", time: str = "2024-01-01T00:00:00Z") -> Entry:
    return Entry(manager, operation, "g/v1", "", EMPTY, time)


@given(SETS, SETS)
def test_sets_behave_like_sets(left: FieldSet, right: FieldSet) -> None:
    assert members(union(left, right)) == members(left) | members(right)
    assert members(difference(left, right)) == members(left) - members(right)
    assert members(intersection(left, right)) == members(left) & members(right)
    trees = members(right)
    kept = {path for path in members(left) if not any(path[: len(tree)] == tree for tree in trees)}
    assert members(without_trees(left, right)) == kept


@given(SETS)
def test_sets_survive_being_written(fields: FieldSet) -> None:
    if not fields:
        return
    written = write_entries([Entry("m", "Apply", "g/v1", "", fields, "2024-01-01T00:00:00Z")])
    assert [entry.fields for entry in read_entries(written)] == [fields]


@given(SPECS, SPECS)
def test_comparison_is_complete(old: Json, new: Json) -> None:
    added, modified, removed = compare(old, new, NODE)
    assert compare(old, old, NODE) == (EMPTY, EMPTY, EMPTY)
    assert compare({}, new, NODE) == (everything_in(new, NODE), EMPTY, EMPTY)
    assert not members(added) & members(removed)
    back = compare(new, old, NODE)
    assert members(back.added) == members(removed)
    assert members(back.modified) == members(modified)
    if old != new:
        assert added or modified or removed or _only_order(old, new)


def _only_order(old: Json, new: Json) -> bool:
    """Lists whose items are named have no order that could be owned."""
    return set(map(str, paths(to_set(old, NODE)))) == set(map(str, paths(to_set(new, NODE))))


@given(SPEC)
def test_applying_the_same_again_changes_nothing(spec: Json) -> None:
    first = apply(None, an_object(spec), NODE, who("me"))
    live = {**an_object({}), **first.merged}
    live["metadata"] = {**an_object({})["metadata"], **live.get("metadata", {})}
    first.store(live)
    # What owns nothing (an empty set) leaves no entry, and counts as made by somebody else.
    assume("managedFields" in live["metadata"])
    again = apply(live, an_object(spec), NODE, who("me", time="2025-01-01T00:00:00Z"))
    assert again.merged.get("spec", {}) == live.get("spec", {})
    again.store(live)
    assert live["metadata"].get("managedFields", []) == [
        entry for entry in live["metadata"].get("managedFields", []) if entry["time"] == "2024-01-01T00:00:00Z"
    ]


@given(SPEC, SPEC, SPEC)
def test_who_gives_nothing_up_takes_nothing_away(mine: Json, yours: Json, more: Json) -> None:
    """Pruning is left out then, as it would change nothing."""
    live = applied(applied(None, mine, "me"), yours, "you", force=True)
    wanted = to_set(an_object({**mine, **more}), NODE)
    last = owned(live, "me")
    assume(not difference(last, wanted))
    merged = merge(live, an_object({**mine, **more}), NODE)
    others = [replace(who("you"), fields=owned(live, "you"))]
    assert _prune(merged, NODE, last, wanted, others) == merged


@given(SPEC, SPEC)
def test_leaving_everything_out_removes_what_only_you_owned(mine: Json, yours: Json) -> None:
    live = applied(None, mine, "me")
    with contextlib.suppress(ApiError):
        live = applied(live, yours, "you")
    assume(owned(live, "you") and owned(live, "me"))
    left = applied(live, {}, "me")
    alone = applied(None, yours, "you")
    assert members(to_set({"spec": left.get("spec") or {}}, NODE)) >= members(owned(alone, "you")) - {("f:spec",)}
    assert owned(left, "me") in (EMPTY, {"f:spec": {}})


@given(SPEC, SPEC)
def test_force_always_wins(mine: Json, yours: Json) -> None:
    live = applied(None, mine, "me")
    forced = applied(live, yours, "you", force=True)
    again = apply(forced, an_object(yours), NODE, who("you"))
    assert members(owned(forced, "you")) == members(to_set({"spec": yours}, NODE))
    assert again.merged.get("spec") == forced.get("spec")


def applied(live: Json | None, spec: Json, manager: str, force: bool = False) -> Json:
    result = apply(live, an_object(spec), NODE, who(manager), force=force)
    obj = {**an_object({}), **result.merged}
    obj["metadata"] = {**an_object({})["metadata"], **result.merged.get("metadata", {})}
    if "spec" not in result.merged:
        del obj["spec"]
    result.store(obj)
    return obj


def owned(obj: Json, manager: str) -> FieldSet:
    entries = read_entries(obj["metadata"].get("managedFields", []))
    return next((entry.fields for entry in entries if entry.manager == manager), EMPTY)


@given(st.lists(SPEC, min_size=1, max_size=4))
def test_updates_own_all_that_is_set_and_nobody_owns_what_is_gone(specs: list[Json]) -> None:
    old: Json | None = None
    for number, spec in enumerate(specs):
        new = an_object(spec)
        if old is not None and "managedFields" in old["metadata"]:
            new["metadata"]["managedFields"] = old["metadata"]["managedFields"]
        track_update(old, new, NODE, who(f"m{number}", "Update"))
        everything: FieldSet = EMPTY
        for entry in read_entries(new["metadata"].get("managedFields", [])):
            everything = union(everything, entry.fields)
        present = members(compare({}, {"spec": spec}, NODE).added)
        assert members(everything) <= present
        assert members(to_set({"spec": spec}, NODE)) <= members(everything)
        old = new


def test_at_most_ten_updaters_are_kept() -> None:
    entries = [
        Entry(f"m{n}", "Update", "g/v1", "", {"f:spec": {f"f:{n}": {}}}, f"2024-01-01T00:00:{n:02}Z") for n in range(15)
    ]
    kept = capped(entries)
    assert len(kept) == 10
    ancient = next(entry for entry in kept if entry.manager == "ancient-changes")
    assert len(members(ancient.fields)) == 6


@pytest.mark.parametrize("raw", [{"x": {}}, {"f:a": 1}, {"k:{": {}}, {"q:a": {}}])
def test_bad_field_sets_are_refused(raw: Json) -> None:
    with pytest.raises(ApiError):
        canonical(raw)
