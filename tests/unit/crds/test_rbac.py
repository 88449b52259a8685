"""Roles: what each part and each kind of person may do, and the files that say so."""

from controller.table import WATCHED
from crds.kinds import KINDS
from crds.models.rbac import PolicyRule
from crds.rbac import FOLDER, account_bindings, digest, files
from crds.roles import IN_ACCOUNTS, IN_SYSTEM, PARTS, PEOPLE, ROLES, WRITE

PLATFORMS_ALONE = {"builds", "workloads", "routes", "instances", "gitrefs", "hostclaims", "computenodes"}


def writable(rules: list[PolicyRule]) -> set[str]:
    return {resource for rule in rules for resource in rule.resources if set(WRITE) & set(rule.verbs)}


def test_the_files_are_what_the_roles_say() -> None:
    on_disk = {path.name: path.read_text() for path in FOLDER.glob("*.yaml")}
    assert on_disk == files(), "run `make crds`"


def test_what_is_the_platforms_alone_is_not_peoples() -> None:
    assert {kind.model.resource.plural for kind in KINDS} >= PLATFORMS_ALONE
    assert not writable(PEOPLE["viewer"])
    assert not writable(PEOPLE["editor"]) & PLATFORMS_ALONE
    assert writable(PEOPLE["operator"]) & PLATFORMS_ALONE == {"computenodes"}
    assert not any(resource.endswith("/status") for rules in PEOPLE.values() for resource in writable(rules))


def test_secrets_are_read_by_name_and_in_account_namespaces_alone() -> None:
    everywhere = [rule for rules in (*ROLES.values(), *PEOPLE.values(), *IN_SYSTEM.values()) for rule in rules]
    assert not any("secrets" in rule.resources for rule in everywhere)
    assert not any("*" in rule.resources and "" in rule.api_groups for rule in everywhere)
    assert set(IN_ACCOUNTS) == {"controller", "api", "node"}
    assert not any({"list", "watch", "*"} & set(rule.verbs) for rules in IN_ACCOUNTS.values() for rule in rules)


def test_nobody_of_the_platform_may_do_anything_to_everything() -> None:
    rules = [rule for scope in (ROLES, IN_ACCOUNTS, IN_SYSTEM, PEOPLE) for rules in scope.values() for rule in rules]
    assert not any("*" in rule.api_groups or "*" in rule.verbs for rule in rules)
    assert set(ROLES) == set(PARTS)
    assert not any("*" in rule.resources for rules in ROLES.values() for rule in rules)


def test_parts_change_our_records_by_patches_alone() -> None:
    """Merge patches and applies are `patch`; what is replaced as a whole is a leader's Lease."""
    assert not any("update" in rule.verbs for rules in ROLES.values() for rule in rules)


def test_the_loop_may_read_what_it_watches() -> None:
    readable = {each for rule in ROLES["controller"] if {"list", "watch"} <= set(rule.verbs) for each in rule.resources}
    assert {model.resource.plural for model in WATCHED} <= readable


def test_bindings_of_one_namespace_are_told_from_those_of_another() -> None:
    assert digest(account_bindings("acc-a")) == digest(account_bindings("acc-a"))
    assert digest(account_bindings("acc-a")) != digest(account_bindings("acc-b"))
