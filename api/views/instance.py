"""A running instance as answers show it."""

from api.http.shapes import Moment, View
from api.runtime.protocol import InstanceUsage
from api.views.common import id_of
from api.views.status import InstanceWord, instance_word
from crds.models.deploy import Deploy
from crds.models.instance import Instance
from crds.names import LABEL_PROCESS, label


class InstanceView(View):
    """`release`: id of its deploy. `name` is what log lines call it. `cpu` in cores; null while the node is away."""

    id: str
    name: str
    process: str
    status: InstanceWord
    ready: bool
    node: str
    size: str
    release: str | None
    commit: str | None
    created_at: Moment | None
    started_at: Moment | None
    restarts: int
    reason: str | None
    message: str | None
    cpu: float | None
    memory_bytes: int | None


class InstanceList(View):
    instances: list[InstanceView]
    next_cursor: str | None


def instance_view(instance: Instance, deploy: Deploy | None, usage: InstanceUsage | None) -> InstanceView | None:
    """None when it runs no more."""
    word = instance_word(instance)
    if word is None:
        return None
    status = instance.status
    return InstanceView(
        id=id_of(instance),
        name=instance.name,
        process=label(instance, LABEL_PROCESS),
        status=word,
        ready=status.ready,
        node=instance.spec.node,
        size=instance.spec.size,
        release=id_of(deploy) if deploy else None,
        commit=deploy.status.commit if deploy else None,
        created_at=instance.metadata.creation_timestamp,
        started_at=status.started_at,
        restarts=status.restarts,
        reason=status.reason,
        message=status.message,
        cpu=usage.cpu if usage else None,
        memory_bytes=usage.memory_bytes if usage else None,
    )
