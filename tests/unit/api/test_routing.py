"""Paths into rows."""

import pytest

from api.http.endpoint import Endpoint
from api.http.routing import Routes
from api.table import TABLE


async def nothing(_call: object) -> None:
    return None


def row(method: str, path: str) -> Endpoint:
    return Endpoint(method, path, "read", nothing, None)


def test_every_row_is_found_by_its_own_path() -> None:
    routes = Routes(TABLE)
    for each in TABLE:
        match = routes.match(each.method, each.path.replace(":", "x-"))
        assert match is not None
        assert match.endpoint is each
        names = [part[1:] for part in each.path.split("/") if part.startswith(":")]
        assert match.params == {name: f"x-{name}" for name in names}


def test_a_fixed_segment_goes_before_a_named_one_and_gives_way() -> None:
    fixed, named = row("GET", "/a/by/:x"), row("GET", "/a/:y/z")
    routes = Routes([named, fixed])
    assert (found := routes.match("GET", "/a/by/q"))
    assert (found.endpoint, found.params) == (fixed, {"x": "q"})
    assert (found := routes.match("GET", "/a/by/z"))
    assert found.endpoint is fixed
    assert (found := routes.match("GET", "/a/w/z"))
    assert (found.endpoint, found.params) == (named, {"y": "w"})
    assert routes.match("GET", "/a/w/q") is None


def test_unlike_paths_and_methods() -> None:
    routes = Routes([row("GET", "/a/:x"), row("POST", "/a/:x")])
    for path in ("/a", "/a/", "/a/b/", "//a/b", "/A/b", "", "/"):
        assert routes.match("GET", path) is None, path
    wrong = routes.match("DELETE", "/a/b")
    assert wrong is not None
    assert (wrong.endpoint, wrong.allow) == (None, "GET, HEAD, POST")
    assert (head := routes.match("HEAD", "/a/b"))
    assert head.endpoint is not None
    with pytest.raises(ValueError, match="twice"):
        Routes([row("GET", "/a"), row("GET", "/a")])
