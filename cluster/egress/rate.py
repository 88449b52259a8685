"""How often each may ask: so many a second, and some more at once. Pure; who asks says what time it is."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Rate:
    per_second: float
    at_once: int


class Buckets:
    """One for each client. Of it only the moment is kept at which it is full again; who is not kept has a full one."""

    def __init__(self, rate: Rate):
        self._each = 1 / rate.per_second
        self._deepest = rate.at_once * self._each
        self._full_at: dict[str, float] = {}
        self._look_at = 64

    def take(self, client: str, now: float) -> bool:
        """May it? `now` never goes back."""
        full_at = max(self._full_at.get(client, now), now) + self._each
        # What was reckoned up from small parts is not exact.
        if full_at - now > self._deepest + self._each / 1000:
            return False
        self._full_at[client] = full_at
        if len(self._full_at) > self._look_at:
            self._forget(now)
        return True

    def _forget(self, now: float) -> None:
        self._full_at = {client: full_at for client, full_at in self._full_at.items() if full_at > now}
        self._look_at = 2 * len(self._full_at) + 64

    def __len__(self) -> int:
        return len(self._full_at)
