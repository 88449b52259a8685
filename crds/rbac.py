"""The roles of `crds.roles` as objects of Kubernetes, and the files of `manifests/rbac` that hold them.

`python -m crds.rbac` writes those (`make crds`); a test fails when they differ from the roles."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from crds.models.rbac import ClusterRole, ClusterRoleBinding, Role, RoleBinding, RoleReference, ServiceAccount, Subject
from crds.models.record import Metadata, Record
from crds.names import SYSTEM_NAMESPACE
from crds.roles import IN_ACCOUNTS, IN_SYSTEM, PARTS, PEOPLE, ROLES, secrets_role

FOLDER = Path(__file__).parent.parent / "manifests" / "rbac"


def account_of(part: str) -> str:
    """The name of a part's ServiceAccount in the system namespace, and of its roles."""
    return f"setpoint-{part}"


def accounts() -> list[ServiceAccount]:
    return [ServiceAccount(metadata=_system(account_of(part))) for part in PARTS]


def cluster_roles() -> list[ClusterRole]:
    everywhere = [(account_of(part), rules) for part, rules in ROLES.items()]
    in_accounts = [(secrets_role(part), rules) for part, rules in IN_ACCOUNTS.items()]
    people = [(f"setpoint-{who}", rules) for who, rules in PEOPLE.items()]
    return [
        ClusterRole(metadata=Metadata(name=name), rules=rules) for name, rules in [*everywhere, *in_accounts, *people]
    ]


def system_roles() -> list[Role]:
    return [Role(metadata=_system(account_of(part)), rules=rules) for part, rules in IN_SYSTEM.items()]


def cluster_bindings() -> list[ClusterRoleBinding]:
    return [
        ClusterRoleBinding(
            metadata=Metadata(name=account_of(part)),
            role_ref=RoleReference(kind="ClusterRole", name=account_of(part)),
            subjects=[_subject(part)],
        )
        for part in ROLES
    ]


def system_bindings() -> list[RoleBinding]:
    return [
        RoleBinding(
            metadata=_system(account_of(part)),
            role_ref=RoleReference(kind="Role", name=account_of(part)),
            subjects=[_subject(part)],
        )
        for part in IN_SYSTEM
    ]


def account_bindings(namespace: str) -> list[RoleBinding]:
    """By which the parts reach the Secrets of one account."""
    return [
        RoleBinding(
            metadata=Metadata(name=secrets_role(part), namespace=namespace),
            role_ref=RoleReference(kind="ClusterRole", name=secrets_role(part)),
            subjects=[_subject(part)],
        )
        for part in IN_ACCOUNTS
    ]


def digest(bindings: Sequence[Record]) -> str:
    """Two of the same digest say the same."""
    told = json.dumps([binding.wire() for binding in bindings], sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def manifests() -> list[Record]:
    """All that an installation needs before its parts can act, in an order in which it can be applied."""
    return [*accounts(), *cluster_roles(), *system_roles(), *cluster_bindings(), *system_bindings()]


def applied(record: Record) -> dict[str, Any]:
    """As it is sent: without what the server alone says."""
    wire = record.wire()
    named = {name: value for name, value in wire["metadata"].items() if name in ("name", "namespace")}
    return {**wire, "metadata": named}


def files() -> dict[str, str]:
    """File name -> YAML."""
    groups: dict[str, list[Record]] = {
        "service-accounts": [*accounts()],
        "roles": [*cluster_roles(), *system_roles()],
        "bindings": [*cluster_bindings(), *system_bindings()],
    }
    found = {
        f"{name}.yaml": "---\n".join(yaml.safe_dump(applied(record), sort_keys=False, width=110) for record in records)
        for name, records in groups.items()
    }
    kustomization = {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": sorted(found),
    }
    return {**found, "kustomization.yaml": yaml.safe_dump(kustomization, sort_keys=False)}


def write() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in files().items():
        (FOLDER / name).write_text(text)


def _system(name: str) -> Metadata:
    return Metadata(name=name, namespace=SYSTEM_NAMESPACE)


def _subject(part: str) -> Subject:
    return Subject(kind="ServiceAccount", name=account_of(part), namespace=SYSTEM_NAMESPACE)


if __name__ == "__main__":
    write()
