"""From a request to the verb that answers it: discovery, health, authorisation, the verb table."""

from collections.abc import Awaitable, Callable
from functools import partial

from cluster.apiserver.access.rules import Attributes, refusal
from cluster.apiserver.discovery.answer import discover
from cluster.apiserver.discovery.plain import VERSION
from cluster.apiserver.errors import (
    ApiError,
    PageNotFound,
    forbidden,
    method_not_allowed,
    resource_not_found,
)
from cluster.apiserver.http.heavy import HEAVY_BYTES, Answering, HeavyLane
from cluster.apiserver.http.path import Place, place_of
from cluster.apiserver.http.request import Request
from cluster.apiserver.http.response import Response, Stream, json_response, text_response
from cluster.apiserver.kinds.builtin.table import SERVICE_ACCOUNTS
from cluster.apiserver.kinds.model import Resource, Target, Version
from cluster.apiserver.openapi.serve import Documents
from cluster.apiserver.output.negotiate import Form, negotiate
from cluster.apiserver.verbs.context import Context
from cluster.apiserver.verbs.create import create
from cluster.apiserver.verbs.delete import delete, delete_collection
from cluster.apiserver.verbs.patch import patch
from cluster.apiserver.verbs.read import get, get_now, list_objects
from cluster.apiserver.verbs.reviews.review import Review, answered
from cluster.apiserver.verbs.reviews.table import REVIEWS, TOKEN
from cluster.apiserver.verbs.scale import scale
from cluster.apiserver.verbs.update import update
from cluster.apiserver.verbs.watch import watch

Verb = Callable[[Context, Target, Request, Form], Awaitable[Response]]
Answer = Response | Stream

VERBS: dict[str, Verb] = {
    "create": create,
    "get": get,
    "list": list_objects,
    "update": update,
    "patch": patch,
    "delete": delete,
    "deletecollection": delete_collection,
}
READS = frozenset({"get", "list"})
ON_OBJECT = {"GET": "get", "PUT": "update", "PATCH": "patch", "DELETE": "delete", "HEAD": "get"}
ON_COLLECTION = {"GET": "list", "POST": "create", "DELETE": "deletecollection", "HEAD": "list"}
SUBRESOURCE_VERBS = frozenset({"get", "update", "patch"})
HEALTH = frozenset({"/healthz", "/readyz", "/livez"})


class Dispatcher:
    def __init__(self, context: Context) -> None:
        self._context = context
        self._documents = Documents(context.registry)
        self._heavy = HeavyLane()

    def answer(self, request: Request) -> Answer | Awaitable[Answer]:
        """At once if it can be. Raises ApiError or PageNotFound for what is refused, as awaiting it may."""
        place = place_of(request.path)
        if place is None or not place.plural:
            return self._elsewhere(request, place)
        verb = _verb(request, place)
        self._authorize(request, place, verb)
        review = REVIEWS.get((place.group, place.plural)) if place.version == "v1" else None
        if review is not None:
            return self._review(request, place, review)
        resource, version = self._find(place)
        if version.deprecation:
            request.warnings.append(version.deprecation)
        target = _target(place, resource, version)
        form = negotiate(request.headers.get("accept", ""))
        if place.subresource:
            return self._subresource(request, target, form, verb)
        if verb not in resource.verbs:
            raise method_not_allowed()
        if verb == "watch":
            return watch(self._context, target, request, form)
        if verb == "get" and not request.query:
            return get_now(self._context, target, request, form)
        answering = partial(VERBS[verb], self._context, target, request, form)
        return answering() if verb in READS else self._settled(target, request, answering)

    async def _settled(self, target: Target, request: Request, answering: Answering) -> Response:
        """A write that changes nothing, or is refused, may rest on another one that is not on the disk yet: as little
        as that one's own answer may it be told before."""
        store = self._context.store
        try:
            heavy = len(request.body) > HEAVY_BYTES
            response = await (self._heavy.answer(answering) if heavy else answering())
        except ApiError:
            await store.all_settled()
            raise
        await store.settled(target.resource.id, (target.namespace, target.name))
        return response

    def _elsewhere(self, request: Request, place: Place | None) -> Response:
        self._authorize_path(request)
        path = request.path.rstrip("/") or "/"
        if path in HEALTH or path.startswith(("/livez/", "/readyz/", "/healthz/")):
            return text_response(200, "ok")
        if path == "/version":
            return json_response(200, VERSION)
        if path.startswith("/openapi/"):
            return self._documents.answer(request)
        found = discover(self._context.registry, request, place)
        if found is None:
            raise PageNotFound
        if request.method not in ("GET", "HEAD"):
            raise method_not_allowed()
        return found

    def _authorize(self, request: Request, place: Place, verb: str) -> None:
        resource = f"{place.plural}/{place.subresource}" if place.subresource else place.plural
        wanted = Attributes(verb, place.group, resource, place.namespace, place.name)
        if not self._context.access.allows(request.identity, wanted):
            raise forbidden(place.group, place.plural, place.name, refusal(request.identity, wanted))

    def _authorize_path(self, request: Request) -> None:
        verb = request.method.lower()
        if not self._context.access.allows(request.identity, Attributes(verb, path=request.path)):
            message = f'forbidden: User "{request.identity.user}" cannot {verb} path "{request.path}"'
            raise ApiError(403, "Forbidden", message, {})

    def _review(self, request: Request, place: Place, review: Review) -> Response | Awaitable[Response]:
        if request.method != "POST" or place.name:
            raise method_not_allowed()
        if bool(place.namespace) != review.resource.namespaced:
            raise resource_not_found()
        target = Target(review.resource, review.resource.versions["v1"], place.namespace)
        return self._answered(review, target, request)

    def _answered(self, review: Review, target: Target, request: Request) -> Response | Awaitable[Response]:
        answering = partial(answered, self._context, review, target, request)
        return self._heavy.work(answering) if len(request.body) > HEAVY_BYTES else answering()

    def _token(self, request: Request, account: Target) -> Response | Awaitable[Response]:
        target = Target(TOKEN.resource, TOKEN.resource.versions["v1"], account.namespace, account.name, "token")
        return self._answered(TOKEN, target, request)

    def _find(self, place: Place) -> tuple[Resource, Version]:
        registry = self._context.registry
        found = registry.find(place.group, place.version, place.plural)
        if found is not None and (not place.namespace or found[0].namespaced):
            return found
        built_in = any(r.group == place.group and not r.custom and place.version in r.versions for r in registry)
        if built_in or not place.group:
            raise resource_not_found()
        raise PageNotFound

    def _subresource(self, request: Request, target: Target, form: Form, verb: str) -> Response | Awaitable[Response]:
        if target.resource.id == SERVICE_ACCOUNTS and target.subresource == "token":
            if verb != "create":
                raise method_not_allowed()
            return self._token(request, target)
        if not target.name or verb not in SUBRESOURCE_VERBS:
            raise method_not_allowed()
        if target.subresource == "scale" and target.version.scale is not None:
            scaling = partial(scale, self._context, target, request)
            return scaling() if verb in READS else self._settled(target, request, scaling)
        if target.subresource == "status" and target.version.has_status:
            answering = partial(VERBS[verb], self._context, target, request, form)
            return answering() if verb in READS else self._settled(target, request, answering)
        if target.resource.custom:
            raise PageNotFound
        raise resource_not_found()


def _verb(request: Request, place: Place) -> str:
    if place.name:
        verb = ON_OBJECT.get(request.method)
        if verb == "get" and request.flag("watch") and not place.subresource:
            verb = "watch"
        if place.subresource and request.method == "POST":
            verb = "create"
    else:
        verb = ON_COLLECTION.get(request.method)
        if verb == "list" and request.flag("watch"):
            verb = "watch"
    if verb is None:
        raise method_not_allowed()
    return verb


def _target(place: Place, resource: Resource, version: Version) -> Target:
    if resource.namespaced and not place.namespace and place.name:
        raise resource_not_found()
    return Target(resource, version, place.namespace, place.name, place.subresource)
