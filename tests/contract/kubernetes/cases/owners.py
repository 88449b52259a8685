"""What becomes of what is owned when its owner goes, in the three ways in which that can be asked for."""

from tests.contract.apiserver.client import MERGE, Json, config_map, eventually
from tests.contract.kubernetes.conversation import Conversation


def _family(talk: Conversation, **owner: bool) -> tuple[str, str]:
    at = talk.api.core("configmaps")
    made = talk.api.ok("POST", at, config_map("parent"))
    reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "parent", "uid": made["metadata"]["uid"], **owner}
    talk.api.ok("POST", at, config_map("child", ownerReferences=[reference]))
    return f"{at}/parent", f"{at}/child"


def _options(policy: str) -> Json:
    return {"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": policy}


def in_the_background(talk: Conversation) -> None:
    parent, child = _family(talk)
    talk.say("DELETE", parent, _options("Background"))
    eventually(lambda: talk.api.gone(child))


def left_behind(talk: Conversation) -> None:
    parent, child = _family(talk)
    talk.say("DELETE", parent, _options("Orphan"))
    eventually(lambda: talk.api.gone(parent))
    talk.say("GET", child)


def in_the_foreground(talk: Conversation) -> None:
    parent, child = _family(talk, blockOwnerDeletion=True)
    talk.api.patch(child, {"metadata": {"finalizers": ["example.com/a"]}}, MERGE)
    talk.say("DELETE", parent, _options("Foreground"))
    eventually(lambda: talk.api.get(child)["metadata"].get("deletionTimestamp"))
    talk.say("GET", parent)
    talk.say("PATCH", child, {"metadata": {"finalizers": None}}, MERGE)
    eventually(lambda: talk.api.gone(parent))


def of_one_that_is_not_there(talk: Conversation) -> None:
    reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "gone", "uid": "00000000-0000-0000-0000-000000000000"}
    at = talk.api.core("configmaps")
    talk.api.ok("POST", at, config_map("child", ownerReferences=[reference]))
    eventually(lambda: talk.api.gone(f"{at}/child"))
    talk.say("GET", f"{at}/child")
