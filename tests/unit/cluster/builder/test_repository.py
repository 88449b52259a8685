"""Addresses, refs and folders as strangers write them."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.builder.addresses import is_open, resolve_outside
from cluster.builder.git import escapes
from cluster.builder.repository import INSIDE, Refused, check_folder, check_ref, parse_repository


@pytest.mark.parametrize(
    ("address", "kind", "url"),
    [
        ("https://example.com/a/b.git", "https", "https://example.com/a/b.git"),
        ("ssh://git@example.com:2222/a.git", "ssh", "ssh://git@example.com:2222/a.git"),
        ("git@example.com:a/b.git", "ssh", "ssh://git@example.com/a/b.git"),
        ("/srv/git/a.git", "file", INSIDE),
        ("file:///srv/git/a.git", "file", INSIDE),
    ],
)
def test_what_is_taken(address: str, kind: str, url: str) -> None:
    found = parse_repository(address)
    assert (found.kind, found.url) == (kind, url)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "-x",
        "--upload-pack=x",
        "ext::sh -c x",
        "ext::x",
        "http://example.com/x",
        "git://example.com/x",
        "https://u:p@example.com/x",
        "https://u@example.com/x",
        "https://-x/y",
        "https://example.com/x?y",
        "https://exa mple.com/x",
        "https:///x",
        "https://example.com:99999/x",
        "ssh://-oProxyCommand=x/y",
        "ssh://-x@example.com/y",
        "file://host/x",
        "/a/../b",
        "a/b",
        "https://example.com/\nx",
        "/" + "x" * 3000,
    ],
)
def test_what_is_refused(address: str) -> None:
    with pytest.raises(Refused):
        parse_repository(address)


@given(st.text(max_size=60))
def test_nothing_that_is_taken_can_be_an_option_or_another_transport(text: str) -> None:
    try:
        found = parse_repository(text)
    except Refused:
        return
    assert found.url.startswith(("https://", "ssh://", "/"))
    assert "::" not in found.url.split("/")[0]


@pytest.mark.parametrize("ref", ["", "main", "feature/x-1", "v1.2.3", "a@b", "ü"])
def test_refs_that_git_takes(ref: str) -> None:
    assert check_ref(ref) == ref


@pytest.mark.parametrize(
    "ref", ["-x", "--x", "a b", "a..b", "a:b", "a~1", "a^", "a?", "a*", "[", "a\\b", "@", "a@{1}", "/a", "a/", "a.lock"]
)
def test_refs_that_are_refused(ref: str) -> None:
    with pytest.raises(Refused):
        check_ref(ref)


@given(st.text(max_size=40))
def test_a_folder_never_leads_out(text: str) -> None:
    try:
        path = check_folder(text)
    except Refused:
        return
    assert not path.startswith("/")
    assert ".." not in path.split("/")


def test_links_are_judged_by_their_words() -> None:
    assert escapes("a", "/etc/passwd")
    assert escapes("a/b", "../../x")
    assert not escapes("a/b", "../x")
    assert not escapes("a", "b/../c")


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "0.0.0.0",
        "100.64.0.1",
        "224.0.0.1",
        "::1",
        "fe80::1",
        "fc00::1",
        "::ffff:127.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
    ],
)
def test_inside_addresses_are_closed_unless_allowed(address: str) -> None:
    parsed = ipaddress.ip_address(address)
    assert not is_open(parsed, ())
    if parsed.version == 4:
        assert is_open(parsed, (ipaddress.ip_network(f"{address}/32"),))


async def test_a_name_that_leads_inside_is_refused() -> None:
    with pytest.raises(Refused, match="internal address"):
        await resolve_outside("localhost", 443, ())
    allowed = (ipaddress.ip_network("127.0.0.0/8"), ipaddress.ip_network("::1/128"))
    assert (await resolve_outside("localhost", 443, allowed)).is_loopback
    assert is_open(ipaddress.ip_address("8.8.8.8"), ())
