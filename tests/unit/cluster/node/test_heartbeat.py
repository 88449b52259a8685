"""What a node says of its limits."""

from dataclasses import replace
from pathlib import Path

import pytest

from cluster.fabric.client import Description
from cluster.limits.group import Groups, NoGroups
from cluster.limits.version2 import Version2Groups
from cluster.node.config import NodeConfig
from cluster.node.heartbeat import Findings, node_status
from cluster.sandbox.check import Walls
from cluster.sandbox.machine import this_machine
from cluster.sandbox.view import Machine
from crds.models.computenode import ComputeNode
from crds.models.record import Metadata

FOLDER = Path("/nowhere")
REFUSED = NoGroups("the one that it runs in lacks cpu", "setpoint service install --data-dir /srv/x")
COUNTING = replace(this_machine(), prlimit=FOLDER)
UNCOUNTED = replace(COUNTING, prlimit=None)
CONFIG = NodeConfig("node-1", FOLDER, FOLDER, FOLDER, FOLDER, FOLDER, 1.0, 1, FOLDER)


@pytest.mark.parametrize(
    ("groups", "machine", "limits", "status", "reason", "said"),
    [
        (Version2Groups(FOLDER, "x+"), COUNTING, "full", "True", "Full", ""),
        (REFUSED, COUNTING, "partial", "False", "Partial", "Processes are counted, memory"),
        (REFUSED, UNCOUNTED, "none", "False", "None", "Processes are not counted, memory"),
    ],
)
def test_limits_say_why_and_what_mends_them(
    groups: Groups, machine: Machine, limits: str, status: str, reason: str, said: str
) -> None:
    found = Findings(Walls("bubblewrap"), machine, Description("fabric", "x", "", ""), groups, "https://127.0.0.1:1")
    told = node_status(ComputeNode(metadata=Metadata(name="node-1")), CONFIG, found)
    condition = next(each for each in told["conditions"] if each["type"] == "Limits")
    assert (told["limits"], condition["status"], condition["reason"]) == (limits, status, reason)
    message = condition.get("message", "")
    assert message.startswith(said)
    assert ("the one that it runs in lacks cpu" in message) == bool(said)
    assert message.endswith("Allow it with: setpoint service install --data-dir /srv/x") == bool(said)
    ready = next(each for each in told["conditions"] if each["type"] == "Ready")
    assert ready["status"] == "True", "a node without them works"


def test_a_node_may_promise_more_cpu_than_it_has() -> None:
    found = Findings(Walls("bubblewrap"), COUNTING, Description("fabric", "x", "", ""), REFUSED, "https://127.0.0.1:1")
    record = ComputeNode(metadata=Metadata(name="node-1"))
    for config, promised in ((CONFIG, 1.0), (replace(CONFIG, promised_cpu=20 / 3), 6.667)):
        told = node_status(record, config, found)
        assert (told["capacity"]["cpu"], told["allocatable"]["cpu"]) == (1.0, promised)
