"""Runtime detection over what was seen of a repository."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planning.detect import Detection, NothingFits, detect
from planning.inspection import READ, Inspection


def seen(**contents: str) -> Inspection:
    named = {name.replace("__", "."): text for name, text in contents.items()}
    return Inspection("a" * 40, "A commit", tuple(sorted(named)), named)


def files(*names: str) -> Inspection:
    return Inspection("a" * 40, "A commit", names, {})


def web(found: Detection) -> str:
    return next(process.command for process in found.processes if process.name == "web")


FLASK = "from flask import Flask\napp = Flask(__name__)\n"


@pytest.mark.parametrize(
    ("inspection", "runtime", "strategy", "command"),
    [
        (seen(main__py="print(1)"), "python", "none", "python main.py"),
        (
            seen(requirements__txt="Flask==3\ngunicorn==23\n", app__py=FLASK),
            "python",
            "requirements",
            "gunicorn --bind $HOST:$PORT app:app",
        ),
        (
            seen(requirements__txt="fastapi\nuvicorn\n", main__py="api = FastAPI()\n"),
            "python",
            "requirements",
            "uvicorn --host $HOST --port $PORT main:api",
        ),
        (
            seen(pyproject__toml='[project]\ndependencies=["flask"]', uv__lock="", app__py=FLASK),
            "python",
            "uv-lock",
            "flask --app app:app run --host $HOST --port $PORT",
        ),
        (
            seen(Pipfile='[packages]\nflask = "*"\ngunicorn = "*"', app__py=FLASK),
            "python",
            "pipfile",
            "gunicorn --bind $HOST:$PORT app:app",
        ),
        (
            seen(package__json=json.dumps({"scripts": {"start": "node s.js"}})),
            "node",
            "none",
            "node s.js",
        ),
        (files("public/a.css"), "static", "none", "python3 /opt/setpoint/static_server.py public"),
        (files("index.html"), "static", "none", "python3 /opt/setpoint/static_server.py ."),
    ],
)
def test_what_fits(inspection: Inspection, runtime: str, strategy: str, command: str) -> None:
    found = detect(inspection)
    assert (found.runtime, found.strategy, web(found)) == (runtime, strategy, command)


def test_django_runs_under_gunicorn() -> None:
    texts = {"manage.py": "", "requirements.txt": "Django\ngunicorn"}
    inspection = Inspection("a" * 40, "", ("manage.py", "site/wsgi.py", "requirements.txt"), texts)
    assert web(detect(inspection)) == "gunicorn --bind $HOST:$PORT site.wsgi"


def test_a_lock_file_makes_npm_ci_and_a_build_script_a_step() -> None:
    package = json.dumps({"scripts": {"build": "tsc"}, "main": "./lib"})
    texts = {"package.json": package, "package-lock.json": "{}"}
    found = detect(Inspection("a" * 40, "", ("package.json", "package-lock.json", "lib/index.js"), texts))
    assert found.strategy == "npm-ci"
    assert "npm run build" in found.steps
    assert web(found) == "node lib/index.js"


def test_a_procfile_comes_first_and_brings_what_else_is_to_be_installed() -> None:
    found = detect(seen(Procfile="web: gunicorn x:y\nworker: python w.py\n", requirements__txt="gunicorn"))
    assert found.runtime == "procfile"
    assert found.installers == ("requirements",)
    assert [process.name for process in found.processes] == ["web", "worker"]


def test_the_hint_wins() -> None:
    both = seen(Procfile="web: x", index__html="<p>")
    assert detect(both, "static").runtime == "static"
    with pytest.raises(NothingFits, match=r"package\.json"):
        detect(both, "node")
    with pytest.raises(NothingFits, match="not available"):
        detect(both, "go")


def test_nothing_fits_lists_what_was_looked_for() -> None:
    with pytest.raises(NothingFits, match=r"Procfile; pyproject\.toml.*index\.html"):
        detect(files("README.md"))
    with pytest.raises(NothingFits, match="Dockerfile"):
        detect(files("Dockerfile"))


def test_odd_procfile_lines_are_left_out_with_a_warning() -> None:
    text = "web: run\nWEB: x\n../x: y\n\x00: z\nno line\nrelease: migrate\nweb: again\nbell: a\x07b\n"
    found = detect(seen(Procfile=text))
    assert [process.name for process in found.processes] == ["web"]
    assert len(found.warnings) == 7
    with pytest.raises(NothingFits, match="names no process"):
        detect(seen(Procfile="\r\n\r\n"))


@given(st.dictionaries(st.sampled_from(READ), st.text(max_size=200)), st.lists(st.text(max_size=20), max_size=5))
def test_any_text_is_decided_or_refused_by_name(contents: dict[str, str], names: list[str]) -> None:
    try:
        found = detect(Inspection("a" * 40, "", tuple(names), contents))
    except NothingFits:
        return
    assert 1 <= len(found.processes) <= 20
    for process in found.processes:
        assert "\n" not in process.command
        assert process.command.strip()
        assert len(process.name) <= 15
