"""<name>.internal: a project reaches those of its account that it lists, and nobody else does."""

from pathlib import Path

import httpx
import pytest

from tests.system.platform import Platform, eventually
from tests.system.projects import live_project
from tests.system.repositories import commit, version
from tests.system.walls.answering import answering

CALLER = """import urllib.error, urllib.request

def answer(path):
    if len(path) == 1:
        return "up"
    try:
        return urllib.request.urlopen(f"http:/{path}", timeout=10).read().decode()
    except urllib.error.HTTPError as error:
        return str(error.code)
    except OSError as error:
        return type(error).__name__
"""
MANIFEST = """
apiVersion: setpoint.dev/v1
kind: Project
metadata: {{name: calling}}
spec:
  source: {{repository: {repository}, branch: main}}
  siblings: [called]
"""


def address(shared: Platform, name: str) -> str:
    found = [i for i in shared.records("instances") if i["spec"]["workload"].startswith(f"{name}-")]
    return str(found[0]["status"]["address"]).partition(":")[0]


def test_a_sibling_is_reached_by_who_lists_it(shared: Platform, api: httpx.Client, tmp_path: Path) -> None:
    if shared.records("computenodes")[0]["status"]["network"] != "fabric":
        pytest.fail("this machine refuses the fabric")
    live_project(shared, api, "called", tmp_path / "called", version("I am called"))
    live_project(shared, api, "private", tmp_path / "private", version("I am private"))
    live_project(shared, api, "stranger", tmp_path / "stranger", answering(CALLER))
    commit(tmp_path / "calling", answering(CALLER))
    shared.kubectl("-n", "acc-main", "apply", "-f", "-", given=MANIFEST.format(repository=tmp_path / "calling"))
    eventually(lambda: shared.get("calling").text == "up", 60)
    eventually(lambda: shared.get("calling", "/called.internal/").text.startswith("I am called"))
    assert shared.get("calling", "/private.internal/").text == "404"
    assert shared.get("calling", "/nothing.internal/").text == "404"
    assert shared.get("calling", "/a.b.internal/").text == "URLError"
    assert shared.get("stranger", "/called.internal/").text == "404"
    forged = f"{address(shared, 'calling')}/S/called.internal"
    answer = httpx.get(f"http://127.0.0.1:{shared.router_port}/", headers={"Host": forged})
    assert answer.status_code in (400, 404)
    refused = MANIFEST.format(repository=tmp_path / "calling").replace("[called]", "['Not A Name']")
    assert "spec.siblings" in shared.kubectl("-n", "acc-main", "apply", "-f", "-", given=refused, check=False)
