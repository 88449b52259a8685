"""The look into a repository that a plan needs; the front door gives the implementation (a sandboxed git)."""

from typing import Protocol

from planning.inspection import Inspection


class InspectionFailed(Exception):
    """The repository or the ref cannot be read; the message says why, in a sentence for the caller."""


class Inspector(Protocol):
    async def __call__(self, repository: str, ref: str, path: str) -> Inspection:
        """What the commit at `ref` (empty: the repository's HEAD) holds below `path`. Raises InspectionFailed."""
