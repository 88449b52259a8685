"""The real kubectl against the API, as a person uses it."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.contract.apiserver.client import Api, eventually
from tests.contract.apiserver.server import kubeconfig

Run = Callable[..., "subprocess.CompletedProcess[str]"]
MANIFEST = """
apiVersion: test.example.com/v1
kind: Widget
metadata: {name: one, labels: {a: b}}
spec: {note: %s, tags: [x], ports: [{port: 80, label: web}]}
"""


@pytest.fixture
def run(api: Api, kubectl: str, tmp_path: Path) -> Run:
    """kubectl in the test's namespace; fails the test unless told that it may fail."""
    config = tmp_path / "kubeconfig"
    config.write_text(json.dumps(kubeconfig(api.url, api.ca, api.token)))
    base = [kubectl, "--kubeconfig", str(config), "--cache-dir", str(tmp_path / "cache"), "-n", api.namespace]

    def call(*arguments: str, stdin: str = "", check: bool = True) -> "subprocess.CompletedProcess[str]":
        done = subprocess.run([*base, *arguments], input=stdin, capture_output=True, text=True, timeout=60, check=False)
        assert not check or done.returncode == 0, done.stderr
        return done

    return call


def test_apply_get_scale_delete(run: Run) -> None:
    assert "created" in run("apply", "-f", "-", stdin=MANIFEST % "a").stdout
    assert "configured" in run("apply", "-f", "-", stdin=MANIFEST % "b").stdout
    shown = run("get", "wg", "-o", "wide").stdout.split()
    assert shown == ["NAME", "REPLICAS", "READY", "TAGS", "AGE", "one", "1", '["x"]', shown[-1]]
    assert "scaled" in run("scale", "wg/one", "--replicas=4").stdout
    assert run("get", "wg", "one", "-o", "jsonpath={.spec.replicas}").stdout == "4"
    assert "one" in run("get", "testing").stdout
    assert "Note:" in run("describe", "wg", "one").stdout
    assert "deleted" in run("delete", "wg", "one").stdout
    assert "NotFound" in run("get", "wg", "one", check=False).stderr


def test_server_side_apply_after_client_side(run: Run, api: Api) -> None:
    run("apply", "-f", "-", stdin=MANIFEST % "a")
    assert "serverside-applied" in run("apply", "--server-side", "-f", "-", stdin=MANIFEST % "b").stdout
    found = api.get(f"{api.widgets}/one")
    managers = {(entry["manager"], entry["operation"]) for entry in found["metadata"]["managedFields"]}
    assert managers == {("kubectl", "Apply"), ("kubectl-last-applied", "Apply")}
    api.patch(f"{api.widgets}/one", {"spec": {"note": "c"}}, fieldManager="other")
    conflict = run("apply", "--server-side", "-f", "-", stdin=MANIFEST % "d", check=False)
    assert 'conflict with "other"' in conflict.stderr
    run("apply", "--server-side", "--force-conflicts", "-f", "-", stdin=MANIFEST % "d")
    assert api.get(f"{api.widgets}/one")["spec"]["note"] == "d"


def test_create_validates(run: Run) -> None:
    bad = (MANIFEST % "a").replace("tags", "tagz")
    refused = run("create", "-f", "-", stdin=bad, check=False)
    assert refused.returncode != 0
    assert 'unknown field "spec.tagz"' in refused.stderr
    assert "created" in run("create", "-f", "-", stdin=MANIFEST % "a").stdout
    assert (
        "created" in run("create", "--dry-run=server", "-f", "-", stdin=(MANIFEST % "a").replace("one", "two")).stdout
    )


def test_core_kinds_come_as_protobuf(run: Run, api: Api) -> None:
    run("create", "secret", "generic", "s", "--from-literal=k=v")
    run("create", "configmap", "c", "--from-literal=k=v")
    assert api.get(f"{api.core('secrets')}/s")["data"] == {"k": "dg=="}
    assert api.get(f"{api.core('configmaps')}/c")["data"] == {"k": "v"}
    assert run("get", "secrets,cm").stdout.count("\n") >= 4
    name = f"{api.namespace}-more"
    run("create", "namespace", name)
    run("delete", "namespace", name)
    assert api.gone(f"/api/v1/namespaces/{name}")
    edited = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"k": "w"}}
    run("apply", "-f", "-", stdin=json.dumps(edited))
    assert api.get(f"{api.core('configmaps')}/c")["data"] == {"k": "w"}


def test_edits(run: Run, api: Api) -> None:
    run("apply", "-f", "-", stdin=MANIFEST % "a")
    run("label", "wg", "one", "z=1")
    run("annotate", "wg", "one", "z=2")
    run("patch", "wg", "one", "--type=json", "-p", '[{"op":"replace","path":"/spec/note","value":"q"}]')
    run("patch", "wg", "one", "--type=merge", "-p", '{"spec":{"color":"red"}}')
    run("patch", "wg", "one", "--subresource=status", "--type=merge", "-p", '{"status":{"phase":"Up"}}')
    found = api.get(f"{api.widgets}/one")
    assert (found["spec"]["note"], found["spec"]["color"], found["status"]["phase"]) == ("q", "red", "Up")
    assert found["metadata"]["labels"]["z"] == "1"


def test_explain_and_discovery(run: Run) -> None:
    assert "A remark." in run("explain", "widget.spec.note").stdout
    assert "wg" in run("api-resources", "--api-group=test.example.com").stdout
    assert "test.example.com/v1" in run("api-versions").stdout
    assert "Username" in run("auth", "whoami").stdout
    assert run("auth", "can-i", "get", "secrets").stdout.strip() == "yes"
    assert "Server Version" in run("version").stdout


def test_wait_and_watch(run: Run, api: Api, kubectl: str, tmp_path: Path) -> None:
    run("apply", "-f", "-", stdin=MANIFEST % "a")
    base = [kubectl, "--kubeconfig", str(tmp_path / "kubeconfig"), "-n", api.namespace]
    watching = subprocess.Popen([*base, "get", "wg", "-w"], stdout=subprocess.PIPE, text=True)
    waiting = subprocess.Popen(
        [*base, "wait", "wg/one", "--for=condition=Ready", "--timeout=20s"], stdout=subprocess.PIPE
    )
    try:
        assert watching.stdout is not None
        assert watching.stdout.readline().startswith("NAME")
        assert watching.stdout.readline().startswith("one")
        api.patch(f"{api.widgets}/one/status", {"status": {"conditions": [{"type": "Ready", "status": "True"}]}})
        assert "True" in watching.stdout.readline()
        assert waiting.wait(20) == 0
    finally:
        watching.kill()
        waiting.kill()
        watching.communicate()
        waiting.communicate()
    eventually(lambda: watching.poll() is not None)


def test_events_are_shown(run: Run, api: Api) -> None:
    involved = {"kind": "Widget", "apiVersion": "test.example.com/v1", "name": "one", "namespace": api.namespace}
    event = {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e"}, "involvedObject": involved}
    api.ok("POST", api.core("events"), {**event, "reason": "Made", "message": "It is there", "type": "Normal"})
    assert "It is there" in run("events").stdout
    assert "It is there" in run("get", "events").stdout
