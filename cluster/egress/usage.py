"""What each instance sent and received: HAProxy counts by address, the ledger keeps it by instance.

DIR/egress/usage/<day>.ndjson: {at, namespace, project, instance, address, worker, connections, sent, received, total,
questions, unanswered}. All figures but `total` are what came since the line before of the same address; that is
HAProxy's own count then, so that the ledger is its own memory: a driver that was killed goes on behind it, and nothing
is counted twice. Questions for names are the forwarder's own count: what it had not written when it was killed is lost,
and what the kernel dropped before (docs/decisions/0009) never got to it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson

from cluster.egress.tenants import Tenant

KEPT_DAYS = 70
_FIELDS = ("conn_cnt", "bytes_in_cnt", "bytes_out_cnt")


@dataclass(frozen=True)
class Count:
    """`sent`, `received`: bytes, as the instance sees it."""

    connections: int = 0
    sent: int = 0
    received: int = 0

    def since(self, before: "Count") -> "Count":
        """Where HAProxy forgot (an entry that nobody used for a day) it counts from nothing again."""
        if min(self.connections - before.connections, self.sent - before.sent, self.received - before.received) < 0:
            return self
        return Count(self.connections - before.connections, self.sent - before.sent, self.received - before.received)

    def __bool__(self) -> bool:
        return bool(self.connections or self.sent or self.received)


@dataclass(frozen=True)
class Questions:
    """For names. `unanswered`: those of them that were too much."""

    asked: int = 0
    unanswered: int = 0

    def __add__(self, more: "Questions") -> "Questions":
        return Questions(self.asked + more.asked, self.unanswered + more.unanswered)


def read_table(text: str) -> dict[str, Count]:
    """HAProxy's answer to `show table`: by address."""
    found: dict[str, Count] = {}
    for line in text.splitlines():
        words = dict(word.split("=", 1) for word in line.split() if "=" in word)
        if "key" in words and all(words.get(field, "").isdigit() for field in _FIELDS):
            found[words["key"]] = Count(*(int(words[field]) for field in _FIELDS))
    return found


class Ledger:
    """One writer. `take` what HAProxy has counted, now and then; `write` it with what was asked, more rarely."""

    def __init__(self, folder: Path):
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._worker = ""
        self._totals: dict[str, Count] = {}
        self._counted: dict[str, Count] = {}
        self._questions: dict[str, Questions] = {}
        self._tenants: dict[str, Tenant] = {}

    def take(self, worker: str, counted: Mapping[str, Count], tenants: Mapping[str, Tenant]) -> None:
        """`worker` tells one process of HAProxy from the next, which counts from nothing."""
        if worker != self._worker:
            self.write(datetime.now(UTC))
            self._worker, self._counted = worker, {}
            self._totals = self._remembered(worker, datetime.now(UTC))
        # Who left since the last time is still known: what he used last is his.
        self._tenants |= tenants
        self._counted |= counted

    def ask(self, questions: Mapping[str, Questions], tenants: Mapping[str, Tenant]) -> None:
        """What came since the last time."""
        self._tenants |= tenants
        for address, more in questions.items():
            self._questions[address] = self._questions.get(address, Questions()) + more

    def write(self, now: datetime) -> None:
        """One line for each address that used anything since the last time. Builds have no record and no line."""
        addresses = {**self._counted, **self._questions}
        lines = [line for address in addresses if (line := self._line(address, now)) is not None]
        if lines:
            _append(self._folder / f"{now:%Y-%m-%d}.ndjson", b"".join(orjson.dumps(line) + b"\n" for line in lines))

    def forget(self, present: Iterable[str], now: datetime) -> None:
        """Addresses of nobody any more, and days that are long over."""
        left = set(self._tenants) - set(present)
        for address in left:
            del self._tenants[address]
        self._questions = {address: more for address, more in self._questions.items() if address in self._tenants}
        oldest = f"{now - timedelta(days=KEPT_DAYS):%Y-%m-%d}.ndjson"
        for path in self._folder.glob("*.ndjson"):
            if path.name < oldest:
                path.unlink(missing_ok=True)

    def _line(self, address: str, now: datetime) -> dict[str, Any] | None:
        tenant, before = self._tenants.get(address), self._totals.get(address, Count())
        total = self._counted.get(address, before)
        used = total.since(before)
        if tenant is None or not (used or address in self._questions):
            return None
        questions = self._questions.pop(address, Questions())
        self._totals[address] = total
        return {
            "at": now.isoformat(timespec="seconds").replace("+00:00", "Z"),
            "namespace": tenant.namespace,
            "project": tenant.project,
            "instance": tenant.instance,
            "address": address,
            "worker": self._worker,
            "connections": used.connections,
            "sent": used.sent,
            "received": used.received,
            "total": [total.connections, total.sent, total.received],
            "questions": questions.asked,
            "unanswered": questions.unanswered,
        }

    def _remembered(self, worker: str, now: datetime) -> dict[str, Count]:
        """What an earlier driver wrote of this worker; it may have been yesterday."""
        found: dict[str, Count] = {}
        for day in (now - timedelta(days=1), now):
            for line in read_ledger(self._folder / f"{day:%Y-%m-%d}.ndjson"):
                if line.get("worker") == worker:
                    found[line["address"]] = Count(*line["total"])
        return found


def _append(path: Path, data: bytes) -> None:
    with path.open("ab+") as file:
        if file.seek(0, 2) and file.seek(-1, 2) >= 0 and file.read(1) != b"\n":
            data = b"\n" + data  # the line before was torn by a crash
        file.write(data)


def read_ledger(path: Path) -> Iterator[dict[str, Any]]:
    """Its lines; one that a crash tore is none."""
    if not path.exists():
        return
    for raw in path.read_bytes().splitlines():
        try:
            yield orjson.loads(raw)
        except orjson.JSONDecodeError:
            continue
