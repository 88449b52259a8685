"""A real API server takes of each kind what ours takes, and refuses what ours refuses."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cluster.apiserver.cel.rules import ABSENT, check_rules
from cluster.apiserver.schema.compile import compile_schema
from cluster.apiserver.schema.validate import validate
from crds.kinds import KINDS, Kind
from tests.contract.apiserver.client import Api, eventually
from tests.unit.crds.objects import schema_of, specs
from tests.unit.crds.test_agreement import normalized

pytestmark = pytest.mark.cluster


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.model.resource.kind)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_both_servers_take_the_same(api: Api, kind: Kind, data: st.DataObject) -> None:
    resource = kind.model.resource
    place = resource.path(api.namespace if resource.namespaced else None)
    node = compile_schema(schema_of(kind.model))
    sent: dict[str, Any] = data.draw(specs(kind.model))
    obj = normalized(sent, node)
    errors = [*validate(obj, node), *check_rules(obj, ABSENT, node)]
    body = {"apiVersion": resource.api_version, "kind": resource.kind, "metadata": {"name": "drawn"}, **sent}
    # 429 while a new kind's storage is being made.
    eventually(lambda: api.request("GET", place).status_code == 200)
    answer = api.request("POST", place, body, dryRun="All")
    assert answer.status_code == (422 if errors else 201), (sent, [error.text() for error in errors], answer.text)
