"""The floor of the loop: kopf's events, a queue, and one status patch for each change of a spec; no records, no cache.

python -m tests.bench.kopf_alone KUBECONFIG GROUP VERSION PLURAL"""

import asyncio
import sys
from pathlib import Path
from typing import Any

import kopf
import uvloop

from controller.engine.kopf_feed import connection_of, quiet_settings
from crds.client.client import MERGE_PATCH
from crds.client.transport import Transport

_WORKERS = 16


async def main(kubeconfig: Path, group: str, version: str, plural: str) -> None:
    transport = await Transport.open(kubeconfig, "kopf-alone")
    registry = kopf.OperatorRegistry()
    queue: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    @kopf.on.login(registry=registry)
    async def login(**_: Any) -> kopf.ConnectionInfo:
        return connection_of(kubeconfig)

    @kopf.on.event(group, version, plural, registry=registry)
    async def take(event: Any, **_: Any) -> None:
        said = event["object"].get("status", {}).get("replicas", 0)
        if event.get("type") != "DELETED" and said < event["object"]["metadata"]["generation"]:
            queue.put_nowait(event["object"]["metadata"])

    async def work() -> None:
        while True:
            metadata = await queue.get()
            path = f"/apis/{group}/{version}/namespaces/{metadata['namespace']}/{plural}/{metadata['name']}/status"
            body = {"status": {"replicas": metadata["generation"]}}
            await transport.request("PATCH", path, body=body, content_type=MERGE_PATCH)

    async with asyncio.TaskGroup() as tasks:
        for _ in range(_WORKERS):
            tasks.create_task(work())
        await kopf.operator(registry=registry, settings=quiet_settings(), clusterwide=True, standalone=True)


if __name__ == "__main__":
    uvloop.run(main(Path(sys.argv[1]), *sys.argv[2:]))
