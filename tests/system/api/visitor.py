"""Calls of the API as a test makes them."""

import json
import uuid
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import httpx

from crds.client.client import Client
from crds.models.deploy import Deploy
from crds.models.project import Project
from crds.names import account_namespace, uid_of
from tests.system.api.house import House

MAIN = account_namespace("main")


@dataclass
class Visitor:
    house: House
    http: httpx.AsyncClient

    async def call(
        self, method: str, path: str, body: Any = None, *, key: str = "admin", headers: dict[str, str] | None = None
    ) -> httpx.Response:
        sent = {"Authorization": f"Bearer {self.house.keys[key]}", **(headers or {})}
        content = None if body is None else json.dumps(body)
        if content is not None:
            sent.setdefault("Content-Type", "application/json")
        return await self.http.request(method, path, content=content, headers=sent)

    async def ok(self, method: str, path: str, body: Any = None, **more: Any) -> dict[str, Any]:
        answer = await self.call(method, path, body, **more)
        assert answer.status_code < 300, (answer.status_code, answer.text)
        return dict(answer.json()) if answer.content else {}

    async def project(self, *, repo: str = "/srv/example", key: str = "admin") -> dict[str, Any]:
        """A new project that is connected to a repository."""
        made = await self.ok("POST", "/v1/projects", {"name": new_name()}, key=key)
        if repo:
            await self.ok("POST", f"/v1/projects/{made['id']}/git", {"repo": repo, "branch": "main"}, key=key)
        return made

    async def events(
        self, method: str, path: str, *, headers: dict[str, str] | None = None, most: int = 0
    ) -> list[dict[str, Any]]:
        """The stream's events until it ends, or until there are `most`."""
        found: list[dict[str, Any]] = []
        async with aclosing(self.stream(method, path, headers=headers)) as stream:
            async for event in stream:
                found.append(event)
                if len(found) == most:
                    break
        return found

    async def stream(
        self, method: str, path: str, *, headers: dict[str, str] | None = None
    ) -> AsyncGenerator[dict[str, Any], None]:
        sent = {"Authorization": f"Bearer {self.house.keys['admin']}", "Accept": "text/event-stream", **(headers or {})}
        async with self.http.stream(method, path, headers=sent) as answer:
            assert answer.status_code == 200, await answer.aread()
            event: dict[str, Any] = {}
            async for line in answer.aiter_lines():
                name, _, value = line.partition(": ")
                if not line and event:
                    yield event
                    event = {}
                elif name in ("id", "event"):
                    event[name] = value
                elif name == "data":
                    event["data"] = json.loads(value)


def new_name() -> str:
    return f"p{uuid.uuid4().hex[:10]}"


async def deploy_record(client: Client, deploy_id: str, namespace: str = MAIN) -> Deploy:
    uid = uid_of("dep", deploy_id)
    return next(deploy for deploy in (await client.list(Deploy, namespace))[0] if deploy.uid == uid)


async def project_record(client: Client, name: str, namespace: str = MAIN) -> Project:
    return await client.get(Project, name, namespace)
