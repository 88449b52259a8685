"""The committed objects of one resource, in key order."""

from bisect import bisect_left, insort
from collections.abc import Iterator

from cluster.apiserver.storage.records import Record
from cluster.apiserver.types import Key


class Table:
    """Objects by key, and the keys sorted for lists."""

    __slots__ = ("changed_at", "keys", "records")

    def __init__(self) -> None:
        self.records: dict[Key, Record] = {}
        self.keys: list[Key] = []
        self.changed_at = 0

    def put(self, record: Record) -> None:
        key = record.key
        if key not in self.records:
            insort(self.keys, key)
        self.records[key] = record
        self.changed_at = record.rv

    def remove(self, key: Key, rv: int) -> None:
        self.changed_at = rv
        if self.records.pop(key, None) is not None:
            del self.keys[bisect_left(self.keys, key)]

    def fill(self, records: dict[Key, Record], changed_at: int) -> None:
        """Take all of `records` at once, as when the log is read."""
        self.records = records
        self.keys = sorted(records)
        self.changed_at = changed_at

    def span(self, namespace: str, after: Key | None = None) -> tuple[int, int]:
        """Positions in `keys` of a namespace ("" is all), those past the key `after` only."""
        low = bisect_left(self.keys, (namespace, "")) if namespace else 0
        high = bisect_left(self.keys, (namespace + "\0", "")) if namespace else len(self.keys)
        if after is not None:
            low = max(low, bisect_left(self.keys, (after[0], after[1] + "\0")))
        return low, high

    def scan(self, namespace: str = "", after: Key | None = None) -> Iterator[Record]:
        low, high = self.span(namespace, after)
        return map(self.records.__getitem__, self.keys[low:high])
