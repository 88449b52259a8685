"""Manifests in whatever order they come: what is named and not there yet is waited for."""

import json
from pathlib import Path
from typing import Any

import httpx

from tests.system.platform import Platform, eventually
from tests.system.repositories import commit, version

ACCOUNT = "acc-main"


def record(kind: str, name: str, spec: dict[str, Any]) -> str:
    metadata = {"name": name, "namespace": ACCOUNT}
    return json.dumps({"apiVersion": "setpoint.dev/v1", "kind": kind, "metadata": metadata, "spec": spec})


def deploy_of(running: Platform, name: str) -> dict[str, Any]:
    return dict(json.loads(running.kubectl("-n", ACCOUNT, "get", "deploys.setpoint.dev", name, "-o", "json"))["status"])


def test_a_deploy_waits_for_its_project(shared: Platform, api: httpx.Client, tmp_path: Path) -> None:
    head = commit(tmp_path / "repository", version("late"))
    shared.kubectl("apply", "-f", "-", given=record("Deploy", "early", {"project": "late"}))
    ready = eventually(lambda: deploy_of(shared, "early")["conditions"][0])
    assert (ready["status"], ready["reason"]) == ("False", "ProjectNotFound")
    assert ready["message"] == "There is no project late in this account yet: this is deployed when it is made."
    assert deploy_of(shared, "early")["phase"] == "queued"
    source = {"repository": str(tmp_path / "repository"), "branch": "main"}
    shared.kubectl("apply", "-f", "-", given=record("Project", "late", {"source": source}))
    eventually(lambda: deploy_of(shared, "early")["phase"] in ("live", "superseded"), 60)
    eventually(lambda: shared.get("late").text.strip() == "late", 60)
    assert deploy_of(shared, "early")["commit"] == head
