"""The two that are compared: our API server, and a real control plane where one was built."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import yaml

from tests.contract.apiserver.client import GROUP, Api, eventually, unique
from tests.contract.apiserver.conftest import DEFINITIONS, WIDGETS, kubectl_program
from tests.contract.kubernetes.case import Case
from tests.contract.kubernetes.conversation import Conversation
from tests.contract.kubernetes.script import play

SCRIPT = "kubectl-script"


class Served(Protocol):
    @property
    def url(self) -> str: ...
    @property
    def token(self) -> str: ...
    @property
    def ca(self) -> Path: ...
    @property
    def kubeconfig(self) -> Path: ...


def install(api: Api) -> None:
    """What the cases speak of."""
    api.request("POST", DEFINITIONS, yaml.safe_load(WIDGETS.read_text()))
    eventually(lambda: api.request("GET", f"{GROUP}/widgets").status_code == 200)


@contextmanager
def own_namespace(api: Api) -> Iterator[Api]:
    name = unique("case")
    api.ok("POST", "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    own = Api(api.url, api.token, api.ca, name)
    try:
        yield own
    finally:
        own.http.close()
        api.request("DELETE", f"/api/v1/namespaces/{name}")


def typed(server: Served, kubectl: str | None = None) -> list[dict[str, object]]:
    """What kubectl (of the environment's packages, if no other is named) prints and how it ends, for each command of
    the script."""
    api = Api(server.url, server.token, server.ca)
    try:
        with own_namespace(api) as own:
            return play(kubectl or kubectl_program(), server.kubeconfig, own.namespace)
    finally:
        api.http.close()


def converse(api: Api, case: Case) -> list[dict[str, object]]:
    """Let the case speak with this API; everything that was said."""
    with own_namespace(api) as own:
        conversation = Conversation(own)
        case.speak(conversation)
        return conversation.said
