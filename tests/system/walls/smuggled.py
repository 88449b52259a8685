"""The probe on its way into a project: the files, and the command that runs it there."""

import json
import re
from pathlib import Path
from typing import Any

_SAID = re.compile(r"REACHED (\[.*\])$")
_FOLDER = Path(__file__).parent / "hostile"
PROBE = {f"hostile/{path.name}": path.read_text() for path in _FOLDER.glob("*.py")}
COMMAND = "/usr/bin/python3 -m hostile.probe targets.json"
"""In the project's folder: what it reached, in one line behind REACHED."""
SERVING = {**PROBE, "Procfile": "web: python -m hostile.probe serve\n"}
"""A project that tries whatever it is sent."""


def probe(targets: dict[str, Any]) -> dict[str, str]:
    """What COMMAND needs."""
    return {**PROBE, "targets.json": json.dumps(targets)}


def reached(lines: list[str]) -> list[Any]:
    """Of each time that it was run, what it said."""
    return [json.loads(match[1]) for line in lines if (match := _SAID.search(line))]
