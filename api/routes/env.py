"""Variables. Their values are in a Secret that is read when needed and never cached."""

from collections.abc import Callable

from api.edits import env as edits
from api.edits.env import EnvRequest, Variables
from api.http.answers import Answer
from api.http.call import Call
from api.problems import conflict, not_found
from api.records.editor import refuse_others_fields
from api.views.env import env_etag, env_view, secret_names
from crds.client.errors import AlreadyExists, Conflict, NotFound
from crds.models.core import Secret
from crds.models.project import Project
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
    return Answer(env_view(secret, await _running(call, call.project)), etag=env_etag(secret))


async def secrets_of(call: Call, project: Project) -> tuple[dict[str, str], dict[str, str]]:
    """The variables as they are set, and as the live release has them."""
    secret = await _get(call, project, env_secret(project.name))
    running = await _running(call, project)
    return (secret.values() if secret else {}), (running.values() if running else {})


async def _running(call: Call, project: Project) -> Secret | None:
    live = call.platform.records.live_deploy(project)
    return await _get(call, project, live.status.snapshot) if live and live.status.snapshot else None


async def _secret(call: Call) -> Secret | None:
    return await _get(call, call.project, env_secret(call.project.name))


async def _get(call: Call, project: Project, name: str) -> Secret | None:
    try:
        return await call.platform.editor.client.get(Secret, name, project.namespace)
    except NotFound:
        return None
