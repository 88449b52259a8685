"""The simple JSON paths of columns: `.a.b`, `.a['b.c']`, `.a[0]`, `.a[*].b`, `.a[?(@.type=="Ready")].status`."""

import re
from typing import Any

STEP = re.compile(
    r"""\.(?P<field>(?:\\.|[^.\[\]\\])+)
  | \['(?P<quoted>[^']*)'\] | \["(?P<double>[^"]*)"\]
  | \[(?P<index>-?\d+)\] | (?P<all>\[\*\])
  | \[\?\(@\.(?P<key>[^=!<>]+?)\s*(?P<compare>==|!=)\s*(?P<value>"[^"]*"|'[^']*'|[^)]+)\)\]""",
    re.VERBOSE,
)
STAR = "[*]"


def compile_path(path: str) -> tuple[str, ...]:
    """The steps of a path; a step that is no plain field keeps its brackets. Raises ValueError for other forms."""
    path = path if path.startswith((".", "[")) else "." + path
    steps: list[str] = []
    position = 0
    while position < len(path):
        match = STEP.match(path, position)
        if match is None:
            raise ValueError(f"unsupported JSON path {path!r}")
        steps.append(_step(match))
        position = match.end()
    return tuple(steps)


def _step(match: re.Match[str]) -> str:
    if match["field"] is not None:
        return STAR if match["field"] == "*" else match["field"].replace("\\", "")
    named = match["quoted"] if match["quoted"] is not None else match["double"]
    return named if named is not None else match.group(0)


def results(value: Any, steps: tuple[str, ...]) -> list[Any]:
    """All values that the path reaches, in order."""
    found = [value]
    for step in steps:
        found = [below for item in found for below in _follow(item, step)]
    return found


def _follow(item: Any, step: str) -> list[Any]:
    if not step.startswith("["):
        return [item[step]] if isinstance(item, dict) and step in item else []
    if step == STAR:
        return list(item.values()) if isinstance(item, dict) else list(item) if isinstance(item, list) else []
    if not isinstance(item, list):
        return []
    match = STEP.fullmatch(step)
    if match is None:
        return []
    if match["index"] is not None:
        index = int(match["index"])
        return [item[index]] if -len(item) <= index < len(item) else []
    return [each for each in item if _matches(each, match)]


def _matches(item: Any, match: re.Match[str]) -> bool:
    values = results(item, tuple(match["key"].strip().split(".")))
    wanted = match["value"].strip().strip("\"'")
    equal = bool(values) and _text(values[0]) == wanted
    return equal if match["compare"] == "==" else bool(values) and not equal


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
