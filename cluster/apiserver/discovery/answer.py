"""Which document a client gets that looks at what is served."""

from functools import lru_cache

import orjson

from cluster.apiserver.discovery import aggregated, plain
from cluster.apiserver.errors import not_acceptable
from cluster.apiserver.http.fresh import KEEP, digest, tagged
from cluster.apiserver.http.path import Place
from cluster.apiserver.http.request import Request
from cluster.apiserver.http.response import Response, json_response
from cluster.apiserver.kinds.registry import Registry
from cluster.apiserver.output.negotiate import ACCEPTED, options_of

AGGREGATED = {"g": aggregated.GROUP, "v": aggregated.VERSION, "as": aggregated.KIND}
AGGREGATED_TYPE = ";".join([ACCEPTED[0], *(f"{name}={value}" for name, value in AGGREGATED.items())])
INDEX = {"paths": ["/api", "/apis", "/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version"]}


def discover(registry: Registry, request: Request, place: Place | None) -> Response | None:
    """None for an address at which nothing is told. Raises 406 for a form that there is not."""
    path, accept = request.path.rstrip("/") or "/", request.headers.get("accept", "")
    if path in ("/api", "/apis") and _wants_all_in_one(accept):
        found = aggregated.core(registry) if path == "/api" else aggregated.groups(registry)
        body = orjson.dumps(found)
        return tagged(request, Response(200, body, AGGREGATED_TYPE), digest(body), KEEP)
    told = _plain(registry, path, place)
    if told is None:
        return None
    _require_plain(accept)
    return json_response(200, told)


def _plain(registry: Registry, path: str, place: Place | None) -> object:
    if place is not None:
        return plain.resource_list(registry, place.group, place.version)
    if path == "/api":
        return plain.api_versions()
    if path == "/apis":
        return plain.group_list(registry)
    if path == "/":
        return INDEX
    if path.startswith("/apis/") and path.count("/") == 2:
        return plain.group(registry, path.removeprefix("/apis/"))
    return None


@lru_cache(maxsize=256)
def _wants_all_in_one(accept: str) -> bool:
    """Wherever it stands in the list: a client that knows it would rather have it."""
    return any(AGGREGATED.items() <= parameters.items() for parameters in options_of(accept))


def _require_plain(accept: str) -> None:
    if accept and not any("as" not in parameters for parameters in options_of(accept)):
        raise not_acceptable(ACCEPTED)
