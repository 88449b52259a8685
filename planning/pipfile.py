"""What a Pipfile or its lock asks for, in the lines of a requirements file. Pure."""

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from planning.inspection import Inspection
from planning.toml import table

_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,98}[A-Za-z0-9])?")
_VERSION = re.compile(r"[=<>!~0-9A-Za-z.,*+ -]*")


def pipfile_requirements(inspection: Inspection, root: str = "/app") -> list[str]:
    """One line for each package that the Pipfile.lock (or, without one, the Pipfile) names. `root`: the folder that its
    paths begin in, where the lines are read."""
    try:
        locked = json.loads(inspection.text("Pipfile.lock") or "{}")
    except (ValueError, RecursionError):
        locked = {}
    entries = locked.get("default") if isinstance(locked, dict) else None
    if not isinstance(entries, dict) or not entries:
        entries = table(inspection.text("Pipfile"), "packages")
    return [line for name, entry in entries.items() if (line := _line(str(name), entry, root))]


def _line(name: str, entry: Any, root: str) -> str:
    """Empty when nobody could say what is meant."""
    if isinstance(entry, str):
        entry = {"version": entry}
    if not isinstance(entry, dict) or not _NAME.fullmatch(name):
        return ""
    origin = _origin(entry, root)
    if origin.startswith("file:"):
        return origin  # its own files say how it is called
    line = f"{name}{_extras(entry)} @ {origin}" if origin else _from_index(f"{name}{_extras(entry)}", entry)
    marker = _text(entry, "markers")
    return f"{line} ; {marker}" if line and marker else line


def _origin(entry: Mapping[str, Any], root: str) -> str:
    """Where it comes from, if not from an index. (By its name there may be another package in the index.)"""
    if repository := _text(entry, "git"):
        ref, folder = _text(entry, "ref"), _text(entry, "subdirectory")
        at, within = f"@{ref}" if ref else "", f"#subdirectory={quote(folder)}" if folder else ""
        return f"git+{repository}{at}{within}"
    place = _text(entry, "path") or _text(entry, "file")
    return f"file://{root}/{quote(place)}" if place and "://" not in place else place


def _from_index(name: str, entry: Mapping[str, Any]) -> str:
    version = entry.get("version", "*")
    if not isinstance(version, str) or not _VERSION.fullmatch(version):
        return ""
    return name if version == "*" else f"{name}{version}"


def _extras(entry: Mapping[str, Any]) -> str:
    listed = entry.get("extras")
    names = (
        [each for each in listed if isinstance(each, str) and _NAME.fullmatch(each)] if isinstance(listed, list) else []
    )
    return f"[{','.join(names)}]" if names else ""


def _text(entry: Mapping[str, Any], key: str) -> str:
    """On one line, and such as can be written, whatever it holds."""
    found = entry.get(key, "")
    return " ".join(found.encode(errors="replace").decode().split()) if isinstance(found, str) else ""
