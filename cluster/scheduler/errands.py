"""Gives builds and looks into repositories to nodes."""

from collections import Counter
from collections.abc import Iterable

from cluster.scheduler.assignment import finished, least_busy, next_build, wants_node
from cluster.scheduler.liveness import Liveness
from cluster.scheduler.view import View
from crds.client.client import Client
from crds.client.errors import NotFound


class Errands:
    """Level-triggered like everything here: each call looks at what there is and makes at most one write."""

    def __init__(self, client: Client, view: View, liveness: Liveness):
        self._client = client
        self._view = view
        self._liveness = liveness

    async def assign_build(self, namespace: str) -> None:
        """The account's next build, when none of it is in work."""
        builds = self._view.builds.list(namespace)
        chosen = next_build(builds, self._lost(build.status.node for build in builds))
        if chosen is None:
            return
        everywhere = (build.status.node for build in self._view.builds.list() if not finished(build))
        node = least_busy(self._load(everywhere))
        if node is None:
            return
        status = {"node": node} | ({"phase": "pending"} if chosen.again else {})
        try:
            self._view.builds.upsert(await self._client.patch_status(chosen.build, status))
        except NotFound:
            return

    async def assign_gitref(self, namespace: str, name: str) -> None:
        gitref = self._view.gitrefs.get(namespace, name)
        if gitref is None or not wants_node(gitref, self._lost([gitref.status.node])):
            return
        node = least_busy(self._load(other.status.node for other in self._view.gitrefs.list()))
        if node is None:
            return
        try:
            self._view.gitrefs.upsert(await self._client.patch_status(gitref, {"node": node}))
        except NotFound:
            return

    def _load(self, held: Iterable[str | None]) -> dict[str, int]:
        """How many of these each node holds that may be given more."""
        counts = Counter(held)
        silent = [node.name for node in self._view.nodes.list() if not self._liveness.alive(node.name)]
        return {room.name: counts[room.name] for room in self._view.rooms(silent) if not room.excluded}

    def _lost(self, nodes: Iterable[str | None]) -> set[str]:
        return {node for node in nodes if node and self._liveness.lost(node)}
