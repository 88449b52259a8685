"""What a visitor gets."""

import asyncio
import json
import re

import pytest

from cluster.router.config import RouterConfig
from crds.client.client import Client
from crds.models.route import Route
from tests.system.router.world import Site, apps, haproxy_pids
from tests.system.scheduler.world import NAMESPACE
from tests.unit.cluster.eventually import eventually


async def test_projects_by_hostname_and_new_ones_without_a_reload(routed: Site, config: RouterConfig) -> None:
    async with apps("one", "two") as (one, two):
        await routed.deploy("shop", "shop-1-web", one)
        before = haproxy_pids(config)
        await routed.deploy("blog", "blog-1-web", two)
        assert await routed.get() == (200, "one")
        assert await routed.get(host="BLOG--main.LOCALHOST:8080") == (200, "two")
        assert await routed.get(host="blog--main.localhost.") == (200, "two")
        assert haproxy_pids(config) == before


async def test_an_unknown_hostname_gets_a_plain_404(routed: Site) -> None:
    async with apps("one") as (one,):
        await routed.deploy("shop", "shop-1-web", one)
        for host in ("nobody.localhost", "127.0.0.1", "a" * 300, "a_b.localhost"):
            status, body = await routed.get(host=host)
            assert status == 404
            assert "Nothing is served here" in body
        for host in ("<script>alert(1)</script>", "x\ty", "s00001"):
            status, body = await routed.get(host=host)
            assert status in (400, 404)
            assert "script>" not in body


async def test_one_without_a_ready_instance_gets_a_503_that_looks_again(routed: Site) -> None:
    await routed.route("shop", "")
    await eventually(routed.reasons)
    headers = {"Host": "shop--main.localhost"}
    async with routed.http.get(routed.url, headers=headers) as answer:
        body = await answer.text()
        assert answer.status == 503
        assert (answer.headers["Retry-After"], answer.headers["Cache-Control"]) == ("5", "no-store")
        assert '<meta http-equiv="refresh" content="5">' in body
        assert answer.content_type == "text/html"
    route = routed.routes.list()[0]
    assert (route.status.conditions[0].status, route.status.conditions[0].reason) == ("False", "NothingReleased")


async def test_an_instance_that_gets_ready_or_is_not_any_more(routed: Site) -> None:
    async with apps("one") as (one,):
        await routed.workload("shop-1-web")
        await routed.instance("shop-1-web", 1, one.address, ready=False)
        await routed.route("shop", "shop-1-web")
        await eventually(lambda: routed.served("shop", "shop-1-web"))
        assert (await routed.get())[0] == 503
        await routed.set_status("shop-1-web-1", {"ready": True})
        await routed.until_served("one")
        await routed.set_status("shop-1-web-1", {"ready": False})
        await eventually(lambda: routed.reasons()[:1] == ["NoReadyInstance"])
        assert (await routed.get())[0] == 503
        await routed.set_status("shop-1-web-1", {"ready": True})
        await routed.until_served("one")


async def test_where_a_request_came_from_is_said_by_the_router_alone(routed: Site) -> None:
    async with apps("one") as (one,):
        await routed.deploy("shop", "shop-1-web", one)
        forged = {
            "X-Forwarded-For": "6.6.6.6",
            "X-Forwarded-Proto": "https",
            "X-Forwarded-Anything": "evil",
            "x_forwarded_for": "6.6.6.6",
            "X-Forwarded_For": "6.6.6.6",
            "Forwarded": "for=6.6.6.6",
            "X-Real-IP": "6.6.6.6",
            "X-Request-Id": "evil",
            "Proxy": "http://evil",
        }
        _, body = await routed.get("/headers", headers=forged)
        got = [(name.lower(), value) for name, value in json.loads(body)]
        assert "6.6.6.6" not in body
        assert "evil" not in body
        ours = {name: value for name, value in got if name.startswith("x-")}
        assert ours["x-forwarded-for"] == "127.0.0.1"
        assert ours["x-forwarded-proto"] == "http"
        assert ours["x-forwarded-host"] == "shop--main.localhost"
        assert re.fullmatch(r"[0-9a-f-]{36}", ours["x-request-id"])
        assert len(ours) == 4


@pytest.mark.parametrize(
    ("sent", "arrives"),
    [
        ("svc_session=secret", None),
        ("a=1; svc_session=secret; b=2", "a=1; b=2"),
        ("svc_session=secret; b=2", "b=2"),
        ("a=1;svc_session=secret", "a=1"),
        ("a=1; svc_session = secret", "a=1"),
        ("svc_session=secret; svc_session=secret2; c=3", "c=3"),
        ("xsvc_session=1; svc_sessions=2", "xsvc_session=1; svc_sessions=2"),
        ("a=1", "a=1"),
    ],
)
async def test_the_platforms_session_never_reaches_a_project(routed: Site, sent: str, arrives: str | None) -> None:
    async with apps("one") as (one,):
        await routed.deploy("shop", "shop-1-web", one)
        _, body = await routed.get("/headers", headers={"Cookie": sent})
        cookies = [value for name, value in json.loads(body) if name.lower() == "cookie"]
        assert cookies == ([arrives] if arrives else [])
        assert "secret" not in body


async def test_no_project_sets_the_platforms_session(routed: Site) -> None:
    async with apps("one") as (one,):
        await routed.deploy("shop", "shop-1-web", one)
        for cookies in (
            ["svc_session=evil"],
            ["svc_session=evil; Path=/", "a=1"],
            [" svc_session =evil", "svc_session=x"],
        ):
            headers = {"Host": "shop--main.localhost"}
            async with routed.http.get(
                f"{routed.url}/headers", params=[("set", value) for value in cookies], headers=headers
            ) as answer:
                got = [value for value in answer.headers.getall("Set-Cookie", []) if value]
            assert got == [value for value in cookies if "svc_session" not in value]


async def test_a_request_moves_to_another_instance_unless_it_may_have_had_an_effect(routed: Site) -> None:
    """One of two instances takes connections and hangs up: a GET is answered by the other, a POST is not repeated."""
    hits = []

    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        hits.append(1)
        writer.close()

    broken = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    async with broken, apps("one") as (one,):
        await routed.deploy("shop", "shop-1-web", one)
        port = broken.sockets[0].getsockname()[1]
        await routed.instance("shop-1-web", 2, f"127.0.0.1:{port}")
        for _ in range(200):
            assert await routed.get() == (200, "one")
            if hits:
                break
        assert hits
        answers = set()
        for _ in range(10):
            async with routed.http.post(routed.url, headers={"Host": "shop--main.localhost"}) as answer:
                answers.add(answer.status)
        assert answers == {200, 502}


async def test_hostnames_come_and_go_with_their_route(routed: Site, client: Client) -> None:
    async with apps("one") as (one,):
        await routed.deploy("shop", "shop-1-web", one)
        await client.patch(Route, "shop", NAMESPACE, {"spec": {"hostnames": ["shop.example", "b.example"]}})
        await routed.until_served("one", host="b.example")
        assert (await routed.get())[0] == 404
        await client.delete(Route, "shop", NAMESPACE)
        for _ in range(200):
            if (await routed.get(host="b.example"))[0] == 404:
                break
            await asyncio.sleep(0.01)
        assert (await routed.get(host="b.example"))[0] == 404


async def test_a_hostname_of_another_account_or_project_is_not_served(routed: Site) -> None:
    async with apps("one", "two") as (one, two):
        await routed.deploy("shop", "shop-1-web", one)
        await routed.workload("evil-1-web", "evil")
        await routed.instance("evil-1-web", 1, two.address)
        await routed.route(
            "evil", "evil-1-web", ["shop--main.localhost", "shop--other.localhost", "evil--main.localhost"]
        )
        await eventually(lambda: routed.served("evil", "evil-1-web"))
        assert await routed.get() == (200, "one")
        assert await routed.get(host="evil--main.localhost") == (200, "two")
        assert (await routed.get(host="shop--other.localhost"))[0] == 404
        reason = routed.routes.get(NAMESPACE, "evil")
        assert reason is not None
        assert reason.status.conditions[0].reason == "HostnameRefused"


async def test_web_sockets_and_event_streams(routed: Site) -> None:
    async with apps("one") as (one,):
        await routed.deploy("shop", "shop-1-web", one)
        headers = {"Host": "shop--main.localhost"}
        async with routed.http.ws_connect(f"{routed.url}/ws", headers=headers) as socket:
            await socket.send_str("hello")
            assert await socket.receive_str(timeout=5) == "one: hello"
        async with routed.http.get(f"{routed.url}/events", headers=headers) as answer:
            assert [await anext(aiter(answer.content)) for _ in range(2)] == [b"data: 0\n", b"\n"]


async def test_nothing_is_written_when_nothing_happens(routed: Site) -> None:
    async with apps("one") as (one,):
        await routed.deploy("shop", "shop-1-web", one)
        await routed.switch("shop", "shop-1-web")
        await asyncio.sleep(0.3)
        changes: list[object] = []
        routed.routes.subscribe(lambda _old, new: changes.append(new))
        routed.instances.subscribe(lambda _old, new: changes.append(new))
        for _ in range(20):
            assert (await routed.get())[0] == 200
            await asyncio.sleep(0.1)
        assert changes == []


async def test_it_speaks_to_a_client_that_is_slow_and_to_one_that_lies(routed: Site) -> None:
    """A second Content-Length, a chunked body that is none: refused here, never passed on."""
    async with apps("one") as (one,):
        await routed.deploy("shop", "shop-1-web", one)
        seen = one.requests
        for head in (b"Content-Length: 1\r\nContent-Length: 2\r\n", b"Transfer-Encoding: xchunked\r\n"):
            reader, writer = await asyncio.open_connection("127.0.0.1", routed.port)
            writer.write(b"POST / HTTP/1.1\r\nHost: shop--main.localhost\r\n" + head + b"\r\nab")
            answer = await asyncio.wait_for(reader.read(1000), 10)
            assert b" 400 " in answer or b" 422 " in answer
            writer.close()
        assert one.requests == seen


async def test_who_gives_up_waiting_frees_the_place_of_the_request(routed: Site) -> None:
    async with apps("one") as (one,):
        await routed.deploy("shop", "shop-1-web", one)
        _, writer = await asyncio.open_connection("127.0.0.1", routed.port)
        writer.write(b"GET /slow?seconds=60 HTTP/1.1\r\nHost: shop--main.localhost\r\n\r\n")
        await eventually(lambda: one.waiting == 1)
        writer.close()
        await eventually(lambda: one.waiting == 0)
