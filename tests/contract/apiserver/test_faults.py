"""Killed fifty times under 32 writers: the whole history is held against what each writer was told."""

import asyncio
import gc
import itertools
import json
import random
from dataclasses import dataclass, field
from typing import Literal

import pytest

from tests.contract.apiserver.client import Json, widget
from tests.contract.apiserver.conftest import client_of, install_widgets
from tests.contract.apiserver.server import Server
from tests.peer import MERGE, Connection, connect

pytestmark = [
    pytest.mark.patient,
    pytest.mark.timeout(600),
    # asyncio does not close what a connection that broke off in its handshake leaves.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
KILLS, WRITERS, NAMES = 50, 32, 3
BASE = "/apis/test.example.com/v1/namespaces/default/widgets"
Kind = Literal["ADDED", "MODIFIED", "DELETED"]


@dataclass
class Write:
    """`version` is what was told of it; `told` is False for one whose answer never came."""

    kind: Kind
    note: str
    told: bool = False
    version: int = 0


@dataclass
class Event:
    kind: str
    note: str
    version: int


@dataclass
class World:
    """What all writers did, by the object's name, and what one watch saw of it over all restarts."""

    server: Server
    over: bool = False
    writes: dict[str, list[Write]] = field(default_factory=dict)
    events: dict[str, list[Event]] = field(default_factory=dict)
    versions: list[int] = field(default_factory=list)


async def connected(world: World) -> Connection | None:
    """None when it is over; until then it is tried, as a client does whose server is away."""
    while not world.over:
        try:
            return await connect(world.server, world.server.context())
        except OSError:
            await asyncio.sleep(0.02)
    return None


async def write(world: World, writer: int) -> None:
    """Create, change and delete objects of one's own, one request at a time, as long as there is a server."""
    chance = random.Random(writer)
    notes = (f"{writer}-{number}" for number in itertools.count())
    while (connection := await connected(world)) is not None:
        try:
            while not world.over:
                await _one(world, connection, f"w{writer}-{chance.randrange(NAMES)}", next(notes), chance)
        except ConnectionError:
            continue
        finally:
            connection.close()


async def _one(world: World, connection: Connection, name: str, note: str, chance: random.Random) -> None:
    method, path, kind, body = "PATCH", f"{BASE}/{name}", "MODIFIED", json.dumps({"spec": {"note": note}}).encode()
    chosen = chance.random()
    if chosen < 0.3:
        method, path, kind, body = "POST", BASE, "ADDED", json.dumps(widget(name, {"note": note})).encode()
    elif chosen < 0.45:
        method, kind, body = "DELETE", "DELETED", b""
    asked = Write(kind, note)  # type: ignore[arg-type]
    world.writes.setdefault(name, []).append(asked)
    status, answer = await connection.exchange(method, path, body, MERGE if method == "PATCH" else "application/json")
    if status >= 400:
        assert status in (404, 409), answer
        world.writes[name].remove(asked)
        return
    asked.told = True
    if kind != "DELETED":
        asked.version = int(json.loads(answer)["metadata"]["resourceVersion"])


async def watch(world: World) -> None:
    """Resumed after each restart from the last version that was seen."""

    def take(line: bytes) -> None:
        event: Json = json.loads(line)
        assert event["type"] != "ERROR", event
        found = event["object"]
        version = int(found["metadata"]["resourceVersion"])
        if event["type"] == "BOOKMARK":
            return
        world.versions.append(version)
        seen = Event(event["type"], found["spec"]["note"], version)
        world.events.setdefault(found["metadata"]["name"], []).append(seen)

    begin = world.versions[-1]
    while not world.over:
        try:
            connection = await connect(world.server, world.server.context(), take)
        except OSError:
            await asyncio.sleep(0.02)
            continue
        since = world.versions[-1] if world.versions else begin
        connection.start("GET", f"{BASE}?watch=true&resourceVersion={since}")
        await connection.ended()
        connection.close()


async def play(server: Server, first: int) -> World:
    world = World(server, versions=[first])
    chance = random.Random(7)
    writers = [asyncio.create_task(write(world, number)) for number in range(WRITERS)]
    watcher = asyncio.create_task(watch(world))
    for _ in range(KILLS):
        await asyncio.sleep(chance.uniform(0.02, 0.4))
        await asyncio.to_thread(server.kill)
        await asyncio.to_thread(server.start)
        for task in (*writers, watcher):
            if task.done():
                task.result()
    await asyncio.sleep(0.5)
    world.over = True
    await asyncio.gather(*writers)
    newest = max((each.version for writes in world.writes.values() for each in writes), default=0)
    async with asyncio.timeout(20):
        while world.versions[-1] < newest:
            await asyncio.sleep(0.05)
    watcher.cancel()
    await asyncio.gather(watcher, return_exceptions=True)
    await asyncio.sleep(0.1)
    return world


def test_no_kill_loses_halves_or_repeats_a_write(own_server: Server) -> None:
    api = client_of(own_server)
    install_widgets(api)
    first = int(api.get(BASE)["metadata"]["resourceVersion"])
    world = asyncio.run(play(own_server, first))
    # What it did not close is found here, where that is expected.
    gc.collect()
    assert all(later > earlier for earlier, later in itertools.pairwise(world.versions)), "a gap or a repetition"
    told = sum(each.told for writes in world.writes.values() for each in writes)
    lost = sum(not each.told for writes in world.writes.values() for each in writes)
    assert told > 1_000, "too little was written to say anything"
    assert lost > KILLS, "the kills hit nobody"
    for name, writes in world.writes.items():
        _hold_against(name, writes, world.events.get(name, []))
    listed = {item["metadata"]["name"]: item["spec"]["note"] for item in client_of(own_server).get(BASE)["items"]}
    assert listed == _replayed(world)


def _hold_against(name: str, writes: list[Write], events: list[Event]) -> None:
    """Each write that was acknowledged is in the history, in its place and at its version; one without an answer is
    there wholly or not at all; nothing else is."""
    # How much of the history the writes so far may have made: one deletion looks like another.
    made = {0}
    for asked in writes:
        went_on = {many + 1 for many in made if many < len(events) and _is_of(events[many], asked)}
        assert went_on or not asked.told, (name, asked, [events[many : many + 3] for many in sorted(made)])
        made = went_on if asked.told else made | went_on
    assert len(events) in made, (name, events[max(made) :])


def _is_of(seen: Event, asked: Write) -> bool:
    if seen.kind != asked.kind:
        return False
    return asked.kind == "DELETED" or (seen.note == asked.note and asked.version in (0, seen.version))


def _replayed(world: World) -> dict[str, str]:
    return {name: events[-1].note for name, events in world.events.items() if events and events[-1].kind != "DELETED"}
