"""Hostnames that a project may claim."""

import pytest

from planning.hostname import hostname_problem


@pytest.mark.parametrize("good", ["shop.example.com", "example.org", "a-b.c-d.example"])
def test_taken(good: str) -> None:
    assert hostname_problem(good, "apps.test", "api.test") is None


@pytest.mark.parametrize(
    "bad",
    ["shop", "127.0.0.1", "10.1", "::1", "x.apps.test", "apps.test", "api.test", "v.api.test", "A.example.com", "a..b",
     "-a.example.com", "a.example.com.", "a b.example.com", "x" * 64 + ".example.com", "*.example.com", "a.b\n"],
)  # fmt: skip
def test_refused(bad: str) -> None:
    assert hostname_problem(bad, "apps.test", "api.test")
