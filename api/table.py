"""Every row of the service, once: method, path, scope, handler, request, response, status of success."""

from typing import Any

from pydantic import BaseModel

from api.edits.deploy import DeployRequest, RollbackRequest
from api.edits.env import EnvRequest
from api.edits.git import ConnectRequest
from api.edits.plan import PlanRequest
from api.edits.project import CreateProject, PatchProject
from api.edits.scale import ScaleRequest
from api.http.endpoint import Access, Endpoint, Find, Handler
from api.http.paging import PageQuery
from api.http.shapes import Body, NoBody, NoQuery, Query, View
from api.routes import (
    deploys,
    env,
    find,
    git,
    instances,
    logs,
    metrics,
    plans,
    projects,
    scale,
    service,
    webhook,
)
from api.views.deploy import DeployList, DeployView
from api.views.env import EnvView
from api.views.git import ConnectedView, GitView
from api.views.instance import InstanceList
from api.views.log import LineList
from api.views.metrics import MetricsView
from api.views.plan import PlanView
from api.views.project import ProjectList, ProjectView
from api.views.scale import ScaleView
from api.views.webhook import DeliveryView

Request = type[Body] | type[Query] | None

# What a path names is found before its handler runs: the first of these that the path begins with.
_FINDERS: list[tuple[str, Find]] = [
    ("/v1/projects/by-handle/:handle/:name", find.project_by_handle),
    ("/v1/projects/:id/deploys/:deployId", find.deploy),
    ("/v1/projects/:id", find.project),
]


def row(
    method: str,
    path: str,
    access: Access,
    handler: Handler,
    request: Request,
    gives: type[View] | None,
    status: int = 200,
    **more: Any,
) -> Endpoint:
    """`request`: the model of the body, or of the query string; `more`: as `Endpoint` names it."""
    takes: type[BaseModel] = request if request and issubclass(request, Body) else NoBody
    query: type[BaseModel] = request if request and issubclass(request, Query) else NoQuery
    of = next((find for prefix, find in _FINDERS if path.startswith(prefix) and access != "signature"), None)
    return Endpoint(method, path, access, handler, gives, takes, query, of, status, **more)


TABLE: list[Endpoint] = [
    # 4.1 Projects
    row("GET", "/v1/projects", "read", projects.listing, PageQuery, ProjectList),
    row("POST", "/v1/projects", "deploy", projects.create, CreateProject, ProjectView, 201),
    row("GET", "/v1/projects/:id", "read", projects.read, None, ProjectView, etag=True),
    row("GET", "/v1/projects/by-handle/:handle/:name", "read", projects.read, None, ProjectView, etag=True),
    row("PATCH", "/v1/projects/:id", "deploy", projects.patch, PatchProject, ProjectView, etag=True),
    row("DELETE", "/v1/projects/:id", "deploy", projects.delete, None, ProjectView, 202, etag=True),
    # 4.2 Deploys
    row("POST", "/v1/projects/:id/deploy", "deploy", deploys.start, DeployRequest, DeployView, 202),
    row("POST", "/v1/projects/:id/deploy/stream", "deploy", deploys.start_stream, DeployRequest, None, streams=True),
    row("GET", "/v1/projects/:id/deploys", "read", deploys.listing, PageQuery, DeployList),
    row("GET", "/v1/projects/:id/deploys/:deployId", "read", deploys.read, None, DeployView),
    row("GET", "/v1/projects/:id/deploys/:deployId/stream", "read", deploys.join_stream, None, None, streams=True),
    row("POST", "/v1/projects/:id/deploys/:deployId/cancel", "deploy", deploys.cancel, None, DeployView, 202),
    row("POST", "/v1/projects/:id/rollback", "deploy", deploys.rollback, RollbackRequest, DeployView, 202),
    row("POST", "/v1/deploy/plan", "deploy", plans.make, PlanRequest, PlanView),
    # 4.3 Logs and metrics
    row("GET", "/v1/projects/:id/logs", "read", logs.read, logs.LogsQuery, LineList, streams=True),
    row("GET", "/v1/projects/:id/metrics", "read", metrics.read, None, MetricsView),
    # 4.4 Environment, scaling, instances
    row("GET", "/v1/projects/:id/env", "read", env.read, None, EnvView, etag=True),
    row("POST", "/v1/projects/:id/env", "deploy", env.change, EnvRequest, EnvView, etag=True),
    row("DELETE", "/v1/projects/:id/env/:key", "deploy", env.remove, None, None, 204, etag=True),
    row("GET", "/v1/projects/:id/scale", "read", scale.read, None, ScaleView, etag=True),
    row("POST", "/v1/projects/:id/scale", "deploy", scale.change, ScaleRequest, ScaleView, etag=True),
    row("GET", "/v1/projects/:id/instances", "read", instances.listing, PageQuery, InstanceList),
    # 4.6 Git
    row("GET", "/v1/projects/:id/git", "read", git.read, None, GitView, etag=True),
    row("POST", "/v1/projects/:id/git", "deploy", git.connect, ConnectRequest, ConnectedView, etag=True),
    row("DELETE", "/v1/projects/:id/git", "deploy", git.disconnect, None, None, 204, etag=True),
    row("POST", "/v1/projects/:id/git/rotate-secret", "deploy", git.rotate_secret, None, ConnectedView, etag=True),
    row("POST", "/v1/projects/:id/git/webhook", "signature", webhook.deliver, None, DeliveryView, 202, raw_body=True),
    # The service itself
    row("GET", "/v1/openapi.json", "public", service.openapi, None, None),
    row("GET", "/healthz", "public", service.healthz, None, None),
    row("GET", "/readyz", "public", service.readyz, None, None),
    row("GET", "/errors/:code", "public", service.error_page, None, None),
]
