"""TokenRequest: a token of a service account."""

from datetime import UTC, datetime

from cluster.apiserver.access.access import AUDIENCES
from cluster.apiserver.errors import FieldError, bad_request, field_invalid, invalid, not_found
from cluster.apiserver.http.request import Request
from cluster.apiserver.kinds import times
from cluster.apiserver.kinds.builtin.table import SERVICE_ACCOUNTS
from cluster.apiserver.kinds.model import Target
from cluster.apiserver.types import Json
from cluster.apiserver.verbs.context import Context

LEAST_SECONDS = 600
MOST_SECONDS = 1 << 32


def a_token(context: Context, target: Target, obj: Json, _request: Request) -> None:
    """`target` is the TokenRequest of the account of this name."""
    account = context.store.latest(SERVICE_ACCOUNTS, (target.namespace, target.name))
    if account is None:
        raise not_found("", SERVICE_ACCOUNTS, target.name)
    metadata, spec = obj["metadata"], obj["spec"]
    sent = metadata.get("name")
    if sent and sent != target.name:
        cause = field_invalid("metadata.name", sent, f"must match the service account name: {target.name}")
        raise invalid("authentication.k8s.io", "TokenRequest", target.name, [cause])
    seconds = spec.get("expirationSeconds", 0)
    errors = _errors(seconds)
    if errors:
        raise invalid("authentication.k8s.io", "TokenRequest", "", errors)
    if spec.setdefault("boundObjectRef", None) is not None:
        bound = spec["boundObjectRef"]
        raise bad_request(f"cannot bind token for serviceaccount {target.name!r} to object type {bound.get('kind')!r}")
    audiences = spec["audiences"] = spec.get("audiences") or list(AUDIENCES)
    issued = context.access.accounts.issue(account.key, account.uid, audiences, seconds)
    metadata.update(name=target.name, namespace=target.namespace, uid=account.uid, creationTimestamp=times.now())
    ends = datetime.fromtimestamp(issued.expires, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    obj["status"] = {"token": issued.token, "expirationTimestamp": ends}


def _errors(seconds: int) -> list[FieldError]:
    field = "spec.expirationSeconds"
    if seconds < LEAST_SECONDS:
        return [field_invalid(field, seconds, "may not specify a duration less than 10 minutes")]
    if seconds > MOST_SECONDS:
        return [field_invalid(field, seconds, "may not specify a duration larger than 2^32 seconds")]
    return []
