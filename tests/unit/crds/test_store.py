"""The watch cache: whatever order events and answers come in, the newest version stays and indices agree."""

from hypothesis import given
from hypothesis import strategies as st

from crds.client.store import Store, by_label, version_of, with_editors
from crds.models.account import Account
from crds.names import LABEL_PROJECT


def record(name: str, version: int, project: str = "", uid: str | None = None) -> Account:
    labels = {LABEL_PROJECT: project} if project else {}
    return Account.parse(
        {"metadata": {"name": name, "uid": uid or f"uid-{name}", "resourceVersion": str(version), "labels": labels}}
    )


def store() -> Store[Account]:
    return Store(Account, {"project": by_label(LABEL_PROJECT)})


EVENTS = st.lists(
    st.tuples(st.sampled_from("abc"), st.integers(1, 30), st.sampled_from(["x", "y", ""]), st.booleans()), max_size=30
)


@given(EVENTS)
def test_the_newest_version_wins_in_any_order(events: list[tuple[str, int, str, bool]]) -> None:
    cache = store()
    newest: dict[str, tuple[int, bool]] = {}
    for name, version, project, gone in events:
        (cache.remove if gone else cache.upsert)(record(name, version, project))
        known = newest.get(name, (0, False))
        if gone:
            newest[name] = (max(version, known[0]), True) if not known[1] or version >= known[0] else known
        elif version > known[0]:
            newest[name] = (version, False)
    for name in "abc":
        kept = cache.get("", name)
        if kept is not None:
            assert version_of(kept) <= newest[name][0]
    for value in ("x", "y"):
        assert {r.name for r in cache.indexed("project", f"/{value}")} == {
            r.name for r in cache.list() if r.metadata.labels.get(LABEL_PROJECT) == value
        }


@given(EVENTS)
def test_what_is_known_would_be_no_news(events: list[tuple[str, int, str, bool]]) -> None:
    cache = store()
    for name, version, project, gone in events:
        one = record(name, version, project)
        if not gone and cache.knows(one.metadata.wire()):
            assert not cache.upsert(one)
        (cache.remove if gone else cache.upsert)(one)


def test_a_late_event_does_not_undo_the_answer_of_a_write() -> None:
    cache = store()
    cache.upsert(record("a", 5))
    assert not cache.upsert(record("a", 4))
    cache.remove(record("a", 6))
    assert not cache.upsert(record("a", 5)), "an older event must not bring it back"
    assert cache.upsert(record("a", 9, uid="another"))
    assert not cache.remove(record("a", 6)), "the end of the first is not the end of the second"


def test_listeners_hear_old_and_new() -> None:
    cache, heard = store(), []
    end = cache.subscribe(lambda old, new: heard.append((old and version_of(old), new and version_of(new))))
    cache.upsert(record("a", 1))
    cache.upsert(record("a", 2))
    cache.replace_all([])
    end()
    cache.upsert(record("b", 3))
    assert heard == [(None, 1), (1, 2), (2, None)]


def test_a_fresh_list_drops_what_vanished() -> None:
    cache = store()
    cache.upsert(record("a", 1))
    cache.replace_all([record("b", 7)])
    assert cache.keys() == {("", "b")}
    assert cache.by_uid("uid-a") is None


def owned(name: str) -> Account:
    entries = [
        {"manager": "setpoint-api", "fieldsV1": {"f:spec": {}}},
        {"manager": "kubectl", "subresource": "scale", "fieldsV1": {"f:spec": {"f:instances": {}}}},
        {"manager": "setpoint-controller", "subresource": "status", "fieldsV1": {"f:status": {}}},
    ]
    return Account.parse({"metadata": {"name": name, "uid": name, "resourceVersion": "1", "managedFields": entries}})


def test_who_owns_which_field_is_kept_only_for_those_who_edit() -> None:
    plain, editing = store(), Store(Account, transform=with_editors)
    for cache in (plain, editing):
        cache.upsert(owned("a"))
        cache.replace_all([owned("a"), owned("b")])
    assert [record.metadata.managed_fields for record in plain.list()] == [None, None]
    managers = [[entry["manager"] for entry in r.metadata.managed_fields or []] for r in editing.list()]
    assert managers == [["setpoint-api", "kubectl"]] * 2
