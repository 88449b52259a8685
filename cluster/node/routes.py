"""What the node answers to the API and the controller: build logs, instance logs, live figures."""

import re
from datetime import UTC, datetime
from typing import Any

import orjson
from aiohttp import web

from cluster.builder.log import read_log
from cluster.endpoint import json_answer, problem
from cluster.node.builds import Builds
from cluster.node.clock import iso_now
from cluster.node.log_query import LogQuery, follow, history
from cluster.node.services import Services

ALLOWED = frozenset({"setpoint:api", "setpoint:admin", "setpoint:controller"})
_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?")
_MOST_LINES = 10_000


class Answers:
    """The handlers; `routes` lists them."""

    def __init__(self, services: Services, builds: Builds):
        self._services = services
        self._builds = builds

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/v1/builds/{namespace}/{build}/log", self.build_log),
            web.get("/v1/logs/{namespace}/{project}", self.logs),
            web.get("/v1/usage", self.usage),
        ]

    async def build_log(self, request: web.Request) -> web.StreamResponse:
        namespace, build = _names(request, "namespace", "build")
        path = self._services.workshop.build_folder(namespace, build) / "log.ndjson"
        if not path.exists():
            return problem(404, "This node has no log of such a build.")
        first = _number(request, "from", 1)
        live = self._builds.live.get((namespace, build)) if request.query.get("follow") == "1" else None
        answer = await _stream(request)
        async for line in read_log(path, first, live):
            await answer.write(line)
        await answer.write_eof()
        return answer

    async def logs(self, request: web.Request) -> web.StreamResponse:
        namespace, project = _names(request, "namespace", "project")
        query = LogQuery(
            namespace=namespace,
            project=project,
            since=_stamp(request.query.get("since", "")),
            after=_stamp(request.query.get("after", "")),
            limit=min(_number(request, "limit", 1000), _MOST_LINES),
            deploy=request.query.get("deploy", ""),
            instance=request.query.get("instance", ""),
            process=request.query.get("process", ""),
        )
        answer = await _stream(request)
        found = follow if request.query.get("follow") == "1" else history
        async for line in found(self._services.logs, query):
            await answer.write(orjson.dumps(line) + b"\n")
        await answer.write_eof()
        return answer

    async def usage(self, request: web.Request) -> web.StreamResponse:
        namespace, project = request.query.get("namespace"), request.query.get("project")
        found: list[dict[str, Any]] = []
        for each in self._services.sampler.watched.values():
            state = each.state
            if namespace in (None, "", state.namespace) and project in (None, "", state.project):
                series = [{"at": s.at, "cpu": s.cpu, "memoryBytes": s.memory_bytes} for s in each.history]
                last = each.history[-1] if each.history and each.reaper else None
                found.append(
                    {
                        "namespace": state.namespace,
                        "project": state.project,
                        "process": state.process,
                        "instance": state.name,
                        "cpu": last.cpu if last else 0.0,
                        "memoryBytes": last.memory_bytes if last else 0,
                        "series": series,
                    }
                )
        return json_answer({"at": iso_now(), "instances": found})


async def _stream(request: web.Request) -> web.StreamResponse:
    answer = web.StreamResponse(headers={"Content-Type": "application/x-ndjson", "Cache-Control": "no-store"})
    await answer.prepare(request)
    return answer


def _names(request: web.Request, *keys: str) -> list[str]:
    found = [request.match_info[key] for key in keys]
    if not all(_NAME.fullmatch(name) for name in found):
        raise web.HTTPNotFound
    return found


def _number(request: web.Request, key: str, default: int) -> int:
    text = request.query.get(key, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else default


def _stamp(text: str) -> str:
    """A time in the form that log lines carry, so that the two compare as text; empty for none (or nonsense)."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return ""
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
