"""Reading a Procfile, which is a stranger's text. Pure."""

import re
from dataclasses import dataclass

from crds.models.project import PROCESS_NAME

_LINE = re.compile(r"^([A-Za-z0-9_.-]{1,60})\s*:\s*(\S.*)$")
_NAME = re.compile(PROCESS_NAME.rstrip("$") + r"\Z")
_LONGEST_COMMAND = 4096
_MOST = 20


@dataclass(frozen=True)
class DetectedProcess:
    """One process type and the line that runs it, by `/bin/sh -c` inside the sandbox."""

    name: str
    command: str


def read_procfile(text: str) -> tuple[tuple[DetectedProcess, ...], tuple[str, ...]]:
    """(processes, warnings). A line that names no usable process is left out, with a warning that says why."""
    found: dict[str, DetectedProcess] = {}
    warnings: list[str] = []
    for number, raw in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        match = _LINE.match(line)
        problem = _problem(match, found) if match else "it is not of the form `name: command`"
        if problem or match is None:
            warnings.append(f"Procfile line {number} is left out: {problem}.")
            continue
        found[match[1]] = DetectedProcess(match[1], match[2].strip())
    return tuple(found.values()), tuple(warnings[:_MOST])


def _problem(match: re.Match[str], found: dict[str, DetectedProcess]) -> str:
    name, command = match[1], match[2]
    if name == "release":
        return "a release command is not supported, run it as part of the web command"
    if not _NAME.match(name):
        return "a process name is lower-case letters, digits and hyphens, begins with a letter and has at most 15"
    if name in found:
        return f"there is a process {name} already"
    if len(found) >= _MOST:
        return f"there are more than {_MOST} processes"
    if len(command) > _LONGEST_COMMAND:
        return f"the command is longer than {_LONGEST_COMMAND} characters"
    if any(not character.isprintable() and character != "\t" for character in command):
        return "the command holds control characters"
    return ""
