"""The errors of every row, by iterating over the table: each refusal has one shape and comes in the stated order."""

import json
import re
import urllib.error
import urllib.request
from collections.abc import AsyncIterator
from html import unescape
from typing import Any

import pytest

from api.http.endpoint import Endpoint
from api.http.shapes import NoBody
from api.problems import CODES
from api.table import TABLE
from tests.system.api.house import House
from tests.system.api.visitor import Visitor

KEYED = [row for row in TABLE if row.needs_credential]
WITH_BODY = [row for row in KEYED if row.takes is not NoBody]
EDITS = [row for row in KEYED if row.access != "read"]
IN_PROJECT = [row for row in KEYED if ":id" in row.path]
ABSENT = {
    "id": "prj_" + "a" * 26,
    "deployId": "dep_" + "a" * 26,
    "key": "A",
    "handle": "main",
    "name": "no-such",
    "code": "none",
}


def name(row: Endpoint) -> str:
    return f"{row.method} {row.path}"


def rows(of: list[Endpoint]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("row", of, ids=name)


def address(row: Endpoint, **params: str) -> str:
    known = {**ABSENT, **params}
    return re.sub(r":([A-Za-z]+)", lambda found: known[found[1]], row.path)


@pytest.fixture
async def project(visitor: Visitor) -> dict[str, str]:
    """What a row's path may name: a project with a deploy."""
    made = await visitor.project()
    deploy = await visitor.ok("POST", f"/v1/projects/{made['id']}/deploy")
    return {"id": made["id"], "deployId": deploy["id"], "name": made["name"], "key": "A", "handle": "main"}


async def refused(visitor: Visitor, row: Endpoint, path: str, status: int, code: str, **more: Any) -> dict[str, Any]:
    sent = {"Authorization": f"Bearer {visitor.house.keys['admin']}", **more.pop("headers", {})}
    sent = {key: value for key, value in sent.items() if value}
    answer = await visitor.http.request(row.method, path, headers=sent, **more)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json"), answer.text
    body: dict[str, Any] = answer.json()
    assert (body["status"], body["code"], body["title"]) == (status, code, CODES[code].title)
    assert body["type"] == f"/errors/{code}"
    assert body["instance"] == answer.headers["x-request-id"]
    assert isinstance(body["detail"], str)
    assert ("errors" in body) == (status == 422)
    return body


@rows(KEYED)
async def test_no_key(visitor: Visitor, row: Endpoint) -> None:
    await refused(visitor, row, address(row), 401, "unauthenticated", headers={"Authorization": ""})
    answer = await visitor.http.request(row.method, address(row))
    assert answer.headers["www-authenticate"] == "Bearer"


@rows(KEYED)
async def test_a_key_that_is_none(visitor: Visitor, row: Endpoint) -> None:
    key = visitor.house.keys["admin"]
    for wrong in ("sk_x", key[:-1] + ("a" if key[-1] != "a" else "b"), f"{key}x", "x", key.replace("sk_", "pk_")):
        await refused(visitor, row, address(row), 401, "unauthenticated", headers={"Authorization": f"Bearer {wrong}"})
    await refused(visitor, row, address(row), 401, "unauthenticated", headers={"Authorization": f"Basic {key}"})


@rows(EDITS)
async def test_a_scope_that_is_too_small(visitor: Visitor, row: Endpoint) -> None:
    """A read key, and an admin key of somebody who only is a viewer: refused before the object is looked for."""
    for key in ("read", "viewer"):
        headers = {"Authorization": f"Bearer {visitor.house.keys[key]}"}
        body = await refused(visitor, row, address(row), 403, "insufficient_scope", headers=headers)
        assert row.access in body["detail"]


@rows(IN_PROJECT)
async def test_an_unknown_id(visitor: Visitor, row: Endpoint) -> None:
    for absent in (ABSENT["id"], "prj_x", "dep_" + "a" * 26, ABSENT["id"].upper(), "prj_" + "a" * 27):
        await refused(visitor, row, address(row, id=absent), 404, "not_found")


@rows(IN_PROJECT)
async def test_another_accounts_id(visitor: Visitor, row: Endpoint, project: dict[str, str]) -> None:
    headers = {"Authorization": f"Bearer {visitor.house.keys['other']}"}
    theirs = await refused(visitor, row, address(row, **project), 404, "not_found", headers=headers)
    absent = await refused(visitor, row, address(row), 404, "not_found", headers=headers)
    assert {**theirs, "instance": ""} == {**absent, "instance": ""}


@rows([row for row in KEYED if row.method != "GET"])
async def test_a_body_that_is_no_json(visitor: Visitor, row: Endpoint, project: dict[str, str]) -> None:
    headers = {"Content-Type": "application/json"}
    path = address(row, **project)
    for wrong in ("{", '{"a":}', "\\", "NaN", '{"a": "\ud800"}'.encode("utf-8", "surrogatepass")):
        await refused(visitor, row, path, 400, "malformed", headers=headers, content=wrong)


@rows(KEYED)
async def test_a_body_that_is_no_object(visitor: Visitor, row: Endpoint, project: dict[str, str]) -> None:
    headers = {"Content-Type": "application/json"}
    for wrong in ("[]", '"text"', "1", "null", "[{}]"):
        body = await refused(visitor, row, address(row, **project), 422, "invalid", content=wrong, headers=headers)
        assert body["errors"][0]["pointer"] == ""


@rows(KEYED)
async def test_a_field_that_no_row_knows(visitor: Visitor, row: Endpoint, project: dict[str, str]) -> None:
    body = await refused(visitor, row, address(row, **project), 422, "invalid", json={"no/such~field": 1})
    assert "/no~1such~0field" in {fault["pointer"] for fault in body["errors"]}


@rows(WITH_BODY)
async def test_a_wrong_type_in_each_field(visitor: Visitor, row: Endpoint, project: dict[str, str]) -> None:
    for field, info in row.takes.model_fields.items():
        wire = info.alias or field
        body = await refused(visitor, row, address(row, **project), 422, "invalid", json={wire: [[{}]]})
        assert any(fault["pointer"].startswith(f"/{wire}") for fault in body["errors"]), body


@rows([row for row in WITH_BODY if any(field.is_required() for field in row.takes.model_fields.values())])
async def test_a_missing_field(visitor: Visitor, row: Endpoint, project: dict[str, str]) -> None:
    required = {f"/{info.alias or field}" for field, info in row.takes.model_fields.items() if info.is_required()}
    body = await refused(visitor, row, address(row, **project), 422, "invalid", json={})
    assert {fault["pointer"] for fault in body["errors"]} == required
    await refused(visitor, row, address(row, **project), 400, "malformed")


@rows([row for row in KEYED if row.method != "GET"])
async def test_an_over_long_body(visitor: Visitor, row: Endpoint) -> None:
    """Refused before the scope is judged, whether the length is said or not."""
    big = b'{"a": "' + b"x" * (1024 * 1024) + b'"}'
    headers = {"Authorization": f"Bearer {visitor.house.keys['read']}", "Content-Type": "application/json"}
    await refused(visitor, row, address(row), 413, "too_large", headers=headers, content=big)

    async def chunks() -> AsyncIterator[bytes]:
        for start in range(0, len(big), 65536):
            yield big[start : start + 65536]

    await refused(visitor, row, address(row), 413, "too_large", headers=headers, content=chunks())


def test_who_sends_too_much_and_then_leaves_is_told_so(house: House) -> None:
    """Many clients read nothing before they have sent everything, and ask for the connection to end."""
    request = urllib.request.Request(f"{house.url}/v1/projects", b"x" * (12 * 1024 * 1024))
    request.add_header("Authorization", f"Bearer {house.keys['admin']}")
    request.add_header("Content-Type", "application/json")
    with pytest.raises(urllib.error.HTTPError) as refusal, urllib.request.urlopen(request, timeout=20):
        pass
    assert (refusal.value.code, json.load(refusal.value)["code"]) == (413, "too_large")


@rows([row for row in KEYED if row.method != "GET"])
async def test_another_media_type(visitor: Visitor, row: Endpoint) -> None:
    """curl's own default, and text."""
    for media_type in ("application/x-www-form-urlencoded", "text/plain", ""):
        headers = {"Content-Type": media_type, "Authorization": f"Bearer {visitor.house.keys['read']}"}
        body = await refused(
            visitor, row, address(row), 415, "unsupported_media_type", headers=headers, content=b'{"a": 1}'
        )
        assert "application/json" in body["detail"]


@rows(TABLE)
async def test_a_method_that_the_path_does_not_know(visitor: Visitor, row: Endpoint) -> None:
    known = {other.method for other in TABLE if other.path == row.path}
    wrong = next(method for method in ("PUT", "GET", "DELETE", "POST") if method not in known)
    answer = await visitor.http.request(wrong, address(row))
    assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")
    assert known <= set(answer.headers["allow"].split(", "))


@rows(TABLE)
async def test_a_path_that_no_row_has(visitor: Visitor, row: Endpoint) -> None:
    for path in (address(row) + "/", address(row) + "/no/such/thing", "/v2" + address(row)):
        answer = await visitor.http.request(row.method, path)
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found"), path


@rows([row for row in TABLE if row.path.startswith("/v1/")])
async def test_another_host(visitor: Visitor, row: Endpoint) -> None:
    for host in ("evil.example", "127.0.0.1.evil.example", "evil.example:80"):
        await refused(visitor, row, address(row), 421, "misdirected", headers={"Host": host})


@rows([row for row in EDITS if row.etag and ":id" in row.path])
async def test_an_if_match_that_does_not(visitor: Visitor, row: Endpoint, project: dict[str, str]) -> None:
    await visitor.ok("POST", f"/v1/projects/{project['id']}/env", {"vars": {"A": "1"}})
    body = {"name": "x", "vars": {"A": "2"}, "instances": 2, "repo": "/srv/x", "runtime": "node"}
    sent = {info.alias or field: body[field] for field, info in row.takes.model_fields.items() if field in body}
    for header in ('"other"', 'W/"other", "another"'):
        problem = await refused(
            visitor, row, address(row, **project), 412, "precondition_failed", headers={"If-Match": header}, json=sent
        )
        assert "If-Match" in problem["detail"]
    headers = {"If-Match": "*"}
    answer = await visitor.call(row.method, address(row, **project), sent, headers=headers)
    assert answer.status_code < 300, answer.text


@rows([row for row in KEYED if "limit" in row.query.model_fields])
async def test_limits_and_cursors(visitor: Visitor, row: Endpoint, project: dict[str, str]) -> None:
    for query, where in (
        ("limit=0", "?limit"),
        ("limit=501", "?limit"),
        ("limit=-1", "?limit"),
        ("limit=1.5", "?limit"),
        ("limit=ten", "?limit"),
        ("limit=", "?limit"),
        ("limit=1&limit=2", "?limit"),
        ("cursor=", "?cursor"),
        ("cursor=bm90aGluZw", "?cursor"),
        ("cursor=%C3%A4", "?cursor"),
    ):
        body = await refused(visitor, row, f"{address(row, **project)}?{query}", 422, "invalid")
        assert body["errors"][0]["pointer"] == where, query


@rows([row for row in KEYED if row.access == "read" and row.streams])
async def test_a_stream_has_a_head(visitor: Visitor, row: Endpoint, project: dict[str, str]) -> None:
    headers = {"Accept": "text/event-stream"}
    answer = await visitor.call("HEAD", address(row, **project), headers=headers)
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-type"].startswith("text/event-stream")


@rows([row for row in KEYED if row.access == "read" and not row.streams and ":key" not in row.path])
async def test_a_read_key_reads(visitor: Visitor, row: Endpoint, project: dict[str, str]) -> None:
    answer = await visitor.call("GET", address(row, **project), key="viewer")
    assert answer.status_code == 200, answer.text
    assert answer.headers["ratelimit"].startswith('"requests";r=')
    assert "x-request-id" in answer.headers
    assert row.etag == ("etag" in answer.headers)
    head = await visitor.call("HEAD", address(row, **project), key="viewer")
    assert (head.status_code, head.content) == (200, b"")


async def test_a_request_id_is_echoed_or_made(house: House, visitor: Visitor) -> None:
    answer = await visitor.call("GET", "/v1/projects", headers={"X-Request-Id": "mine-1.2_3"})
    assert answer.headers["x-request-id"] == "mine-1.2_3"
    made = await visitor.call("GET", "/v1/projects", headers={"X-Request-Id": "not good"})
    assert re.fullmatch(r"[0-9a-f]{32}", made.headers["x-request-id"])
    project = await visitor.call("POST", "/v1/projects", {"name": "api"}, headers={"X-Request-Id": "in-the-log"})
    assert project.status_code == 422
    assert "request in-the-log: POST /v1/projects" in house.log


async def test_the_service_about_itself(visitor: Visitor) -> None:
    for path in ("/healthz", "/readyz"):
        assert (await visitor.http.get(path, headers={"Host": "10.0.0.1"})).status_code == 200
    document = await visitor.http.get("/v1/openapi.json")
    assert document.json()["openapi"] == "3.1.0"
    for code, about in CODES.items():
        page = await visitor.http.get(f"/errors/{code}")
        assert about.title in unescape(page.text)
    assert (await visitor.http.get("/errors/none")).status_code == 404
