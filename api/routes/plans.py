"""Plans: what a deploy would do. Nothing is written, built or started."""

import asyncio

from api.edits.deploy import check_ref, must_have_source
from api.edits.git import check_branch, repository_of
from api.edits.plan import PlanRequest, PlanSource
from api.http.answers import Answer
from api.http.call import Call
from api.inspecting import InspectionFailed
from api.plans.manifests import Manifest, read_manifests
from api.plans.plan import Wanted, manifest_changes, plan
from api.plans.room import rooms
from api.problems import invalid, unavailable
from api.routes import find
from api.routes.env import secrets_of
from api.views.env import pending
from api.views.plan import ChangeView
from crds.models.project import Project, ProjectSource, ProjectSpec
from crds.models.record import Record
from crds.models.scaling import Scaling, ScalingSpec
from crds.names import project_host
from planning.inspection import Inspection
from planning.placement import NodeRoom

_PATIENCE_SECONDS = 60


async def make(call: Call) -> Answer:
    body: PlanRequest = call.body
    if body.manifests is not None:
        return await _of_manifests(call, body.manifests)
    if body.source is not None:
        wanted = _of_source(call, body.source, body.runtime or "")
        return await _answer(call, wanted, "/source/ref")
    call.params["id"] = body.project_id or ""
    find.project(call)
    must_have_source(call.project)
    return await _answer(call, await _of_project(call, call.project, check_ref(body.ref)), "/ref")


async def _answer(call: Call, wanted: Wanted, pointer: str) -> Answer:
    seen = await _inspect(call, wanted, pointer)
    return Answer(plan(wanted, seen, [], _rooms(call)))


async def _of_manifests(call: Call, text: str) -> Answer:
    manifests = read_manifests(text, call.namespace)
    changes: list[ChangeView] = []
    for manifest in manifests:
        changes += manifest_changes(manifest, _present(call, manifest.record))
    wanted = await _first_project(call, manifests)
    seen = await _inspect(call, wanted, "/manifests") if wanted and wanted.spec.source.repository else None
    view = plan(wanted, seen, changes, _rooms(call))
    unknown = [f"{m.record.kind}/{m.record.name} has no field {name}" for m in manifests for name in m.unknown]
    return Answer(view.model_copy(update={"warnings": [*view.warnings, *unknown]}) if unknown else view)


def _present(call: Call, record: Record) -> Record | None:
    records = call.platform.records
    if isinstance(record, Project):
        return records.projects.get(call.namespace, record.name)
    if isinstance(record, Scaling):
        return records.scalings.get(call.namespace, record.name)
    return None


async def _first_project(call: Call, manifests: list[Manifest]) -> Wanted | None:
    """The first project of the manifests, as it would be, with the scalings that they declare for it."""
    project = next((m.record for m in manifests if isinstance(m.record, Project)), None)
    if project is None:
        return None
    source = project.spec.source
    if source.repository:
        config, operator = call.platform.config, call.account.spec.operator
        repository = repository_of(source.repository, git_host=config.git_host, operator=operator, pointer="/manifests")
        check_branch(source.branch or None, "/manifests")
        project.spec.source = source.model_copy(update={"repository": repository})
    present = call.platform.records.projects.get(call.namespace, project.name)
    wanted = await _of_project(call, present or project, "")
    declared = {m.record.spec.process: m.record.spec for m in manifests if isinstance(m.record, Scaling)}
    scalings = {**wanted.scalings, **declared}
    return Wanted(
        project.spec,
        "",
        project.name,
        scalings,
        wanted.live,
        wanted.env,
        wanted.pending,
        wanted.domains,
    )


def _of_source(call: Call, source: PlanSource, runtime: str) -> Wanted:
    config, operator = call.platform.config, call.account.spec.operator
    repository = repository_of(
        source.repository, git_host=config.git_host, operator=operator, pointer="/source/repository"
    )
    branch = check_branch(source.branch, "/source/branch")
    spec = ProjectSpec.model_validate(
        {"runtime": runtime, "source": ProjectSource(repository=repository, branch=branch)}
    )
    return Wanted(spec, check_ref(source.ref, "/source/ref"))


async def _of_project(call: Call, project: Project, ref: str) -> Wanted:
    """As the project is; one without a uid is no record yet and has neither variables nor releases."""
    records, config = call.platform.records, call.platform.config
    domains = [project_host(project.name, call.account.name, config.base_domain)]
    if not project.uid:
        return Wanted(project.spec, ref, project.name, domains=domains)
    values, running = await secrets_of(call, project)
    route = records.routes.get(project.namespace, project.name)
    return Wanted(
        spec=project.spec,
        ref=ref,
        name=project.name,
        scalings=_scalings(call, project),
        live=records.live_deploy(project),
        env=sorted(values),
        pending=pending(values, running) if project.status.deploy else (),
        domains=list(route.spec.hostnames) if route and route.spec.hostnames else domains,
    )


def _scalings(call: Call, project: Project) -> dict[str, ScalingSpec]:
    found = call.platform.records.scalings.indexed("project", f"{project.namespace}/{project.name}")
    return {scaling.spec.process: scaling.spec for scaling in found}


async def _inspect(call: Call, wanted: Wanted, pointer: str) -> Inspection:
    source = wanted.spec.source
    look = call.platform.inspector(source.repository, wanted.ref or source.branch, source.path)
    try:
        return await asyncio.wait_for(look, _PATIENCE_SECONDS)
    except InspectionFailed as failure:
        raise invalid(pointer, str(failure)) from None
    except TimeoutError:
        raise unavailable("The repository did not answer in time. Try again.", 10) from None


def _rooms(call: Call) -> list[NodeRoom]:
    records = call.platform.records
    return rooms(records.nodes.list(), records.instances.list())
