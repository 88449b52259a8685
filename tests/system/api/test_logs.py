"""A project's log: pages, newest first to be read, and followed live over the nodes."""

import contextlib

import pytest

from tests.system.api.nodes import PlayedNode, played_node, recorded
from tests.system.api.visitor import MAIN, Visitor

pytestmark = pytest.mark.timeout(60)


async def test_pages_go_back_through_all_nodes(visitor: Visitor) -> None:
    project = await visitor.project()
    path, name = f"/v1/projects/{project['id']}/logs", project["name"]
    house = visitor.house
    async with (
        house.client() as client,
        played_node(house, client, "node-log-1") as one,
        played_node(house, client, "node-log-2") as two,
    ):
        for index in range(25):
            at = f"2026-11-21T10:00:{index:02d}Z"
            (one if index % 3 else two).log_line(MAIN, name, f"line {index}", at)
        for _ in range(100):
            page = await visitor.ok("GET", f"{path}?limit=10")
            if len(page["lines"]) == 10 and page["lines"][-1]["line"] == "line 24":
                break
        assert page["lines"][0] == {
            "at": "2026-11-21T10:00:15Z",
            "instance": "one",
            "process": "web",
            "stream": "stdout",
            "line": "line 15",
        }
        # What comes meanwhile does not shift the pages.
        one.log_line(MAIN, name, "late", "2026-11-21T10:01:00Z")
        found = page["lines"]
        while page["nextCursor"]:
            page = await visitor.ok("GET", f"{path}?limit=10&cursor={page['nextCursor']}")
            found = page["lines"] + found
        assert [line["line"] for line in found] == [f"line {index}" for index in range(25)]
        since = await visitor.ok("GET", f"{path}?since=2026-11-21T10:00:20Z")
        assert [line["line"] for line in since["lines"]] == [*(f"line {index}" for index in range(20, 25)), "late"]
        assert (await visitor.ok("GET", f"{path}?since=2026-11-21T12:00:00%2B02:00&limit=1"))["lines"]
        assert (await visitor.ok("GET", f"{path}?since=1m"))["lines"] in ([], since["lines"])
    for bad in ("yesterday", "15", "15x", "-5m", "2026-13-01T00:00:00Z", "", "999999999d"):
        refused = await visitor.call("GET", f"{path}?since={bad}")
        assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "?since"), bad


async def test_following_shows_each_line_once_over_a_pause(visitor: Visitor) -> None:
    project = await visitor.project()
    path, name = f"/v1/projects/{project['id']}/logs", project["name"]
    house = visitor.house
    async with house.client() as client, played_node(house, client, "node-follow-1") as one:
        one.log_line(MAIN, name, "a", "2026-11-21T10:00:00Z")
        first = await visitor.events("GET", path, most=1)
        assert first[0]["data"]["line"] == "a"
        one.log_line(MAIN, name, "b", "2026-11-21T10:00:01Z")
        stream = visitor.stream("GET", path, headers={"Last-Event-ID": first[-1]["id"]})
        event = await anext(stream)
        assert event["data"]["line"] == "b"
        # A node that comes later is joined.
        async with played_node(house, client, "node-follow-2") as two:
            two.log_line(MAIN, name, "c", "2026-11-21T10:00:02Z")
            event = await anext(stream)
            assert event["data"]["line"] == "c"
            await stream.aclose()
            one.log_line(MAIN, name, "d", "2026-11-21T10:00:03Z")
            back = await visitor.events("GET", path, headers={"Last-Event-ID": event["id"]}, most=1)
            assert [event["data"]["line"] for event in back] == ["d"]
    bad = await visitor.call("GET", path, headers={"Accept": "text/event-stream", "Last-Event-ID": "nonsense!"})
    assert bad.status_code == 422


async def test_a_node_that_blinks_is_followed_on(visitor: Visitor) -> None:
    project = await visitor.project()
    path, name = f"/v1/projects/{project['id']}/logs", project["name"]
    house, node = visitor.house, PlayedNode("node-blinks")
    async with house.client() as client, contextlib.AsyncExitStack() as stack:
        stream = visitor.stream("GET", path)
        async with node.listening(house):
            await stack.enter_async_context(recorded(client, node))
            node.log_line(MAIN, name, "a", "2026-11-21T10:00:00Z")
            assert (await anext(stream))["data"]["line"] == "a"
        node.log_line(MAIN, name, "b", "2026-11-21T10:00:01Z")
        async with node.listening(house):
            assert (await anext(stream))["data"]["line"] == "b"
        await stream.aclose()
