"""Ours only: definitions over kills and restarts, those that older installations made, and built-in kinds beside them.
Each test has a server of its own."""

import pytest

from tests.contract.apiserver.client import Api, Json, eventually
from tests.contract.apiserver.conftest import client_of
from tests.contract.apiserver.server import Server
from tests.contract.apiserver.test_definitions import DEFINITIONS, conditions, definition

CLEANUP = "customresourcecleanup.apiextensions.k8s.io"
GROUP = "kept.example.com"
AT = f"{DEFINITIONS}/things.{GROUP}"
THINGS = f"/apis/{GROUP}/v1/namespaces/default/things"
ESTABLISHED = {"NamesAccepted": ("True", "NoConflicts"), "Established": ("True", "InitialNamesAccepted")}


def thing(name: str, **metadata: object) -> Json:
    return {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {"name": name, **metadata}}


def killed(server: Server) -> Api:
    """A client of what comes back after a kill."""
    server.kill()
    server.start()
    return client_of(server)


def established(api: Api) -> None:
    api.ok("POST", DEFINITIONS, definition(GROUP))
    eventually(lambda: conditions(api, f"things.{GROUP}") == ESTABLISHED)


def test_a_kill_right_after_it_was_made(own_server: Server) -> None:
    client_of(own_server).ok("POST", DEFINITIONS, definition(GROUP))
    api = killed(own_server)
    eventually(lambda: conditions(api, f"things.{GROUP}") == ESTABLISHED)
    api.ok("POST", THINGS, thing("a"))


def test_a_kill_right_after_its_deletion_was_asked_for(own_server: Server) -> None:
    api = client_of(own_server)
    established(api)
    api.ok("POST", THINGS, thing("free"))
    api.ok("DELETE", AT)
    api = killed(own_server)
    eventually(lambda: api.gone(AT))
    eventually(lambda: api.request("GET", THINGS).status_code == 404)


def test_a_kill_while_an_object_holds_it(own_server: Server) -> None:
    api = client_of(own_server)
    established(api)
    api.ok("POST", THINGS, thing("held", finalizers=["example.com/a"]))
    api.ok("DELETE", AT)
    eventually(lambda: "deletionTimestamp" in api.get(f"{THINGS}/held")["metadata"])
    api = killed(own_server)
    assert api.request("POST", THINGS, thing("new")).status_code == 403
    assert conditions(api, f"things.{GROUP}")["Terminating"] == ("True", "InstanceDeletionInProgress")
    api.patch(f"{THINGS}/held", {"metadata": {"finalizers": None}})
    eventually(lambda: api.gone(AT))


def test_a_name_that_is_taken_is_so_after_a_restart(own_server: Server) -> None:
    api = client_of(own_server)
    established(api)
    api.ok("POST", DEFINITIONS, definition(GROUP, plural="others", singular="other"))
    eventually(lambda: conditions(api, f"others.{GROUP}").get("NamesAccepted") == ("False", "ListKindConflict"))
    api = killed(own_server)
    assert api.request("GET", THINGS).status_code == 200
    assert api.request("GET", THINGS.replace("things", "others")).status_code == 404
    api.ok("DELETE", AT)
    eventually(lambda: conditions(api, f"others.{GROUP}") == ESTABLISHED)


def test_one_that_has_had_the_finalizer_from_the_beginning(own_server: Server) -> None:
    api = client_of(own_server)
    body = definition(GROUP)
    body["metadata"]["finalizers"] = [CLEANUP]
    api.ok("POST", DEFINITIONS, body)
    assert api.ok("DELETE", AT)["metadata"]["finalizers"] == [CLEANUP]
    eventually(lambda: api.gone(AT))


@pytest.mark.parametrize("kind", ["Lease", "Other"])
def test_a_built_in_kind_stays_what_it_is(own_server: Server, kind: str) -> None:
    api = client_of(own_server)
    leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
    body = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "one"}, "spec": {}}
    api.ok("POST", leases, body)
    wanted = definition("coordination.k8s.io", plural="leases", kind=kind)
    wanted["metadata"]["annotations"] = {"api-approved.kubernetes.io": "unapproved, a test"}
    api.ok("POST", DEFINITIONS, wanted)
    name = wanted["metadata"]["name"]
    eventually(lambda: conditions(api, name).get("Established") == ("False", "NotAccepted"))
    api.ok("DELETE", f"{DEFINITIONS}/{name}")
    eventually(lambda: api.gone(f"{DEFINITIONS}/{name}"))
    assert api.get(f"{leases}/one")["kind"] == "Lease"
