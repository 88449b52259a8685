"""Who somebody is: SelfSubjectReview and TokenReview."""

from cluster.apiserver.access.access import AUDIENCES
from cluster.apiserver.access.service_accounts import BadToken
from cluster.apiserver.errors import bad_request
from cluster.apiserver.http.request import Request
from cluster.apiserver.kinds import times
from cluster.apiserver.kinds.model import Target
from cluster.apiserver.types import Json
from cluster.apiserver.verbs.context import Context


def who_asks(_context: Context, _target: Target, obj: Json, request: Request) -> None:
    obj["metadata"] = {"creationTimestamp": times.now()}
    obj["status"] = {"userInfo": request.identity.wire()}


def whose_token(context: Context, _target: Target, obj: Json, _request: Request) -> None:
    spec: Json = obj["spec"]
    token = spec.get("token")
    if not token:
        raise bad_request("token is required for TokenReview in authentication")
    try:
        identity, audiences = context.access.review(token, spec.get("audiences") or AUDIENCES)
    except BadToken as error:
        obj["status"] = {"user": {}, "error": str(error)}
    else:
        obj["status"] = {"authenticated": True, "user": identity.wire(), "audiences": audiences}
