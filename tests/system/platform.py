"""A whole installation for a test: `setpoint up` as a user starts it, on its own folder and ports."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import httpx

from cluster.controlplane.build import CACHE, programs, told
from tests.cluster.controlplane import server as real
from tests.cluster.controlplane.server import ControlPlane
from tests.lifeline import end_with_parent
from tests.ports import free_port

T = TypeVar("T")
ROOT = Path(__file__).parent.parent.parent
_START_SECONDS = 60.0


def eventually(look: Callable[[], T], seconds: float = 30.0, every: float = 0.05) -> T:
    """The first true answer of `look`; fails with its last answer (or error) when none comes in time."""
    until = time.monotonic() + seconds
    while True:
        problem: object = None
        try:
            answer = look()
            if answer:
                return answer
            problem = answer
        except (AssertionError, httpx.HTTPError, KeyError, IndexError, OSError) as error:
            problem = error
        if time.monotonic() > until:
            raise AssertionError(f"not within {seconds} s; last: {problem!r}")
        time.sleep(every)


def holders(path: Path) -> list[int]:
    """The processes that have this file open."""
    wanted = path.stat()
    found = []
    for entry in Path("/proc").glob("[0-9]*/fd/*"):
        with contextlib.suppress(OSError):
            there = entry.stat()
            if (there.st_dev, there.st_ino) == (wanted.st_dev, wanted.st_ino):
                found.append(int(entry.parts[2]))
    return found


@dataclass
class Platform:
    """`start` returns when the banner says ready; `stop` is Ctrl-C. `program`: what Python runs as `setpoint`.
    `plane`: the real control plane that holds the records, where it is not the embedded API."""

    data_dir: Path
    nodes: int = 1
    api_port: int = field(default_factory=free_port)
    router_port: int = field(default_factory=free_port)
    environment: dict[str, str] = field(default_factory=dict)
    example: bool = False
    program: tuple[str, ...] = ("-m", "setpoint")
    plane: ControlPlane | None = None
    process: subprocess.Popen[str] | None = None
    output: list[str] = field(default_factory=list)

    def start(self) -> "Platform":
        command = [sys.executable, *self.program, "up", "--data-dir", str(self.data_dir)]
        command += ["--api-port", str(self.api_port), "--router-port", str(self.router_port)]
        command += ["--nodes", str(self.nodes)] + ([] if self.example else ["--no-example"])
        # Tests ask more often than people do; the limit itself has tests of its own.
        ours = {"PYTHONUNBUFFERED": "1", "SETPOINT_RATE_PER_MINUTE": "1000000"}
        records = {"SETPOINT_KUBECONFIG": str(self.plane.kubeconfig)} if self.plane else {}
        environment = {**os.environ, **ours, **records, **self.environment}
        self.process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            preexec_fn=end_with_parent,
        )
        self.read_until("Ctrl-C stops everything")
        return self

    def read_until(self, text: str, seconds: float = _START_SECONDS) -> list[str]:
        """Lines that `up` printed, up to the one with this text."""
        assert self.process is not None
        assert self.process.stdout is not None
        alarm = time.monotonic() + seconds
        lines: list[str] = []
        for line in self.process.stdout:
            lines.append(line.rstrip("\n"))
            self.output.append(lines[-1])
            if text in line:
                return lines
            assert time.monotonic() < alarm, f"no {text!r} within {seconds} s: {lines}"
        raise AssertionError(f"`up` ended with {self.process.wait()} before {text!r}: {lines}")

    def stop(self) -> int:
        assert self.process is not None
        self.process.send_signal(signal.SIGINT)
        rest, _ = self.process.communicate(timeout=60)
        self.output += rest.splitlines()
        code = self.process.returncode
        self.process = None
        return code

    @property
    def credentials(self) -> dict[str, str]:
        return dict(json.loads((self.data_dir / "credentials.json").read_text()))

    def api(self, **options: Any) -> httpx.Client:
        """A client of the /v1 API with the owner's key."""
        known = self.credentials
        headers = {"Authorization": f"Bearer {known['apiKey']}", **options.pop("headers", {})}
        return httpx.Client(base_url=known["apiUrl"], headers=headers, timeout=90, trust_env=False, **options)

    def host(self, project: str) -> str:
        return f"{project}--{self.credentials['handle']}.localhost"

    def get(self, project: str, path: str = "/", **options: Any) -> httpx.Response:
        """Through the router, as anybody would."""
        url = f"http://127.0.0.1:{self.router_port}{path}"
        return httpx.get(url, headers={"Host": self.host(project)}, timeout=20, trust_env=False, **options)

    def kubectl(self, *arguments: str, check: bool = True, given: str | None = None) -> str:
        program = Path(sys.executable).parent / "kubectl"
        command = [str(program), "--kubeconfig", self.credentials["kubeconfig"], *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, input=given)
        assert not check or done.returncode == 0, f"kubectl {arguments}: {done.stderr}"
        return done.stdout if done.returncode == 0 else done.stderr

    def records(self, plural: str) -> list[dict[str, Any]]:
        answer = json.loads(self.kubectl("get", f"{plural}.setpoint.dev", "-A", "-o", "json"))
        return list(answer["items"])

    def projects(self) -> set[tuple[str, str]]:
        """(namespace, name) of each."""
        return {(p["metadata"]["namespace"], p["metadata"]["name"]) for p in self.records("projects")}

    def remove_projects(self, projects: set[tuple[str, str]]) -> None:
        for namespace in {namespace for namespace, _ in projects}:
            names = [name for space, name in projects if space == namespace]
            self.kubectl("-n", namespace, "delete", "projects", "--wait=false", "--ignore-not-found", *names)

    def pid(self, part: str) -> int:
        if self.plane and part == "apiserver":
            return self.plane.processes["kube-apiserver"].pid
        return int(json.loads((self.data_dir / "run" / f"{part}.json").read_text())["pid"])

    def kill(self, part: str) -> int:
        """kill -9; answers which process it was."""
        pid = self.pid(part)
        os.kill(pid, signal.SIGKILL)
        if self.plane and part == "apiserver":
            # `up` does not supervise this one: whoever runs the cluster does.
            self.plane.restart_apiserver()
        return pid

    def lose_node(self, node: str) -> None:
        """kill -9 of the agent with all that it runs, and it stays away: as when a machine is lost."""
        assert self.process is not None
        (self.data_dir / "kubeconfig" / f"{node}.yaml").unlink()
        self.kill(node)
        for lock in (self.data_dir / "nodes" / node / "instances").glob("*/lock"):
            for pid in holders(lock):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def new_project(self, api: httpx.Client, name: str, repository: Path, branch: str = "main") -> str:
        """Made and connected; the id."""
        answer = api.post("/v1/projects", json={"name": name})
        assert answer.status_code == 201, answer.text
        id_: str = answer.json()["id"]
        connected = api.post(f"/v1/projects/{id_}/git", json={"repo": str(repository), "branch": branch})
        assert connected.status_code == 200, connected.text
        return id_

    def deploy(self, api: httpx.Client, project: str, seconds: float = 60, **body: str) -> dict[str, Any]:
        """Deploy and wait for the end; the deploy as the API shows it."""
        begun = api.post(f"/v1/projects/{project}/deploy", json=body)
        assert begun.status_code == 202, begun.text
        return self.deployed(api, project, begun.json()["deployId"], seconds)

    def deployed(self, api: httpx.Client, project: str, deploy: str, seconds: float = 60) -> dict[str, Any]:
        def look() -> dict[str, Any] | None:
            answer = api.get(f"/v1/projects/{project}/deploys/{deploy}")
            assert answer.status_code == 200, answer.text
            found: dict[str, Any] = answer.json()
            return found if found["status"] in ("live", "failed", "cancelled", "superseded") else None

        try:
            return eventually(look, seconds) or {}
        except AssertionError as error:
            error.add_note(self.describe())
            raise

    def describe(self) -> str:
        """What somebody who looks into a failed test wants to see."""
        logs = sorted((self.data_dir / "run").glob("*.log")) + sorted((self.data_dir / "run").glob("*.out"))
        tails = [f"== {path.name}\n" + "\n".join(path.read_text().splitlines()[-8:]) for path in logs]
        return "\n".join(
            [
                self.kubectl("get", "deploys.setpoint.dev,builds,workloads,instances", "-A", "-o", "wide", check=False),
                *tails,
            ]
        )


@contextmanager
def records_of(data_dir: Path) -> Iterator[ControlPlane | None]:
    """Where the records of an installation are to be: in a real control plane of its own when the environment says so
    (`make test-cluster` does), else in the API that Setpoint brings."""
    if os.environ.get("SETPOINT_TEST_CONTROL_PLANE") != "real":
        yield None
        return
    with real.running(data_dir.with_name(f"{data_dir.name}-plane"), programs(CACHE, told)) as plane:
        # Where people look first, as the embedded API's own file has it.
        config = json.loads(plane.kubeconfig.read_text())
        config["contexts"][0]["context"]["namespace"] = "acc-main"
        plane.kubeconfig.write_text(json.dumps(config))
        yield plane


@contextmanager
def platform(data_dir: Path, **options: Any) -> Iterator[Platform]:
    """Started, and stopped at the end whatever happened; its logs are shown when a test fails."""
    with records_of(data_dir) as plane, _running(Platform(data_dir, plane=plane, **options)) as running:
        yield running


@contextmanager
def _running(running: Platform) -> Iterator[Platform]:
    try:
        yield running.start()
    finally:
        if running.process is not None:
            try:
                running.stop()
            except subprocess.TimeoutExpired:
                running.process.kill()
                raise
