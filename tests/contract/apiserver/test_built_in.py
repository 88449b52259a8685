"""Secret, ConfigMap, Event, Lease, Namespace: what is special about each."""

import pytest

from tests.contract.apiserver.client import MERGE, Api, Json, causes, config_map


def secret(name: str, **fields: object) -> Json:
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, **fields}


def test_secret(api: Api) -> None:
    made = api.ok("POST", api.core("secrets"), secret("a", stringData={"k": "v"}))
    assert (made["data"], made["type"]) == ({"k": "dg=="}, "Opaque")
    assert "stringData" not in made
    assert causes(api.request("PATCH", f"{api.core('secrets')}/a", {"type": "x"}, MERGE)) == [
        ("FieldValueInvalid", "type")
    ]
    tls = api.request("POST", api.core("secrets"), secret("t", type="kubernetes.io/tls"))
    assert set(causes(tls)) == {("FieldValueRequired", "data[tls.crt]"), ("FieldValueRequired", "data[tls.key]")}
    assert api.request("POST", api.core("secrets"), secret("b", data={"k": "%%"})).status_code == 400
    bad = api.request("POST", api.core("secrets"), secret("c", data={"no/slash": "dg=="}))
    assert causes(bad) == [("FieldValueInvalid", "data[no/slash]")]


def test_immutable(api: Api) -> None:
    api.ok("POST", api.core("secrets"), secret("a", data={"k": "dg=="}, immutable=True))
    path = f"{api.core('secrets')}/a"
    assert causes(api.request("PATCH", path, {"data": {"k": "dw=="}}, MERGE)) == [("FieldValueForbidden", "data")]
    assert causes(api.request("PATCH", path, {"immutable": None}, MERGE)) == [("FieldValueForbidden", "immutable")]


def test_config_map_types(api: Api) -> None:
    assert api.request("POST", api.core("configmaps"), config_map("a", {"n": 1})).status_code == 400


def lease(name: str, **spec: object) -> Json:
    return {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": name}, "spec": spec}


@pytest.mark.parametrize(
    ("time", "stored"),
    [
        ("2024-01-01T00:00:00.000000Z", "2024-01-01T00:00:00.000000Z"),
        ("2024-01-01T02:00:00.123456+02:00", "2024-01-01T00:00:00.123456Z"),
        ("2024-01-01T00:00:00Z", None),
        ("2024-01-01T00:00:00.123Z", None),
    ],
)
def test_lease_times(api: Api, time: str, stored: str | None) -> None:
    path = f"/apis/coordination.k8s.io/v1/namespaces/{api.namespace}/leases"
    answer = api.request("POST", path, lease("a", renewTime=time, holderIdentity="me"))
    if stored is None:
        assert answer.status_code == 400
    else:
        assert answer.json()["spec"]["renewTime"] == stored
    zero = api.request("POST", path, lease("b", leaseDurationSeconds=0))
    assert causes(zero) == [("FieldValueInvalid", "spec.leaseDurationSeconds")]


def event(api: Api, name: str, **fields: object) -> Json:
    involved = {"kind": "Widget", "name": "w", "namespace": api.namespace}
    return {"apiVersion": "v1", "kind": "Event", "metadata": {"name": name}, "involvedObject": involved, **fields}


def test_events(api: Api) -> None:
    sent = event(api, "a", reason="Made", message="It is there", type="Normal", firstTimestamp="2024-01-01T00:00:00.5Z")
    made = api.ok("POST", api.core("events"), sent)
    assert made["firstTimestamp"] == "2024-01-01T00:00:00Z"
    found = api.get(api.core("events"), fieldSelector="involvedObject.name=w,reason=Made")
    assert len(found["items"]) == 1
    row = api.table(api.core("events"))["rows"][0]["cells"]
    assert (row[3], row[6]) == ("widget/w", "It is there")
    elsewhere = event(api, "b")
    elsewhere["involvedObject"]["namespace"] = "other"
    assert api.request("POST", api.core("events"), elsewhere).status_code == 422


def test_namespace_label_comes_back(api: Api) -> None:
    path = f"/api/v1/namespaces/{api.namespace}"
    changed = api.patch(path, {"metadata": {"labels": {"kubernetes.io/metadata.name": None, "a": "b"}}})
    assert changed["metadata"]["labels"] == {"kubernetes.io/metadata.name": api.namespace, "a": "b"}


def test_apply_of_a_config_map(api: Api) -> None:
    path = f"{api.core('configmaps')}/a"
    api.apply(path, config_map("a", {"x": "1", "y": "2"}), "me")
    assert api.apply(path, config_map("a", {"x": "1"}), "me")["data"] == {"x": "1"}
