"""The way out's part: keeps its HAProxy running under the policy, and the names' forwarder beside it."""

import asyncio
import logging

from cluster.egress import files
from cluster.egress.config import EgressConfig
from cluster.egress.doorway import Doorway
from cluster.egress.names import Names
from cluster.egress.own_addresses import own_addresses
from cluster.egress.policy import Policy, networks
from cluster.fabric.client import Keeper
from cluster.fabric.watch import until_another
from cluster.haproxy.admin import NoAnswer, Refused, read_info, reload
from cluster.haproxy.process import CannotStart, Haproxy
from crds.client.backoff import pause_after

_log = logging.getLogger(__name__)
_LOOK_SECONDS = 10.0
_TROUBLE = (NoAnswer, Refused, CannotStart, TimeoutError)


async def run(config: EgressConfig) -> None:
    """Until cancelled; its HAProxy runs on, and the next one takes it over (or `haproxy.process.end_all` ends it).
    Where there is no fabric there is nothing to do. Raises FabricChanged."""
    config.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    keeper = Keeper(config.fabric)
    description = await keeper.describe()
    if description.network == "fabric":
        driver = Driver(config, keeper, description.id)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(until_another(keeper, description))
            tasks.create_task(driver.run())
    else:
        await until_another(keeper, description)


class Driver:
    """HAProxy as the policy wants it, which changes when the machine's own addresses do."""

    def __init__(self, config: EgressConfig, keeper: Keeper, fabric: str):
        self._config = config
        self._keeper = keeper
        self._died = asyncio.Event()
        self._haproxy = Haproxy(config.data_dir, (files.CONFIGURATION,), Doorway(keeper, fabric), self._died.set)
        self._policy = self._current_policy()

    def _current_policy(self) -> Policy:
        config = self._config
        return Policy(own_addresses(), networks(config.allow), networks(config.allow_builds), config.denied_ports)

    async def run(self) -> None:
        names = Names(self._config.resolv_conf, lambda: self._policy, self._config.names_port)
        try:
            await names.open(*await self._keeper.names_listeners())
            self._haproxy.find()
            await self._follow()
        finally:
            names.close()
            self._haproxy.close()

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
        """Running, and with the files that there are."""
        self._died.clear()
        wanted = files.shape_of(self._write())
        if not self._haproxy.running:
            await self._haproxy.start()
        elif (await read_info(self._haproxy.admin)).shape != wanted:
            await reload(self._haproxy.master)

    def _write(self) -> dict[str, str]:
        self._policy = self._current_policy()
        texts = files.texts(self._policy)
        files.write(self._config.data_dir, texts)
        return texts

    async def _rest(self) -> None:
        """Until HAProxy ends, or an address of the machine may have changed: no event tells, and a look is cheap."""
        while not self._died.is_set():
            try:
                async with asyncio.timeout(_LOOK_SECONDS):
                    await self._died.wait()
            except TimeoutError:
                if self._current_policy() != self._policy:
                    return
