"""GET of one project with a key, 32 connections, against a bare Starlette route with the same bytes."""

import contextlib
import json
import os
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.apiserver.server import ROOT
from tests.ports import free_port
from tests.system.api.house import open_house

ROUNDS = 5
SECONDS = 1.5
ENVIRONMENT = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}


@contextlib.contextmanager
def bare_route(body: Path) -> Iterator[int]:
    port = free_port()
    process = subprocess.Popen([sys.executable, "-m", "tests.bench.api.bare", str(port), str(body)], cwd=ROOT)
    try:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/projects/x"):
                break
            time.sleep(0.02)
        yield port
    finally:
        process.kill()
        process.wait()


def asked(port: int, path: str, key: str) -> float:
    request = f"GET {path} HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nAuthorization: Bearer {key}\\r\\nAccept: */*\\r\\n\\r\\n"
    arguments = [sys.executable, "-m", "tests.bench.api.load", str(port), request, str(SECONDS)]
    return float(subprocess.run(arguments, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout)


@pytest.mark.bench
def test_get_one_project(tmp_path: Path) -> None:
    # The length of every answer must be the same, so the headers that count down must not lose a digit.
    with open_house(tmp_path, rate_per_minute=10**9) as house:
        headers = {"Authorization": f"Bearer {house.keys['admin']}", "Content-Type": "application/json"}
        call = urllib.request.Request(f"{house.url}/v1/projects", json.dumps({"name": "shop"}).encode(), headers)
        with urllib.request.urlopen(call) as answer:
            path = f"/v1/projects/{json.load(answer)['id']}"
        with urllib.request.urlopen(urllib.request.Request(house.url + path, headers=headers)) as answer:
            (tmp_path / "body").write_bytes(answer.read())
        ours, floor = [], []
        with bare_route(tmp_path / "body") as port:
            for _ in range(ROUNDS):
                floor.append(asked(port, path, house.keys["admin"]))
                ours.append(asked(house.port, path, house.keys["admin"]))
    ratio = statistics.median(ours) / statistics.median(floor)
    print(
        f"\nGET one project: {statistics.median(ours):.0f}/s, bare route {statistics.median(floor):.0f}/s, {ratio:.2f}x"
    )
    assert ratio >= 0.5
