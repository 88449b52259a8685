"""How much one sandbox may use. Pure."""

from dataclasses import dataclass

LEAST_PROCESSES = 256
"""That any sandbox may have."""
_MEMORY_OF_EACH = 2 * 1024 * 1024


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


def most_processes(memory_bytes: int) -> int:
    """Of an instance that may use so much. A fork bomb of a thousand held up all others on two cores, whatever
    its share of the CPU; one of 256 was not."""
    return max(LEAST_PROCESSES, memory_bytes // _MEMORY_OF_EACH)
