"""Nothing gets into HAProxy's socket but words of the one form."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.router import encode
from cluster.router.encode import Unsafe
from cluster.router.table import AddServer, DropHost, Operation, PointHost, Retire, Revive

_SAFE = set(string.ascii_lowercase + string.digits + ".-/:[]_ ")
_hostile = st.text() | st.text(alphabet="a1.-;\n\r \t#\\\"'%$<>|&\0é", max_size=12)


@given(_hostile, _hostile, _hostile)
def test_whatever_is_put_in_only_plain_commands_come_out(one: str, two: str, three: str) -> None:
    operations: list[Operation] = [
        AddServer(one, two, three),
        AddServer("s00001", two, three),
        AddServer("s00001", "web-1.ab", three),
        Revive(one, two),
        Retire("s00001", two),
        PointHost(one, two, known=True),
        PointHost(one, "s00001", known=False),
        DropHost(one),
    ]
    for operation in operations:
        try:
            lines = encode.commands(operation)
        except Unsafe:
            continue
        assert all(set(line) <= _SAFE for line in lines)
        assert all(len(line.split()) in (3, 4, 5) for line in lines)


@pytest.mark.parametrize("text", ["a", "shop--main.localhost", "a.b-c.example", "xn--bcher-kva.example", "1.2.3.4"])
def test_hostnames(text: str) -> None:
    assert encode.host(text) == text


@pytest.mark.parametrize(
    "text",
    ["", "A.b", "a_b", "-a", "a-", ".a", "a.", "a..b", "a b", "a\n", "a;show info", "*.a", "a" * 64, "a." * 127 + "ab"],
)
def test_what_is_no_hostname(text: str) -> None:
    with pytest.raises(Unsafe):
        encode.host(text)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [("127.0.0.1:80", "127.0.0.1:80"), ("[::1]:65535", "[::1]:65535"), ("[0:0::1]:8080", "[::1]:8080")],
)
def test_addresses(text: str, canonical: str) -> None:
    assert encode.address(text) == canonical


NO_ADDRESS = (
    "", "80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:080", "127.0.0.1:65536", "::1:80", "[127.0.0.1]:80",
    "localhost:80", "127.0.0.1:80 check", "127.0.0.1:80\n", "[fe80::1%eth0]:80", "unix@/x", "1.2.3:80", "１.1.1.1:80",
)  # fmt: skip


@pytest.mark.parametrize("text", NO_ADDRESS)
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(Unsafe):
        encode.address(text)


@pytest.mark.parametrize("text", ["198.18.1.5/S/shop.internal", "shop.example.com"])
def test_an_entry_is_a_hostname_or_a_call(text: str) -> None:
    assert encode.entry(text) == text


@pytest.mark.parametrize(
    "text", ["/S/shop", "1.2.3.4/S/", "1.2.3.4/x", "1.2.3.4/S/a b", "a/S/c", "1.2.3/S/x", "x\n/S/y", "1.2.3.4/S/x\nadd"]
)
def test_what_is_neither_does_not_pass(text: str) -> None:
    with pytest.raises(encode.Unsafe):
        encode.entry(text)
