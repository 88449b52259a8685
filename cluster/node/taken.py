"""Which folders of this machine a project fills."""

from pathlib import Path

from cluster.node.services import Services


def folders_taken(services: Services, project: str, namespace: str, name: str) -> list[Path]:
    """`project`: its uid. Volumes, logs, build caches, and the releases that the last sweep knew of."""
    return [
        services.volumes.of(project),
        services.logs.root / namespace / name,
        services.config.state / "caches" / project,
        *services.releases.get((namespace, name), ()),
    ]
