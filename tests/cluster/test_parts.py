"""What each part may do at a real API server: the same as at ours."""

import pytest

from crds.models.rbac import RoleBinding
from crds.rbac import account_bindings, applied
from tests.contract.apiserver.client import Api, eventually
from tests.contract.kubernetes.matrix import allowed, expected

pytestmark = pytest.mark.cluster


def test_a_part_may_do_what_its_roles_say_and_nothing_else(api: Api) -> None:
    for binding in account_bindings(api.namespace):
        body = applied(binding)
        path = RoleBinding.resource.path(api.namespace, binding.name)
        api.apply(path, body, "setpoint-tests")
    wanted = expected(api.namespace)
    # It hears of roles and bindings in its own time.
    eventually(lambda: allowed(api, api.namespace) == wanted)
