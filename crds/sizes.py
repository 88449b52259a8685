"""The catalogue of instance sizes: what one instance of each may use."""

from dataclasses import dataclass
from typing import Literal

MIB = 1024 * 1024

SizeName = Literal["nano", "small", "medium", "large", "xlarge"]


@dataclass(frozen=True)
class Size:
    """CPU in cores, memory in bytes."""

    cpu: float
    memory_bytes: int


SIZES: dict[str, Size] = {
    "nano": Size(0.1, 128 * MIB),
    "small": Size(0.25, 256 * MIB),
    "medium": Size(0.5, 512 * MIB),
    "large": Size(1.0, 1024 * MIB),
    "xlarge": Size(2.0, 2048 * MIB),
}

DEFAULT_SIZE: SizeName = "nano"
MAX_INSTANCES = 100
