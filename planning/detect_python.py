"""How a Python project gets its packages, and which command serves it. Pure."""

import re

from planning.inspection import Inspection
from planning.toml import table

_NAME = re.compile(r"^\s*([A-Za-z0-9][A-Za-z0-9._-]*)")
_LOCKED_NAME = re.compile(r"^name = \"([A-Za-z0-9._-]{1,100})\"$", re.MULTILINE)
_MODULES = ("app", "main", "wsgi", "asgi", "server")
_FLASK = re.compile(r"^(\w{1,60})\s*(?::[^=\n]+)?=\s*(?:flask\.)?Flask\(", re.MULTILINE)
_ASGI = re.compile(r"^(\w{1,60})\s*(?::[^=\n]+)?=\s*(?:\w+\.)?(?:FastAPI|Starlette|Litestar)\(", re.MULTILINE)
_WSGI_FILE = re.compile(r"^([A-Za-z_]\w*)/wsgi\.py$")
_PLAIN = ("main.py", "app.py", "server.py")


def python_dependencies(inspection: Inspection) -> tuple[str, tuple[str, ...]]:
    """(strategy, steps); no strategy when nothing is to be installed."""
    make = "Make a Python environment (uv venv)"
    if inspection.has("uv.lock") and inspection.has("pyproject.toml"):
        return "uv-lock", (make, "Install what uv.lock names (uv sync --locked)")
    if inspection.has("requirements.txt"):
        return "requirements", (make, "Install requirements.txt (uv pip install)")
    if inspection.has("pyproject.toml") and table(inspection.text("pyproject.toml"), "project"):
        return "pyproject", (make, "Install the dependencies of pyproject.toml (uv pip install)")
    if inspection.has("Pipfile") or inspection.has("Pipfile.lock"):
        return "pipfile", (make, "Install what the Pipfile names (uv pip install)")
    return "", ()


def python_command(inspection: Inspection) -> tuple[str, tuple[str, ...]]:
    """(command of the process web, warnings); no command when none is found."""
    packages = python_packages(inspection)
    return _django(inspection, packages) or _framework(inspection, packages) or (_plain(inspection), ())


def python_packages(inspection: Inspection) -> frozenset[str]:
    """Names of the packages that the project asks for, as far as its files say, in the normal form."""
    names = [_NAME.match(line) for line in inspection.text("requirements.txt").splitlines()]
    found = [match[1] for match in names if match]
    project = table(inspection.text("pyproject.toml"), "project")
    wanted = project.get("dependencies")
    found += [match[1] for item in wanted if (match := _NAME.match(str(item)))] if isinstance(wanted, list) else []
    # Lock files are long: their names are found without reading them as a whole.
    found += _LOCKED_NAME.findall(inspection.text("uv.lock"))
    found += list(table(inspection.text("Pipfile"), "packages"))
    return frozenset(re.sub(r"[-_.]+", "-", name).lower() for name in found)


def _django(inspection: Inspection, packages: frozenset[str]) -> tuple[str, tuple[str, ...]] | None:
    if not inspection.has("manage.py") or "django" not in packages:
        return None
    modules = [match[1] for name in inspection.files if (match := _WSGI_FILE.match(name))]
    if "gunicorn" in packages and modules:
        return f"gunicorn --bind $HOST:$PORT {modules[0]}.wsgi", ()
    told = "Django runs under its development server: add gunicorn to the requirements."
    return "python manage.py runserver --noreload $HOST:$PORT", (told,)


def _framework(inspection: Inspection, packages: frozenset[str]) -> tuple[str, tuple[str, ...]] | None:
    for module in _MODULES:
        text = inspection.text(f"{module}.py")
        flask, asgi = _FLASK.search(text), _ASGI.search(text)
        if flask and "gunicorn" in packages:
            return f"gunicorn --bind $HOST:$PORT {module}:{flask[1]}", ()
        if flask and "flask" in packages:
            told = "Flask runs under its development server: add gunicorn to the requirements."
            return f"flask --app {module}:{flask[1]} run --host $HOST --port $PORT", (told,)
        if asgi and "uvicorn" in packages:
            return f"uvicorn --host $HOST --port $PORT {module}:{asgi[1]}", ()
    return None


def _plain(inspection: Inspection) -> str:
    found = next((name for name in _PLAIN if inspection.has(name)), "")
    return f"python {found}" if found else ""
