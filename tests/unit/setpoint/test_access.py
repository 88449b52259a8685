"""Tokens, kubeconfigs and rules: what each part may do comes from the contract."""

import hashlib
import json
from pathlib import Path

import yaml

from crds.kinds import KINDS
from crds.roles import PEOPLE, ROLES
from setpoint.access import ensure_access
from setpoint.installation import Installation

PLATFORMS_ALONE = {"builds", "workloads", "routes", "instances", "gitrefs", "hostclaims", "computenodes"}


def test_a_token_for_each_part_made_once(tmp_path: Path) -> None:
    installation = Installation(tmp_path / "data")
    installation.prepare()
    ensure_access(installation, ["api", "node-1"], 1234, "main")
    first = json.loads(installation.access_file.read_text())
    config = yaml.safe_load(installation.kubeconfig("api").read_text())
    token = config["users"][0]["user"]["token"]
    assert token not in installation.access_file.read_text()
    known = first["tokens"][hashlib.sha256(token.encode()).hexdigest()]
    assert known == {"user": "setpoint:api", "groups": ["setpoint:api"]}
    assert any(identity["groups"] == ["setpoint:node"] for identity in first["tokens"].values())
    ensure_access(installation, ["api", "node-1"], 4321, "main")
    moved = yaml.safe_load(installation.kubeconfig("api").read_text())
    assert moved["clusters"][0]["cluster"]["server"].endswith(":4321")
    assert moved["users"] == config["users"]
    assert moved["contexts"][0]["context"]["namespace"] == "acc-main"


def test_what_is_the_platforms_alone_is_not_peoples() -> None:
    plurals = {kind.model.resource.plural for kind in KINDS}
    assert plurals >= PLATFORMS_ALONE
    writable = {
        resource
        for rule in PEOPLE
        for resource in rule.resources
        if {"create", "update", "patch", "delete"} & set(rule.verbs)
    }
    assert not writable & PLATFORMS_ALONE
    assert not any(resource.endswith("/status") for resource in writable)


def test_only_who_must_read_secrets_can() -> None:
    readers = {
        role
        for role, rules in ROLES.items()
        for rule in rules
        if "" in rule.groups and "secrets" in rule.resources and {"get", "list"} & set(rule.verbs)
    }
    assert readers == {"controller", "api", "node"}
    listers = {
        r for r, rules in ROLES.items() for rule in rules if "secrets" in rule.resources and "list" in rule.verbs
    }
    assert listers == set(), "Secrets are read by name, never all of them"
