"""The files that HAProxy starts from: written before anything is said to it, so that a start finds the same."""

import hashlib
import json
import os
import resource
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from string import Template

from cluster.router import encode
from cluster.router.table import Table

BASE, BACKENDS, OWNERS = "base.cfg", "backends.cfg", "slots.json"
PAGES = ("unknown.html", "starting.html", "failed.html", "busy.html")
_SOURCE = Path(__file__).parent
_MOST_CONNECTIONS = 20_000
_MOST_THREADS = 4
Key = tuple[str, str]


class Files:
    """Everything in one folder; each file is replaced as a whole, and only when it says something else. `share`:
    requests and connections that one project may have open."""

    def __init__(self, folder: Path):
        self.folder = folder
        self._pages = {name: (_SOURCE / "pages" / name).read_text() for name in PAGES}
        most = _most_of_this_process()
        self.share = most // 4
        self._base, self.shape = _base(self._pages, most, self.share)
        self._written: dict[str, str] = {}

    def write_base(self) -> None:
        """What no project changes."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for name, text in {BASE: self._base, **self._pages}.items():
            self._write(name, text)

    def write_table(self, slots: Iterable[str], table: Table) -> None:
        self._write(encode.HOSTS_MAP, hosts_map(table))
        self._write(BACKENDS, backends(slots, table))

    def read_owners(self) -> dict[str, Key]:
        """Slot -> key of the Route it is lent to. What cannot be read counts as nothing: it is lent anew."""
        try:
            data = json.loads((self.folder / OWNERS).read_text())
            return {encode.slot(slot): (str(key[0]), str(key[1])) for slot, key in data.items()}
        except (OSError, ValueError, AttributeError, IndexError, TypeError):
            return {}

    def write_owners(self, owners: Mapping[str, Key]) -> None:
        self._write(OWNERS, json.dumps(owners, indent=0, sort_keys=True))

    def complete(self) -> bool:
        return all((self.folder / name).is_file() for name in (BASE, BACKENDS, encode.HOSTS_MAP, *PAGES))

    def _write(self, name: str, text: str) -> None:
        if self._written.get(name) == text:
            return
        fresh = self.folder / f".{name}.new"
        fresh.write_text(text)
        fresh.replace(self.folder / name)
        self._written[name] = text


def hosts_map(table: Table) -> str:
    return "".join(_host_line(host, slot) for host, slot in sorted(table.hosts.items()))


def backends(slots: Iterable[str], table: Table) -> str:
    servers: dict[str, list[str]] = {}
    for (slot, name), server in sorted(table.servers.items()):
        servers.setdefault(slot, []).append(_server_line(name, server.address))
    return "".join(f"backend {encode.slot(slot)} from projects\n" + "".join(servers.get(slot, ())) for slot in slots)


@lru_cache(maxsize=10_000)
def _host_line(host: str, slot: str) -> str:
    return f"{encode.entry(host)} {encode.slot(slot)}\n"


@lru_cache(maxsize=10_000)
def _server_line(name: str, address: str) -> str:
    return f"    server {encode.server(name)} {encode.address(address)}\n"


def most_connections(descriptors: int) -> int:
    """How many connections fit into so many descriptors: each takes two, beside those of idle servers and files."""
    return max(100, min(_MOST_CONNECTIONS, (descriptors - 512) * 2 // 5))


def _most_of_this_process() -> int:
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return most_connections(limit if limit != resource.RLIM_INFINITY else 1_000_000)


def _base(pages: Mapping[str, str], most: int, share: int) -> tuple[str, str]:
    """The text, and its shape: a digest of it and of the pages, by which a running HAProxy tells what it runs."""
    values = {
        "maxconn": most,
        "crowded": most * 3 // 4,
        "of_a_client": most // 2,
        "of_a_project": share,
        "threads": min(_MOST_THREADS, len(os.sched_getaffinity(0))),
    }
    template = Template((_SOURCE / BASE).read_text())
    everything = template.substitute(values, shape="") + json.dumps(dict(pages))
    shape = hashlib.sha256(everything.encode()).hexdigest()[:16]
    return template.substitute(values, shape=shape), shape
