"""From the ids of a path to the records they name; 404 for what is absent, malformed, or another account's."""

from api.http.call import Call
from api.problems import not_found
from crds.models.deploy import Deploy
from crds.names import uid_of


def project(call: Call) -> None:
    uid = uid_of("prj", call.params["id"])
    found = call.platform.records.projects.by_uid(uid) if uid else None
    if found is None or found.namespace != call.namespace:
        raise not_found()
    call.project = found


def project_by_handle(call: Call) -> None:
    found = call.platform.records.projects.get(call.namespace, call.params["name"])
    if found is None or call.params["handle"] != call.account.name:
        raise not_found()
    call.project = found


def deploy(call: Call) -> None:
    project(call)
    found = deploy_by_id(call, call.params["deployId"])
    if found is None:
        raise not_found()
    call.deploy = found


def deploy_by_id(call: Call, id_: str) -> Deploy | None:
    """A deploy of the call's project."""
    uid = uid_of("dep", id_)
    found = call.platform.records.deploys.by_uid(uid) if uid else None
    if found is None or found.namespace != call.namespace or found.spec.project != call.project.name:
        return None
    return found
