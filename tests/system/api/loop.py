"""The part of the loop, as far as a test plays it: the status of a deploy, step by step."""

from typing import Any

from crds.client.client import Client
from crds.models.deploy import Deploy
from tests.system.api.visitor import MAIN, deploy_record, project_record

START = "2026-11-21T10:00:00Z"
END = "2026-11-21T10:00:01Z"


def step(name: str, *, over: bool = True, status: str = "", message: str | None = None) -> dict[str, Any]:
    found: dict[str, Any] = {"name": name, "status": status or ("done" if over else "running"), "startedAt": START}
    if over:
        found["finishedAt"] = END
    if message:
        found["message"] = message
    return found


def _resolved() -> dict[str, Any]:
    return step("resolve", message="0123456789ab")


async def set_status(client: Client, deploy_id: str, **status: Any) -> Deploy:
    record = await deploy_record(client, deploy_id)
    return await client.patch_status(record, {_camel(name): value for name, value in status.items()})


async def building(client: Client, deploy_id: str, node: str) -> str:
    """The commit is known and a node builds; the build's name."""
    record = await deploy_record(client, deploy_id)
    steps = [_resolved(), step("build", over=False)]
    await set_status(client, deploy_id, phase="building", build=record.name, build_node=node, steps=steps, number=1)
    return record.name


async def live(client: Client, deploy_id: str, *, number: int = 1) -> Deploy:
    steps = [_resolved(), *(step(name) for name in ("build", "start", "check", "switch"))]
    deploy = await set_status(
        client,
        deploy_id,
        phase="live",
        was_live=True,
        number=number,
        steps=steps,
        url="http://x.localhost:8080",
        commit="a" * 40,
        live_at=END,
        finished_at=END,
    )
    project = await project_record(client, deploy.spec.project)
    await client.patch_status(project, {"phase": "running", "deploy": deploy.name})
    return deploy


async def failed(client: Client, deploy_id: str, **failure: Any) -> None:
    record = await deploy_record(client, deploy_id)
    steps = [s.wire() for s in record.status.steps]
    for each in steps:
        each.setdefault("finishedAt", END)
        each["status"] = "failed" if each["status"] == "running" else each["status"]
    failure = {"reason": "BuildFailed", "message": "The build failed.", **failure}
    await set_status(client, deploy_id, phase="failed", steps=steps, failure=failure, finished_at=END)


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


__all__ = ["MAIN", "building", "failed", "live", "set_status", "step"]
