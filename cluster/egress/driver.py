"""The way out's part: keeps its HAProxy running under the policy, and the names' forwarder beside it; writes down what
each instance used."""

import asyncio
import contextlib
import logging
import os
from collections.abc import AsyncIterator, Collection
from datetime import UTC, datetime

from cluster.egress import files
from cluster.egress.config import EgressConfig
from cluster.egress.doorway import Doorway
from cluster.egress.names import Names
from cluster.egress.own_addresses import own_addresses
from cluster.egress.policy import Policy, networks
from cluster.egress.tenants import Lists, Maps, list_changes, map_changes, maps_of
from cluster.egress.usage import Ledger, read_table
from cluster.egress.view import View
from cluster.fabric.client import Keeper
from cluster.fabric.watch import until_another
from cluster.haproxy.admin import NoAnswer, Refused, read_info, read_list, read_map
from cluster.haproxy.process import CannotStart, Haproxy
from crds.client.backoff import pause_after
from crds.client.client import Client

_log = logging.getLogger(__name__)
_LOOK_SECONDS = 10.0
_COUNT_SECONDS = 10.0
_KNOWN_SECONDS = 0.02
_WRITE_EVERY = 6
_TROUBLE = (NoAnswer, Refused, CannotStart, TimeoutError)


async def run(config: EgressConfig) -> None:
    """Until cancelled; its HAProxy runs on, and the next one takes it over (or `haproxy.process.end_all` ends it).
    Where there is no fabric there is nothing to do. Raises FabricChanged."""
    config.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    keeper = Keeper(config.fabric)
    description = await keeper.describe()
    if description.network == "fabric":
        async with _client(config) as client, asyncio.TaskGroup() as tasks:
            driver = Driver(config, keeper, description.id)
            tasks.create_task(until_another(keeper, description))
            reflectors = driver.view.reflectors(client) if client else ()
            for reflector in reflectors:
                tasks.create_task(reflector.run())
            tasks.create_task(driver.run([reflector.synced for reflector in reflectors]))
    else:
        await until_another(keeper, description)


@contextlib.asynccontextmanager
async def _client(config: EgressConfig) -> AsyncIterator[Client | None]:
    client = await Client.open(config.kubeconfig, "setpoint-egress") if config.kubeconfig else None
    try:
        yield client
    finally:
        if client is not None:
            await client.close()


class Driver:
    """HAProxy as the policy wants it, which changes when the machine's own addresses do, and with who is where."""

    def __init__(self, config: EgressConfig, keeper: Keeper, fabric: str):
        self._config = config
        self._keeper = keeper
        self._woken = asyncio.Event()
        self._haproxy = Haproxy(config.data_dir, (files.CONFIGURATION,), Doorway(keeper, fabric), self._woken.set)
        self.view = View(self._woken.set)
        self._ledger = Ledger(config.data_dir / "usage")
        self._policy = self._current_policy()

    def _current_policy(self) -> Policy:
        config, lists = self._config, self.view.allow()
        return Policy(
            own_addresses(),
            networks(config.allow),
            networks(config.allow_builds),
            config.denied_ports,
            {at: lists[who.namespace] for at, who in self.view.tenants.items() if who.namespace in lists},
        )

    async def run(self, synced: Collection[asyncio.Event] = ()) -> None:
        """`synced`: set once the records are known."""
        names = Names(self._config.resolv_conf, lambda: self._policy, self._config.names_port)
        try:
            await names.open(*await self._keeper.names_listeners())
            self._haproxy.find()
            await self._until_known(synced)
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._follow())
                tasks.create_task(self._count(names))
        finally:
            with contextlib.suppress(*_TROUBLE):
                await self._take_counts()
            self._write_down(names, datetime.now(UTC))
            names.close()
            self._haproxy.close()

    async def _until_known(self, synced: Collection[asyncio.Event]) -> None:
        """What runs knows who is where: before the records were read it is not told that nobody is anywhere."""
        while self._haproxy.running and not all(event.is_set() for event in synced):
            await asyncio.sleep(_KNOWN_SECONDS)

    async def _follow(self) -> None:
        failures = 0
        while True:
            try:
                await self._converge()
                failures = 0
                await self._rest()
            except _TROUBLE as error:
                failures += 1
                _log.warning("%s", error)
                await asyncio.sleep(pause_after(failures))

    async def _converge(self) -> None:
        """Running, with the files that there are, and knowing who is where."""
        self._woken.clear()
        self._policy = self._current_policy()
        maps, lists = maps_of(self.view.tenants, self.view.allow()), files.lists(self._policy)
        if await self._must_start(self._write(maps, lists)):
            await self._haproxy.start()
        else:
            await self._change(maps, lists)

    async def _must_start(self, configuration: str) -> bool:
        if not self._haproxy.running:
            return True
        if (await read_info(self._haproxy.admin)).shape == files.shape_of(configuration):
            return False
        await self._take_counts()
        return True

    def _write(self, maps: Maps, lists: Lists) -> str:
        configuration = files.configuration(self._policy, os.path.relpath(self._config.siblings, self._config.data_dir))
        texts = {name: files.map_text(entries) for name, entries in maps.items()}
        texts |= {name: files.list_text(items) for name, items in lists.items()}
        files.write(self._config.data_dir, {**texts, files.CONFIGURATION: configuration})
        return configuration

    async def _change(self, maps: Maps, lists: Lists) -> None:
        """What runs, to what the files say."""
        admin = self._haproxy.admin
        lines: list[str] = []
        for name, entries in maps.items():
            lines += map_changes(name, read_map(await admin.ask(f"show map {name}")), entries)
        for name, items in lists.items():
            lines += list_changes(name, read_list(await admin.ask(f"show acl {name}")), items)
        if refused := [answer for answer in await admin.tell(lines) if answer] if lines else []:
            raise Refused(refused[0])

    async def _rest(self) -> None:
        """Until HAProxy ends, somebody comes or goes, or an address of the machine may have changed: of that no event
        tells, and a look is cheap."""
        while not self._woken.is_set():
            try:
                async with asyncio.timeout(_LOOK_SECONDS):
                    await self._woken.wait()
            except TimeoutError:
                if self._current_policy() != self._policy:
                    return

    async def _count(self, names: Names) -> None:
        """For ever. Nothing is lost by a driver's end, and a few seconds' use by HAProxy's."""
        looks = 0
        while True:
            await asyncio.sleep(_COUNT_SECONDS)
            looks += 1
            with contextlib.suppress(*_TROUBLE):
                await self._take_counts()
            if looks % _WRITE_EVERY == 0:
                now = datetime.now(UTC)
                self._write_down(names, now)
                self._ledger.forget(self.view.tenants, now)

    def _write_down(self, names: Names, now: datetime) -> None:
        self._ledger.ask(names.questions(), self.view.tenants)
        self._ledger.write(now)

    async def _take_counts(self) -> None:
        admin = self._haproxy.admin
        info = await read_info(admin)
        worker = f"{info.pid}.{info.started}"
        self._ledger.take(worker, read_table(await admin.ask("show table used")), self.view.tenants)
