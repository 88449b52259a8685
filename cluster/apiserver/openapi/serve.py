"""The /openapi/ addresses."""

import time
from email.utils import formatdate

import orjson

from cluster.apiserver.errors import PageNotFound, not_acceptable
from cluster.apiserver.http.fresh import KEEP, digest, tag_headers, tagged
from cluster.apiserver.http.request import Request
from cluster.apiserver.http.response import ASK_AGAIN, TEXT, Response
from cluster.apiserver.kinds.registry import Registry
from cluster.apiserver.openapi.document import document
from cluster.apiserver.openapi.second import second_document

V2 = "v2"
PROTOBUF = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
# Asked for with a sign that a content type may not have.
PROTOBUF_SENT = PROTOBUF.replace("@", ".")
# A Document (of the published openapiv2.proto): swagger, info with title and version, no paths.
NOTHING_DESCRIBED = b"\n\x032.0\x12\x14\n\nKubernetes\x12\x06v1.0.0B\x00"

_YEAR = 365 * 86_400


class Documents:
    """One document a group version; addresses carry a hash so that clients may keep what they have."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._made: dict[str, bytes] = {}
        self._digests: dict[str, str] = {}
        self._revision = -1

    def answer(self, request: Request) -> Response:
        if self._revision != self._registry.revision:
            self._made.clear()
            self._digests.clear()
            self._revision = self._registry.revision
        path = request.path.removeprefix("/openapi/").strip("/")
        if path == "v3":
            # As text, and a page that is not there without a word: as the real server does it.
            return Response(200, orjson.dumps({"paths": {place: self._entry(place) for place in self._places()}}), TEXT)
        if path.startswith("v3/"):
            place = path.removeprefix("v3/")
            return self._third(request, place) if place in self._places() else Response(404, b"", TEXT)
        if path == "v2":
            return self._second(request)
        raise PageNotFound

    def _third(self, request: Request, place: str) -> Response:
        """Under its hash it never changes; under the hash of what it was, it is said where it is now."""
        document = Response(200, self._document(place))
        asked = request.query.get("hash")
        if asked is None:
            return tagged(request, document, self._digest(place), ASK_AGAIN)
        if asked != self._digest(place):
            here = ("location", self._entry(place)["serverRelativeURL"])
            return Response(301, b"", headers=[here, *tag_headers(self._digest(place), ASK_AGAIN)])
        expires = ("expires", formatdate(time.time() + _YEAR, usegmt=True))
        return tagged(request, document, asked, f"{KEEP}, immutable", expires)

    def _second(self, request: Request) -> Response:
        """Version 2 for what still asks for it as JSON. As protobuf it describes nothing: kubectl, which wants that for
        `kind: List`, takes it for a server whose kinds it does not know, and leaves the judging to the server."""
        accept = request.headers.get("accept", "*/*")
        if PROTOBUF in accept:
            return Response(200, NOTHING_DESCRIBED, PROTOBUF_SENT)
        if "json" not in accept and "*/*" not in accept:
            raise not_acceptable(("application/json",))
        if V2 not in self._made:
            self._made[V2] = orjson.dumps(second_document(self._registry))
        return Response(200, self._made[V2])

    def _places(self) -> list[str]:
        groups = self._registry.groups()
        return [f"apis/{group}/{v}" if group else f"api/{v}" for group, versions in groups.items() for v in versions]

    def _entry(self, place: str) -> dict[str, str]:
        return {"serverRelativeURL": f"/openapi/v3/{place}?hash={self._digest(place)}"}

    def _digest(self, place: str) -> str:
        if place not in self._digests:
            self._digests[place] = digest(self._document(place))
        return self._digests[place]

    def _document(self, place: str) -> bytes:
        if place not in self._made:
            parts = place.split("/")
            group, version = ("", parts[1]) if parts[0] == "api" else (parts[1], parts[2])
            self._made[place] = orjson.dumps(document(self._registry, group, version))
        return self._made[place]
