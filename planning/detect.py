"""Which runtime fits a repository, how it is built, and which processes it has. Pure."""

from collections.abc import Callable
from dataclasses import dataclass

from planning.detect_node import node_command, node_dependencies
from planning.detect_python import python_command, python_dependencies
from planning.inspection import Inspection
from planning.procfile import DetectedProcess, read_procfile

STATIC_COMMAND = "python3 /opt/setpoint/static_server.py"
LOOKED_FOR = (
    "Procfile; pyproject.toml, uv.lock, requirements.txt, Pipfile, or main.py, app.py, server.py (Python); "
    "package.json (Node.js); index.html or public/ (static files)"
)


class NothingFits(Exception):
    """Nothing to build it with; the message lists what was looked for."""


@dataclass(frozen=True)
class Detection:
    """`strategy`: the installers it needs, joined by `+`, or `none`. `steps`: what a build does, for people."""

    runtime: str
    strategy: str
    steps: tuple[str, ...]
    processes: tuple[DetectedProcess, ...]
    warnings: tuple[str, ...] = ()

    @property
    def installers(self) -> tuple[str, ...]:
        return () if self.strategy == "none" else tuple(self.strategy.split("+"))


def detect(inspection: Inspection, hint: str = "") -> Detection:
    """The first runtime that fits, or the one that the hint names. Raises NothingFits."""
    if hint:
        return _hinted(inspection, hint)
    for look in _RUNTIMES.values():
        found = look(inspection)
        if found:
            return found
    also = ""
    if inspection.has("Dockerfile"):
        also = " There is a Dockerfile, but this runner cannot build images; add a Procfile instead."
    raise NothingFits(f"No way to run this repository was found. Looked for: {LOOKED_FOR}.{also}")


def _hinted(inspection: Inspection, hint: str) -> Detection:
    look = _RUNTIMES.get(hint)
    if look is None:
        names = ", ".join(_RUNTIMES)
        raise NothingFits(f"The runtime {hint[:40]!r} is not available on this runner. Available: {names}.")
    found = look(inspection)
    if found is None:
        raise NothingFits(f"The runtime {hint} does not fit this repository: {_NEEDS[hint]}")
    return found


def _procfile(inspection: Inspection) -> Detection | None:
    if not inspection.has("Procfile"):
        return None
    processes, warnings = read_procfile(inspection.text("Procfile"))
    if not processes:
        told = " ".join(warnings) or "It is empty."
        raise NothingFits(f"The Procfile names no process; it needs a line such as `web: python main.py`. {told}")
    kinds = [python_dependencies(inspection), node_dependencies(inspection)]
    strategies = [strategy for strategy, _ in kinds if strategy]
    steps = tuple(step for _, found in kinds for step in found)
    return Detection("procfile", "+".join(strategies) or "none", (*steps, "Read Procfile"), processes, warnings)


def _python(inspection: Inspection) -> Detection | None:
    strategy, steps = python_dependencies(inspection)
    command, warnings = python_command(inspection)
    if not command:
        if strategy:
            raise NothingFits(
                "This is a Python project, but not which command runs it: add a Procfile with a line such as "
                "`web: gunicorn --bind $HOST:$PORT package:app`, or one of main.py, app.py, server.py."
            )
        return None
    return Detection("python", strategy or "none", steps, (DetectedProcess("web", command),), warnings)


def _node(inspection: Inspection) -> Detection | None:
    if not inspection.has("package.json"):
        return None
    strategy, steps = node_dependencies(inspection)
    command, warnings = node_command(inspection)
    if not command:
        if _static(inspection):
            return None
        raise NothingFits(
            "package.json has neither a `start` script nor a `main` that exists: add one, or a Procfile with a line "
            "such as `web: node server.js`."
        )
    return Detection("node", strategy or "none", steps, (DetectedProcess("web", command),), warnings)


def _static(inspection: Inspection) -> Detection | None:
    if "index.html" in inspection.files:
        folder = "."
    elif any(name.startswith("public/") for name in inspection.files):
        folder = "public"
    else:
        return None
    process = DetectedProcess("web", f"{STATIC_COMMAND} {folder}")
    return Detection("static", "none", (f"Serve the files of {folder}",), (process,))


_RUNTIMES: dict[str, Callable[[Inspection], Detection | None]] = {
    "procfile": _procfile,
    "python": _python,
    "node": _node,
    "static": _static,
}
_NEEDS = {
    "procfile": "it has no Procfile.",
    "python": "it has none of pyproject.toml, uv.lock, requirements.txt, Pipfile, main.py, app.py, server.py.",
    "node": "it has no package.json.",
    "static": "it has neither index.html nor files in public/.",
}
