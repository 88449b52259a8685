"""When a process that ended is started again, and what its end is called. Pure."""

import signal
from dataclasses import dataclass

from cluster.limits.sessions import MOST_SESSIONS

CRASH_LOOP = "CrashLoop"
EXITED = "Exited"
UNHEALTHY = "HealthCheckFailed"
STEADY_SECONDS = 60.0


@dataclass(frozen=True)
class Cause:
    """Why it was ended from outside, when that is known."""

    reason: str
    message: str


OUT_OF_MEMORY = Cause("OutOfMemory", "It used more memory than its size allows.")
TOO_MANY_SESSIONS = Cause(
    "TooManySessions",
    f"It computes all the time in more than {MOST_SESSIONS} sessions (setsid): here each has the share of one.",
)
_GIVE_UP_AFTER = 3
_PAUSES = (0.1, 0.3, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0)


def pause_before(crashes: int) -> float:
    """Seconds until it is started again after so many crashes in a row (1: the first)."""
    return _PAUSES[min(max(crashes, 1), len(_PAUSES)) - 1]


def reason_of(crashes: int, was_ready: bool) -> str:
    """CrashLoop once it crashed three times and was never ready: more waiting will not help."""
    return CRASH_LOOP if crashes >= _GIVE_UP_AFTER and not was_ready else EXITED


def sentence_of(code: int | None) -> str:
    if code is None:
        return "The process was killed from outside."
    if code > 128 and code - 128 in set(signal.Signals):
        return f"The process was ended by {signal.Signals(code - 128).name}."
    if code == 127:
        return "The process exited with code 127: its command was not found."
    return f"The process exited with code {code}."
