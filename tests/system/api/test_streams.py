"""The stream of a deploy: whole, in one order for everybody, resumable, also over a restart of the API."""

import asyncio
import contextlib
from typing import Any

import httpx
import pytest

from tests.system.api.house import House
from tests.system.api.loop import building, failed, live
from tests.system.api.nodes import PlayedNode, played_node, recorded
from tests.system.api.visitor import MAIN, Visitor

pytestmark = pytest.mark.timeout(60)

Events = list[dict[str, Any]]


def lines(events: Events) -> list[str]:
    return [event["data"]["line"] for event in events if event["event"] == "log"]


async def begun(visitor: Visitor) -> tuple[str, str]:
    """A project's path, and the id of a deploy of it."""
    project = await visitor.project()
    deploy = await visitor.ok("POST", f"/v1/projects/{project['id']}/deploy")
    return f"/v1/projects/{project['id']}", deploy["id"]


async def test_ten_clients_see_the_same_whenever_they_come(visitor: Visitor) -> None:
    path, deploy_id = await begun(visitor)
    join = f"{path}/deploys/{deploy_id}/stream"
    async with visitor.house.client() as client, played_node(visitor.house, client, "node-ten") as node:
        early = [asyncio.create_task(visitor.events("GET", join)) for _ in range(5)]
        build = await building(client, deploy_id, node.name)
        node.build_line(MAIN, build, "one")
        late = [asyncio.create_task(visitor.events("GET", join)) for _ in range(4)]
        for index in range(20):
            node.build_line(MAIN, build, f"line {index}")
        node.end_build(MAIN, build)
        await live(client, deploy_id)
        seen = await asyncio.gather(*early, *late)
        after = await visitor.events("GET", join)
    assert all(events == after for events in seen)
    assert [event["id"] for event in after] == [f"{deploy_id}:{number}" for number in range(1, len(after) + 1)]
    assert all(event["data"]["seq"] == int(event["id"].partition(":")[2]) for event in after if event["event"] == "log")
    assert after[0]["data"] == {"deployId": deploy_id, "status": "queued"}
    statuses = [event["data"]["status"] for event in after if event["event"] == "status"]
    assert statuses == ["queued", "building", "releasing"]
    assert after[-1]["event"] == "done"
    assert after[-1]["data"] == {"deployId": deploy_id, "status": "live", "url": "http://x.localhost:8080"}
    told = lines(after)
    assert told[0] == "Looking up the commit"
    assert told.index("one") < told.index("line 0") < told.index("line 19")
    assert told[told.index("line 19") + 1].startswith("build done")


async def test_lines_come_as_they_are_written(visitor: Visitor) -> None:
    path, deploy_id = await begun(visitor)
    async with visitor.house.client() as client, played_node(visitor.house, client, "node-live") as node:
        build = await building(client, deploy_id, node.name)
        async with contextlib.aclosing(visitor.stream("GET", f"{path}/deploys/{deploy_id}/stream")) as stream:
            for number in range(3):
                node.build_line(MAIN, build, f"now {number}")
                async for event in stream:
                    if event["event"] == "log" and event["data"]["line"] == f"now {number}":
                        break


async def test_each_line_once_for_a_client_that_comes_back(visitor: Visitor) -> None:
    project = await visitor.project()
    path = f"/v1/projects/{project['id']}/deploy/stream"
    first = await visitor.events("POST", path, most=1)
    deploy_id = first[0]["data"]["deployId"]
    async with visitor.house.client() as client, played_node(visitor.house, client, "node-back") as node:
        build = await building(client, deploy_id, node.name)
        for index in range(10):
            node.build_line(MAIN, build, f"line {index}")
        seen: Events = []
        # It leaves after every three events, and joins again by the POST with the id of the last one.
        while not seen or seen[-1]["event"] != "done":
            headers = {"Last-Event-ID": seen[-1]["id"]} if seen else {"Last-Event-ID": f"{deploy_id}:0"}
            seen += await visitor.events("POST", path, headers=headers, most=3)
            if len(seen) > 12:
                node.end_build(MAIN, build)
                await live(client, deploy_id)
        whole = await visitor.events("GET", f"/v1/projects/{project['id']}/deploys/{deploy_id}/stream")
    assert seen == whole
    deploys = (await visitor.ok("GET", f"/v1/projects/{project['id']}/deploys"))["deploys"]
    assert [deploy["id"] for deploy in deploys] == [deploy_id]


async def test_the_first_answer_names_the_deploy(visitor: Visitor) -> None:
    project = await visitor.project()
    headers = {"Authorization": f"Bearer {visitor.house.keys['admin']}"}
    path = f"/v1/projects/{project['id']}/deploy/stream"
    async with visitor.http.stream("POST", path, headers=headers) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-accel-buffering"] == "no"
        assert answer.headers["location"].startswith(f"/v1/projects/{project['id']}/deploys/dep_")
    joined = await visitor.call("GET", answer.headers["location"])
    assert joined.json()["status"] == "queued"


async def test_an_idempotency_key_joins_the_first_stream(visitor: Visitor) -> None:
    project = await visitor.project()
    path = f"/v1/projects/{project['id']}/deploy/stream"
    headers = {"Idempotency-Key": f"stream-{project['id']}"}
    first = await visitor.events("POST", path, headers=headers, most=1)
    again = await visitor.events("POST", path, headers=headers, most=1)
    assert first == again


async def test_a_bad_last_event_id_is_refused(visitor: Visitor) -> None:
    path, deploy_id = await begun(visitor)
    for bad in ("x", f"{deploy_id}:", f"{deploy_id}:-1", "dep_x:1"):
        refused = await visitor.call("POST", f"{path}/deploy/stream", headers={"Last-Event-ID": bad})
        assert refused.status_code == 422, bad
    other = f"dep_{'a' * 26}:1"
    assert (await visitor.call("POST", f"{path}/deploy/stream", headers={"Last-Event-ID": other})).status_code == 404
    join = f"{path}/deploys/{deploy_id}/stream"
    assert (await visitor.call("GET", join, headers={"Last-Event-ID": other})).status_code == 422


async def test_a_failure_says_why_with_the_last_lines(visitor: Visitor) -> None:
    path, deploy_id = await begun(visitor)
    async with visitor.house.client() as client, played_node(visitor.house, client, "node-fail") as node:
        build = await building(client, deploy_id, node.name)
        for index in range(60):
            node.build_line(MAIN, build, f"line {index}")
        node.end_build(MAIN, build)
        await failed(client, deploy_id)
        events = await visitor.events("GET", f"{path}/deploys/{deploy_id}/stream")
        shown = await visitor.ok("GET", f"{path}/deploys/{deploy_id}")
    error = events[-1]["data"]["error"]
    assert (error["reason"], error["message"]) == ("BuildFailed", "The build failed.")
    assert error["log"] == [f"line {index}" for index in range(10, 60)]
    assert shown["error"] == error
    assert "url" not in events[-1]["data"]
    # With the node away the log cannot be had; the rest can.
    away = await visitor.ok("GET", f"{path}/deploys/{deploy_id}")
    assert away["error"] == {**error, "log": []}


async def test_a_failed_instance_is_asked_for_its_log(visitor: Visitor) -> None:
    path, deploy_id = await begun(visitor)
    async with visitor.house.client() as client, played_node(visitor.house, client, "node-crash") as node:
        name = (await visitor.ok("GET", path))["name"]
        node.log_line(MAIN, name, "Traceback", "2026-11-21T10:00:00Z", instance="i-1")
        node.log_line(MAIN, name, "other", "2026-11-21T10:00:01Z", instance="i-2")
        await failed(client, deploy_id, reason="CrashLoop", instance="i-1", node=node.name)
        events = await visitor.events("GET", f"{path}/deploys/{deploy_id}/stream")
    assert events[-1]["data"]["error"]["log"] == ["Traceback"]


async def test_the_node_comes_back_in_the_middle_of_a_build(visitor: Visitor) -> None:
    path, deploy_id = await begun(visitor)
    house, node = visitor.house, PlayedNode("node-blink")
    async with house.client() as client, contextlib.AsyncExitStack() as stack:
        stream = visitor.stream("GET", f"{path}/deploys/{deploy_id}/stream")
        stack.push_async_callback(stream.aclose)
        seen: Events = []
        async with node.listening(house):
            await stack.enter_async_context(recorded(client, node))
            build = await building(client, deploy_id, node.name)
            node.build_line(MAIN, build, "before")
            async for event in stream:
                seen.append(event)
                if "before" in lines(seen):
                    break
        node.build_line(MAIN, build, "after")
        node.end_build(MAIN, build)
        await live(client, deploy_id)
        async with node.listening(house):
            seen += [event async for event in stream]
    assert [line for line in lines(seen) if line in ("before", "after")] == ["before", "after"]
    assert seen[-1]["event"] == "done"


async def test_over_a_restart_of_the_api_nothing_is_lost_or_repeated(house: House, visitor: Visitor) -> None:
    path, deploy_id = await begun(visitor)
    join = f"{path}/deploys/{deploy_id}/stream"
    async with house.client() as client, played_node(house, client, "node-restart") as node:
        build = await building(client, deploy_id, node.name)
        for index in range(5):
            node.build_line(MAIN, build, f"line {index}")
        seen = await visitor.events("GET", join, most=7)
        house.kill()
        await asyncio.to_thread(house.start)
        node.build_line(MAIN, build, "line 5")
        node.end_build(MAIN, build)
        await live(client, deploy_id)
        async with httpx.AsyncClient(base_url=house.url, timeout=20) as http:
            again = Visitor(house, http)
            seen += await again.events("GET", join, headers={"Last-Event-ID": seen[-1]["id"]})
            assert seen == await again.events("GET", join)
            # Whoever has the last event has all of it.
            assert await again.events("GET", join, headers={"Last-Event-ID": seen[-1]["id"]}) == []


async def test_the_service_stops_promptly_with_open_streams(house: House, visitor: Visitor) -> None:
    path, deploy_id = await begun(visitor)
    async with contextlib.aclosing(visitor.stream("GET", f"{path}/deploys/{deploy_id}/stream")) as stream:
        await anext(stream)
        begin = asyncio.get_running_loop().time()
        await asyncio.to_thread(house.stop)
        took = asyncio.get_running_loop().time() - begin
        await asyncio.to_thread(house.start)
    assert took < 3
