"""kopf, unmodified, with a handler of every kind."""

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx

from tests.contract.apiserver.client import Api, eventually
from tests.contract.apiserver.operators import EVERY_KIND
from tests.contract.apiserver.server import kubeconfig
from tests.lifeline import end_with_parent
from tests.ports import free_port


@contextlib.contextmanager
def operator(api: Api, folder: Path, port: int) -> Iterator[Path]:
    """It runs; its log."""
    program, config, log = folder / "every.py", folder / "kubeconfig", folder / "log"
    program.write_text(EVERY_KIND)
    config.write_text(json.dumps(kubeconfig(api.url, api.ca, api.token)))
    command = [sys.executable, "-m", "kopf", "run", "-n", api.namespace, "--standalone"]
    command += ["--liveness", f"http://127.0.0.1:{port}/healthz", str(program)]
    with log.open("wb") as file:
        process = subprocess.Popen(
            command,
            stdout=file,
            stderr=file,
            env={"KUBECONFIG": str(config), "PATH": "/usr/bin"},
            preexec_fn=end_with_parent,
        )
        try:
            yield log
        finally:
            process.terminate()
            process.wait(20)


def saw(log: Path) -> list[str]:
    return [line.removeprefix("SAW ") for line in log.read_text().splitlines() if line.startswith("SAW ")]


def test_each_kind_of_handler_is_called(api: Api, tmp_path: Path) -> None:
    api.widget("before")
    port, path = free_port(), f"{api.widgets}/one"
    with operator(api, tmp_path, port) as log:
        wanted = {"startup", "login", "event ADDED one", "create one", "part one", "retried one", "daemon one"}
        eventually(lambda: "create before" in saw(log))
        api.widget("one", {"note": "a", "color": "red"})
        eventually(lambda: wanted | {"field one None red"} <= set(saw(log)))
        assert httpx.get(f"http://127.0.0.1:{port}/healthz", trust_env=False).json() == {"answer": 42}
        eventually(lambda: int((api.get(path).get("status") or {}).get("replicas") or 0) > 2)
        api.patch(path, {"spec": {"note": "b", "color": "blue"}})
        eventually(lambda: {"update one spec.color,spec.note b", "field one red blue"} <= _unordered(log))
        events = api.core("events")
        eventually(lambda: any("never" in each["message"] for each in api.get(events)["items"]))
        assert "tests.example.com/every" in api.get(path)["metadata"]["finalizers"]
        api.ok("DELETE", path)
        eventually(lambda: api.gone(path))
        eventually(lambda: {"delete one", "stopped one", "event DELETED one"} <= set(saw(log)))
    assert saw(log)[-1] == "cleanup"
    told = log.read_text()
    with operator(api, tmp_path, port) as log:
        eventually(lambda: "resume before" in saw(log))
    assert "create before" not in saw(log), "it was handled by the one before"
    assert "Traceback" not in told + log.read_text()


def _unordered(log: Path) -> set[str]:
    """What changed together is told in any order."""
    return {line.replace("spec.note,spec.color", "spec.color,spec.note") for line in saw(log)}
