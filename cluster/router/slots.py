"""Which slot is lent to which project: pure. New projects take spare ones, so that no reload is needed for them."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

Key = tuple[str, str]

# So many are spare after a start or a reload; fewer than so many left: time for a reload.
SPARE = 64
FEW = 16


@dataclass(frozen=True)
class Lending:
    """`lent`: Route's key -> slot; `spare`: how many are left; `missing`: Routes that found none."""

    lent: Mapping[Key, str]
    spare: int
    missing: int


def slot_names(count: int) -> list[str]:
    return [f"s{number:05d}" for number in range(1, count + 1)]


def lend(lent: Mapping[Key, str], routes: Iterable[Key], slots: Iterable[str], busy: Collection[str]) -> Lending:
    """Each Route keeps the slot it has. `slots`: those that HAProxy has; `busy`: those in which servers still are: a
    slot goes to another project only when nothing of the last one is left in it."""
    known = dict.fromkeys(slots)
    wanted = list(routes)
    kept = {key: lent[key] for key in wanted if lent.get(key) in known}
    held = set(kept.values()) | set(busy)
    free = [slot for slot in known if slot not in held]
    new = [key for key in wanted if key not in kept]
    given = dict(zip(new, free, strict=False))
    return Lending(kept | given, len(free) - len(given), len(new) - len(given))


def enough(routes: int, busy: int) -> int:
    """How many slots to have when they are made anew."""
    return routes + busy + SPARE
