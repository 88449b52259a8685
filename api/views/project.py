"""A project as answers show it."""

from datetime import datetime

from pydantic import TypeAdapter

from api.http.shapes import Moment, View
from api.views.common import ConditionView, conditions_view, id_of
from api.views.status import project_word
from crds.models.deploy import Deploy
from crds.models.project import Phase, Project
from crds.models.scaling import Scaling
from crds.names import handle_of

_MOMENT = TypeAdapter(datetime)


class CountView(View):
    desired: int
    ready: int


class ProjectView(View):
    id: str
    name: str
    handle: str
    status: Phase
    url: str | None
    runtime: str | None
    repository: str | None
    branch: str | None
    deploy_id: str | None
    instances: CountView
    size: str | None
    conditions: list[ConditionView]
    created_at: Moment | None
    updated_at: Moment | None


class ProjectList(View):
    projects: list[ProjectView]
    next_cursor: str | None


def project_view(project: Project, scaling: Scaling | None, live: Deploy | None) -> ProjectView:
    """`scaling`: that of its main process; `live`: the deploy that serves."""
    status = project.status
    desired = scaling.spec.instances if scaling else status.instances.desired
    return ProjectView(
        id=id_of(project),
        name=project.name,
        handle=handle_of(project.namespace),
        status=project_word(project),
        url=status.url,
        runtime=status.runtime or project.spec.runtime or None,
        repository=project.spec.source.repository or None,
        branch=project.spec.source.branch or None,
        deploy_id=id_of(live) if live else None,
        instances=CountView(desired=desired, ready=status.instances.ready),
        size=scaling.spec.size if scaling else None,
        conditions=conditions_view(status.conditions),
        created_at=project.metadata.creation_timestamp,
        updated_at=changed_at(project),
    )


def changed_at(project: Project) -> datetime | None:
    """When somebody last edited it (its status apart)."""
    entries = [entry for entry in project.metadata.managed_fields or [] if not entry.get("subresource")]
    times = [_MOMENT.validate_python(entry["time"]) for entry in entries if entry.get("time")]
    return max(times, default=project.metadata.creation_timestamp)


class ProjectViews:
    """Encoded views, kept until a record that they show changes."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[Project, Scaling | None, Deploy | None, bytes]] = {}

    def encoded(self, project: Project, scaling: Scaling | None, live: Deploy | None) -> bytes:
        kept = self._kept.get(project.uid)
        # Records are replaced, never changed, so being the same object is being the same version.
        if kept is not None and kept[0] is project and kept[1] is scaling and kept[2] is live:
            return kept[3]
        if len(self._kept) > _MOST_KEPT:
            self._kept.clear()
        body = project_view(project, scaling, live).encoded()
        self._kept[project.uid] = (project, scaling, live, body)
        return body


_MOST_KEPT = 5000
