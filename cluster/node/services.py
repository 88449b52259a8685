"""What the parts of one agent share."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

from cluster.builder.artifacts import ArtifactStore
from cluster.builder.workshop import Workshop
from cluster.fabric.networks import Networks
from cluster.limits.group import Groups
from cluster.node.config import NodeConfig
from cluster.node.folder import Folders
from cluster.node.logs import Logs
from cluster.node.quota import Quotas
from cluster.node.usage import Sampler
from cluster.node.volumes import Volumes
from cluster.sandbox.identity import uid_of
from crds.client.client import Client
from crds.client.store import Store
from crds.models.build import Build
from crds.models.gitref import GitRef
from crds.models.instance import Instance


def _instances() -> Store[Instance]:
    return Store(Instance)


def _builds() -> Store[Build]:
    return Store(Build)


def _gitrefs() -> Store[GitRef]:
    return Store(GitRef)


@dataclass
class Services:
    """Made once when the agent starts; the stores are fed by reflectors.
    `sweep_soon`: set by who knows that something is about to be left behind. `releases`: the folders of each project's
    releases (by namespace and name), as of the last sweep. `separate_users`: each project runs, and is built, as
    a user of its own."""

    config: NodeConfig
    client: Client
    workshop: Workshop
    artifacts: ArtifactStore
    folders: Folders
    logs: Logs
    sampler: Sampler
    volumes: Volumes
    networks: Networks
    groups: Groups
    quotas: Quotas
    sweep_soon: asyncio.Event = field(default_factory=asyncio.Event)
    releases: dict[tuple[str, str], set[Path]] = field(default_factory=dict)
    separate_users: bool = False
    instances: Store[Instance] = field(default_factory=_instances)
    builds: Store[Build] = field(default_factory=_builds)
    gitrefs: Store[GitRef] = field(default_factory=_gitrefs)

    def user_of(self, namespace: str, project: str) -> int | None:
        """The one of its runs and builds; None: our own."""
        if not self.separate_users:
            return None
        return uid_of(str(self.config.data_dir), namespace, project)
