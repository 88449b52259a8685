"""Watch streams on a real store, with the clock's part made short: bookmarks, slow readers, the end."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import orjson
import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from cluster.apiserver.access.access import Access
from cluster.apiserver.access.identity import Identity
from cluster.apiserver.access.rbac import Rbac
from cluster.apiserver.access.service_accounts import ServiceAccounts
from cluster.apiserver.access.token_file import TokenFile
from cluster.apiserver.http.request import Request
from cluster.apiserver.http.response import Stream
from cluster.apiserver.kinds.builtin.table import built_in_resources
from cluster.apiserver.kinds.model import Target
from cluster.apiserver.kinds.registry import Registry
from cluster.apiserver.output.negotiate import Form
from cluster.apiserver.storage.codec import SecretsCodec
from cluster.apiserver.storage.database import Database
from cluster.apiserver.storage.store import Store
from cluster.apiserver.types import Json
from cluster.apiserver.verbs import watch as watching
from cluster.apiserver.verbs.context import Context
from cluster.apiserver.watching import hub as hubs


@pytest.fixture
async def context(tmp_path: Path) -> AsyncIterator[Context]:
    (tmp_path / "access.json").write_text("{}")
    store = Store(Database(tmp_path / "state.db", SecretsCodec(bytes(32), frozenset())))
    accounts = ServiceAccounts(ec.generate_private_key(ec.SECP256R1()), lambda _: None)
    access = Access(TokenFile(tmp_path / "access.json"), accounts, Rbac())
    found = Context(store, Registry(built_in_resources()), access, hubs.Hub())
    store.listeners.append(found.hub.publish)
    yield found
    await store.close()


def start(context: Context, query: bytes) -> Stream:
    resource = context.registry.by_id("configmaps")
    assert resource is not None
    request = Request("GET", "/", query, {}, b"", Identity("me"))
    return watching.watch(context, Target(resource, resource.versions["v1"]), request, Form())


def config_map(name: str) -> Json:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "ns", "uid": name}}


async def events(stream: Stream) -> AsyncIterator[Json]:
    async for chunk in stream.chunks:
        for line in chunk.splitlines():
            yield orjson.loads(line)


async def test_bookmarks_come_only_if_asked_for(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "BOOKMARK_SECONDS", 0.05)
    record = await context.store.put("configmaps", config_map("a"), None)
    async for event in events(start(context, b"allowWatchBookmarks=true&resourceVersion=%d" % record.rv)):
        assert event["type"] == "BOOKMARK"
        assert event["object"]["metadata"]["resourceVersion"] == str(context.store.version)
        break
    without = start(context, b"timeoutSeconds=1&resourceVersion=%d" % record.rv)
    assert [event async for event in events(without)] == []


async def test_bookmarks_come_at_least_once_a_minute() -> None:
    assert watching.BOOKMARK_SECONDS <= 60


async def test_a_reader_that_does_not_read_is_let_go(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hubs, "MAX_PENDING", 5)
    stream = start(context, b"")
    assert context.hub.count() == 1
    await asyncio.gather(*(context.store.put("configmaps", config_map(f"c{n}"), None) for n in range(10)))
    assert [event async for event in events(stream)] == []
    stream.close()
    assert context.hub.count() == 0


async def test_closing_the_hub_ends_all_streams(context: Context) -> None:
    streams = [start(context, b"") for _ in range(3)]
    context.hub.close()
    assert [[event async for event in events(stream)] for stream in streams] == [[], [], []]
    assert [event async for event in events(start(context, b""))] == []


async def test_one_encoding_serves_all_watchers(context: Context) -> None:
    streams = [start(context, b"resourceVersion=%d" % context.store.version) for _ in range(2)]
    await context.store.put("configmaps", config_map("a"), None)
    chunks = [await anext(stream.chunks) for stream in streams]
    assert chunks[0] is chunks[1]
    for stream in streams:
        stream.close()
