"""The store by itself: order, staging, snapshots, the log's horizon. On a real SQLite file."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidTag

from cluster.apiserver.errors import ApiError
from cluster.apiserver.storage.codec import SecretsCodec, load_or_make_key
from cluster.apiserver.storage.database import CRASH_JUMP, Database
from cluster.apiserver.storage.store import Store
from cluster.apiserver.types import Json
from cluster.apiserver.verbs.read import snapshot

SEALED = frozenset({"secrets"})


def an_object(name: str, value: int = 0) -> Json:
    return {"apiVersion": "v1", "kind": "K", "metadata": {"name": name, "namespace": "ns", "uid": name}, "value": value}


def opened(folder: Path) -> Store:
    return Store(Database(folder / "state.db", SecretsCodec(load_or_make_key(folder / "key"), SEALED)))


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    found = opened(tmp_path)
    yield found
    await found.close()


def values(store: Store, version: int) -> dict[str, int]:
    return {record.name: record.decode()["value"] for record in snapshot(store, "ks", "", version)}


async def test_writes_are_told_in_order_and_after_the_commit(store: Store) -> None:
    told: list[int] = []
    store.listeners.append(lambda changes: told.extend(change.record.rv for change in changes))
    records = await asyncio.gather(*(store.put("ks", an_object(f"o{n}"), None) for n in range(50)))
    assert told == sorted(record.rv for record in records)
    assert store.version == told[-1]


async def test_the_next_write_builds_on_one_that_is_not_committed(store: Store) -> None:
    first = asyncio.ensure_future(store.put("ks", an_object("a", 1), None))
    await asyncio.sleep(0)
    assert store.get("ks", ("ns", "a")) is None
    staged = store.latest("ks", ("ns", "a"))
    assert staged is not None
    second = asyncio.ensure_future(store.put("ks", an_object("a", 2), staged))
    await asyncio.gather(first, second)
    found = store.get("ks", ("ns", "a"))
    assert found is not None
    assert found.decode()["value"] == 2


async def test_a_caller_that_leaves_does_not_take_its_write_back(store: Store) -> None:
    task = asyncio.ensure_future(store.put("ks", an_object("a"), None))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await store.put("ks", an_object("b"), None)
    assert store.get("ks", ("ns", "a")) is not None


async def test_the_past_can_be_seen(store: Store) -> None:
    a = await store.put("ks", an_object("a", 1), None)
    b = await store.put("ks", an_object("b", 1), None)
    a2 = await store.put("ks", an_object("a", 2), a)
    gone = await store.remove("ks", b.decode(), b)
    await store.put("ks", an_object("c", 1), None)
    assert values(store, a.rv) == {"a": 1}
    assert values(store, b.rv) == {"a": 1, "b": 1}
    assert values(store, a2.rv) == {"a": 2, "b": 1}
    assert values(store, gone.rv) == {"a": 2}
    assert values(store, store.version) == {"a": 2, "c": 1}


async def test_the_log_forgets_events_but_no_object(tmp_path: Path) -> None:
    store = opened(tmp_path)
    a = await store.put("ks", an_object("a", 1), None)
    a2 = await store.put("ks", an_object("a", 2), a)
    b = await store.put("ks", an_object("b", 1), None)
    await store.remove("ks", b.decode(), b)
    last = await store.put("ks", an_object("c", 1), None)
    store.compact_to(last.rv)
    with pytest.raises(ApiError) as caught:
        list(store.events("ks", a2.rv, store.version))
    assert caught.value.code == 410
    await store.close()
    again = opened(tmp_path)
    assert values(again, again.version) == {"a": 2, "c": 1}
    assert again.horizon == last.rv
    await again.close()


async def test_a_clean_end_goes_on_counting_and_a_crash_jumps(tmp_path: Path) -> None:
    store = opened(tmp_path)
    record = await store.put("ks", an_object("a"), None)
    await store.close()
    again = opened(tmp_path)
    assert again.version == record.rv
    await again._writer.close()  # The end of a process that notes nothing.
    crashed = opened(tmp_path)
    assert crashed.version == record.rv + CRASH_JUMP
    await crashed.close()


async def test_rows_cannot_change_places(tmp_path: Path) -> None:
    codec = SecretsCodec(load_or_make_key(tmp_path / "key"), SEALED)
    sealed = codec.seal("secrets", "ns", "a", b'{"x":1}')
    assert b"x" not in sealed[13:] or sealed != b'{"x":1}'
    assert codec.open("secrets", "ns", "a", sealed) == b'{"x":1}'
    with pytest.raises(InvalidTag):
        codec.open("secrets", "ns", "b", sealed)
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600
    assert load_or_make_key(tmp_path / "key") == (tmp_path / "key").read_bytes()
