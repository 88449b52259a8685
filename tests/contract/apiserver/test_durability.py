"""Ours only: what survives a stop, a kill and a lost event log. Each test has a server of its own."""

import contextlib
import json
import socket
import sqlite3
import ssl
import threading
import time
from functools import partial
from pathlib import Path
from typing import BinaryIO

import httpx

from tests.contract.apiserver.client import Api, eventually, widget
from tests.contract.apiserver.conftest import client_of, install_widgets
from tests.contract.apiserver.server import Server, running


def reopened(api: Api) -> Api:
    return Api(api.url, api.token, api.ca, api.namespace)


def test_stop_is_prompt_with_open_watches(own_server: Server) -> None:
    api = client_of(own_server)
    install_widgets(api)
    with api.watching(api.widgets) as watch:
        started = time.monotonic()
        assert own_server.stop() == 0
        assert time.monotonic() - started < 3
        assert watch.rest() == []


def test_watches_resume_over_a_restart(own_server: Server) -> None:
    api = client_of(own_server)
    install_widgets(api)
    version = api.widget("a")["metadata"]["resourceVersion"]
    api.patch(f"{api.widgets}/a", {"spec": {"note": "before"}})
    own_server.stop()
    own_server.start()
    api = reopened(api)
    with api.watching(api.widgets, resourceVersion=version) as watch:
        assert watch.next()["object"]["spec"]["note"] == "before"
        api.patch(f"{api.widgets}/a", {"spec": {"note": "after"}})
        assert watch.next()["object"]["spec"]["note"] == "after"


def test_pages_go_on_over_a_restart(own_server: Server) -> None:
    api = client_of(own_server)
    install_widgets(api)
    for name in "abc":
        api.widget(name)
    first = api.get(api.widgets, limit="2")
    api.ok("DELETE", f"{api.widgets}/c")
    own_server.stop()
    own_server.start()
    api = reopened(api)
    last = api.get(api.widgets, limit="2", **{"continue": first["metadata"]["continue"]})
    assert [item["metadata"]["name"] for item in last["items"]] == ["c"]


def test_kill_loses_nothing_acknowledged(own_server: Server) -> None:
    api = client_of(own_server)
    install_widgets(api)
    acknowledged: dict[str, str] = {}
    newest = 0

    def write(worker: int) -> None:
        nonlocal newest
        client = reopened(api)
        with contextlib.suppress(httpx.HTTPError):
            for number in range(10_000):
                name = f"w{worker}-{number}"
                answer = client.request("POST", client.widgets, widget(name))
                if answer.status_code == 201:
                    metadata = answer.json()["metadata"]
                    acknowledged[name] = metadata["resourceVersion"]
                    newest = max(newest, int(metadata["resourceVersion"]))
        client.http.close()

    for _ in range(3):
        threads = [threading.Thread(target=write, args=(worker,)) for worker in range(4)]
        count = len(acknowledged)
        for thread in threads:
            thread.start()
        eventually(partial(more_than, acknowledged, count + 100))
        own_server.kill()
        for thread in threads:
            thread.join(20)
        own_server.start()
        api = reopened(api)
        stored = {i["metadata"]["name"]: i["metadata"]["resourceVersion"] for i in api.get(api.widgets)["items"]}
        assert acknowledged.items() <= stored.items()
        made = api.widget(f"after-{count}")
        assert int(made["metadata"]["resourceVersion"]) > newest


def test_who_is_told_that_it_is_there_finds_it(own_server: Server) -> None:
    """Also when it is not on the disk yet at the moment of the second request."""
    api = client_of(own_server)
    install_widgets(api)
    pair = [connected(own_server), connected(own_server)]
    for number in range(100):
        body = json.dumps(widget(f"twin-{number}")).encode()
        both = raw(api, "POST", api.widgets, body) + raw(api, "GET", f"{api.widgets}/twin-{number}")
        for connection in pair:
            connection.sendall(both)
        codes = [(status(answers), status(answers)) for answers in (c.makefile("rb") for c in pair)]
        assert sorted(codes) == [(201, 200), (409, 200)]
    for connection in pair:
        connection.close()


def connected(server: Server) -> ssl.SSLSocket:
    address = ("127.0.0.1", server.port)
    return server.context().wrap_socket(socket.create_connection(address, 20), server_hostname="127.0.0.1")


def raw(api: Api, method: str, path: str, body: bytes = b"") -> bytes:
    head = f"{method} {path} HTTP/1.1\r\nHost: api\r\nAuthorization: Bearer {api.token}\r\n"
    return f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def status(answers: BinaryIO) -> int:
    """Of the next answer, whose body is left out."""
    code = int(answers.readline().split()[1])
    length = 0
    while (line := answers.readline()) != b"\r\n":
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    answers.read(length)
    return code


def test_too_old_versions_expire(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        api = client_of(server)
        install_widgets(api)
        old = api.widget("a")["metadata"]["resourceVersion"]
        token = (api.widget("b"), api.get(api.widgets, limit="1"))[1]["metadata"]["continue"]
        api.widget("c")
        server.stop()
        # What an hour of writes does: the log's horizon moves past the version.
        with contextlib.closing(sqlite3.connect(server.data_dir / "state.db")) as database, database:
            newest = database.execute("SELECT max(rv) FROM log").fetchone()[0]
            database.execute("REPLACE INTO meta VALUES ('horizon', ?)", (newest,))
        server.start()
        api = reopened(api)
        api.widget("d")
        with api.watching(api.widgets, resourceVersion=old) as watch:
            event = watch.next()
            assert watch.rest() == []
        assert event["type"] == "ERROR"
        assert (event["object"]["reason"], event["object"]["code"]) == ("Expired", 410)
        answer = api.request("GET", api.widgets, **{"continue": token})
        assert (answer.status_code, answer.json()["reason"]) == (410, "Expired")


def test_secrets_are_sealed_on_disk(own_server: Server) -> None:
    api = client_of(own_server)
    body = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"k": "a-very-secret-value"}}
    api.ok("POST", api.core("secrets"), body)
    own_server.stop()
    found = [path for path in own_server.data_dir.iterdir() if b"YS12ZXJ5LXNlY3JldC12YWx1ZQ" in path.read_bytes()]
    assert found == []
    for name in ("state.db", "secrets.key"):
        assert (own_server.data_dir / name).stat().st_mode & 0o777 == 0o600
    own_server.start()
    assert reopened(api).get(f"{api.core('secrets')}/s")["data"] == {"k": "YS12ZXJ5LXNlY3JldC12YWx1ZQ=="}
    assert "a-very-secret-value" not in own_server.log.read_text()


def test_a_failed_commit_stops_the_process(own_server: Server) -> None:
    api = client_of(own_server)
    install_widgets(api)
    made = api.widget("a")
    with contextlib.closing(sqlite3.connect(own_server.data_dir / "state.db")) as database:
        database.execute("CREATE TRIGGER broken BEFORE INSERT ON log BEGIN SELECT RAISE(ABORT, 'disk'); END")
        with contextlib.suppress(httpx.HTTPError):
            assert api.request("POST", api.widgets, widget("b")).status_code >= 500
        assert own_server.process is not None
        assert own_server.process.wait(10) != 0
        database.execute("DROP TRIGGER broken")
    own_server.start()
    api = reopened(api)
    assert [item["metadata"] for item in api.get(api.widgets)["items"]] == [made["metadata"]]


def test_log_is_compacted_and_objects_stay(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        api = client_of(server)
        install_widgets(api)
        for name in "abc":
            api.widget(name)
        api.patch(f"{api.widgets}/a", {"spec": {"note": "newer"}})
        api.ok("DELETE", f"{api.widgets}/b")
        server.stop()
        with contextlib.closing(sqlite3.connect(server.data_dir / "state.db")) as database, database:
            database.execute("UPDATE log SET at = at - 10000")
            before = database.execute("SELECT count(*) FROM log").fetchone()[0]
        server.start()
        api = reopened(api)
        eventually(lambda: rows(server) < before)
        server.stop()
        server.start()
        api = reopened(api)
        listed = {item["metadata"]["name"]: item["spec"]["note"] for item in api.get(api.widgets)["items"]}
        assert listed == {"a": "newer", "c": "n"}


def more_than(found: dict[str, str], count: int) -> bool:
    return len(found) > count


def rows(server: Server) -> int:
    with contextlib.closing(sqlite3.connect(server.data_dir / "state.db")) as database:
        count: int = database.execute("SELECT count(*) FROM log").fetchone()[0]
        return count


def test_events_are_forgotten_after_an_hour(own_server: Server) -> None:
    api = client_of(own_server)
    event = {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "old"}}
    api.ok("POST", api.core("events"), {**event, "involvedObject": {"kind": "W", "name": "w", "namespace": "default"}})
    own_server.stop()
    with contextlib.closing(sqlite3.connect(own_server.data_dir / "state.db")) as database, database:
        database.execute("UPDATE log SET at = at - 10000 WHERE resource = 'events'")
        database.execute("UPDATE log SET at = at - 20000 WHERE resource != 'events'")
    own_server.start()
    api = reopened(api)
    api.ok(
        "POST", api.core("events"), {**event, "metadata": {"name": "new"}, "involvedObject": {"namespace": "default"}}
    )
    eventually(lambda: [i["metadata"]["name"] for i in api.get(api.core("events"))["items"]] == ["new"])
    assert api.get("/api/v1/namespaces/default")["status"]["phase"] == "Active"
