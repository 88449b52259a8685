"""Names, labels, identifiers and hostnames: how each is made, and what is refused."""

import base64
import binascii
import hashlib
import re
import uuid
from functools import lru_cache

from crds.models.record import GROUP, Record

LABEL_PROJECT = f"{GROUP}/project"
LABEL_DEPLOY = f"{GROUP}/deploy"
LABEL_PROCESS = f"{GROUP}/process"
LABEL_WORKLOAD = f"{GROUP}/workload"
LABEL_NODE = f"{GROUP}/node"

ANNOTATION_REQUEST = f"{GROUP}/request-id"
# On the Secret `<project>-env`: the names whose values are masked when read (a JSON list).
ANNOTATION_SECRET_NAMES = f"{GROUP}/secret-names"
# On a Deploy: the generation of its project that whoever asked for it saw.
ANNOTATION_PROJECT_GENERATION = f"{GROUP}/project-generation"
# On a Project: somebody said that its branch moved; the value differs for each such word.
ANNOTATION_PUSH = f"{GROUP}/push"
# On a Project: deploys are made for each push (a webhook is connected), whatever the deploy policy.
ANNOTATION_FOLLOW = f"{GROUP}/follow"
# On the Secret `<project>-webhook`: when the last good delivery came, and the error of the last bad one.
ANNOTATION_LAST_DELIVERY = f"{GROUP}/last-delivery-at"
ANNOTATION_LAST_ERROR = f"{GROUP}/last-error"

# Finalizers of an Instance: traffic leaves first, then the process ends.
FINALIZER_ROUTER = f"{GROUP}/router"
FINALIZER_NODE = f"{GROUP}/node"
FINALIZER_CONTROLLER = f"{GROUP}/controller"

SYSTEM_NAMESPACE = "setpoint-system"
ACCOUNT_NAMESPACE_PREFIX = "acc-"

_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?")
PROJECT_NAME_LENGTH = 30
HANDLE_LENGTH = 20
RESERVED = frozenset(
    # ruff: noqa: SIM905 (a list of words reads best as words)
    (
        "www api admin setpoint app apps console dashboard status mail smtp ftp ns ns1 ns2 root system internal "
        "localhost local auth login sso cdn git webhook webhooks kubernetes kube"
    ).split()
)


def name_problem(name: str, longest: int) -> str | None:
    """Why this cannot name a project or an account, as a sentence; None when it can (reserved ones apart)."""
    if not 1 <= len(name) <= longest:
        return f"must have 1 to {longest} characters"
    if not _LABEL.fullmatch(name):
        return "must be lower-case letters, digits and single hyphens, and begin and end with a letter or digit"
    if "--" in name:
        return "must not contain two hyphens in a row"
    return None


def account_namespace(handle: str) -> str:
    return ACCOUNT_NAMESPACE_PREFIX + handle


def handle_of(namespace: str) -> str:
    return namespace.removeprefix(ACCOUNT_NAMESPACE_PREFIX)


def env_secret(project: str) -> str:
    return f"{project}-env"


def webhook_secret(project: str) -> str:
    return f"{project}-webhook"


def snapshot_secret(deploy: str) -> str:
    return f"{deploy}-env"


def scaling_name(project: str, process: str) -> str:
    return f"{project}-{process}"


def workload_name(deploy: str, process: str) -> str:
    return f"{deploy}-{process}"


def head_gitref(project: str) -> str:
    return f"{project}-head"


def deploy_name(project: str, token: str) -> str:
    """A deploy's name from what makes it one of a kind (an idempotency key, a commit, a random token)."""
    digest = hashlib.sha256(token.encode()).digest()
    return f"{project}-{base64.b32encode(digest).decode().lower()[:10]}"


def host_claim_name(hostname: str) -> str:
    return hashlib.sha256(hostname.encode()).hexdigest()[:40]


def project_host(project: str, handle: str, base_domain: str) -> str:
    """The one label under which a project is served, and the base domain (without a port)."""
    return f"{project}--{handle}.{base_domain}"


# Pure, and asked for the same few again and again: a quarter of a GET was spent in them.
@lru_cache(maxsize=8192)
def record_id(prefix: str, uid: str) -> str:
    """`prj_` and the record's uid as 26 lower-case base32 characters. A uid that is no UUID is hashed to one."""
    try:
        raw = uuid.UUID(uid).bytes
    except ValueError:
        raw = hashlib.sha256(uid.encode()).digest()[:16]
    return f"{prefix}_{base64.b32encode(raw).decode().lower().rstrip('=')}"


@lru_cache(maxsize=8192)
def uid_of(prefix: str, id_: str) -> str | None:
    """The uid that an id names, or None when it is malformed."""
    head, _, rest = id_.partition("_")
    if head != prefix or len(rest) != 26 or rest != rest.lower():
        return None
    try:
        return str(uuid.UUID(bytes=base64.b32decode(rest.upper() + "======")))
    except (binascii.Error, ValueError):
        return None


def labels_for(project: str, deploy: str = "", process: str = "", workload: str = "") -> dict[str, str]:
    pairs = {
        LABEL_PROJECT: project,
        LABEL_DEPLOY: deploy,
        LABEL_PROCESS: process,
        LABEL_WORKLOAD: workload,
    }
    return {key: value for key, value in pairs.items() if value}


def label(record: Record, key: str) -> str:
    return record.metadata.labels.get(key, "")
