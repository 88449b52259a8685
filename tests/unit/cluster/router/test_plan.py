"""From records to what is served."""

import pytest

from cluster.router.plan import Serving, calls, instance_of, server_name, wanted_table
from cluster.router.table import Server
from crds.models.instance import Instance
from crds.models.route import Route
from crds.models.workload import Workload
from tests.unit.cluster.router.records import NAMESPACE, instance, route, serving, workload

KEY = (NAMESPACE, "shop")


def served(*items: Route | Workload | Instance) -> Serving:
    return serving(*items)[KEY]


def test_the_ready_instances_of_the_routes_workload_serve() -> None:
    one, two = instance("new", 1), instance("new", 2)
    result = served(route(), workload("new"), one, two, instance("old", 3))
    assert result.workload == "new"
    assert sorted(result.servers.values()) == ["127.0.0.1:20001", "127.0.0.1:20002"]
    assert {instance_of(name) for name in result.servers} == {one.name, two.name}


@pytest.mark.parametrize(
    "unfit",
    [
        instance("new", 1, ready=False),
        instance("new", 1, deleting=True),
        instance("new", 1, address=None),
        instance("new", 1, phase="lost"),
        instance("new", 1, address="127.0.0.1:80 check;show info"),
        instance("n" * 130, 1),
    ],
)
def test_what_cannot_answer_gets_no_requests(unfit: Instance) -> None:
    assert served(route(workload=unfit.spec.workload), unfit).servers == {}


def test_the_old_one_serves_until_one_of_the_new_is_ready() -> None:
    switch = route(workload="new", served_by="old")
    both = (switch, workload("new"), workload("old"), instance("old", 1))
    before = served(*both, instance("new", 2, ready=False))
    assert (before.workload, before.waiting_for) == ("old", "new")
    assert list(before.servers.values()) == ["127.0.0.1:20001"]
    after = served(*both, instance("new", 2), instance("new", 3))
    assert (after.workload, after.waiting_for, len(after.servers)) == ("new", None, 2)


@pytest.mark.parametrize("there", [(workload("new", replicas=0), workload("old")), (workload("new"),)])
def test_nothing_is_waited_for_when_nothing_is_lost_by_the_switch(there: tuple[Workload, ...]) -> None:
    assert served(route(served_by="old"), *there, instance("old", 1)).workload == "new"


def test_one_that_was_switched_to_stays_although_nothing_of_it_is_ready() -> None:
    result = served(route(served_by="new"), workload("new"), workload("old"), instance("old", 1))
    assert (result.workload, result.servers) == ("new", {})


def test_a_route_without_a_release_has_its_hostname() -> None:
    result = served(route(workload=""))
    assert (result.hosts, result.workload, result.servers) == (("shop--main.localhost",), None, {})


def test_a_hostname_belongs_to_the_oldest_route() -> None:
    result = serving(route("a", ("x.example",)), route("b", ("x.example", "y.example"), age=60))
    assert result[NAMESPACE, "b"].hosts == ("x.example", "y.example")
    assert result[NAMESPACE, "a"].hosts == ()
    assert "another project" in result[NAMESPACE, "a"].refused["x.example"]


def test_of_two_of_one_second_the_one_that_has_it_keeps_it() -> None:
    both = (route("b", ("x.example",)), route("a", ("x.example",)))
    for holder in ("a", "b"):
        result = serving(*both, holders={"x.example": (NAMESPACE, holder)})
        assert result[NAMESPACE, holder].hosts == ("x.example",)


def test_a_claim_that_is_refused_takes_nothing_from_whom_it_belongs_to() -> None:
    thief = route("thief", ("shop--main.localhost",), namespace="acc-evil", age=60)
    assert serving(route(), thief)[KEY].hosts == ("shop--main.localhost",)


@pytest.mark.parametrize(
    "name", ["shop--other.localhost", "localhost.localhost", "other.localhost", "A.example", "a b", "x.localhost\n"]
)
def test_hostnames_that_are_not_the_accounts_are_refused(name: str) -> None:
    result = served(route(hosts=(name, "good.example")))
    assert result.hosts == ("good.example",)
    assert list(result.refused) == [name]


def test_names_of_the_account_under_the_base_domain_are_good() -> None:
    hosts = ("shop--main.localhost", "pr-7--shop--main.localhost", "0a1b2c3d--shop--main.localhost")
    assert served(route(hosts=hosts)).hosts == hosts


def test_the_table() -> None:
    one = instance("new", 1)
    name = server_name(one, "127.0.0.1:20001")
    table = wanted_table({KEY: served(route(), one)}, {KEY: "s00004"}, {})
    assert table.hosts == {"shop--main.localhost": "s00004"}
    assert table.servers == {("s00004", name): Server("127.0.0.1:20001")}


def test_an_instance_at_another_address_is_another_server() -> None:
    assert server_name(instance("a", 1), "127.0.0.1:1") != server_name(instance("a", 1), "127.0.0.1:2")


def test_who_lists_a_sibling_calls_it_by_its_address_and_only_those_of_its_account() -> None:
    caller = instance("caller-web-1", address="198.18.1.5:8080")
    found = calls([caller], ["shop", "gone"])
    assert found == {
        "198.18.1.5/S/shop.internal": (caller.namespace, "shop"),
        "198.18.1.5/S/gone.internal": (caller.namespace, "gone"),
    }
    key = (caller.namespace, "shop")
    table = wanted_table({key: served(route(), instance("x-1"))}, {key: "s00004"}, found)
    assert table.hosts["198.18.1.5/S/shop.internal"] == "s00004"
    assert "198.18.1.5/S/gone.internal" not in table.hosts
