"""Which repository a project is deployed from."""

import ipaddress
import re
from typing import Any
from urllib.parse import urlsplit

from pydantic import Field

from api import annotations
from api.http.shapes import Body
from api.problems import invalid
from crds.models.core import Secret
from crds.models.project import Project
from crds.models.record import Metadata
from crds.names import ANNOTATION_FOLLOW, ANNOTATION_PUSH, labels_for, webhook_secret
from planning.source import ref_problem, repository_problem

_SHORT = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}")
_LOCAL_NAMES = ("localhost", "local", "internal")
_LONGEST = 2048
ENTRY = "secret"  # the key within the webhook's Secret


class ConnectRequest(Body):
    repo: str = Field(description="https or ssh URL, or owner/name")
    branch: str | None = Field(default=None, description="Left out: the repository's own")


def repository_of(repo: str, *, git_host: str, operator: bool, pointer: str = "/repo") -> str:
    """The repository's address as the record has it. `operator`: may use paths of the machine."""
    if len(repo) > _LONGEST:
        raise invalid(pointer, f"The address may have {_LONGEST} characters.")
    if _SHORT.fullmatch(repo):
        return f"{git_host.rstrip('/')}/{_named(repo, pointer)}.git"
    problem = repository_problem(repo, operator=operator)
    if problem is None and not operator and _is_inside(repo):
        problem = "names a host inside the platform's own network"
    if problem:
        raise invalid(pointer, f"The repository {problem}.")
    return repo


def _named(short: str, pointer: str) -> str:
    name = short.partition("/")[2].removesuffix(".git")
    if name in ("", ".", ".."):
        raise invalid(pointer, "The repository must be named as owner/name.")
    return short.removesuffix(".git")


def _is_inside(repo: str) -> bool:
    """Addresses that can be told by their look; who connects judges again what a name resolves to."""
    host = urlsplit(repo).hostname if "://" in repo else repo.partition("@")[2].partition(":")[0]
    host = (host or "").rstrip(".").lower()
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        # Old forms of addresses (2130706433, 0x7f.1) are resolved as such by some libraries.
        return host.rpartition(".")[2] in _LOCAL_NAMES or not re.search(r"[a-z]", host) or host.startswith("0x")


def check_branch(branch: str | None, pointer: str = "/branch") -> str:
    if branch is None:
        return ""
    problem = ref_problem(branch)
    if problem:
        raise invalid(pointer, f"The branch {problem}.")
    return branch


def connect(repository: str, branch: str, user_id: str) -> dict[str, Any]:
    """Pushes of before are forgotten: connecting deploys nothing by itself."""
    notes = {ANNOTATION_FOLLOW: "true", ANNOTATION_PUSH: "", annotations.CONNECTED_BY: user_id}
    return {
        "metadata": {"annotations": notes},
        "spec": {"source": {"repository": repository, "branch": branch}},
    }


def disconnect() -> dict[str, Any]:
    return {
        "metadata": {"annotations": {ANNOTATION_FOLLOW: "false"}},
        "spec": {"source": {"repository": "", "branch": ""}},
    }


def new_webhook_secret(project: Project, value: str) -> Secret:
    return Secret(
        metadata=Metadata(
            name=webhook_secret(project.name),
            namespace=project.namespace,
            labels=labels_for(project.name),
            owner_references=[project.owner_reference()],
        ),
        data=Secret.encode({ENTRY: value}),
    )
