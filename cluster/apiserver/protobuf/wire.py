"""The protobuf wire format: numbered fields of four types."""

from collections.abc import Iterator

from cluster.apiserver.errors import bad_request

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


def fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """(field number, value) in the order sent: numbers for varints, bytes for the rest. Raises 400 when cut short."""
    position = 0
    while position < len(data):
        tag, position = varint(data, position)
        number, kind = tag >> 3, tag & 7
        if kind == VARINT:
            value, position = varint(data, position)
            yield number, value
            continue
        if kind == BYTES:
            size, position = varint(data, position)
        else:
            size = {FIXED64: 8, FIXED32: 4}.get(kind, -1)
        if size < 0 or position + size > len(data):
            raise bad_request("the protobuf body is cut short or malformed")
        yield number, data[position : position + size]
        position += size


def varint(data: bytes, position: int) -> tuple[int, int]:
    """(the number, the position after it)"""
    value = shift = 0
    while position < len(data) and shift < 64:
        byte = data[position]
        value |= (byte & 0x7F) << shift
        position += 1
        if byte < 0x80:
            return value, position
        shift += 7
    raise bad_request("the protobuf body is cut short or malformed")


def signed(value: int) -> int:
    """An int32 or int64 as protobuf writes negative ones."""
    return value - (1 << 64) if value >= 1 << 63 else value
