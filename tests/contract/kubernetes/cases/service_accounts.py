"""Service accounts: their tokens, and who those make of their bearer."""

from tests.contract.apiserver.client import MERGE, Json
from tests.contract.kubernetes.conversation import Conversation

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
REVIEW: Json = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview"}
REVIEWS = "/apis/authentication.k8s.io/v1/tokenreviews"


def _account(name: str) -> Json:
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}}


def _request(**spec: object) -> Json:
    return {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec}


def life(talk: Conversation) -> None:
    at = talk.api.core("serviceaccounts")
    talk.say("POST", at, _account("one"))
    talk.say("GET", f"{at}/one")
    talk.say("GET", f"{at}/one", accept=TABLE)
    talk.say("PATCH", f"{at}/one", {"automountServiceAccountToken": False}, MERGE)
    talk.say("PATCH", f"{at}/one", {"secrets": [{"name": "s"}], "imagePullSecrets": [{"name": "p"}]}, MERGE)
    talk.say("GET", f"{at}/one", accept=TABLE)
    talk.say("PUT", f"{at}/one", _account("one"))
    talk.say("PUT", f"{at}/absent", _account("absent"))
    talk.say("POST", at, _account("No"))
    talk.say("DELETE", f"{at}/one")


def tokens(talk: Conversation) -> None:
    at = talk.api.core("serviceaccounts")
    talk.say("POST", at, _account("one"))
    talk.say("POST", f"{at}/one/token", _request())
    talk.say("POST", f"{at}/one/token", _request(expirationSeconds=700))
    talk.say("POST", f"{at}/one/token", _request(audiences=["them"]))
    talk.say("POST", f"{at}/one/token", {"metadata": {"name": "one", "namespace": talk.api.namespace}, "spec": {}})


def tokens_that_are_refused(talk: Conversation) -> None:
    at = talk.api.core("serviceaccounts")
    talk.say("POST", at, _account("one"))
    talk.say("POST", f"{at}/one/token", _request(expirationSeconds=10))
    talk.say("POST", f"{at}/one/token", _request(expirationSeconds=1 << 33))
    talk.say("POST", f"{at}/one/token", _request(boundObjectRef={"kind": "Widget", "apiVersion": "v1", "name": "w"}))
    talk.say("POST", f"{at}/one/token", {**_request(), "metadata": {"name": "two"}})
    talk.say("POST", f"{at}/one/token", {**_request(), "metadata": {"namespace": "default"}})
    talk.say("POST", f"{at}/one/token", {**_request(), "kind": "Token"})
    talk.say("POST", f"{at}/one/token", b"no json")
    talk.say("POST", f"{at}/absent/token", _request())
    talk.say("GET", f"{at}/one/token")
    talk.say("POST", f"{at}/one/token", _request(), dryRun="All")


def bearers(talk: Conversation) -> None:
    at = talk.api.core("serviceaccounts")
    talk.say("POST", at, _account("one"))
    token = talk.say("POST", f"{at}/one/token", _request())["status"]["token"]
    review = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    talk.say("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", review, token=token)
    talk.say("GET", talk.api.core("configmaps"), token=token)
    talk.say("POST", REVIEWS, REVIEW, token=token)
    for spec in ({"token": token}, {"token": token, "audiences": ["them"]}, {"token": "wrong"}, {"token": ""}, {}):
        talk.say("POST", REVIEWS, {**REVIEW, "spec": spec})
    other = talk.say("POST", f"{at}/one/token", _request(audiences=["them"]))["status"]["token"]
    talk.say("GET", talk.api.core("configmaps"), token=other)
    talk.say("POST", REVIEWS, {**REVIEW, "spec": {"token": other}})
    talk.say("POST", REVIEWS, {**REVIEW, "spec": {"token": other, "audiences": ["them", "those"]}})
    head, body, signature = token.split(".")
    for forged in (f"{head}.{body}.", f"{head}.{body}.{signature[::-1]}", f"{head}.{body}", f"{token}x"):
        talk.say("GET", talk.api.core("configmaps"), token=forged)
    talk.say("GET", REVIEWS)


def the_end_of_one(talk: Conversation) -> None:
    """Its tokens are nobody's any more, also when there is another of its name."""
    at = talk.api.core("serviceaccounts")
    talk.say("POST", at, _account("one"))
    token = talk.say("POST", f"{at}/one/token", _request())["status"]["token"]
    talk.say("DELETE", f"{at}/one")
    talk.settled(lambda: talk.api.http.get(at, headers={"Authorization": f"Bearer {token}"}).status_code == 401)
    talk.say("GET", at, token=token)
    talk.say("POST", at, _account("one"))
    talk.say("GET", at, token=token)
