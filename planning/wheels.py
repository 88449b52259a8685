"""Whether installing a project's packages can be done without running anybody's code. Pure, and strict: what is not
plainly harmless is not. Only an installing step that runs no code may write to a download cache that others read."""

import json
import re
import tomllib

from planning.inspection import LOCK_BYTES, READ_BYTES, Inspection
from planning.pipfile import pipfile_requirements

# A name, extras, versions, a marker, hashes, a continuation, a comment: no option, no address, no path.
_PLAIN = re.compile(
    r"\s*(?:[A-Za-z0-9][A-Za-z0-9._-]*(?:\[[\w ,.-]*\])?\s*(?:[<>=!~]{1,3}\s*[\w.*+]+\s*,?\s*)*(?:;[^\\#@]*)?)?"
    r"\s*(?:--hash=[\w:]+\s*)*\\?\s*(?:#.*)?"
)
_LONGEST_LINE = 400
_LONGEST_PARSED = 1024 * 1024


def python_wheels_suffice(inspection: Inspection, strategy: str) -> bool:
    """Only packages of an index, by name, and no settings of the project's own for the installer."""
    if "uv.toml" in inspection.files or "tool.uv" in inspection.text("pyproject.toml"):
        return False
    if strategy == "requirements":
        text = inspection.text("requirements.txt")
        return len(text.encode()) < READ_BYTES and all_plain(text.splitlines())
    if strategy == "pipfile":
        return all_plain(pipfile_requirements(inspection))
    return _plain_project(inspection, locked=strategy == "uv-lock")


def all_plain(lines: list[str]) -> bool:
    return all(len(line) <= _LONGEST_LINE and _PLAIN.fullmatch(line) for line in lines)


def _plain_project(inspection: Inspection, *, locked: bool) -> bool:
    text, lock = inspection.text("pyproject.toml"), inspection.text("uv.lock")
    if max(len(text), len(lock)) > _LONGEST_PARSED:
        return False
    try:
        data, packages = tomllib.loads(text), tomllib.loads(lock).get("package", []) if locked else []
    except (tomllib.TOMLDecodeError, RecursionError):
        return False
    project, tool = data.get("project"), data.get("tool", {})
    # What is dynamic is only known after the project's own build code has run.
    if not isinstance(project, dict) or "dynamic" in project or not isinstance(tool, dict) or "uv" in tool:
        return False
    wanted = project.get("dependencies", [])
    return isinstance(wanted, list) and all_plain([str(item) for item in wanted]) and all(map(_from_index, packages))


def _from_index(package: object) -> bool:
    """Or the project itself, which is not installed."""
    source = package.get("source") if isinstance(package, dict) else None
    if not isinstance(source, dict):
        return False
    return set(source) == {"registry"} or source in ({"virtual": "."}, {"editable": "."})


def node_scripts_absent(inspection: Inspection) -> bool:
    """No package of the lock has an install script or comes from git, and no settings name other programs."""
    name = "npm-shrinkwrap.json" if inspection.has("npm-shrinkwrap.json") else "package-lock.json"
    lock = inspection.text(name)
    if inspection.has(".npmrc") or not lock or len(lock.encode()) >= LOCK_BYTES:
        return False
    try:
        # As it is read, so that no escape hides a word.
        words = json.dumps(json.loads(lock), ensure_ascii=False)
    except (ValueError, RecursionError):
        return False
    return not any(word in words for word in ("hasInstallScript", "git+", "git:", "git@", "file:", '"link"'))
