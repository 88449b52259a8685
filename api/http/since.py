"""`since`: a moment, or a window that ends now. Pure."""

import re
from datetime import UTC, datetime, timedelta

_WINDOW = re.compile(r"([0-9]{1,6})([smhdw])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T.*")


def moment_of(since: str, now: datetime) -> datetime:
    """An ISO timestamp (UTC unless it names an offset) or a window such as `15m`. Raises ValueError with a sentence."""
    window = _WINDOW.fullmatch(since)
    try:
        if window:
            return now - timedelta(**{_UNITS[window[2]]: int(window[1])})
        if _DATE.fullmatch(since):
            moment = datetime.fromisoformat(since)
            return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise ValueError("must be an ISO 8601 timestamp, or a window such as 15m, 2h or 7d")
