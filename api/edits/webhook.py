"""What a git provider's delivery says; pure."""

import hashlib
import hmac
from typing import Any

import orjson

from api.problems import Problem, invalid
from crds.names import ANNOTATION_LAST_DELIVERY, ANNOTATION_LAST_ERROR, ANNOTATION_PUSH

BAD_SIGNATURE = "A delivery came with a signature that does not fit the secret."
_BRANCHES = "refs/heads/"


def signature_fits(expected: bytes, header: str) -> bool:
    """`expected`: the HMAC's digest; `header`: X-Hub-Signature-256. In constant time."""
    return hmac.compare_digest(b"sha256=" + expected.hex().encode(), header.encode("utf-8", "replace"))


def pushed_branch(body: bytes) -> str | None:
    """The branch that moved; None for a tag, or a branch that was deleted."""
    try:
        payload = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise Problem(
            "malformed", "The body is not JSON. Set the webhook's content type to application/json."
        ) from None
    if not isinstance(payload, dict):
        raise invalid("", "The body must be a JSON object.")
    ref = payload.get("ref")
    if not isinstance(ref, str):
        raise invalid("/ref", "ref is required: a git ref such as refs/heads/main.")
    if payload.get("deleted") is True or not ref.startswith(_BRANCHES):
        return None
    return ref.removeprefix(_BRANCHES)


def delivery_tokens(project_uid: str, delivery_id: str, body_hash: bytes, head: str) -> list[bytes]:
    """By what a delivery is known again: its id, and its body as long as the branch stands where it does (`head`)."""
    tokens = [_token(project_uid, "body", body_hash.hex(), head)]
    if delivery_id:
        tokens.append(_token(project_uid, "id", delivery_id))
    return tokens


def _token(*parts: str) -> bytes:
    return hashlib.sha256("\0".join(parts).encode()).digest()


def push_patch(token: bytes) -> dict[str, Any]:
    """Tells the loop to look at the branch."""
    return {"metadata": {"annotations": {ANNOTATION_PUSH: token.hex()[:32]}}}


def good_delivery_patch(at: str) -> dict[str, Any]:
    return {"metadata": {"annotations": {ANNOTATION_LAST_DELIVERY: at, ANNOTATION_LAST_ERROR: None}}}


def bad_delivery_patch() -> dict[str, Any]:
    return {"metadata": {"annotations": {ANNOTATION_LAST_ERROR: BAD_SIGNATURE}}}
