"""How a Node.js project gets its packages, and which command serves it. Pure."""

import json
import re
from typing import Any

from planning.inspection import Inspection

_PATH = re.compile(r"[A-Za-z0-9_@./-]{1,200}")
_FALLBACKS = ("server.js", "index.js", "app.js", "main.js")
_HOOKS = ("preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare")


def node_dependencies(inspection: Inspection) -> tuple[str, tuple[str, ...]]:
    """(strategy, steps); no strategy when there is nothing to install or build."""
    if not inspection.has("package.json"):
        return "", ()
    package = read_package(inspection)
    steps: list[str] = []
    strategy = ""
    if inspection.has("package-lock.json") or inspection.has("npm-shrinkwrap.json"):
        strategy = "npm-ci"
        steps.append("Install what package-lock.json names (npm ci)")
    elif package.get("dependencies") or package.get("devDependencies"):
        strategy = "npm-install"
        steps.append("Install the dependencies of package.json (npm install; add a package-lock.json to pin them)")
    if _scripts(package).get("build"):
        strategy = strategy or "npm-install"
        steps.append("npm run build")
    return strategy, tuple(steps)


def node_command(inspection: Inspection) -> tuple[str, tuple[str, ...]]:
    """(command of the process web, warnings); no command when none is found."""
    package = read_package(inspection)
    start = _scripts(package).get("start", "").strip()
    if start and start.isprintable() and len(start) <= 4096:
        return start, ()
    main = package.get("main")
    if isinstance(main, str) and _PATH.fullmatch(main) and ".." not in main and not main.startswith(("-", "/")):
        name = main.removeprefix("./")
        for candidate in (name, f"{name}.js", f"{name}/index.js"):
            if candidate in inspection.files:
                return f"node {candidate}", ()
    found = next((name for name in _FALLBACKS if name in inspection.files), "")
    return (f"node {found}", ()) if found else ("", ())


def builds_in_place(inspection: Inspection) -> bool:
    """Installing runs the project's own scripts, or writes into its folders: the tree itself takes part."""
    package = read_package(inspection)
    scripts = _scripts(package)
    return bool(scripts.get("build") or package.get("workspaces") or any(scripts.get(hook) for hook in _HOOKS))


def has_build_script(inspection: Inspection) -> bool:
    return bool(_scripts(read_package(inspection)).get("build"))


def read_package(inspection: Inspection) -> dict[str, Any]:
    """package.json, or nothing when it is none."""
    try:
        package = json.loads(inspection.text("package.json") or "{}")
    except (ValueError, RecursionError):
        return {}
    return package if isinstance(package, dict) else {}


def _scripts(package: dict[str, Any]) -> dict[str, str]:
    scripts = package.get("scripts")
    if not isinstance(scripts, dict):
        return {}
    return {str(name): command for name, command in scripts.items() if isinstance(command, str)}
