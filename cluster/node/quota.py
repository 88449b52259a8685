"""How much of the disk one project may take: its volumes, its releases and its logs together, and each volume by
itself.

No quota of the kernel is ours to set without root, so what a project takes is looked at while it runs: now and then,
and at once when the disk gets fuller quickly. Only who has volumes can take more and more; all else is bounded."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from cluster.node.disk import GIB, MIB, free_bytes, used_bytes

REASON = "DiskQuota"
_LOOK_SECONDS = 1.0
_EVERY_SECONDS = 30.0
_AT_ONCE_BYTES = 64 * MIB
_SPARE_BYTES = 16 * MIB
# What looking costs may be a thirtieth of the time.
_PATIENCE = 30

OnFull = Callable[[str], Awaitable[None]]
"""Called with why."""


def amount(size: int) -> str:
    return f"{size / GIB:.2f} GiB" if size >= GIB else f"{size / MIB:.0f} MiB"


@dataclass(frozen=True)
class Share:
    """Pure: `quota` bytes for `whose`, of which `remedy` says how there come to be more. One that takes more may still
    run to tidy up, but not to take yet more; far beyond it it does not run."""

    quota: int
    whose: str = "project's volumes, releases and logs take"
    remedy: str = "have the operator raise --disk-quota"

    def while_running(self, at_start: int) -> int:
        """How much it may take in a run that began with so much."""
        return at_start + _SPARE_BYTES if self.quota < at_start <= self.to_start else self.quota

    @property
    def to_start(self) -> int:
        return self.quota * 5 // 4

    def sentence(self, used: int) -> str:
        return (
            f"The {self.whose} {amount(used)} of the {amount(self.quota)} that it may: "
            f"let it remove what it does not need, or {self.remedy}."
        )


@dataclass(frozen=True)
class Claim:
    """What these folders take counts against this share."""

    folders: tuple[Path, ...]
    share: Share


def of_volume(folder: Path, name: str, quota: int) -> Claim:
    return Claim((folder,), Share(quota, f"volume {name} takes", "give it a larger sizeMiB"))


@dataclass
class _Watched:
    """A project that runs here. `most`: of each claim; empty until the first look."""

    claims: tuple[Claim, ...]
    runs: dict[str, OnFull] = field(default_factory=dict)
    most: dict[Claim, int] = field(default_factory=dict)
    due: float = 0.0


class Quotas:
    """Of one node. Projects are told apart by their uid. `run` looks until it is cancelled."""

    def __init__(self, disk: Path, quota: int):
        self._disk = disk
        self.share = Share(quota)
        self._watched: dict[str, _Watched] = {}
        self._last: dict[tuple[str, Share], int] = {}
        self._any = asyncio.Event()

    def watch(self, project: str, claims: Iterable[Claim], uid: str, on_full: OnFull) -> None:
        """An instance (`uid`) of the project runs from now on."""
        watched = self._watched.setdefault(project, _Watched(()))
        watched.claims = tuple(claims)
        watched.runs[uid] = on_full
        # What it may take is reckoned anew from what there is now.
        watched.most, watched.due = {}, 0.0
        self._any.set()

    def forget(self, project: str, uid: str) -> None:
        watched = self._watched.get(project)
        if watched is not None:
            watched.runs.pop(uid, None)
            if not watched.runs:
                del self._watched[project]

    async def refusal(self, project: str, claims: Iterable[Claim]) -> str | None:
        """Why nothing of a project with these claims starts; None: it may. Only one that took too much when it was
        last looked at is looked at again: nobody else waits for that."""
        for claim in claims:
            most = claim.share.to_start
            if self._last.get((project, claim.share), 0) > most and await self._used(project, claim) > most:
                return claim.share.sentence(self._last[project, claim.share])
        return None

    async def _used(self, project: str, claim: Claim) -> int:
        used = await asyncio.to_thread(used_bytes, claim.folders)
        self._last[project, claim.share] = used
        return used

    async def run(self) -> None:
        free = free_bytes(self._disk)
        while True:
            if not self._watched:
                self._any.clear()
                await self._any.wait()
            now = free_bytes(self._disk)
            if free - now > _AT_ONCE_BYTES or now > free:
                if now < free:
                    self._all_due()
                free = now
            await self._look()
            await asyncio.sleep(_LOOK_SECONDS)

    def _all_due(self) -> None:
        for watched in self._watched.values():
            watched.due = 0.0

    async def _look(self) -> None:
        for project, watched in list(self._watched.items()):
            if watched.due > time.monotonic():
                continue
            begun = time.monotonic()
            full = [found for claim in watched.claims if (found := await self._over(project, watched, claim))]
            took = time.monotonic() - begun
            watched.due = time.monotonic() + max(_EVERY_SECONDS, _PATIENCE * took)
            for message in full[:1]:
                for on_full in list(watched.runs.values()):
                    await on_full(message)

    async def _over(self, project: str, watched: _Watched, claim: Claim) -> str | None:
        used = await self._used(project, claim)
        most = watched.most.setdefault(claim, claim.share.while_running(used))
        return claim.share.sentence(used) if used > most else None


async def until_over(folder: Path, share: Share) -> str:
    """Why what fills this folder (a build) is to end."""
    while True:
        begun = time.monotonic()
        used = await asyncio.to_thread(used_bytes, [folder])
        if used > share.quota:
            return f"The build fills {amount(used)} of the {amount(share.quota)} that a project may."
        await asyncio.sleep(max(_LOOK_SECONDS, _PATIENCE * (time.monotonic() - begun)))
