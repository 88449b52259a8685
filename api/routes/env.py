"""Variables. Their values are in a Secret that is read when needed and never cached."""

from collections.abc import Awaitable, Callable

from api.edits import env as edits
from api.edits.env import EnvRequest, Variables
from api.http.answers import Answer
from api.http.call import Call
from api.problems import conflict, not_found
from api.records.editor import refuse_others_fields
from api.views.env import env_etag, env_view, secret_names
from crds.client.errors import AlreadyExists, Conflict, NotFound
from crds.models.core import Secret
from crds.names import env_secret

_TRIES = 3


async def read(call: Call) -> Answer:
    return await _answer(call, await _secret(call))


async def change(call: Call) -> Answer:
    edits.check(call.body)
    return await _answer(call, await _write(call, lambda now: edits.changed(now, call.body)))


async def remove(call: Call) -> Answer:
    name = call.params["key"]

    def without(now: Variables) -> Variables:
        if name not in now.values:
            raise not_found()
        return edits.changed(now, EnvRequest(vars={name: None}))

    await _write(call, without)
    return Answer(None)


async def _write(call: Call, change: Callable[[Variables], Variables]) -> Secret | None:
    for _ in range(_TRIES):
        secret = await _secret(call)
        call.must_match(env_etag(secret))
        now = Variables(secret.values() if secret else {}, secret_names(secret))
        wanted = change(now)
        try:
            return await _store(call, secret, wanted)
        except (Conflict, AlreadyExists, NotFound):
            continue
    raise conflict("The variables are being changed by somebody else at this moment. Try again.")


async def _store(call: Call, secret: Secret | None, wanted: Variables) -> Secret | None:
    client = call.platform.editor.client
    if secret is None:
        return await client.create(edits.new_secret(call.own_project, wanted)) if wanted.values else None
    patch = edits.secret_patch(secret, wanted)
    if not patch:
        return secret
    refuse_others_fields(secret, [("data", name) for name in patch["data"]])
    return await client.patch(Secret, secret.name, secret.namespace, patch)


async def _answer(call: Call, secret: Secret | None) -> Answer:
    return Answer(env_view(secret, await _running(call)), etag=env_etag(secret))


async def _running(call: Call) -> Secret | None:
    """The variables that the live release was started with."""
    live = call.platform.records.live_deploy(call.project)
    if live is None or not live.status.snapshot:
        return None
    snapshot = live.status.snapshot
    return await _get(lambda: call.platform.editor.client.get(Secret, snapshot, call.namespace))


async def _secret(call: Call) -> Secret | None:
    name = env_secret(call.project.name)
    return await _get(lambda: call.platform.editor.client.get(Secret, name, call.namespace))


async def _get(get: Callable[[], Awaitable[Secret]]) -> Secret | None:
    try:
        return await get()
    except NotFound:
        return None
