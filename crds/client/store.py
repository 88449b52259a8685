"""The watch cache: the records of one kind in memory, by key, by uid and by index, and who wants to know of changes."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from crds.models.record import Record

R = TypeVar("R", bound=Record)
Key = tuple[str, str]
Listener = Callable[[R | None, R | None], None]
"""Called with (old, new): None for what was not there, or is no more."""
Transform = Callable[[Record], None]
"""Takes off a record what nobody will ask this cache for, before it is kept."""


def without_ownership(record: Record) -> None:
    """managedFields are the larger half of a small record, and of interest to those who edit only."""
    record.metadata.managed_fields = None


def with_editors(record: Record) -> None:
    """Who owns what of the spec (by the scale subresource, too); the owners of the status are left out."""
    entries = record.metadata.managed_fields or []
    record.metadata.managed_fields = [entry for entry in entries if entry.get("subresource") != "status"]


class Store(Generic[R]):
    """Fed by a reflector (or an operator's events) and by the answers of our own writes; read by everybody.

    An older version never replaces a newer one, so a late event cannot undo the answer of a write."""

    def __init__(
        self,
        model: type[R],
        indexers: dict[str, Callable[[R], Iterable[str]]] | None = None,
        transform: Transform = without_ownership,
    ):
        self.model = model
        self._transform = transform
        self._records: dict[Key, R] = {}
        self._by_uid: dict[str, Key] = {}
        self._indexers = indexers or {}
        self._indices: dict[str, dict[str, dict[Key, None]]] = {name: {} for name in self._indexers}
        self._gone: dict[str, int] = {}
        self._listeners: list[Listener[R]] = []

    def __len__(self) -> int:
        return len(self._records)

    def get(self, namespace: str | None, name: str) -> R | None:
        return self._records.get((namespace or "", name))

    def by_uid(self, uid: str) -> R | None:
        key = self._by_uid.get(uid)
        return self._records.get(key) if key else None

    def list(self, namespace: str | None = None) -> Sequence[R]:
        """All of them, or those of one namespace; by key."""
        found = [r for key, r in self._records.items() if namespace is None or key[0] == namespace]
        return sorted(found, key=lambda record: record.key)

    def indexed(self, index: str, value: str) -> Sequence[R]:
        """Those for which the indexer named `value`; by key. Cost: as many as are found."""
        keys = self._indices[index].get(value, {})
        return sorted((self._records[key] for key in keys), key=lambda record: record.key)

    def keys(self) -> set[Key]:
        return set(self._records)

    def subscribe(self, listener: Listener[R]) -> Callable[[], None]:
        """Be called after each change; the answer ends it. A listener must be quick and must not raise."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def knows(self, metadata: dict[str, Any]) -> bool:
        """Whether this very record is here in this version or a newer one: then an event about it (the echo of a write
        of ours, mostly) need not even be parsed."""
        known = self._records.get((metadata.get("namespace") or "", metadata["name"]))
        if known is None or known.uid != metadata.get("uid"):
            return False
        return int(metadata.get("resourceVersion") or 0) <= version_of(known)

    def upsert(self, record: R) -> bool:
        """Take this version unless a newer one (or its end) is known already; says whether it was news."""
        version = version_of(record)
        old = self._records.get(record.key)
        if old is not None and old.uid == record.uid and version <= version_of(old):
            return False
        if version <= self._gone.get(record.uid, -1):
            return False
        self._transform(record)
        moved = old is None or old.uid != record.uid or self._values(old) != self._values(record)
        if old is not None and moved:
            self._unindex(old)
        self._records[record.key] = record
        if moved:
            self._by_uid[record.uid] = record.key
            self._index(record)
        self._tell(old, record)
        return True

    def remove(self, record: R) -> bool:
        """It is gone, as of the version that this (its last state) carries."""
        self._remember_gone(record)
        old = self._records.get(record.key)
        if old is None or old.uid != record.uid:
            return False
        del self._records[record.key]
        self._unindex(old)
        self._tell(old, None)
        return True

    def replace_all(self, records: Iterable[R]) -> None:
        """What a fresh list says: take what is new, drop what is no longer there."""
        fresh = {record.key: record for record in records}
        for key in set(self._records) - set(fresh):
            self.remove(self._records[key])
        for record in fresh.values():
            self.upsert(record)

    def _remember_gone(self, record: R) -> None:
        self._gone[record.uid] = max(version_of(record), self._gone.get(record.uid, 0))
        if len(self._gone) > 4096:
            for uid in list(self._gone)[:1024]:
                del self._gone[uid]

    def _values(self, record: R) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(indexer(record)) for indexer in self._indexers.values())

    def _index(self, record: R) -> None:
        for name, indexer in self._indexers.items():
            for value in indexer(record):
                self._indices[name].setdefault(value, {})[record.key] = None

    def _unindex(self, record: R) -> None:
        if self._by_uid.get(record.uid) == record.key:
            del self._by_uid[record.uid]
        for name, indexer in self._indexers.items():
            for value in indexer(record):
                keys = self._indices[name].get(value, {})
                keys.pop(record.key, None)
                if not keys:
                    self._indices[name].pop(value, None)

    def _tell(self, old: R | None, new: R | None) -> None:
        for listener in list(self._listeners):
            listener(old, new)


def version_of(record: Record) -> int:
    """Resource versions are comparable integers (on both servers, and by contract since Kubernetes 1.35)."""
    return int(record.metadata.resource_version or 0)


def by_label(label: str) -> Callable[[Record], Iterable[str]]:
    """Index by namespace and a label's value: look up with `indexed(index, f"{namespace}/{value}")`."""

    def indexer(record: Record) -> Iterable[str]:
        value = record.metadata.labels.get(label)
        return [f"{record.namespace}/{value}"] if value else []

    return indexer
