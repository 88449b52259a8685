"""Which folders of this machine a project fills, and how far it may."""

from collections.abc import Mapping
from pathlib import Path

from cluster.node import quota
from cluster.node.services import Services


def claims(
    services: Services, project: str, namespace: str, name: str, volumes: Mapping[str, int]
) -> tuple[quota.Claim, ...]:
    """`project`: its uid; `volumes`: the bytes that each may hold."""
    whole = quota.Claim(tuple(folders_taken(services, project, namespace, name)), services.quotas.share)
    root = services.volumes.of(project)
    # Whoever breaks both is told of the volume: that he can mend himself.
    return (*(quota.of_volume(root / volume, volume, most) for volume, most in volumes.items()), whole)


def folders_taken(services: Services, project: str, namespace: str, name: str) -> list[Path]:
    """`project`: its uid. Volumes, logs, build caches, and the releases that the last sweep knew of."""
    return [
        services.volumes.of(project),
        services.logs.root / namespace / name,
        services.config.state / "caches" / project,
        *services.releases.get((namespace, name), ()),
    ]
