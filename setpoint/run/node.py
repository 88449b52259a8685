"""Runs one node agent with its share of the machine."""

import os
import sys
from dataclasses import replace
from pathlib import Path

from cluster.node.agent import run as agent
from cluster.node.config import NodeConfig
from cluster.node.ending import end_instances
from cluster.sandbox.machine import this_machine
from cluster.sandbox.view import Machine
from crds.names import account_namespace
from setpoint.access import admin_kubeconfig, own_server_port
from setpoint.installation import Installation
from setpoint.settings import Settings

# What the platform itself needs stays out of what is given away.
_OWN_MEMORY_BYTES = 512 * 1024 * 1024


async def run(settings: Settings, installation: Installation, name: str) -> None:
    await agent(config_of(settings, installation, name))


async def end(_settings: Settings, installation: Installation, name: str) -> None:
    await end_instances(installation.root, name)


def config_of(settings: Settings, installation: Installation, name: str) -> NodeConfig:
    return NodeConfig(
        name=name,
        data_dir=installation.root,
        kubeconfig=installation.kubeconfig(name),
        tls_cert=installation.certificate(name),
        tls_key=installation.key(name),
        tls_ca=installation.ca,
        cpu=machine_cpu() / settings.nodes,
        promised_cpu=settings.cpus / settings.nodes if settings.cpus else None,
        memory_bytes=max(machine_memory_bytes() - _OWN_MEMORY_BYTES, 0) // settings.nodes,
        allow_addresses=settings.allow_addresses,
        disk_quota=settings.disk_quota,
        allow_ports=foreign_ports(settings, installation),
        machine=machine_of(settings),
        git_ca=settings.git_ca,
        python=base_python(),
        fabric=installation.folder("fabric"),
        sole_namespace=None if settings.allow_shared_network else account_namespace(settings.handle),
    )


def foreign_ports(settings: Settings, installation: Installation) -> tuple[int, ...]:
    """The allowed ones without our own: Landlock knows ports, not who listens there."""
    server = own_server_port(admin_kubeconfig(settings, installation))
    own = (settings.api_port, settings.router_port, server)
    return tuple(port for port in settings.allow_ports if port not in own)


def machine_of(settings: Settings) -> Machine:
    machine = this_machine()
    return machine if settings.landlock else replace(machine, landlock=0)


def machine_cpu() -> float:
    return float(len(os.sched_getaffinity(0)))


def machine_memory_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def base_python() -> Path:
    """The interpreter under our own environment: projects' environments are made from it, not from ours."""
    return Path(getattr(sys, "_base_executable", sys.executable)).resolve()
