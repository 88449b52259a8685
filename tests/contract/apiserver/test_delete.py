"""DELETE, finalizers, owner references, namespaces."""

import pytest

from tests.contract.apiserver.client import MERGE, Api, Json, causes, config_map, eventually, unique


def owner_of(obj: Json, **more: object) -> Json:
    return {
        "apiVersion": obj["apiVersion"],
        "kind": obj["kind"],
        "name": obj["metadata"]["name"],
        "uid": obj["metadata"]["uid"],
        **more,
    }


def test_gone_at_once(api: Api) -> None:
    made = api.widget("a")
    details = {"name": "a", "group": "test.example.com", "kind": "widgets", "uid": made["metadata"]["uid"]}
    answer = api.ok("DELETE", f"{api.widgets}/a")
    assert (answer["kind"], answer["status"], answer["details"]) == ("Status", "Success", details)
    missing = api.request("DELETE", f"{api.widgets}/a")
    assert (missing.status_code, missing.json()["details"]["kind"]) == (404, "widgets")


def test_finalizers_hold(api: Api) -> None:
    api.widget("a", finalizers=["x.io/y"])
    path = f"{api.widgets}/a"
    marked = api.ok("DELETE", path, {})
    assert marked["metadata"]["deletionGracePeriodSeconds"] == 0
    assert marked["metadata"]["generation"] == 2
    assert api.ok("DELETE", path) == marked
    refused = api.request("PATCH", path, {"metadata": {"finalizers": ["x.io/y", "x.io/z"]}}, MERGE)
    assert causes(refused) == [("FieldValueForbidden", "metadata.finalizers")]
    kept = api.patch(path, {"metadata": {"deletionTimestamp": None}, "spec": {"note": "still"}})
    assert kept["metadata"]["deletionTimestamp"] == marked["metadata"]["deletionTimestamp"]
    api.patch(path, {"metadata": {"finalizers": None}})
    assert api.gone(path)


def test_dry_run(api: Api) -> None:
    api.widget("a")
    api.widget("b", finalizers=["x.io/y"])
    assert api.ok("DELETE", f"{api.widgets}/a", dryRun="All")["status"] == "Success"
    assert "deletionTimestamp" in api.ok("DELETE", f"{api.widgets}/b", dryRun="All")["metadata"]
    assert "deletionTimestamp" not in api.get(f"{api.widgets}/b")["metadata"]
    assert not api.gone(f"{api.widgets}/a")
    api.patch(f"{api.widgets}/b", {"metadata": {"finalizers": None}})


def test_preconditions(api: Api) -> None:
    made = api.widget("a")
    for wrong in ({"uid": "other"}, {"resourceVersion": "1"}):
        answer = api.request("DELETE", f"{api.widgets}/a", {"preconditions": wrong})
        assert (answer.status_code, answer.json()["details"]["kind"]) == (409, "Widget")
    api.ok("DELETE", f"{api.widgets}/a", {"preconditions": {"uid": made["metadata"]["uid"]}})


def test_bad_policy(api: Api) -> None:
    api.widget("a")
    answer = api.request("DELETE", f"{api.widgets}/a", {"propagationPolicy": "Sideways"})
    assert (answer.status_code, answer.json()["details"]["kind"]) == (422, "DeleteOptions")


def test_dependents_go_with_their_owner(api: Api) -> None:
    owner = api.widget("owner")
    child = api.ok("POST", api.core("configmaps"), config_map("child", ownerReferences=[owner_of(owner)]))
    api.ok(
        "POST",
        api.core("configmaps"),
        config_map("grandchild", ownerReferences=[owner_of(child | {"kind": "ConfigMap", "apiVersion": "v1"})]),
    )
    api.ok("DELETE", f"{api.widgets}/owner")
    eventually(lambda: api.gone(f"{api.core('configmaps')}/child"))
    eventually(lambda: api.gone(f"{api.core('configmaps')}/grandchild"))


def test_orphans_stay(api: Api) -> None:
    owner = api.widget("owner")
    api.widget("child", ownerReferences=[owner_of(owner)])
    api.ok("DELETE", f"{api.widgets}/owner", {"propagationPolicy": "Orphan"})
    eventually(lambda: api.gone(f"{api.widgets}/owner"))
    assert "ownerReferences" not in api.get(f"{api.widgets}/child")["metadata"]


def test_foreground_waits_for_dependents(api: Api) -> None:
    owner = api.widget("owner")
    api.widget("child", ownerReferences=[owner_of(owner, blockOwnerDeletion=True)], finalizers=["x.io/y"])
    marked = api.ok("DELETE", f"{api.widgets}/owner", {"propagationPolicy": "Foreground"})
    assert "foregroundDeletion" in marked["metadata"]["finalizers"]
    eventually(lambda: "deletionTimestamp" in api.get(f"{api.widgets}/child")["metadata"])
    assert not api.gone(f"{api.widgets}/owner")
    child = api.get(f"{api.widgets}/child")
    left = [name for name in child["metadata"]["finalizers"] if name != "x.io/y"]
    api.patch(f"{api.widgets}/child", {"metadata": {"finalizers": left}})
    eventually(lambda: api.gone(f"{api.widgets}/child"))
    eventually(lambda: api.gone(f"{api.widgets}/owner"))


def test_two_owners(api: Api) -> None:
    first, second = api.widget("first"), api.widget("second")
    api.widget("child", ownerReferences=[owner_of(first), owner_of(second)])
    api.ok("DELETE", f"{api.widgets}/first")
    eventually(lambda: len(api.get(f"{api.widgets}/child")["metadata"]["ownerReferences"]) == 1)
    api.ok("DELETE", f"{api.widgets}/second")
    eventually(lambda: api.gone(f"{api.widgets}/child"))


def test_born_without_its_owner(api: Api) -> None:
    owner = api.widget("owner")
    api.ok("DELETE", f"{api.widgets}/owner")
    api.widget("child", ownerReferences=[owner_of(owner)])
    eventually(lambda: api.gone(f"{api.widgets}/child"))


def test_namespace_takes_its_contents(api: Api) -> None:
    name = unique("gone")
    made = api.ok("POST", "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    assert made["metadata"]["labels"] == {"kubernetes.io/metadata.name": name}
    assert (made["spec"], made["status"]["phase"]) == ({"finalizers": ["kubernetes"]}, "Active")
    inside = Api(api.url, api.token, api.ca, name)
    inside.widget("a", finalizers=["x.io/y"])
    inside.ok("POST", inside.core("configmaps"), config_map("b"))
    assert api.ok("DELETE", f"/api/v1/namespaces/{name}")["status"]["phase"] == "Terminating"
    refused = inside.request("POST", inside.core("configmaps"), config_map("c"))
    assert refused.status_code == 403
    assert causes(refused) == [("NamespaceTerminating", "metadata.namespace")]
    eventually(lambda: inside.gone(f"{inside.core('configmaps')}/b"))
    assert not api.gone(f"/api/v1/namespaces/{name}")
    inside.patch(f"{inside.widgets}/a", {"metadata": {"finalizers": None}})
    eventually(lambda: api.gone(f"/api/v1/namespaces/{name}"))
    inside.http.close()


@pytest.mark.parametrize("query", [{}, {"dryRun": "All"}])
def test_default_namespace_is_protected(api: Api, query: dict[str, str]) -> None:
    assert api.request("DELETE", "/api/v1/namespaces/default", **query).status_code == 403
