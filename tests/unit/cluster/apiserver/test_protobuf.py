"""Protobuf bodies: what a client encodes comes out as its JSON form; malformed ones are refused."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.apiserver.errors import ApiError
from cluster.apiserver.protobuf.decode import decode_object


def varint(value: int) -> bytes:
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def field(number: int, value: bytes | str | int) -> bytes:
    if isinstance(value, int):
        return varint(number << 3) + varint(value & (1 << 64) - 1)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def envelope(api_version: str, kind: str, raw: bytes) -> bytes:
    return b"k8s\x00" + field(1, field(1, api_version) + field(2, kind)) + field(2, raw) + field(3, "") + field(4, "")


def pair(key: str, value: bytes | str) -> bytes:
    return field(1, key) + field(2, value)


@given(st.dictionaries(st.text(max_size=5), st.binary(max_size=20), max_size=4), st.text(max_size=10))
def test_secret(data: dict[str, bytes], name: str) -> None:
    raw = field(1, field(1, name) + field(11, pair("a", "b"))) + field(3, "Opaque")
    raw += b"".join(field(2, pair(key, value)) for key, value in data.items())
    decoded = decode_object(envelope("v1", "Secret", raw))
    assert (decoded["apiVersion"], decoded["kind"], decoded["type"]) == ("v1", "Secret", "Opaque")
    assert decoded["metadata"].get("name", "") == name
    assert decoded["metadata"]["labels"] == {"a": "b"}
    assert decoded.get("data", {}) == {key: base64.b64encode(value).decode() for key, value in data.items()}


def test_times_numbers_and_lists() -> None:
    moment = field(1, 1714557600) + field(2, 123456000)
    spec = field(1, "me") + field(2, 15) + field(4, moment)
    owner = field(1, "Widget") + field(3, "w") + field(4, "u") + field(5, "g/v1") + field(6, 1)
    metadata = field(1, "l") + field(13, owner) + field(14, "x/y") + field(14, "x/z") + field(8, b"")
    lease = decode_object(envelope("coordination.k8s.io/v1", "Lease", field(1, metadata) + field(2, spec)))
    assert lease["spec"] == {
        "holderIdentity": "me",
        "leaseDurationSeconds": 15,
        "renewTime": "2024-05-01T10:00:00.123456Z",
    }
    assert lease["metadata"]["ownerReferences"] == [
        {"kind": "Widget", "name": "w", "uid": "u", "apiVersion": "g/v1", "controller": True}
    ]
    assert lease["metadata"]["finalizers"] == ["x/y", "x/z"]
    assert "creationTimestamp" not in lease["metadata"]


def test_unknown_kinds_are_taken_as_json_only() -> None:
    with pytest.raises(ApiError) as caught:
        decode_object(envelope("apps/v1", "Deployment", b""))
    assert caught.value.code == 415


@given(st.binary(max_size=80))
def test_any_bytes_decode_or_are_refused(data: bytes) -> None:
    for body in (data, b"k8s\x00" + data, envelope("v1", "ConfigMap", data), envelope("v1", "Event", data)):
        try:
            decode_object(body)
        except ApiError as error:
            assert error.code in (400, 415)  # noqa: PT017
