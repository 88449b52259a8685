"""The create-only kinds by which a client asks about itself: who am I, may I."""

from collections.abc import Callable

from cluster.apiserver.access.file import Access
from cluster.apiserver.access.rules import Attributes
from cluster.apiserver.errors import bad_request
from cluster.apiserver.http.request import Request
from cluster.apiserver.http.response import Response, json_response
from cluster.apiserver.kinds import times
from cluster.apiserver.protobuf.decode import decode_object
from cluster.apiserver.types import Json
from cluster.apiserver.verbs.body import PROTOBUF, parse_yaml

AUTHORIZATION = "authorization.k8s.io"
AUTHENTICATION = "authentication.k8s.io"


def _access_review(raw: Json, request: Request, access: Access) -> Json:
    spec: Json = raw.get("spec") or {}
    attributes: Json = spec.get("resourceAttributes") or {}
    if attributes:
        resource = attributes.get("resource", "")
        subresource = attributes.get("subresource", "")
        wanted = Attributes(
            attributes.get("verb", ""),
            attributes.get("group", ""),
            f"{resource}/{subresource}" if subresource else resource,
            attributes.get("namespace", ""),
            attributes.get("name", ""),
        )
        allowed = access.allows(request.identity, wanted)
    elif spec.get("nonResourceAttributes"):
        allowed = not request.identity.anonymous
    else:
        raise bad_request("exactly one of resourceAttributes and nonResourceAttributes must be specified")
    told = {**spec, "resourceAttributes": {name: value for name, value in attributes.items() if value}}
    return {**raw, "metadata": {}, "spec": told if attributes else spec, "status": {"allowed": allowed}}


def _subject_review(raw: Json, request: Request, _: Access) -> Json:
    who = {"username": request.identity.user, "groups": list(request.identity.groups)}
    return {**raw, "metadata": {"creationTimestamp": times.now()}, "status": {"userInfo": who}}


Review = Callable[[Json, Request, Access], Json]
REVIEWS: dict[tuple[str, str], tuple[str, Review]] = {
    (AUTHORIZATION, "selfsubjectaccessreviews"): ("SelfSubjectAccessReview", _access_review),
    (AUTHENTICATION, "selfsubjectreviews"): ("SelfSubjectReview", _subject_review),
}
"""(group, resource) -> its kind and what answers it; all are version v1, cluster-wide, and only created."""


def review(group: str, plural: str, request: Request, access: Access) -> Response:
    kind, answer = REVIEWS[(group, plural)]
    raw = decode_object(request.body) if request.content_type == PROTOBUF else parse_yaml(request.body)
    if not isinstance(raw, dict):
        raise bad_request("a review must be an object")
    raw.setdefault("apiVersion", f"{group}/v1")
    raw.setdefault("kind", kind)
    return json_response(201, answer(raw, request, access))
