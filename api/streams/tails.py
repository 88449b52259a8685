"""The last lines of what failed."""

from api.runtime.protocol import Runtime, RuntimeAway
from crds.models.deploy import Deploy

TAIL = 50


async def failure_log(runtime: Runtime, deploy: Deploy) -> list[str]:
    """Of the instance that the failure names, else of the build; nothing when the node is away."""
    failure, status = deploy.status.failure, deploy.status
    if failure is None:
        return []
    try:
        if failure.instance and failure.node:
            return await runtime.instance_tail(
                failure.node, deploy.namespace, deploy.spec.project, failure.instance, TAIL
            )
        if status.build and status.build_node:
            return await runtime.build_tail(status.build_node, deploy.namespace, status.build, TAIL)
    except RuntimeAway:
        return []
    return []
