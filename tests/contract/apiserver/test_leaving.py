"""The other clients of the platform, unmodified: kopf and the Python client."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import kubernetes

from tests.contract.apiserver.client import Api, eventually
from tests.contract.apiserver.server import kubeconfig

OPERATOR = """
import kopf

@kopf.on.startup()
async def configure(settings, **_):
    settings.posting.enabled = True
    settings.persistence.finalizer = "tests.example.com/finalizer"

@kopf.on.create("test.example.com", "v1", "widgets")
@kopf.on.update("test.example.com", "v1", "widgets", field="spec.note")
async def changed(spec, patch, **_):
    patch.status["phase"] = "seen " + spec["note"]

@kopf.on.delete("test.example.com", "v1", "widgets")
async def removed(body, **_):
    kopf.info(body, reason="Bye", message="it goes")
"""


def test_kopf(api: Api, tmp_path: Path) -> None:
    (tmp_path / "operator.py").write_text(OPERATOR)
    config = tmp_path / "kubeconfig"
    config.write_text(json.dumps(kubeconfig(api.url, api.ca, api.token)))
    log = (tmp_path / "log").open("wb")
    command = [sys.executable, "-m", "kopf", "run", "-n", api.namespace, "--standalone", str(tmp_path / "operator.py")]
    process = subprocess.Popen(command, stdout=log, stderr=log, env={"KUBECONFIG": str(config), "PATH": "/usr/bin"})
    path = f"{api.widgets}/one"

    def phase() -> str:
        return str((api.get(path).get("status") or {}).get("phase"))

    try:
        api.widget("one", {"note": "a"})
        eventually(lambda: phase() == "seen a")
        api.patch(path, {"spec": {"note": "b"}})
        eventually(lambda: phase() == "seen b")
        assert "tests.example.com/finalizer" in api.get(path)["metadata"]["finalizers"]
        api.ok("DELETE", path)
        eventually(lambda: api.gone(path))
        eventually(lambda: "it goes" in [e["message"] for e in api.get(api.core("events"))["items"]])
        told = (tmp_path / "log").read_text()
        assert "Traceback" not in told
    finally:
        process.terminate()
        process.wait(15)
        log.close()


def test_python_client(api: Api, tmp_path: Path) -> None:
    config = tmp_path / "kubeconfig"
    config.write_text(json.dumps(kubeconfig(api.url, api.ca, api.token)))
    library: Any = kubernetes
    with library.config.new_client_from_config(str(config)) as client:
        custom = library.client.CustomObjectsApi(client)
        place = ("test.example.com", "v1", api.namespace, "widgets")
        body = {
            "apiVersion": "test.example.com/v1",
            "kind": "Widget",
            "metadata": {"name": "one"},
            "spec": {"note": "a"},
        }
        custom.create_namespaced_custom_object(*place, body)
        custom.patch_namespaced_custom_object(*place, "one", {"spec": {"note": "b"}})
        assert custom.get_namespaced_custom_object(*place, "one")["spec"]["note"] == "b"
        events = library.watch.Watch().stream(custom.list_namespaced_custom_object, *place, timeout_seconds=1)
        assert [event["type"] for event in events] == ["ADDED"]
        core = library.client.CoreV1Api(client)
        core.create_namespaced_config_map(api.namespace, {"metadata": {"name": "c"}, "data": {"k": "v"}})
        assert [c.metadata.name for c in core.list_namespaced_config_map(api.namespace).items] == ["c"]
        assert core.list_namespaced_secret(api.namespace).items == []
        lease = library.client.CoordinationV1Api(client)
        lease.create_namespaced_lease(api.namespace, {"metadata": {"name": "l"}, "spec": {"holderIdentity": "me"}})
        custom.delete_namespaced_custom_object(*place, "one")
        assert custom.list_namespaced_custom_object(*place)["items"] == []


def test_loops_do_not_disturb_each_other(api: Api) -> None:
    """Fifty watches opened and left at once leave nothing behind that keeps the server from answering."""

    async def leave(number: int) -> None:
        process = await asyncio.create_subprocess_exec(
            "curl", "-s", "--cacert", str(api.ca), "-H", f"Authorization: Bearer {api.token}", "-m", "1",
            f"{api.url}{api.widgets}?watch=1&timeoutSeconds={number + 1}", stdout=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        await process.wait()

    async def all_of_them() -> None:
        await asyncio.gather(*(leave(number) for number in range(20)))

    asyncio.run(all_of_them())
    assert api.get(api.widgets)["items"] == []
