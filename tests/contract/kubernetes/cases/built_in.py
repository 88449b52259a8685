"""Kinds of Kubernetes' own: Secrets, ConfigMaps, Leases, Events, Namespaces."""

from tests.contract.apiserver.client import MERGE, config_map
from tests.contract.kubernetes.conversation import Conversation


def secrets(talk: Conversation) -> None:
    at = talk.api.core("secrets")
    body = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "one"}}
    talk.say("POST", at, {**body, "stringData": {"a": "b"}, "data": {"c": "ZA=="}})
    talk.say("PATCH", f"{at}/one", {"type": "other"}, MERGE)
    talk.say("PATCH", f"{at}/one", {"data": {"c": "no base64!"}}, MERGE)
    talk.say("PATCH", f"{at}/one", {"immutable": True}, MERGE)
    talk.say("PATCH", f"{at}/one", {"data": {"c": "ZQ=="}}, MERGE)
    talk.say("PATCH", f"{at}/one", {"immutable": False}, MERGE)
    talk.say("POST", at, {**body, "metadata": {"name": "tls"}, "type": "kubernetes.io/tls"})
    talk.say("POST", at, {**body, "metadata": {"name": "key"}, "data": {"no/slash": "ZA=="}})


def config_maps(talk: Conversation) -> None:
    at = talk.api.core("configmaps")
    talk.say("POST", at, config_map("one", {"a": "1"}))
    talk.say("POST", at, config_map("two", {"a": 1}))
    talk.say("POST", at, config_map("three", {"a b": "1"}))
    talk.say("GET", at, fieldSelector="metadata.name=one")
    talk.say("PATCH", f"{at}/one", {"data": {"a": None}}, MERGE)
    talk.say("DELETE", f"{at}/one")


def leases(talk: Conversation) -> None:
    at = f"/apis/coordination.k8s.io/v1/namespaces/{talk.api.namespace}/leases"
    body = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "one"}}
    talk.say("POST", at, {**body, "spec": {"holderIdentity": "me", "renewTime": "2024-05-01T10:00:00.000000Z"}})
    talk.say("PATCH", f"{at}/one", {"spec": {"renewTime": "2024-05-01T10:00:00Z"}}, MERGE)
    talk.say("PATCH", f"{at}/one", {"spec": {"renewTime": "2024-05-01T12:00:00.123456+00:00"}}, MERGE)
    talk.say("PATCH", f"{at}/one", {"spec": {"leaseDurationSeconds": 0}}, MERGE)
    made = {**body, "metadata": {"name": "two"}}
    talk.say("PUT", f"{at}/two", made)
    talk.say("PUT", f"{at}/three", made)
    talk.say("PUT", f"{at}/three", {**body, "metadata": {"name": "three", "resourceVersion": "5"}})


def events(talk: Conversation) -> None:
    at = talk.api.core("events")
    body = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "one"},
        "involvedObject": {"kind": "Widget", "name": "w", "namespace": talk.api.namespace},
        "reason": "Made",
        "message": "It is there.",
        "type": "Normal",
    }
    talk.say("POST", at, body)
    talk.say("POST", at, {**body, "involvedObject": {**body["involvedObject"], "namespace": "default"}})  # type: ignore[dict-item]


def namespaces(talk: Conversation) -> None:
    own = f"/api/v1/namespaces/{talk.api.namespace}"
    talk.say("GET", own)
    talk.say("PATCH", own, {"metadata": {"labels": {"kubernetes.io/metadata.name": None}}}, MERGE)
    talk.say("DELETE", "/api/v1/namespaces/default", dryRun="All")
    talk.say("POST", "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "No"}})


def who_am_i(talk: Conversation) -> None:
    review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview"}
    asked = {"resourceAttributes": {"verb": "get", "group": "", "resource": "configmaps", "namespace": "default"}}
    talk.say("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {**review, "spec": asked})
    talk.say("GET", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews")
    talk.api.http.headers["Authorization"] = "Bearer wrong"
    talk.say("GET", talk.api.core("configmaps"))
    del talk.api.http.headers["Authorization"]
    talk.say("GET", talk.api.core("configmaps"))
