"""When the parts' tokens are to be renewed, and the process that does it."""

import os
import time
from dataclasses import dataclass, field

from setpoint.child import become
from setpoint.installation import Installation, read_json
from setpoint.settings import Settings

TOKENS = "tokens.json"
_PAUSE_SECONDS = 60.0


@dataclass
class Renewal:
    """`turn` is called every second or so; a renewal that fails is tried again a minute later."""

    settings: Settings
    installation: Installation
    inherited: list[int] = field(default_factory=list)
    _pid: int = 0
    _not_before: float = 0.0

    def turn(self) -> None:
        if self._pid:
            ended, _ = os.waitpid(self._pid, os.WNOHANG)
            self._pid = 0 if ended else self._pid
        elif time.monotonic() >= self._not_before and self._due():
            self._not_before = time.monotonic() + _PAUSE_SECONDS
            self._pid = self._fork()

    def _due(self) -> bool:
        """Half of their life is over."""
        known = read_json(self.installation.run / TOKENS)
        return known is not None and time.time() >= float(known["renewAt"])

    def _fork(self) -> int:
        from setpoint.bootstrap import renew

        pid = os.fork()
        if pid == 0:
            log = self.installation.run / "renewal.log"
            become("renewal", log, self.inherited, lambda: renew(self.settings, self.installation))
        return pid
