"""Who gives way to all others for the next moment. Pure.

A kernel lets whoever computes finish its slice before it turns to a process that wakes up, and a request is a handful
of those. So who computes all day gives way: it runs when nobody else wants to. Each sample decides anew, and nobody
gives way who had less than its share: whom others leave nothing has its share again from the next sample on."""

from collections.abc import Mapping
from dataclasses import dataclass

from cluster.limits.allowance import Allowance

_MUCH = 0.5
# The platform needs some of the CPU, too: where all burn, nobody has quite what its size says.
_NEARLY = 0.8


@dataclass(frozen=True)
class Use:
    """`cores`: what it used of the CPU since the sample before."""

    allowance: Allowance
    cores: float


def who_gives_way(uses: Mapping[str, Use], cores: float) -> set[str]:
    """Of all instances on a machine of so many cores: those that had what they have a claim to, and at least half of
    what they could have had if all that are as busy shared evenly."""
    part = cores / max(cores, sum(use.allowance.cpu for use in uses.values()))
    busy = {name: use for name, use in uses.items() if use.cores >= claim(use.allowance, part)}
    room = cores / max(1, len(busy))
    return {name for name, use in busy.items() if use.cores >= _MUCH * min(use.allowance.most_cpu, room)}


def claim(allowance: Allowance, part: float) -> float:
    """Cores that nobody is denied for long. `part`: of what their sizes say, which the machine has for all."""
    return min(_NEARLY * part * allowance.cpu, _MUCH * allowance.most_cpu)
