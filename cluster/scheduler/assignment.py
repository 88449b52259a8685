"""Which node looks into a repository, and which builds: pure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from crds.models.build import Build
from crds.models.gitref import GitRef

_EPOCH = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True)
class Assigned:
    """Give this build to that node. `again`: the node that had it is lost, it begins anew."""

    build: Build
    node: str
    again: bool = False


def least_busy(load: Mapping[str, int]) -> str | None:
    """The node with the least to do; by name among equals. None when there is none."""
    return min(load, key=lambda node: (load[node], node), default=None)


def finished(build: Build) -> bool:
    return build.status.phase in ("succeeded", "failed")


def next_build(builds: Sequence[Build], load: Mapping[str, int], lost: Collection[str]) -> Assigned | None:
    """One account's builds: one at a time, the oldest first. `load`: builds in work on each node that takes some."""
    open_builds = [b for b in builds if b.spec.runner == "local" and not finished(b) and not b.deleting]
    held = [build for build in open_builds if build.status.node]
    stranded = [build for build in held if build.status.node in lost]
    if len(held) > len(stranded):
        return None
    candidates = stranded or open_builds
    node = least_busy(load)
    if node is None or not candidates:
        return None
    oldest = min(candidates, key=lambda b: (b.metadata.creation_timestamp or _EPOCH, b.name))
    return Assigned(oldest, node, again=bool(stranded))


def gitref_node(gitref: GitRef, load: Mapping[str, int], lost: Collection[str]) -> str | None:
    """The node to give it to; None when it is in good hands, answered for good, or nobody can take it."""
    if gitref.spec.runner != "local" or gitref.deleting or _answered(gitref):
        return None
    if gitref.status.node and gitref.status.node not in lost:
        return None
    return least_busy(load)


def _answered(gitref: GitRef) -> bool:
    """Nothing is left to look for: it says what was asked, and it is not asked again from time to time."""
    spec, status = gitref.spec, gitref.status
    looked = status.phase in ("resolved", "failed") and spec.interval_seconds == 0
    asked = (spec.request, spec.repository, spec.ref)
    return looked and asked == (status.request or "", status.repository or "", status.ref or "")
