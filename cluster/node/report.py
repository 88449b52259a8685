"""An instance's status, as its supervisor sees it."""

from datetime import UTC, datetime
from typing import Any

from cluster.node.folder import RunState
from cluster.node.reporter import Reporter
from cluster.node.restart import Cause
from cluster.node.services import Services
from crds.conditions import READY, with_condition
from crds.models.instance import Instance


class InstanceReport:
    """Wishes made before the record was seen are kept until it is."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._reporter: Reporter[Instance] | None = None
        self._early: dict[str, Any] = {}
        self._record: Instance | None = None
        self._strain: Cause | None = None
        self._ready = False

    def see(self, record: Instance | None) -> None:
        self._record = record
        if record is not None and self._reporter is None:
            self._reporter = Reporter(self._services.client, self._services.instances, record)
            if self._early:
                self._say(**self._early)

    def starting(self, state: RunState) -> None:
        self._say(phase="starting", ready=False, address=state.address, startedAt=state.started_at, **_count(state))

    def ready(self, state: RunState) -> None:
        told = {"address": state.address, "startedAt": state.started_at, **_count(state)}
        self._say(phase="running", ready=True, **_said(self._strain), **told)

    def strained(self, cause: Cause | None) -> None:
        """What it is held back for, as long as it is ready; else there is something worse to say."""
        if cause == self._strain:
            return
        self._strain = cause
        if self._ready:
            self._say(phase="running", ready=True, **_said(cause))

    def unhealthy(self, reason: str, message: str) -> None:
        self._say(phase="starting", ready=False, reason=reason, message=message)

    def crashed(self, code: int | None, reason: str, message: str, restarts: int) -> None:
        told = {"reason": reason, "message": message[:1000], "exitCode": code}
        self._say(phase="crashed", ready=False, restarts=restarts, **told)

    def stopping(self) -> None:
        self._say(phase="stopping", ready=False)

    def _say(self, **status: Any) -> None:
        self._ready = bool(status["ready"])
        if self._reporter is None or self._record is None:
            self._early |= status
            return
        ready = bool(status["ready"])
        conditions = with_condition(
            self._record.status.conditions,
            READY,
            "True" if ready else "False",
            reason=status.get("reason") or ("Running" if ready else str(status["phase"]).capitalize()),
            message=status.get("message") or "",
            now=datetime.now(UTC),
            generation=self._record.metadata.generation,
        )
        wire = [condition.wire() for condition in conditions]
        self._reporter.wish(conditions=wire, observedGeneration=self._record.metadata.generation, **status)

    async def close(self) -> None:
        if self._reporter:
            await self._reporter.close()


def _said(cause: Cause | None) -> dict[str, str | None]:
    return {"reason": cause.reason if cause else None, "message": cause.message if cause else None}


def _count(state: RunState) -> dict[str, int]:
    return {"restarts": state.restarts}
