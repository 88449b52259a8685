"""Deliveries of a git provider: proved by their signature, and taken as a hint to look at the branch."""

import asyncio
import hashlib
import hmac
import logging
import secrets
from dataclasses import dataclass
from datetime import timedelta
from tempfile import SpooledTemporaryFile
from typing import Any

from api.edits import webhook as edits
from api.edits.git import ENTRY
from api.http.answers import Answer
from api.http.call import MIB, Call
from api.http.shapes import utc_text
from api.problems import Problem
from api.routes.git import secret_of
from api.store import deliveries
from api.views import webhook as views
from crds.client.errors import ApiError
from crds.models.core import Secret
from crds.models.project import Project
from crds.names import ANNOTATION_LAST_ERROR, uid_of

_log = logging.getLogger(__name__)
_LIMIT = 25 * MIB
_IN_MEMORY = MIB
_SEEN_FOR = timedelta(hours=24)


@dataclass(frozen=True)
class _Hook:
    """A project that takes deliveries, and its signing secret."""

    project: Project
    secret: Secret


async def deliver(call: Call) -> Answer:
    call.limit_headers = call.platform.webhook_limit.take(f"{call.params['id']} {call.address}")
    hook = await _hook(call)
    # An unknown project takes the same path with a key of its own, which fits nothing.
    key = hook.secret.values()[ENTRY].encode() if hook else secrets.token_bytes(32)
    body, body_hash, digest = await _body(call, key)
    with body:
        fits = edits.signature_fits(digest, call.header(b"x-hub-signature-256"))
        if hook is None or not fits:
            await _note_bad(call, hook)
            raise Problem("unauthenticated", "The signature does not fit, or there is no webhook here.")
        if call.header(b"x-github-event") == "ping":
            await _note_good(call, hook)
            return Answer(views.PONG, status=200)
        if call.header(b"x-github-event") not in ("", "push"):
            return Answer(views.ignored("Only pushes are looked at."))
        branch = edits.pushed_branch(await asyncio.to_thread(body.read))
    return await _pushed(call, hook, branch, body_hash)


async def _hook(call: Call) -> _Hook | None:
    uid = uid_of("prj", call.params["id"])
    project = call.platform.records.projects.by_uid(uid) if uid else None
    if project is None or project.deleting:
        return None
    secret = await secret_of(call, project)
    return _Hook(project, secret) if secret and ENTRY in secret.data else None


async def _body(call: Call, key: bytes) -> "tuple[SpooledTemporaryFile[bytes], bytes, bytes]":
    """The body (on disk when it is long: nobody has proved anything yet), its SHA-256, its HMAC."""
    signed, plain = hmac.new(key, digestmod=hashlib.sha256), hashlib.sha256()
    body: SpooledTemporaryFile[bytes] = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 (the caller closes it)
    try:
        async for chunk in call.chunks(_LIMIT):
            signed.update(chunk)
            plain.update(chunk)
            body.write(chunk)
    except BaseException:
        body.close()
        raise
    body.seek(0)
    return body, plain.digest(), signed.digest()


async def _pushed(call: Call, hook: _Hook, branch: str | None, body_hash: bytes) -> Answer:
    project, platform = hook.project, call.platform
    wanted = project.spec.source.branch
    # Without a branch of its own the project follows the repository's, which only the repository can name.
    if branch is None or (wanted and branch != wanted):
        await _note_good(call, hook)
        return Answer(views.ignored(f"Only pushes to {wanted or 'the branch'} are deployed."))
    delivery_id = call.header(b"x-github-delivery")
    head = f"{project.status.head}:{project.status.head_moves}"
    tokens = edits.delivery_tokens(project.uid, delivery_id, body_hash, head)
    now = platform.now()
    if await platform.database.run(lambda connection: deliveries.seen(connection, tokens, now - _SEEN_FOR)):
        return Answer(views.SEEN, status=200)
    # First the edit, then the note: a crash between them costs a look at the branch, not a deploy.
    patched = await platform.editor.client.patch(Project, project.name, project.namespace, edits.push_patch(tokens[-1]))
    platform.records.projects.upsert(patched)
    await platform.database.run(lambda connection: deliveries.remember(connection, tokens, now, now - _SEEN_FOR))
    await _note_good(call, hook)
    return Answer(views.ACCEPTED)


async def _note_good(call: Call, hook: _Hook) -> None:
    await _patch(call, hook, edits.good_delivery_patch(utc_text(call.platform.now())))


async def _note_bad(call: Call, hook: _Hook | None) -> None:
    """Once until the next good one: whoever sends nonsense again and again writes nothing."""
    if hook and hook.secret.metadata.annotations.get(ANNOTATION_LAST_ERROR) != edits.BAD_SIGNATURE:
        await _patch(call, hook, edits.bad_delivery_patch())


async def _patch(call: Call, hook: _Hook, patch: dict[str, Any]) -> None:
    """A note for people; that it cannot be written does not make the delivery fail."""
    try:
        await call.platform.editor.client.patch(Secret, hook.secret.name, hook.secret.namespace, patch)
    except ApiError as error:
        _log.warning("request %s: delivery not noted: %s", call.request_id, error)
