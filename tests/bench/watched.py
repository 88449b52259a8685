"""The objects of one collection as they come, unparsed: a driver must leave the cores to what is measured."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Any

from crds.client.client import MERGE_PATCH
from crds.client.transport import Transport

Objects = dict[str, dict[str, Any]]


@asynccontextmanager
async def watched(transport: Transport, path: str) -> AsyncIterator[Objects]:
    """By name; kept in step until the block ends."""
    first = await transport.request("GET", path)
    objects: Objects = {item["metadata"]["name"]: item for item in first["items"]}

    async def follow() -> None:
        query = {"watch": "true", "resourceVersion": first["metadata"]["resourceVersion"]}
        async with aclosing(transport.lines(path, query)) as events:
            async for event in events:
                objects[event["object"]["metadata"]["name"]] = event["object"]

    task = asyncio.create_task(follow())
    try:
        yield objects
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def edit(transport: Transport, path: str, spec: Mapping[str, object]) -> dict[str, Any]:
    return await transport.request("PATCH", path, body={"spec": spec}, content_type=MERGE_PATCH)


async def close(transport: Transport) -> None:
    await transport.close()
    # Connections that were just closed tell their sockets in the loop's next rounds.
    await asyncio.sleep(0.1)
