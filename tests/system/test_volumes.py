"""Volumes through the whole platform: files outlive a release and a restart, and nobody else sees them."""

from pathlib import Path

import httpx
import pytest

from tests.system.platform import Platform, eventually, platform
from tests.system.repositories import commit

NOTEBOOK = '''"""Appends its version to a file at its start; answers with the file, and with what else it sees."""
import http.server, os, signal, sys, threading

with open("/data/book/visits", "a") as book:
    book.write("VERSION\\n")

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = open("/data/book/visits").read() if self.path == "/" else repr(sorted(os.listdir("/data")))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body.encode())
    def log_message(self, *_):
        pass

server = http.server.ThreadingHTTPServer((os.environ["HOST"], int(os.environ["PORT"])), Handler)
signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
server.serve_forever()
'''


def notebook(version: str) -> dict[str, str]:
    return {"main.py": NOTEBOOK.replace("VERSION", version)}


def apply(running: Platform, name: str, repository: Path, policy: str = "delete") -> None:
    manifest = f"""
apiVersion: setpoint.dev/v1
kind: Project
metadata: {{name: {name}}}
spec:
  source: {{repository: {repository}, branch: main}}
  volumes: [{{name: book, mountPath: /data/book}}]
  deletionPolicy: {policy}
"""
    running.kubectl("-n", namespace(running), "apply", "-f", "-", given=manifest)


def namespace(running: Platform) -> str:
    return f"acc-{running.credentials['handle']}"


def visits(running: Platform, name: str) -> list[str]:
    answer = running.get(name)
    assert answer.status_code == 200, answer.text
    return answer.text.split()


def until_visited(running: Platform, name: str, *wanted: str) -> None:
    eventually(lambda: visits(running, name) == list(wanted), 60)


def folder(running: Platform, name: str) -> Path:
    uids = [str(p["metadata"]["uid"]) for p in running.records("projects") if p["metadata"]["name"] == name]
    assert len(uids) == 1
    return running.data_dir / "volumes" / uids[0]


def remove(running: Platform, name: str) -> None:
    running.kubectl("-n", namespace(running), "delete", "project", name, "--wait=false")
    eventually(lambda: name not in [p["metadata"]["name"] for p in running.records("projects")], 60)


def test_files_outlive_a_release_and_the_platform(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    commit(repository, notebook("one"))
    with platform(tmp_path / "data", nodes=2) as running:
        apply(running, "diary", repository)
        until_visited(running, "diary", "one")
        head = commit(repository, notebook("two"))
        running.kubectl("-n", namespace(running), "annotate", "project", "diary", f"setpoint.dev/push={head}")
        until_visited(running, "diary", "one", "two")
        running.stop()
        running.start()
        until_visited(running, "diary", "one", "two", "two")
        apply(running, "other", repository)
        until_visited(running, "other", "two")
        assert running.get("other", "/all").text == "['book']"
        assert visits(running, "diary") == ["one", "two", "two"]


def test_files_go_with_the_project_and_its_name_begins_empty(
    tmp_path: Path, shared: Platform, api: httpx.Client
) -> None:
    repository = tmp_path / "repository"
    commit(repository, notebook("one"))
    apply(shared, "fleeting", repository)
    until_visited(shared, "fleeting", "one")
    before = folder(shared, "fleeting")
    assert (before / "book/visits").read_text() == "one\n"
    remove(shared, "fleeting")
    apply(shared, "fleeting", repository)
    until_visited(shared, "fleeting", "one")
    assert folder(shared, "fleeting") != before
    eventually(lambda: not before.exists(), 60)
    assert folder(shared, "fleeting").is_dir()
    remove(shared, "fleeting")


def test_files_stay_when_the_project_says_so_at_its_end(tmp_path: Path, shared: Platform) -> None:
    repository = tmp_path / "repository"
    commit(repository, notebook("one"))
    apply(shared, "lasting", repository)
    apply(shared, "passing", repository)
    until_visited(shared, "lasting", "one")
    until_visited(shared, "passing", "one")
    kept, gone = folder(shared, "lasting"), folder(shared, "passing")
    # No deploy comes of it: the agent learns of it when the instance ends.
    apply(shared, "lasting", repository, "retain")
    remove(shared, "lasting")
    remove(shared, "passing")
    eventually(lambda: not gone.exists(), 60)
    assert (kept / "book/visits").read_text() == "one\n"


@pytest.mark.parametrize(
    ("inner", "why"),
    [
        ("/data/book/deep/er", "no volume may lie in another"),
        ("/data/../etc", "should match"),
        ("/etc", "should match"),
    ],
)
def test_a_volume_lies_below_data_and_in_no_other(shared: Platform, inner: str, why: str) -> None:
    manifest = f"""
apiVersion: setpoint.dev/v1
kind: Project
metadata: {{name: nested}}
spec:
  volumes: [{{name: book, mountPath: /data/book}}, {{name: inner, mountPath: {inner}}}]
"""
    said = shared.kubectl("-n", namespace(shared), "apply", "-f", "-", given=manifest, check=False)
    assert why in said
    assert "nested" not in {name for _, name in shared.projects()}
