"""What is said on a node that is lost, and when it is back."""

from datetime import timedelta

import pytest

from cluster.scheduler.nodes import node_status
from crds.models.computenode import ComputeNode, ComputeNodeStatus
from crds.models.record import Condition, Metadata
from tests.unit.cluster.scheduler.records import EPOCH


def node(status: str, reason: str) -> ComputeNode:
    ready = Condition(type="Ready", status=status, reason=reason, last_transition_time=EPOCH)
    return ComputeNode(metadata=Metadata(name="a"), status=ComputeNodeStatus(conditions=[ready]))


def test_lost_and_back() -> None:
    lost = node_status(node("True", "Running"), lost=True, alive=False, now=EPOCH + timedelta(hours=1))
    assert lost is not None
    assert (lost["phase"], lost["conditions"][0]["status"]) == ("notReady", "Unknown")
    back = node_status(node("Unknown", "NodeLost"), lost=False, alive=True, now=EPOCH)
    assert back is not None
    assert (back["phase"], back["conditions"][0]["status"]) == ("ready", "True")


@pytest.mark.parametrize(
    ("status", "reason", "lost"),
    [("True", "Running", False), ("False", "SandboxRefused", True), ("Unknown", "NodeLost", True)],
)
def test_nothing_else_is_touched(status: str, reason: str, lost: bool) -> None:
    assert node_status(node(status, reason), lost=lost, alive=not lost, now=EPOCH) is None
