"""Says on a ComputeNode that it is lost, and that it is back: its own agent cannot say the first."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from cluster.scheduler.liveness import Liveness
from cluster.scheduler.view import View
from crds.client.client import Client
from crds.client.errors import NotFound
from crds.conditions import READY, find, with_condition
from crds.models.computenode import ComputeNode

_REASON = "NodeLost"


class Nodes:
    """Touches only what it wrote itself: a node that says why it is not ready keeps its own word."""

    def __init__(self, client: Client, view: View, liveness: Liveness, now: Callable[[], datetime] | None = None):
        self._client = client
        self._view = view
        self._liveness = liveness
        self._now = now or (lambda: datetime.now(UTC))

    async def report(self, name: str) -> None:
        node = self._view.nodes.get(None, name)
        if node is None or node.deleting:
            return
        status = node_status(node, self._liveness.lost(name), self._liveness.alive(name), self._now())
        if status is None:
            return
        try:
            self._view.nodes.upsert(await self._client.patch_status(node, status))
        except NotFound:
            return


def node_status(node: ComputeNode, lost: bool, alive: bool, now: datetime) -> dict[str, Any] | None:
    """The status to merge; None when nothing is to be said."""
    ready = find(node.status.conditions, READY)
    if lost and ready is not None and ready.status == "True":
        message = "The node has stopped renewing its Lease: its agent is not running, or cannot reach the API server."
        return _status(node, "notReady", "Unknown", _REASON, message, now)
    if alive and ready is not None and ready.reason == _REASON:
        return _status(node, "ready", "True", "Reporting", "", now)
    return None


def _status(node: ComputeNode, phase: str, truth: Any, reason: str, message: str, now: datetime) -> dict[str, Any]:
    conditions = with_condition(
        node.status.conditions,
        READY,
        truth,
        reason=reason,
        message=message,
        now=now,
        generation=node.metadata.generation,
    )
    return {"phase": phase, "conditions": [condition.wire() for condition in conditions]}
