"""How much one sandbox may use. Pure."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Allowance:
    """`cpu`: cores that it gets when all want more; `most_cpu`: cores that it gets at best. `processes` counts
    threads."""

    cpu: float
    most_cpu: float
    memory_bytes: int
    processes: int


def of_size(cpu: float, memory_bytes: int, processes: int) -> Allowance:
    """What nobody else uses may be had up to one core, so that a small instance starts in reasonable time."""
    return Allowance(cpu, max(1.0, cpu), memory_bytes, processes)
