"""Every kind of Setpoint on a real API server: accepted, structural, and served."""

import pytest

from crds.kinds import KINDS, Kind
from crds.models.core import CustomResourceDefinition
from crds.models.record import GROUP
from tests.contract.apiserver.client import Api, eventually

pytestmark = pytest.mark.cluster


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.model.resource.kind)
def test_a_kind_is_accepted_as_it_is(api: Api, kind: Kind) -> None:
    resource = kind.model.resource
    path = CustomResourceDefinition.resource.path(None, f"{resource.plural}.{GROUP}")

    def established() -> dict[str, str] | None:
        conditions = api.get(path).get("status", {}).get("conditions", [])
        found = {condition["type"]: condition["status"] for condition in conditions}
        return found if found.get("Established") == "True" else None

    # NonStructuralSchema among them would say that unknown fields are kept and defaults are not set.
    assert eventually(established) == {"NamesAccepted": "True", "Established": "True"}
    served = resource.path(api.namespace if resource.namespaced else None)
    # 429 while a new kind's storage is being made.
    assert eventually(lambda: api.request("GET", served).status_code == 200)
    assert api.get(served)["items"] == []
