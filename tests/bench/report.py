"""One line a measurement: ours, the floor of the same run, the ratio. Figures to keep go to docs/benchmarks.md."""

import statistics


def report(what: str, ours: list[float], floor: list[float], unit: str, aim: str) -> float:
    """Print medians and their ratio (ours / floor); the ratio."""
    return _say(what, ours, floor, unit, statistics.median(ours) / statistics.median(floor), aim)


def report_pairs(what: str, ours: list[float], floor: list[float], unit: str, aim: str) -> float:
    """As `report`, for rounds that were measured one right after the other: the ratio is the median of each round's,
    since the machine may change its speed meanwhile."""
    ratio = statistics.median(mine / least for mine, least in zip(ours, floor, strict=True))
    return _say(what, ours, floor, unit, ratio, aim)


def _say(what: str, ours: list[float], floor: list[float], unit: str, ratio: float, aim: str) -> float:
    mine, least = statistics.median(ours), statistics.median(floor)
    spread = f"{min(ours):.3f}-{max(ours):.3f}"
    print(f"\n{what}: {mine:.3f} {unit} ({spread}); floor {least:.3f} {unit}; {ratio:.2f}x; aim {aim}")
    return ratio


def figure(what: str, value: float, unit: str, aim: str) -> None:
    """One that has no floor to be held against."""
    print(f"\n{what}: {value:.1f} {unit}; aim {aim}")
