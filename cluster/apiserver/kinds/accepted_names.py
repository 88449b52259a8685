"""Which of a definition's names it may have: those that no other definition of its group has yet.

As the real server reckons it: name by name, so that one whose kind is taken still gets its plural; what it has already
it keeps, and of several problems the last is told.
"""

from collections.abc import Iterable
from typing import NamedTuple

from cluster.apiserver.types import Json

NONE: Json = {"plural": "", "kind": ""}


class Taken(NamedTuple):
    """The names that are in use in a group."""

    resources: frozenset[str]
    kinds: frozenset[str]


class Verdict(NamedTuple):
    """The names that a definition has from now on; `reason` is "" where they are all that it wants."""

    names: Json
    reason: str = ""
    message: str = ""


def taken(all_names: Iterable[Json]) -> Taken:
    resources: set[str] = set()
    kinds: set[str] = set()
    for names in all_names:
        resources.update((names.get("plural", ""), names.get("singular", ""), *(names.get("shortNames") or ())))
        kinds.update((names.get("kind", ""), names.get("listKind", "")))
    return Taken(frozenset(resources - {""}), frozenset(kinds - {""}))


def judge(wanted: Json, had: Json, used: Taken) -> Verdict:
    """`had` are the names that were accepted before."""
    names = {name: wanted.get(name) for name in ("plural", "singular", "shortNames", "kind", "listKind", "categories")}
    reason = message = ""
    for name, among in (
        ("plural", used.resources),
        ("singular", used.resources),
        ("shortNames", used.resources),
        ("kind", used.kinds),
        ("listKind", used.kinds),
    ):
        problem = _problem(wanted.get(name), had.get(name), among)
        if problem:
            names[name] = had.get(name)
            reason, message = f"{name[0].upper()}{name[1:]}Conflict", problem
    return Verdict({**NONE, **{name: value for name, value in names.items() if value}}, reason, message)


def _problem(wanted: str | list[str] | None, had: str | list[str] | None, used: frozenset[str]) -> str:
    """What is wrong with a name, or with some of the short ones; "" for nothing."""
    if wanted == had or not wanted:
        return ""
    if isinstance(wanted, str):
        return f'"{wanted}" is already in use' if wanted in used else ""
    problems = [f'"{name}" is already in use' for name in wanted if name in used and name not in (had or ())]
    return problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]" if problems else ""
