"""Projects that take all they can get, and a small one beside them."""

import json
from collections.abc import Callable
from pathlib import Path

import httpx

from tests.system.held import HOLDER
from tests.system.platform import Platform
from tests.system.projects import live_project
from tests.system.repositories import commit, lively


def _worker(program: str) -> dict[str, str]:
    return {"hog.py": program, "Procfile": "worker: python hog.py\n"}


HOGS: dict[str, dict[str, str]] = {
    "cpu": _worker("import os\nfor _ in range(8):\n    if os.fork() == 0: break\nwhile True: pass"),
    "sessions": _worker(
        "import os\nfor _ in range(24):\n    if os.fork() == 0:\n        os.setsid()\n        break\nwhile True: pass"
    ),
    "resting": _worker("import signal\nsignal.signal(signal.SIGUSR1, lambda *_: signal.pause())\nwhile True: pass"),
    "forks": _worker("import os, time\nwhile True:\n    try: os.fork()\n    except OSError: time.sleep(0.01)"),
    # 4 GB as fast as can be, then 100 MB a second, and an end: a test that fails must not fill the disk.
    "log": _worker(
        "import sys, time\nmegabyte = ('x' * 1000 + '\\n') * 1000\nfor _ in range(4000): sys.stdout.write(megabyte)\n"
        "for _ in range(600):\n    time.sleep(0.1)\n    for _ in range(10): sys.stdout.write(megabyte)\ntime.sleep(999)"
    ),
    "memory": _worker("x = []\nwhile True: x.append(bytearray(b'y' * 1048576))"),
    "late": {
        "main.py": HOLDER,
        "hog.py": "import time\ntime.sleep(5)\nx = []\nwhile True: x.append(bytearray(b'y' * 1048576))",
        "Procfile": "web: python main.py\nworker: python hog.py\n",
    },
    "files": _worker(
        "n = 0\nwhile True:\n    n += 1\n    try:\n        with open(f'/tmp/{n}', 'wb') as f: f.write(b'z' * 4194304)\n"
        "    except OSError: pass"
    ),
    "connections": {"main.py": HOLDER},
    "build": {
        "index.js": "setInterval(() => 0, 1000)",
        "package.json": json.dumps(
            {
                "name": "endless",
                "version": "1.0.0",
                "scripts": {"build": "node -e 'for (;;) {}'", "start": "node index.js"},
            }
        ),
        "package-lock.json": json.dumps(
            {"name": "endless", "version": "1.0.0", "lockfileVersion": 3, "packages": {"": {"name": "endless"}}}
        ),
    },
}


def start_neighbour(running: Platform, api: httpx.Client, folder: Path) -> str:
    """The host at which it answers."""
    live_project(running, api, "neighbour", folder, lively("neighbour"))
    return running.host("neighbour")


def start_hog(running: Platform, api: httpx.Client, kind: str, folder: Path) -> str:
    """Its deploy is under way; the project's id."""
    commit(folder, HOGS[kind])
    project = running.new_project(api, f"hog-{kind}", folder)
    # Its end is not what is looked at: nobody waits for those who do not listen.
    at_once = {"stopGraceSeconds": 0, "drainSeconds": 0}
    impatient = {"spec": {"processes": [{"name": name, **at_once} for name in ("web", "worker")]}}
    running.kubectl("-n", "acc-main", "patch", "project", f"hog-{kind}", "--type", "merge", "-p", json.dumps(impatient))
    assert api.post(f"/v1/projects/{project}/deploy", json={}).status_code == 202
    return project


def told_of(running: Platform, project: str) -> tuple[str, str]:
    """What the project's status says: its phase, and what is wrong."""
    (found,) = [each for each in running.records("projects") if each["metadata"]["name"] == project]
    return found["status"]["phase"], found["status"].get("message", "")


def states_of(running: Platform, kind: str) -> Callable[[], list[str]]:
    """Why each of the hog's instances is in the state that it is in."""

    def look() -> list[str]:
        records = [each for each in running.records("instances") if each["spec"]["workload"].startswith(f"hog-{kind}")]
        return [
            condition.get("reason", "")
            for each in records
            for condition in each.get("status", {}).get("conditions", [])
            if condition["type"] == "Ready"
        ]

    return look
