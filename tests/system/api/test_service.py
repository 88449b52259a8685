"""The service as a whole: rates, repeats, keys that end, a state store that goes away."""

import asyncio
import contextlib
import http.client
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.system.api.house import House, open_house
from tests.system.api.visitor import Visitor, new_name


@pytest.fixture
def small(tmp_path: Path) -> Iterator[House]:
    """One with a low rate, of its own."""
    with open_house(tmp_path, rate_per_minute=30) as opened:
        yield opened


async def test_a_caller_gets_its_share(small: House) -> None:
    async with httpx.AsyncClient(base_url=small.url, timeout=20) as client:
        visitor = Visitor(small, client)
        left = []
        for _ in range(30):
            answer = await visitor.call("GET", "/v1/projects")
            assert answer.status_code == 200
            assert answer.headers["ratelimit-policy"] == '"requests";q=30;w=60'
            left.append(int(answer.headers["ratelimit"].split("r=")[1].split(";")[0]))
        assert left[0] == 29
        assert left[-1] <= 2
        answers = [await visitor.call("GET", "/v1/projects") for _ in range(3)]
        refused = answers[-1]
        assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
        assert int(refused.headers["retry-after"]) >= 1
        assert "ratelimit" in refused.headers
        # Another credential has its own share; guesses at keys are counted by address.
        assert (await visitor.call("GET", "/v1/projects", key="other")).status_code == 200
        guesses = [
            (await client.get("/v1/projects", headers={"Authorization": f"Bearer sk_{number}"})).status_code
            for number in range(40)
        ]
        assert (guesses[0], guesses[-1]) == (401, 429)


async def test_a_revoked_key_ends(house: House, visitor: Visitor) -> None:
    """Revoked behind the API's back, as another replica would: it ends within the time that a key is trusted."""
    path = house.store_url.removeprefix("sqlite:///")
    with contextlib.closing(sqlite3.connect(path)) as store, store:
        store.execute("UPDATE api_keys SET revoked_at = created_at WHERE name = 'deploy'")
    # Not in memory yet: nothing has used it.
    assert (await visitor.call("GET", "/v1/projects", key="deploy")).status_code == 401
    with contextlib.closing(sqlite3.connect(path)) as store, store:
        store.execute("UPDATE api_keys SET revoked_at = NULL WHERE name = 'deploy'")
    assert (await visitor.call("GET", "/v1/projects", key="deploy")).status_code == 200


async def test_a_repeat_gets_the_first_answer_with_its_secret(visitor: Visitor) -> None:
    project = await visitor.project(repo="")
    path, body = f"/v1/projects/{project['id']}/git", {"repo": "acme/shop"}
    headers = {"Idempotency-Key": new_name()}
    first = await visitor.call("POST", path, body, headers=headers)
    again = await visitor.call("POST", path, body, headers=headers)
    assert first.json()["secret"]
    assert again.content == first.content
    assert again.headers["x-request-id"] != first.headers["x-request-id"]
    other = await visitor.call("POST", path, {"repo": "acme/other"}, headers=headers)
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_conflict")
    key = await visitor.call("POST", f"{path}/rotate-secret", headers=headers)
    assert (key.status_code, key.json()["code"]) == (409, "idempotency_conflict")
    bad = await visitor.call("POST", path, body, headers={"Idempotency-Key": "x" * 300})
    assert bad.status_code == 422


async def test_a_project_is_known_again_after_a_crash(house: House, visitor: Visitor) -> None:
    """The record was made, the answer was lost: the repeat finds it instead of a taken name."""
    body, headers = {"name": new_name()}, {"Idempotency-Key": new_name()}
    first = await visitor.call("POST", "/v1/projects", body, headers=headers)
    with contextlib.closing(sqlite3.connect(house.store_url.removeprefix("sqlite:///"))) as store, store:
        store.execute("DELETE FROM kept_answers")
    again = await visitor.call("POST", "/v1/projects", body, headers=headers)
    assert (again.status_code, again.json()["id"]) == (201, first.json()["id"])
    other = await visitor.call("POST", "/v1/projects", body, headers={"Idempotency-Key": new_name()})
    assert other.status_code == 409


async def test_with_the_state_store_away_reading_goes_on_and_writing_waits(house: House, visitor: Visitor) -> None:
    project = await visitor.project()
    path = f"/v1/projects/{project['id']}"
    house.server.kill()
    try:
        assert (await visitor.call("GET", path)).status_code == 200
        for method, where, body in (
            ("POST", "/v1/projects", {"name": new_name()}),
            ("POST", f"{path}/deploy", {}),
            ("POST", f"{path}/scale", {"instances": 3}),
            ("GET", f"{path}/env", None),
            ("DELETE", path, None),
        ):
            refused = await visitor.call(method, where, body)
            assert (refused.status_code, refused.json()["code"]) == (503, "unavailable"), where
            assert int(refused.headers["retry-after"]) >= 1
    finally:
        await asyncio.to_thread(house.server.start)
    for _ in range(200):
        answer = await visitor.call("POST", f"{path}/scale", {"instances": 3})
        if answer.status_code == 200:
            break
        await asyncio.sleep(0.05)
    assert answer.json()["instances"] == 3


async def test_before_the_first_list_nothing_is_answered(tmp_path: Path, house: House) -> None:
    """Started while the state store is away: alive, not ready, and no wrong 404."""
    house.kill()
    house.server.kill()
    starting = asyncio.create_task(asyncio.to_thread(house.start))
    try:
        async with httpx.AsyncClient(base_url=house.url, timeout=20) as client:
            for _ in range(400):
                with contextlib.suppress(httpx.TransportError):
                    if (await client.get("/healthz")).status_code == 200:
                        break
                await asyncio.sleep(0.02)
            ready = await client.get("/readyz")
            asked = await Visitor(house, client).call("GET", "/v1/projects")
            assert (ready.status_code, asked.status_code) == (503, 503)
            assert asked.headers["retry-after"]
    finally:
        await asyncio.to_thread(house.server.start)
    await starting


def test_a_client_that_leaves_in_the_middle_does_no_harm(house: House) -> None:
    for body in (b"", b'{"name"'):
        connection = http.client.HTTPConnection("127.0.0.1", house.port, timeout=5)
        connection.putrequest("POST", "/v1/projects")
        connection.putheader("Authorization", f"Bearer {house.keys['admin']}")
        connection.putheader("Content-Type", "application/json")
        connection.putheader("Content-Length", "100")
        connection.endheaders(body)
        connection.close()
    assert "Traceback" not in house.log
    connection = http.client.HTTPConnection("127.0.0.1", house.port, timeout=5)
    connection.request("GET", "/healthz")
    assert connection.getresponse().status == 200
    connection.close()
