"""Deploys: asked for, watched, listed, cancelled, rolled back."""

from datetime import timedelta
from typing import Any

from api.edits import deploy as edits
from api.http.answers import Answer, EventStream, Page
from api.http.call import Call
from api.http.paging import page_of
from api.problems import Problem, conflict, invalid, not_found
from api.routes import find
from api.streams.deploys import deploy_events
from api.streams.tails import failure_log
from api.views.common import id_of
from api.views.deploy import deploy_view
from crds.client.errors import AlreadyExists
from crds.models.deploy import Deploy
from crds.names import uid_of

_KEY_HOLDS = timedelta(hours=24)


async def start(call: Call) -> Answer:
    return _begun(call, await _begin(call))


async def start_stream(call: Call) -> EventStream:
    seen = _last_event(call)
    if seen is None:
        return _stream(call, await _begin(call), 0)
    deploy = find.deploy_by_id(call, seen[0])
    if deploy is None:
        raise not_found()
    return _stream(call, deploy, seen[1])


async def join_stream(call: Call) -> EventStream:
    seen = _last_event(call)
    if seen is not None and seen[0] != id_of(call.deploy):
        raise invalid("Last-Event-ID", "Last-Event-ID is of another deploy's stream.")
    return _stream(call, call.deploy, seen[1] if seen else 0)


async def listing(call: Call) -> Page:
    deploys = sorted(call.platform.records.deploys_of(call.project), key=_place, reverse=True)
    shown, cursor = page_of(deploys, call.query, call.path, place=_place, newest_first=True)
    return Page("deploys", [deploy_view(deploy, call.project) for deploy in shown], cursor)


async def read(call: Call) -> Answer:
    log = await failure_log(call.platform.runtime, call.deploy)
    return Answer(deploy_view(call.deploy, call.project, log))


async def cancel(call: Call) -> Answer:
    edited = await call.platform.editor.edit(call.platform.records.deploys, call.deploy, edits.cancel(call.deploy))
    return Answer(deploy_view(edited, call.project))


async def rollback(call: Call) -> Answer:
    project, records = call.own_project, call.platform.records
    target = edits.rollback_target(list(records.deploys_of(project)), records.live_deploy(project), _wanted(call))
    wanted: dict[str, Any] = {"trigger": "rollback", "ref": target.spec.ref, "rollback_to": target.name}
    return _begun(call, await _create(call, **wanted))


def _wanted(call: Call) -> Deploy | None:
    id_ = call.body.deploy_id
    if id_ is None:
        return None
    if uid_of("dep", id_) is None:
        raise invalid("/deployId", "This is not the id of a deploy.")
    found = find.deploy_by_id(call, id_)
    if found is None:
        raise conflict("This deploy is not kept any more, so it cannot be rolled back to.")
    return found


async def _begin(call: Call) -> Deploy:
    ref = edits.check_ref(call.body.ref)
    edits.must_have_source(call.own_project)
    return await _create(call, ref=ref, trigger="api")


async def _create(call: Call, **wanted: Any) -> Deploy:
    """A new deploy; or the one that this request, repeated with its Idempotency-Key, made before."""
    token, editor, store = call.token(), call.platform.editor, call.platform.records.deploys
    actor, request_id = call.credential.user_id, call.request_id
    while True:
        deploy = edits.new_deploy(call.project, token=token, actor=actor, request_id=request_id, **wanted)
        try:
            return await editor.create(store, deploy)
        except AlreadyExists:
            there = await editor.client.get(Deploy, deploy.name, call.namespace)
        store.upsert(there)
        born = there.metadata.creation_timestamp
        if born is None or call.platform.now() - born < _KEY_HOLDS:
            return _same_request(there, deploy)
        token = f"{token}:{there.uid}"  # the key was used on another day: this is a new request


def _same_request(there: Deploy, wanted: Deploy) -> Deploy:
    if there.spec.model_copy(update={"cancel": False}) != wanted.spec:
        raise Problem(
            "idempotency_conflict",
            "This Idempotency-Key began another deploy. Use a new key for a new one.",
        )
    return there


def _begun(call: Call, deploy: Deploy) -> Answer:
    return Answer(deploy_view(deploy, call.project), location=_address(call, deploy))


def _stream(call: Call, deploy: Deploy, after: int) -> EventStream:
    return EventStream(deploy_events(call.platform, deploy, after), location=_address(call, deploy))


def _address(call: Call, deploy: Deploy) -> str:
    return f"/v1/projects/{id_of(call.project)}/deploys/{id_of(deploy)}"


def _last_event(call: Call) -> tuple[str, int] | None:
    """Deploy and number of the last event that the client has, by its Last-Event-ID."""
    header = call.header(b"last-event-id")
    if not header:
        return None
    deploy_id, _, number = header.partition(":")
    if uid_of("dep", deploy_id) is None or not (number.isascii() and number.isdigit() and len(number) < 10):
        raise invalid("Last-Event-ID", "Last-Event-ID must be the id of an event of a deploy's stream.")
    return deploy_id, int(number)


def _place(deploy: Deploy) -> list[str]:
    born = deploy.metadata.creation_timestamp
    # One second can hold several: the number, where there is one, tells their order.
    return [born.isoformat() if born else "", f"{deploy.status.number or 1 << 31:012d}", deploy.name]
