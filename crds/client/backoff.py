"""How long to wait before something that failed is tried again."""

import random

_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 5.0


def pause_after(failures: int) -> float:
    """Seconds after so many failures in a row: doubling from 0.05 to a cap, with jitter."""
    return min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0 ** min(failures - 1, 10)) * random.uniform(0.7, 1.0)
