"""CPU and memory of the running instances, sampled from /proc: a short history in memory, never a record."""

import asyncio
import contextlib
import math
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from cluster.egress.files import CONNECTIONS as MOST_CONNECTIONS
from cluster.fabric.networks import endpoint_of
from cluster.limits.group import Group
from cluster.limits.metronome import Metronome
from cluster.node.clock import iso_now
from cluster.node.folder import RunState
from cluster.node.loads import TICKS, Load, available_memory, below, load_of, proportional, read_loads
from cluster.node.outward import connections_out, sockets
from cluster.node.restart import OUT_OF_MEMORY, TOO_MANY_SESSIONS, Cause
from cluster.node.right_of_way import Way, settle
from cluster.node.strain import CONNECTIONS, OUTPUT, PROCESSES, Kind, Strain

_LOOK_SECONDS = 2.0
# What is new is looked at soon; before, whether it computes all day or only begins cannot be told.
_NEW_SECONDS = 1.0
_GLANCE_SECONDS = 0.25
_QUICKLY = 64 * 1024 * 1024
# A little less than five looks, which are never quite punctual.
_KEPT_SECONDS = 9.0
_HISTORY = 90
# What bubblewrap itself needs counts, too, and a bomb's processes come and go.
_NEARLY_ALL = 0.95


class Sample(NamedTuple):
    """`cpu` in cores since the sample before; memory in bytes, shared pages split among those that share them."""

    at: str
    cpu: float
    memory_bytes: int


@dataclass
class Watched:
    """One run of an instance under watch; `on_hog` is called with why it has to end, `on_strain`
    at each look with what it is held back for."""

    state: RunState
    reaper: int
    on_hog: Callable[[Cause], Awaitable[None]]
    on_strain: Callable[[Cause | None], None]
    group: Group
    way: Way | None = None
    ticks: int | None = None
    looked_at: float = 0.0
    dropped: int = 0
    strain: Strain = field(default_factory=Strain)
    history: deque[Sample] = field(default_factory=lambda: deque(maxlen=_HISTORY))


class Sampler:
    """`run` looks every two seconds while anything is watched, and keeps one in ten seconds. `cores`: of this node.
    `metronome`: beats while one of them gives way. `dropped`: bytes of output that an instance has lost so far."""

    def __init__(self, cores: float, metronome: Metronome, dropped: Callable[[str], int]) -> None:
        self.watched: dict[str, Watched] = {}
        self._cores = cores
        self._metronome = metronome
        self._dropped = dropped
        self._counted = True
        self._new = asyncio.Event()

    def watch(
        self,
        state: RunState,
        reaper: int,
        on_hog: Callable[[Cause], Awaitable[None]],
        on_strain: Callable[[Cause | None], None],
        group: Group,
    ) -> None:
        before = self.watched.get(state.uid)
        new = Watched(state, reaper, on_hog, on_strain, group, dropped=self._dropped(state.uid))
        if before:
            new.history = before.history
        if before and before.reaper == reaper:
            new.way, new.strain = before.way, before.strain
        elif state.restarts and (load := load_of(reaper)):
            # Whoever crashes by what it takes does so again at once.
            new.way = Way(group, state.allowance, load.begun)
            new.way.begin_behind({load.session: reaper})
        self.watched[state.uid] = new
        self._new.set()

    def pause(self, uid: str) -> None:
        """It does not run now, its history stays."""
        if uid in self.watched:
            self.watched[uid].reaper = 0

    def forget(self, uid: str) -> None:
        self.watched.pop(uid, None)

    async def run(self) -> None:
        kept = -math.inf
        while True:
            if not self.watched:
                await self._metronome.follow(False)
                self._new.clear()
                await self._new.wait()
            now = asyncio.get_running_loop().time()
            keep = now >= kept + _KEPT_SECONDS
            await self._look(keep)
            kept = now if keep else kept
            await self._pause()

    async def _pause(self) -> None:
        """What is new is looked at soon, and everybody when memory gets less quickly and nobody counts it."""
        loop = asyncio.get_running_loop()
        end = loop.time() + _LOOK_SECONDS
        enough = available_memory() - _QUICKLY
        while (left := end - loop.time()) > 0 and (self._counted or available_memory() > enough):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(left if self._counted else min(left, _GLANCE_SECONDS)):
                    await self._new.wait()
                    self._new.clear()
                    end = min(end, loop.time() + _NEW_SECONDS)

    async def _look(self, keep: bool) -> None:
        loads = read_loads()
        children: dict[int, list[int]] = {}
        for pid, load in loads.items():
            children.setdefault(load.parent, []).append(pid)
        trees = {each.state.uid: below(each.reaper, children) for each in self.watched.values() if each.reaper in loads}
        self._settle(trees, loads)
        ways = [each.way for each in self.watched.values() if each.state.uid in trees and each.way]
        await self._metronome.follow(any(way.gives for way in ways))
        uncounted = False
        for each in list(self.watched.values()):
            tree = trees.get(each.state.uid, [])
            if tree:
                signs = self._signs(each, tree, loads) | await _connections(each)
                each.on_strain(each.strain.look(signs, asyncio.get_running_loop().time()))
            counted = each.group.memory_bytes()
            uncounted = uncounted or (bool(tree) and counted is None)
            if tree and (cause := await _why_it_ends(each, tree, loads, counted)):
                await each.on_hog(cause)
            elif keep and tree:
                memory = await asyncio.to_thread(proportional, tree) if counted is None else counted
                self._keep(each, sum(loads[pid].ticks for pid in tree), memory)
        self._counted = not uncounted

    def _settle(self, trees: dict[str, list[int]], loads: dict[int, Load]) -> None:
        """Who gives way until the next look."""
        used: dict[str, tuple[Way, float]] = {}
        for uid, tree in trees.items():
            each = self.watched[uid]
            each.way = each.way or Way(each.group, each.state.allowance, loads[each.reaper].begun)
            if each.way.seconds() >= _NEW_SECONDS:
                # By the eldest of each: of a bomb's others most are gone before they could be told.
                sessions = {loads[pid].session: pid for pid in reversed(tree)}
                used[uid] = each.way, each.way.read(sum(loads[pid].ticks for pid in tree), sessions)
        settle(used, self._cores)

    def _signs(self, each: Watched, tree: list[int], loads: dict[int, Load]) -> set[Kind]:
        signs = each.way.signs() if each.way else set()
        if sum(loads[pid].threads for pid in tree) >= _NEARLY_ALL * each.state.allowance.processes:
            signs.add(PROCESSES)
        dropped = self._dropped(each.state.uid)
        if dropped > each.dropped:
            signs.add(OUTPUT)
        each.dropped = dropped
        return signs

    def _keep(self, each: Watched, ticks: int, memory: int) -> None:
        now = asyncio.get_running_loop().time()
        passed = now - each.looked_at
        used = (ticks - each.ticks) / TICKS / passed if each.ticks is not None and passed > 0 else 0.0
        each.ticks, each.looked_at = ticks, now
        each.history.append(Sample(iso_now(), round(max(used, 0.0), 4), memory))


async def _connections(each: Watched) -> set[Kind]:
    """Those that it holds itself are counted only when it has as many sockets as that."""
    many = _NEARLY_ALL * MOST_CONNECTIONS
    if not each.state.network or sockets(each.reaper) < many:
        return set()
    _, port = endpoint_of(each.state.address)
    return {CONNECTIONS} if await asyncio.to_thread(connections_out, each.reaper, port) >= many else set()


async def _why_it_ends(each: Watched, tree: list[int], loads: dict[int, Load], counted: int | None) -> Cause | None:
    """Where a group counts memory, the kernel ends hogs; and a fork bomb's processes need not be looked into."""
    if counted is None and await _too_much(tree, loads, each.state.memory_bytes):
        return OUT_OF_MEMORY
    return TOO_MANY_SESSIONS if each.way and each.way.scattered else None


async def _too_much(tree: list[int], loads: dict[int, Load], most: int) -> bool:
    """What is shared counts once only when it has to be known: that takes a millisecond a process, beside the loop."""
    if sum(loads[pid].resident for pid in tree) <= most:
        return False
    return await asyncio.to_thread(proportional, tree) > most
