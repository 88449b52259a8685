"""Headers, windows, limits, validation: the small parts of the adapter."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from api.http.origin import Hosts, Proxies
from api.http.preconditions import matches
from api.http.ratelimit import RateLimit
from api.http.shapes import Body, WholeNumber, utc_text
from api.http.since import moment_of
from api.http.validation import parse_body
from api.problems import Problem

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


class Sample(Body):
    name: str
    some_count: WholeNumber = Field(default=0, ge=0)
    tags: dict[str, str] = Field(default_factory=dict)


@given(st.binary(max_size=60))
def test_any_bytes_are_a_sample_or_a_problem(raw: bytes) -> None:
    refused = None
    try:
        assert isinstance(parse_body(raw, Sample), Sample)
    except Problem as problem:
        refused = problem
    assert refused is None or refused.status in (400, 422)


def test_pointers() -> None:
    with pytest.raises(Problem) as refused:
        parse_body(b'{"someCount": "1", "tags": {"a/b~c": 1}, "some_count": 1}', Sample)
    assert {fault.pointer for fault in refused.value.faults} == {
        "/name",
        "/someCount",
        "/tags/a~1b~0c",
        "/some_count",
    }
    assert parse_body(b'{"name": "x", "someCount": 3.0}', Sample).some_count == 3


@pytest.mark.parametrize(
    ("header", "fits"),
    [('"a"', True), ('"b", "a"', True), ("*", True), ('W/"a"', False), ('"b"', False), ("a", False), ("", False)],
)
def test_if_match(header: str, fits: bool) -> None:
    assert matches(header, '"a"') == fits


@pytest.mark.parametrize(
    ("since", "moment"),
    [
        ("15m", NOW - timedelta(minutes=15)),
        ("2h", NOW - timedelta(hours=2)),
        ("7d", NOW - timedelta(days=7)),
        ("2026-11-21T10:00:00Z", NOW - timedelta(hours=2)),
        ("2026-11-21T12:00:00+02:00", NOW - timedelta(hours=2)),
        ("2026-11-21T10:00:00", NOW - timedelta(hours=2)),
    ],
)
def test_since(since: str, moment: datetime) -> None:
    assert moment_of(since, NOW) == moment


@given(st.text(max_size=20))
def test_since_of_anything(text: str) -> None:
    refused = None
    try:
        assert moment_of(text, NOW).tzinfo is not None
    except ValueError as error:
        refused = str(error)
    assert refused is None or "ISO 8601" in refused


def test_times_are_utc_with_z() -> None:
    assert utc_text(NOW) == "2026-11-21T12:00:00Z"
    assert utc_text(NOW.replace(microsecond=123456)) == "2026-11-21T12:00:00.123Z"


def test_a_bucket_fills_again() -> None:
    clock = [0.0]
    limit = RateLimit(60, "requests", lambda: clock[0])
    for left in range(59, -1, -1):
        assert limit.take("me")[1] == (b"ratelimit", f'"requests";r={left};t=1'.encode())
    with pytest.raises(Problem) as refused:
        limit.take("me")
    assert refused.value.status == 429
    assert refused.value.headers["Retry-After"] == "1"
    assert refused.value.headers["RateLimit-Policy"] == '"requests";q=60;w=60'
    limit.take("somebody else")
    clock[0] = 1.0
    limit.take("me")
    with pytest.raises(Problem):
        limit.take("me")


def test_hosts() -> None:
    hosts = Hosts(["api.example", "127.0.0.1", "::1", ""])
    for good in (b"api.example", b"API.example:8000", b"api.example.", b"127.0.0.1:1", b"[::1]:80", b"[::1]"):
        hosts.check(good)
    for bad in (b"", b"example", b"api.example.evil", b"evil:80", b"\xff", b"api.example:80:80"):
        with pytest.raises(Problem) as refused:
            hosts.check(bad)
        assert refused.value.status == 421


def test_only_trusted_proxies_say_where_a_request_comes_from() -> None:
    proxies = Proxies(["10.0.0.0/8"])
    assert proxies.client("10.0.0.1", "1.2.3.4") == "1.2.3.4"
    assert proxies.client("10.0.0.1", "6.6.6.6, 1.2.3.4, 10.0.0.2") == "1.2.3.4"
    assert proxies.client("1.2.3.4", "6.6.6.6") == "1.2.3.4"
    assert proxies.client("not an address", "6.6.6.6") == "not an address"
    assert Proxies([]).client("1.2.3.4", "6.6.6.6") == "1.2.3.4"
