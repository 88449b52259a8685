"""The end of a project: traffic and processes first, then the record, so that its name is free only when it is gone."""

from controller.engine.context import Context
from crds.models.build import Build
from crds.models.deploy import Deploy
from crds.models.domain import Domain
from crds.models.gitref import GitRef
from crds.models.instance import Instance
from crds.models.project import Project
from crds.models.record import Record
from crds.models.scaling import Scaling
from crds.models.workload import Workload
from crds.names import FINALIZER_CONTROLLER

FINALIZER = FINALIZER_CONTROLLER
_REMOVED: tuple[type[Record], ...] = (Scaling, Domain, GitRef, Build, Deploy, Workload)


async def remove_project(context: Context, project: Project) -> float | None:
    """Ask for the end of all that it has; when nothing runs any more, let it go. The rest goes by its owner."""
    left: list[Record] = []
    for model in _REMOVED:
        for child in context.cache.of_project(model, project.namespace, project.name):
            await context.remove(child)
            left.append(child)
    left += context.cache.of_project(Instance, project.namespace, project.name)
    if any(isinstance(child, Instance | Workload | Domain) for child in left):
        return 5.0
    if FINALIZER in project.metadata.finalizers:
        await context.client.remove_finalizer(project, FINALIZER)
    return None
