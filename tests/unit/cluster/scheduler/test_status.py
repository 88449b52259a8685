"""What a workload says of its instances."""

from datetime import timedelta

import pytest

from cluster.scheduler.status import trouble_of, workload_status
from crds.conditions import find
from crds.merge import merge_patch
from tests.unit.cluster.scheduler.records import EPOCH, instance, workload


def test_counts_and_conditions() -> None:
    there = [instance(1, phase="running", ready=True), instance(2, phase="starting")]
    status = workload_status(workload(3), there, "no room", (), EPOCH)
    assert (status.desired, status.scheduled, status.running, status.ready) == (3, 2, 1, 1)
    assert status.observed_generation == 3
    ready, schedulable = find(status.conditions, "Ready"), find(status.conditions, "Schedulable")
    assert ready is not None
    assert schedulable is not None
    assert (ready.status, ready.message) == ("False", "1 of 3 instances are ready")
    assert (schedulable.status, schedulable.message) == ("False", "no room")


def test_a_second_look_changes_nothing() -> None:
    record = workload(1)
    record.status = workload_status(record, [instance(1, ready=True)], "", (), EPOCH)
    again = workload_status(record, [instance(1, ready=True)], "", (), EPOCH + timedelta(hours=1))
    assert merge_patch(record.status.wire(), again.wire()) == {}


def test_trouble_names_the_worst() -> None:
    there = [
        instance(1, phase="crashed", reason="Exited", message="exit code 1"),
        instance(2, phase="crashed", reason="CrashLoop", message="x" * 1000),
        instance(0, phase="running", ready=True, reason="GivesWay", message="It computes all the time."),
        instance(3, phase="running", ready=True),
    ]
    trouble = trouble_of(there, ())
    assert trouble is not None
    assert (trouble.instance, trouble.final, len(trouble.message)) == ("shop-1-web-2", True, 1000)
    unready = trouble_of([there[0], there[2]], ())
    assert unready is not None
    assert unready.reason == "Exited", "what keeps one from being ready comes before what one is held back for"
    held_back = trouble_of(there[2:], ())
    assert held_back is not None
    assert (held_back.reason, held_back.final) == ("GivesWay", False)
    assert trouble_of(there[3:], ()) is None


def test_a_lost_node_is_a_trouble() -> None:
    trouble = trouble_of([instance(1, ready=True)], {"node-1"})
    assert trouble is not None
    assert (trouble.reason, trouble.final) == ("NodeLost", False)


@pytest.mark.parametrize("field", ["trouble", "conditions"])
def test_what_is_gone_is_removed_with_null(field: str) -> None:
    assert merge_patch({field: {"reason": "x"}}, {}) == {field: None}
