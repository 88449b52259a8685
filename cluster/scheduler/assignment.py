"""Which node looks into a repository, and which builds: pure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from crds.models.build import Build
from crds.models.gitref import GitRef

_EPOCH = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True)
class Next:
    """This build is to get a node. `again`: the node that had it is lost, it begins anew."""

    build: Build
    again: bool = False


def least_busy(load: Mapping[str, int]) -> str | None:
    """The node with the least to do; by name among equals. None when there is none."""
    return min(load, key=lambda node: (load[node], node), default=None)


def finished(build: Build) -> bool:
    return build.status.phase in ("succeeded", "failed")


def next_build(builds: Sequence[Build], lost: Collection[str]) -> Next | None:
    """Of one account's builds: one is in work at a time, the oldest comes first."""
    open_builds = [b for b in builds if b.spec.runner == "local" and not finished(b) and not b.deleting]
    held = [build for build in open_builds if build.status.node]
    stranded = [build for build in held if build.status.node in lost]
    candidates = stranded or open_builds
    if len(held) > len(stranded) or not candidates:
        return None
    oldest = min(candidates, key=lambda b: (b.metadata.creation_timestamp or _EPOCH, b.name))
    return Next(oldest, again=bool(stranded))


def wants_node(gitref: GitRef, lost: Collection[str]) -> bool:
    """It is in nobody's hands, and something is left to look for."""
    if gitref.spec.runner != "local" or gitref.deleting or _answered(gitref):
        return False
    return not gitref.status.node or gitref.status.node in lost


def _answered(gitref: GitRef) -> bool:
    """Nothing is left to look for: it says what was asked, and it is not asked again from time to time."""
    spec, status = gitref.spec, gitref.status
    looked = status.phase in ("resolved", "failed") and spec.interval_seconds == 0
    asked = (spec.request, spec.repository, spec.ref)
    return looked and asked == (status.request or "", status.repository or "", status.ref or "")
