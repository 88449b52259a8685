"""The `kubernetes` client, unmodified: typed, dynamic, asynchronous, watches, and two that wish to lead."""

import asyncio
import contextlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import kubernetes
import kubernetes.aio
import kubernetes.aio.dynamic
import kubernetes.dynamic
import pytest

from tests.contract.apiserver.client import Api, eventually, widget
from tests.contract.apiserver.server import kubeconfig
from tests.lifeline import end_with_parent

library: Any = kubernetes
PLACE = ("test.example.com", "v1")
LEADER = """
import sys, time
from kubernetes import config
from kubernetes.leaderelection import electionconfig, leaderelection
from kubernetes.leaderelection.resourcelock.leaselock import LeaseLock
path, namespace, name = sys.argv[1:]
config.load_kube_config(path)
def lead():
    print("leads", flush=True)
    time.sleep(600)
settings = electionconfig.Config(
    LeaseLock("chair", namespace, name), lease_duration=3, renew_deadline=2, retry_period=1,
    onstarted_leading=lead, onstopped_leading=None,
)
leaderelection.LeaderElection(settings).run()
"""


@pytest.fixture
def config(api: Api, tmp_path: Path) -> Path:
    config = tmp_path / "kubeconfig"
    config.write_text(json.dumps(kubeconfig(api.url, api.ca, api.token)))
    return config


def test_typed(api: Api, config: Path) -> None:
    with library.config.new_client_from_config(str(config)) as client:
        custom = library.client.CustomObjectsApi(client)
        place = (*PLACE, api.namespace, "widgets")
        custom.create_namespaced_custom_object(*place, widget("one", {"note": "a"}))
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


def test_dynamic(api: Api, config: Path, tmp_path: Path) -> None:
    with library.config.new_client_from_config(str(config)) as client:
        dynamic = library.dynamic.DynamicClient(client, cache_file=str(tmp_path / "discovery"))
        kinds = dynamic.resources.get(api_version="test.example.com/v1", kind="Widget")
        assert (kinds.name, kinds.namespaced) == ("widgets", True)
        made = kinds.create(body=widget("one", {"note": "a"}), namespace=api.namespace)
        assert made.spec.replicas == 1
        kinds.patch(
            name="one",
            namespace=api.namespace,
            body={"spec": {"note": "b"}},
            content_type="application/merge-patch+json",
        )
        applied = {**widget("one"), "spec": {"color": "red", "note": "b"}}
        kinds.server_side_apply(body=applied, name="one", namespace=api.namespace, field_manager="dynamic")
        assert kinds.get(name="one", namespace=api.namespace).spec.to_dict()["color"] == "red"
        kinds.status.patch(
            name="one",
            namespace=api.namespace,
            body={"status": {"phase": "seen"}},
            content_type="application/merge-patch+json",
        )
        assert [each.status.phase for each in kinds.get(namespace=api.namespace).items] == ["seen"]
        first = next(iter(kinds.watch(namespace=api.namespace, timeout=5)))
        assert (first["type"], first["object"].metadata.name) == ("ADDED", "one")
        kinds.delete(name="one", namespace=api.namespace)
        with pytest.raises(library.dynamic.exceptions.NotFoundError):
            kinds.get(name="one", namespace=api.namespace)


async def test_asynchronous(api: Api, config: Path) -> None:
    aio: Any = kubernetes.aio
    settings = aio.client.Configuration()
    await aio.config.load_kube_config(str(config), client_configuration=settings)
    async with aio.client.ApiClient(settings) as client:
        core = aio.client.CoreV1Api(client)
        seen: list[tuple[str, str]] = []

        async def look() -> None:
            stream = watch.stream(core.list_namespaced_config_map, api.namespace, timeout_seconds=10)
            async for event in stream:
                seen.append((event["type"], event["object"].metadata.name))
                if event["type"] == "DELETED":
                    watch.stop()

        watch = aio.watch.Watch()
        looking = asyncio.ensure_future(look())
        await core.create_namespaced_config_map(api.namespace, {"metadata": {"name": "c"}, "data": {"k": "v"}})
        assert (await core.read_namespaced_config_map("c", api.namespace)).data == {"k": "v"}
        await core.delete_namespaced_config_map("c", api.namespace)
        async with asyncio.timeout(15):
            await looking
        assert seen in ([("ADDED", "c"), ("DELETED", "c")], [("DELETED", "c")])
        dynamic = await aio.dynamic.DynamicClient(client)
        kinds = await dynamic.resources.get(api_version="test.example.com/v1", kind="Widget")
        await dynamic.create(kinds, body=widget("one"), namespace=api.namespace)
        assert [each.metadata.name for each in (await dynamic.get(kinds, namespace=api.namespace)).items] == ["one"]


@contextlib.contextmanager
def candidate(config: Path, namespace: str, name: str):  # type: ignore[no-untyped-def]
    log = config.with_name(f"{name}.log")
    with log.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-c", LEADER, str(config), namespace, name],
            stdout=file,
            stderr=file,
            preexec_fn=end_with_parent,
        )
        try:
            yield process, lambda: "leads" in log.read_text()
        finally:
            process.kill()
            process.wait()


def test_one_leads_and_the_next_does_when_it_is_gone(api: Api, config: Path) -> None:
    with candidate(config, api.namespace, "ada") as (first, ada_leads):
        eventually(ada_leads)
        with candidate(config, api.namespace, "bob") as (_, bob_leads):
            lease = f"/apis/coordination.k8s.io/v1/namespaces/{api.namespace}/leases/chair"
            renewed = api.get(lease)["spec"]["renewTime"]
            eventually(lambda: api.get(lease)["spec"]["renewTime"] != renewed)
            assert api.get(lease)["spec"]["holderIdentity"] == "ada"
            assert not bob_leads()
            first.kill()
            eventually(bob_leads)
            assert api.get(lease)["spec"]["holderIdentity"] == "bob"
