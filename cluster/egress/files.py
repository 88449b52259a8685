"""The files that the way out's HAProxy starts from: each replaced as a whole. Lists and maps change while it runs."""

import hashlib
import resource
from collections.abc import Iterable, Mapping
from pathlib import Path
from string import Template

from cluster.egress.policy import DENIED, Policy
from cluster.fabric.addresses import BUILDS, GATEWAY, HOST_LOOPBACK, RUNS

CONFIGURATION = "egress.cfg"
CONNECTIONS = 1000
"""That one instance may have open at once."""
_MOST_CONNECTIONS = 20_000


def configuration(policy: Policy, siblings: str) -> str:
    """What no list changes. `siblings`: the router's socket, seen from the folder."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    descriptors = limit if limit != resource.RLIM_INFINITY else 1_000_000
    values = {
        "maxconn": max(100, min(_MOST_CONNECTIONS, (descriptors - 512) // 3)),
        "connections": CONNECTIONS,
        "host_loopback": HOST_LOOPBACK,
        "builds": BUILDS,
        "runs": RUNS,
        "gateway": GATEWAY,
        "siblings": siblings,
        "denied_ports": " ".join(map(str, policy.denied_ports)),
    }
    template = Template((Path(__file__).parent / CONFIGURATION).read_text())
    shape = hashlib.sha256(template.substitute(values, shape="").encode()).hexdigest()[:16]
    return template.substitute(values, shape=shape)


def lists(policy: Policy) -> dict[str, frozenset[str]]:
    """By the file's name; they change while HAProxy runs."""
    return {
        "allow.lst": frozenset(map(str, policy.allow)),
        "allow-builds.lst": frozenset(map(str, policy.allow_builds)),
        "own.lst": frozenset(map(str, policy.own)),
        "denied.lst": frozenset(map(str, DENIED)),
    }


def list_text(items: Iterable[str]) -> str:
    return _lines(sorted(items))


def shape_of(text: str) -> str:
    """By which a running HAProxy tells what it runs."""
    return next(line.split()[1] for line in text.splitlines() if "description" in line)


def map_text(entries: Mapping[str, str]) -> str:
    return _lines(f"{key} {value}" for key, value in sorted(entries.items()))


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        fresh = folder / f".{name}.new"
        fresh.write_text(text)
        fresh.replace(folder / name)


def _lines(items: Iterable[object]) -> str:
    return "".join(f"{item}\n" for item in items)
