"""Runs one node agent with its share of the machine."""

import os
import sys
from pathlib import Path

from cluster.node.agent import run as agent
from cluster.node.config import NodeConfig
from cluster.node.ending import end_instances
from crds.names import account_namespace
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
        memory_bytes=max(machine_memory_bytes() - _OWN_MEMORY_BYTES, 0) // settings.nodes,
        allow_addresses=settings.allow_addresses,
        disk_quota=settings.disk_quota,
        git_ca=settings.git_ca,
        python=base_python(),
        fabric=installation.folder("fabric"),
        sole_namespace=None if settings.allow_shared_network else account_namespace(settings.handle),
    )


def machine_cpu() -> float:
    return float(len(os.sched_getaffinity(0)))


def machine_memory_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def base_python() -> Path:
    """The interpreter under our own environment: projects' environments are made from it, not from ours."""
    return Path(getattr(sys, "_base_executable", sys.executable)).resolve()
