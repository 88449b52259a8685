"""What a reflector makes of each line of a watch."""

from typing import Any

import pytest

from crds.client.client import Client, parse_or_skip
from crds.client.errors import Gone
from crds.client.reflector import Reflector
from crds.client.store import Store
from crds.models.build import Build
from crds.models.scaling import Scaling


def scaling(version: str, **spec: Any) -> dict[str, Any]:
    meta = {"name": "shop-web", "namespace": "acc-main", "uid": "u1", "resourceVersion": version}
    return {"apiVersion": "setpoint.dev/v1", "kind": "Scaling", "metadata": meta, "spec": spec}


@pytest.fixture
def store() -> Store[Scaling]:
    return Store(Scaling)


@pytest.fixture
def reflector(store: Store[Scaling]) -> Reflector[Scaling]:
    # No request is made here: lines are given to it as the watch would.
    return Reflector(Client(None, "test"), store)  # type: ignore[arg-type]


def test_a_bookmark_moves_the_version_and_is_no_record(reflector: Reflector[Scaling], store: Store[Scaling]) -> None:
    """Kinds with a required spec cannot be made from one: this once ended every part each minute."""
    reflector._take({"type": "BOOKMARK", "object": {"kind": "Scaling", "metadata": {"resourceVersion": "70"}}})
    assert reflector._version == "70"
    assert len(store) == 0


def test_added_modified_deleted(reflector: Reflector[Scaling], store: Store[Scaling]) -> None:
    reflector._take({"type": "ADDED", "object": scaling("1", project="shop", instances=1)})
    reflector._take({"type": "MODIFIED", "object": scaling("2", project="shop", instances=3)})
    kept = store.get("acc-main", "shop-web")
    assert kept is not None
    assert kept.spec.instances == 3
    reflector._take({"type": "DELETED", "object": scaling("3", project="shop", instances=3)})
    assert len(store) == 0
    assert reflector._version == "3"


def test_gone_is_said(reflector: Reflector[Scaling]) -> None:
    with pytest.raises(Gone):
        reflector._take({"type": "ERROR", "object": {"kind": "Status", "code": 410, "reason": "Expired"}})


def test_a_record_of_another_version_is_left_alone(reflector: Reflector[Scaling], store: Store[Scaling]) -> None:
    reflector._take({"type": "ADDED", "object": scaling("4", project="shop", instances="many")})
    assert len(store) == 0
    assert reflector._version == "4"
    assert parse_or_skip(Build, {"metadata": {"name": "x"}}) is None
