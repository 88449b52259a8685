"""Times as log lines carry them: microseconds, and never twice the same or backwards on one node, so that a time
alone names a line and a reader can go on from there."""

import time
from datetime import UTC, datetime


class Stamps:
    """One for the whole agent."""

    def __init__(self) -> None:
        self._last = 0

    def next(self) -> str:
        self._last = max(self._last + 1, time.time_ns() // 1000)
        return iso_micro(self._last)

    def not_before(self, stamp: str) -> None:
        """A line of an earlier agent carries this; the clock may have been set back since."""
        try:
            then = datetime.fromisoformat(stamp)
        except ValueError:
            return
        self._last = max(self._last, int(then.timestamp() * 1_000_000) + 1)


def iso_micro(micros: int) -> str:
    seconds, rest = divmod(micros, 1_000_000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{rest:06d}Z"


def iso_now() -> str:
    return iso_micro(time.time_ns() // 1000)
