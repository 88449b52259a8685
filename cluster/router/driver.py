"""The router's part: watches records, keeps HAProxy running, and its table as the records want it."""

import asyncio
import fcntl
import logging
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from cluster.fabric.client import Keeper
from cluster.fabric.networks import Networks, find_networks
from cluster.fabric.watch import until_another
from cluster.haproxy.admin import NoAnswer, Refused, read_info, reload
from cluster.haproxy.process import BadConfiguration, CannotStart, MasteredHaproxy
from cluster.router.admin import read_slots
from cluster.router.applier import Applier
from cluster.router.config import RouterConfig
from cluster.router.crowd import Crowd
from cluster.router.doorway import Doorway
from cluster.router.encode import Unsafe
from cluster.router.figures import Figures
from cluster.router.files import BACKENDS, BASE, Files
from cluster.router.heartbeat import beat
from cluster.router.picture import Picture
from cluster.router.plan import Key, Serving, instance_of, wanted_table
from cluster.router.report import Reporter
from cluster.router.requestlog import RequestLog
from cluster.router.slots import FEW, Lending, enough, lend, slot_names
from cluster.router.table import ServerKey, Table
from cluster.router.view import View
from crds.client.client import Client

_log = logging.getLogger(__name__)
_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 2.0
_LONGEST_REST = 0.2
_FIRST_LOOK_SECONDS = 10.0
_TROUBLE = (NoAnswer, Refused, CannotStart, Unsafe, TimeoutError)


async def run(config: RouterConfig) -> None:
    """Route until cancelled; then HAProxy ends too. It lives on when this process is killed.

    Raises CannotStart: another driver is at work in the folder, the port is taken, HAProxy refuses."""
    config.data_dir.mkdir(parents=True, exist_ok=True)
    with only_one(config.data_dir):
        client = await Client.open(config.kubeconfig, "setpoint-router")
        try:
            await Driver(config, client, await find_networks(config.fabric)).run()
        finally:
            await client.close()


@contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """The kernel frees the lock when the process ends, however it ends."""
    with (folder / "driver.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise CannotStart(f"Another router driver is at work in {folder}. End it first.") from None
        yield


class Driver:
    """`_applied`: how each Route is served now that HAProxy has it; `_target`: the table that is being brought in;
    `_unsaid`: Routes that were looked at, and on which nothing is said before HAProxy has it."""

    def __init__(self, config: RouterConfig, client: Client, networks: Networks):
        self._config = config
        self._client = client
        self._networks = networks
        self._dirty = asyncio.Event()
        self._down = asyncio.Event()
        self._tell = asyncio.Event()
        # Whoever changes HAProxy (the table, a reload, a new start) holds this.
        self._hands = asyncio.Lock()
        self._view = View(self._dirty.set)
        self._picture = Picture(self._view, config.base_domain)
        self._files = Files(config.data_dir)
        doorway = Doorway(config.host, config.port, networks)
        self._haproxy = MasteredHaproxy(config.data_dir, (BASE, BACKENDS), doorway, self._down.set)
        self._applier = Applier(self._haproxy.admin, self._haproxy.master, self._drain_seconds, self._retired)
        self._slots: list[str] = []
        self._owners: dict[str, Key] = self._files.read_owners()
        self._figures = Figures(self._haproxy.admin, self._owners)
        self._crowd = Crowd(self._haproxy.admin, self._owners, self._files.share, self._say)
        self._reporter = Reporter(client, self._view, self._crowd.message, self._report_later)
        self._target = Table()
        self._applied: Mapping[Key, Serving] = {}
        self._unsaid: set[Key] = set()

    async def run(self) -> None:
        log = RequestLog(self._config.data_dir, self._figures.take)
        try:
            await self._begin()
            await self._work()
        except asyncio.CancelledError:
            await self._applier.close()
            await self._haproxy.stop()
            raise
        finally:
            await self._applier.close()
            self._haproxy.close()
            log.close()

    async def _begin(self) -> None:
        """HAProxy serves what its files say, before the first record is known."""
        self._files.write_base()
        if self._haproxy.find():
            try:
                if (await read_info(self._haproxy.admin)).shape != self._files.shape:
                    await reload(self._haproxy.master)
            except _TROUBLE as error:
                _log.warning("the HAProxy that runs is ended, it is of no use: %s", error)
                await self._haproxy.stop()
                await self._start()
        else:
            await self._start()
        await self._look_first()
        await self._figures.begin()

    async def _start(self) -> None:
        if not self._files.complete():
            self._files.write_table(slot_names(enough(0, 0)), Table())
        try:
            await self._haproxy.start()
        except BadConfiguration as error:
            _log.error("begun anew with an empty table: %s", error)
            self._files.write_table(slot_names(enough(0, 0)), Table())
            await self._haproxy.start()

    async def _look_first(self) -> None:
        """The driver before us may have died in a reload, in which the master refuses for a moment."""
        async with asyncio.timeout(_FIRST_LOOK_SECONDS):
            while True:
                try:
                    return await self._look()
                except NoAnswer as error:
                    _log.info("%s", error)
                    await asyncio.sleep(_FIRST_PAUSE)

    async def _look(self) -> None:
        """What HAProxy really has."""
        await self._applier.refresh()
        self._slots = await read_slots(self._haproxy.admin)

    async def _work(self) -> None:
        endpoint = await self._figures.listen(self._config)
        reflectors = self._view.reflectors(self._client)
        try:
            async with asyncio.TaskGroup() as tasks:
                if self._config.fabric:
                    tasks.create_task(until_another(Keeper(self._config.fabric), self._networks.description))
                tasks.create_task(self._keep_running())
                tasks.create_task(self._figures.each_minute())
                tasks.create_task(self._crowd.look_for_ever())
                tasks.create_task(beat(self._client, self._config.identity, endpoint.url, self._config.renew_every))
                for reflector in reflectors:
                    tasks.create_task(reflector.run())
                for reflector in reflectors:
                    await reflector.synced.wait()
                tasks.create_task(self._report())
                await self._follow()
        finally:
            await endpoint.close()

    async def _keep_running(self) -> None:
        """Whenever HAProxy ends, start it from its files, which have the whole table."""
        failures = 0
        while True:
            await self._down.wait()
            self._down.clear()
            async with self._hands:
                try:
                    await self._start()
                    await self._look()
                    failures = 0
                except _TROUBLE as error:
                    failures += 1
                    _log.error("HAProxy: %s", error)
                    self._down.set()
            self._dirty.set()
            if failures:
                await asyncio.sleep(_pause(failures))

    async def _follow(self) -> None:
        failures = 0
        self._dirty.set()
        while True:
            await self._dirty.wait()
            self._dirty.clear()
            try:
                begun = time.monotonic()
                async with self._hands:
                    await self._converge()
                failures = 0
                # It rests as long as it worked: of very many changes it takes many at once, and leaves half a core.
                await asyncio.sleep(min(_LONGEST_REST, time.monotonic() - begun))
            except _TROUBLE as error:
                failures += 1
                _log.log(logging.INFO if failures < 3 else logging.ERROR, "table: %s", error)
                await asyncio.sleep(_pause(failures))
                await self._look_again()

    async def _look_again(self) -> None:
        try:
            async with self._hands:
                await self._look()
        except _TROUBLE:
            pass
        self._dirty.set()

    async def _converge(self) -> None:
        """Files first, then the socket; a reload only when the spare slots run low."""
        hosts = self._applier.actual.hosts
        holders = {host: self._owners[slot] for host, slot in hosts.items() if slot in self._owners}
        self._unsaid |= self._picture.update(holders)
        served = dict(self._picture.served)
        lending = self._lend(served, self._slots)
        if lending.spare < FEW or lending.missing:
            slots = slot_names(max(len(self._slots), enough(len(served), len(self._busy()))))
            lending = self._lend(served, slots)
            await self._install(slots, lending, served)
            await self._reload()
        else:
            await self._install(self._slots, lending, served)
        await self._applier.apply(self._target)
        self._applied = served
        self._say(self._unsaid)
        self._unsaid = set()

    async def _install(self, slots: list[str], lending: Lending, served: Mapping[Key, Serving]) -> None:
        """Into the files."""
        if any(self._owners.get(slot) != key for key, slot in lending.lent.items()):
            await self._figures.count()
        # One slot for each Route (another one that is still named here may be of a HAProxy that had more of them).
        for slot in [slot for slot, key in self._owners.items() if lending.lent.get(key, slot) != slot]:
            del self._owners[slot]
        self._owners.update({slot: key for key, slot in lending.lent.items()})
        self._files.write_owners(self._owners)
        self._target = wanted_table(served, lending.lent, self._view.calls())
        self._files.write_table(slots, self._target)

    async def _reload(self) -> None:
        await self._figures.count()
        await reload(self._haproxy.master)
        await self._look()

    def _lend(self, served: Mapping[Key, Serving], slots: list[str]) -> Lending:
        return lend({key: slot for slot, key in self._owners.items()}, served, slots, self._busy())

    def _busy(self) -> set[str]:
        return {slot for slot, _ in self._applier.servers()}

    def _say(self, routes: Collection[Key]) -> None:
        """Something may be to say on these."""
        self._reporter.note(routes)
        self._tell.set()

    async def _report(self) -> None:
        while True:
            await self._tell.wait()
            self._tell.clear()
            await self._reporter.report(self._applied, self._held())

    def _held(self) -> set[Key]:
        """(namespace, name) of every instance that HAProxy has, sees out, or is about to get."""
        keys = self._applier.servers() | set(self._target.servers)
        return {(self._owners[slot][0], instance_of(name)) for slot, name in keys if slot in self._owners}

    def _drain_seconds(self, server: ServerKey) -> float:
        owner = self._owners.get(server[0])
        return self._view.drain_seconds(owner[0] if owner else "", instance_of(server[1]))

    def _retired(self) -> None:
        self._dirty.set()

    def _report_later(self) -> None:
        asyncio.get_running_loop().call_later(0.05, self._tell.set)


def _pause(failures: int) -> float:
    return float(min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0 ** min(failures, 8)))
