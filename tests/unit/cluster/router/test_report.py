"""What is said on a Route."""

from dataclasses import replace
from datetime import timedelta

from cluster.router.plan import Serving
from cluster.router.report import route_status
from crds.models.route import RouteStatus
from tests.unit.cluster.router.records import EPOCH, route

HOSTS = ("shop--main.localhost",)
GOOD = Serving(HOSTS, "new", {"new-1.ab": "127.0.0.1:1"}, generation=2)


def test_a_route_that_is_served_and_says_so_is_left_alone() -> None:
    record = route()
    status = route_status(record, GOOD, EPOCH)
    assert status is not None
    assert (status["servedBy"], status["observedGeneration"]) == ("new", 2)
    assert status["conditions"][0]["status"] == "True"
    record.status = RouteStatus.model_validate(status)
    assert route_status(record, GOOD, EPOCH + timedelta(hours=1)) is None
    assert route_status(record, replace(GOOD, generation=3), EPOCH) is not None


def test_one_that_refuses_some_requests_is_ready_and_says_why() -> None:
    status = route_status(route(), replace(GOOD, crowded="It is full."), EPOCH)
    assert status is not None
    (ready,) = status["conditions"]
    assert (ready["status"], ready["reason"], ready["message"]) == ("True", "Crowded", "It is full.")


def test_why_it_is_not_ready() -> None:
    cases = {
        "WaitingForInstance": Serving(HOSTS, "old", {"old-1.ab": "127.0.0.1:1"}, waiting_for="new"),
        "NothingReleased": Serving(HOSTS, None, {}),
        "NoReadyInstance": Serving(HOSTS, "new", {}),
        "HostnameRefused": Serving((), "new", {"a-1.b": "127.0.0.1:1"}, refused={"x": "x is not yours."}),
    }
    for reason, serving in cases.items():
        status = route_status(route(), serving, EPOCH)
        assert status is not None
        assert (status["conditions"][0]["status"], status["conditions"][0]["reason"]) == ("False", reason)
        assert status["servedBy"] == serving.workload
