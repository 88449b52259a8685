"""A deploy against the same steps by a shell script: clone, environment, install, start, wait for the first answer."""

import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.bench.report import report
from tests.ports import free_port
from tests.system.platform import ROOT, Platform, platform
from tests.system.repositories import commit

pytestmark = pytest.mark.bench
REDEPLOYS = 20
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")

SCRIPT = """
set -eu
git clone -q "$REPOSITORY" "$WORK/tree"
cd "$WORK/tree"
if [ "$FRESH" = 1 ]; then
    uv venv -q "$WORK/../venv"
fi
uv pip install -q -p "$WORK/../venv" -r requirements.txt
PORT=$PORT exec "$WORK/../venv/bin/gunicorn" app:app --bind 127.0.0.1:$PORT
"""


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    with platform(tmp_path_factory.mktemp("bench") / "data") as started:
        yield started


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    shutil.copytree(ROOT / "examples" / "flask", folder)
    commit(folder, {})
    return folder


def change(repository: Path, word: str) -> None:
    code = (ROOT / "examples" / "flask" / "app.py").read_text()
    commit(repository, {"app.py": f"{code}\n\n@app.get('/version')\ndef version() -> str:\n    return '{word}'\n"})


def until_answer(ask: object, word: str) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            if ask().text == word:  # type: ignore[operator]
                return
        except httpx.HTTPError:
            pass
        time.sleep(0.002)
    raise AssertionError(f"no {word} within a minute")


def by_script(repository: Path, work: Path, port: int, word: str, *, fresh: bool) -> float:
    """Seconds from the script's start to the first answer of this version."""
    uv = Path(sys.executable).parent
    environment = {
        "PATH": f"{uv}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(work.parent),
        "REPOSITORY": str(repository),
        "WORK": str(work),
        "PORT": str(port),
        "FRESH": "1" if fresh else "0",
        "UV_CACHE_DIR": str(work.parent / "cache"),
        "UV_PYTHON": shutil.which("python3") or "python3",
    }
    if CERTIFICATES.exists():
        environment["SSL_CERT_FILE"] = str(CERTIFICATES)
    work.mkdir(parents=True)
    with httpx.Client(trust_env=False) as client:
        began = time.monotonic()
        process = subprocess.Popen(["sh", "-c", SCRIPT], env=environment, stderr=subprocess.DEVNULL)
        try:
            until_answer(lambda: client.get(f"http://127.0.0.1:{port}/version"), word)
            return time.monotonic() - began
        finally:
            process.terminate()
            process.wait(30)


def by_setpoint(running: Platform, api: httpx.Client, project: str, name: str, word: str) -> float:
    with httpx.Client(trust_env=False) as client:
        url = f"http://127.0.0.1:{running.router_port}/version"
        began = time.monotonic()
        answer = api.post(f"/v1/projects/{project}/deploy", json={})
        assert answer.status_code == 202
        until_answer(lambda: client.get(url, headers={"Host": running.host(name)}), word)
        return time.monotonic() - began


def test_first_deploy_and_redeploys(running: Platform, repository: Path, tmp_path: Path) -> None:
    change(repository, "warm")
    with running.api() as api:
        warm = running.new_project(api, "warm", repository)
        assert running.deploy(api, warm)["status"] == "live"
        by_script(repository, tmp_path / "script" / "warm", free_port(), "warm", fresh=True)

        firsts, floors = [], []
        for number in range(5):
            word = f"first-{number}"
            change(repository, word)
            shutil.rmtree(tmp_path / "script" / "venv")
            floors.append(by_script(repository, tmp_path / "script" / word, free_port(), word, fresh=True))
            project = running.new_project(api, word, repository)
            firsts.append(by_setpoint(running, api, project, word, word))
        report("first deploy of the Flask example, cache warm", firsts, floors, "s", "<= 1.5x and <= 2.1 s")

        project = running.new_project(api, "again", repository)
        assert running.deploy(api, project)["status"] == "live"
        ours, floors = [], []
        for number in range(REDEPLOYS):
            word = f"again-{number}"
            change(repository, word)
            floors.append(by_script(repository, tmp_path / "script" / word, free_port(), word, fresh=False))
            ours.append(by_setpoint(running, api, project, "again", word))
        report(f"redeploy, p50 of {REDEPLOYS}", ours, floors, "s", "<= 1.5x and <= 0.5 s")
        assert statistics.median(ours) <= 3 * statistics.median(floors), "far from the aim: something is wrong"
