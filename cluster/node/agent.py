"""The node agent as a whole: what is started in which order, and what ends with it (never an instance)."""

import asyncio
import contextlib
import ipaddress
import logging
import os
from collections.abc import AsyncIterator
from pathlib import Path

import uv

from cluster.builder.artifacts import ArtifactStore
from cluster.builder.bytecode import finish_compiling
from cluster.builder.workshop import Workshop
from cluster.endpoint import serve
from cluster.fabric.client import Keeper
from cluster.fabric.networks import Networks, find_networks
from cluster.fabric.watch import until_another
from cluster.limits.find import find_groups
from cluster.limits.metronome import Metronome
from cluster.node.builds import Builds
from cluster.node.config import NodeConfig
from cluster.node.fleet import Fleet
from cluster.node.folder import Folders
from cluster.node.gitrefs import GitRefs
from cluster.node.heartbeat import Findings, beat, say_what_it_is
from cluster.node.logs import Logs
from cluster.node.quota import Quotas
from cluster.node.routes import ALLOWED, Answers
from cluster.node.services import Services
from cluster.node.sweeper import clean_scratch, keep_sweeping
from cluster.node.usage import Sampler
from cluster.node.volumes import Volumes
from cluster.sandbox.check import find_separate_users, find_walls
from cluster.sandbox.identity import DOWNLOADS, own_uid_of
from cluster.sandbox.processes import take_lock
from crds.client.client import Client
from crds.client.reflector import Reflector
from crds.names import LABEL_NODE

_log = logging.getLogger(__name__)
_ENDING_SECONDS = 60.0


class AlreadyRunning(Exception):
    """Another agent of this name works on the same folder."""


def workshop_of(config: NodeConfig, networks: Networks, downloader: int | None) -> Workshop:
    """What builds on this node work with."""
    return Workshop(
        state=config.state,
        artifacts=config.data_dir / "artifacts",
        tools=config.data_dir / "tools",
        python=config.python.resolve(),
        uv=Path(uv.find_uv_bin()),
        machine=config.machine,
        allow=tuple(ipaddress.ip_network(text, strict=False) for text in config.allow_addresses),
        git_ca=config.git_ca,
        networks=networks,
        downloader=downloader,
    )


async def run(config: NodeConfig) -> None:
    """Work until cancelled; instances go on then, and the next agent of this name adopts them.

    Raises AlreadyRunning."""
    config.state.mkdir(parents=True, exist_ok=True, mode=0o700)
    lock = take_lock(config.state / "agent.lock")
    if lock is None:
        raise AlreadyRunning(f"A node agent named {config.name} is running already: stop it, or choose another name.")
    try:
        clean_scratch(config.state)
        async with _services(config) as services:
            await _work(services)
    finally:
        os.close(lock)


@contextlib.asynccontextmanager
async def _services(config: NodeConfig) -> AsyncIterator[Services]:
    networks = await find_networks(config.fabric)
    groups = find_groups(config.data_dir, config.name)
    separate_users = await find_separate_users(config.machine)
    downloader = own_uid_of(str(config.data_dir), DOWNLOADS) if separate_users else None
    workshop = workshop_of(config, networks, downloader)
    client = await Client.open(config.kubeconfig, f"setpoint-{config.name}")
    logs = Logs(config.state)
    folders = Folders(config.state)
    try:
        artifacts, volumes = ArtifactStore(workshop.artifacts), Volumes(config.data_dir / "volumes")
        sampler = Sampler(config.cpu, Metronome(config.data_dir / "metronome.lock"), logs.dropped_of)
        quotas = Quotas(config.data_dir, config.disk_quota)
        yield Services(
            config,
            client,
            workshop,
            artifacts,
            folders,
            logs,
            sampler,
            volumes,
            networks,
            groups,
            quotas,
            separate_users=separate_users,
        )
    finally:
        logs.close()
        await client.close()


async def _work(services: Services) -> None:
    config, client = services.config, services.client
    walls = await find_walls(services.workshop.machine)
    fleet, builds, gitrefs = Fleet(services), Builds(services), GitRefs(services)
    endpoint = await serve(
        Answers(services, builds).routes(),
        host=config.host,
        port=config.port,
        cert=config.tls_cert,
        key=config.tls_key,
        ca=config.tls_ca,
        allowed=ALLOWED,
    )
    try:
        async with asyncio.TaskGroup() as group:
            if config.fabric:
                group.create_task(until_another(Keeper(config.fabric), services.networks.description))
            group.create_task(services.logs.run())
            group.create_task(services.sampler.run())
            group.create_task(services.quotas.run())
            services.groups.sweep(folder.path.name for folder, _ in services.folders.all())
            fleet.adopt()
            synced = _follow_records(services, group, fleet, builds if walls.stand else None, gitrefs)
            found = Findings(
                walls,
                services.workshop.machine,
                services.networks.description,
                services.groups,
                endpoint.url,
                services.separate_users,
            )
            group.create_task(say_what_it_is(client, config, found))
            await _settle(fleet, synced)
            group.create_task(beat(client, config.name))
            group.create_task(gitrefs.run())
            group.create_task(keep_sweeping(services))
    finally:
        await endpoint.close()
        for part in (fleet, builds, gitrefs):
            await part.close()
        await finish_compiling()


def _follow_records(
    services: Services, group: asyncio.TaskGroup, fleet: Fleet, builds: Builds | None, gitrefs: GitRefs
) -> asyncio.Event:
    """Begin to watch; the event is set once all instances of this node are known."""
    client, name = services.client, services.config.name
    services.instances.subscribe(fleet.see)
    if builds:
        services.builds.subscribe(builds.see)
        services.gitrefs.subscribe(gitrefs.see)
    mine = Reflector(client, services.instances, labels=f"{LABEL_NODE}={name}")
    for reflector in (mine, Reflector(client, services.builds), Reflector(client, services.gitrefs)):
        group.create_task(reflector.run())
    return mine.synced


async def _settle(fleet: Fleet, synced: asyncio.Event) -> None:
    """What is no longer wanted has ended before the first heartbeat says that this node is back."""
    await synced.wait()
    ending = fleet.end_unwanted()
    if ending:
        await asyncio.wait(ending, timeout=_ENDING_SECONDS)
