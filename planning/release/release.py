"""The release itself: from the view to the next actions and the status, one step at a time."""

from datetime import timedelta

from crds.conditions import SCHEDULABLE, find
from crds.models.deploy import DeployedProcess, Failure
from crds.models.workload import Workload
from crds.names import env_secret, snapshot_secret, workload_name
from planning.release import children, queue, steps
from planning.release.actions import Ensure, Plan, Remove, SwitchTraffic, TakeSnapshot
from planning.release.retention import can_roll_back_to
from planning.release.view import ReleaseView, is_finished

# The runner's own clock starts later than the step's, and its word names the instance whose log tells more.
_REPORT_SECONDS = 3


def plan_release(view: ReleaseView) -> Plan:
    """The next thing to do for this deploy."""
    plan = Plan(status=view.deploy.status.model_copy(deep=True))
    if is_finished(view.deploy):
        _finished(view, plan)
    elif view.deploy.status.phase in (None, "queued"):
        _queued(view, plan)
    elif view.deploy.spec.cancel and not view.routed:
        _cancelled(plan, view)
    else:
        _running(view, plan)
    return plan


def _finished(view: ReleaseView, plan: Plan) -> None:
    """A live one that traffic has left is superseded; whatever no longer runs gives back what it had."""
    route = view.route
    replaced = route is not None and route.spec.deploy and route.spec.deploy != view.deploy.name
    if plan.status.phase == "live" and replaced and _newer_serves(view):
        plan.status.phase = "superseded"
    if plan.status.phase != "live":
        plan.actions += [Remove(workload) for workload in view.workloads]
        if view.build is not None and view.build.status.phase in (None, "pending", "building"):
            plan.actions.append(Remove(view.build))
    if view.gitref is not None:
        plan.actions.append(Remove(view.gitref))


def _newer_serves(view: ReleaseView) -> bool:
    """The one that took over has taken over for good: the router said so, or nothing was to be served."""
    assert view.route is not None
    taker = view.sibling(view.route.spec.deploy)
    return taker is None or taker.status.phase in ("live", "superseded")


def _queued(view: ReleaseView, plan: Plan) -> None:
    status = plan.status
    status.phase = "queued"
    if status.number is None:
        if not queue.is_first_unnumbered(view.deploy, view.siblings):
            plan.waiting_for = "an older deploy of the project has no number yet"
            return
        status.number = queue.next_number([view.deploy, *view.siblings], view.project.status.last_number)
    if view.deploy.spec.cancel:
        _cancelled(plan, view)
        return
    turn = queue.turn(status.number, view.siblings)
    if turn == "superseded":
        status.phase = "superseded"
        status.finished_at = view.now
    elif turn == "wait":
        plan.waiting_for = "another deploy of this project is running"
    elif view.project_is_older:
        plan.waiting_for = "the project as it was when this deploy was asked for"
    else:
        status.phase = "building"
        status.started_at = view.now
        _running(view, plan)


def _cancelled(plan: Plan, view: ReleaseView) -> None:
    plan.status.phase = "cancelled"
    steps.stop(plan.status, view.now, "cancelled")
    _finished(view, plan)


def _running(view: ReleaseView, plan: Plan) -> None:
    plan.status.snapshot = snapshot_secret(view.deploy.name)
    ready = _rolled_back(view, plan) if view.deploy.spec.rollback_to else _built(view, plan)
    if ready and _started(view, plan):
        _switched(view, plan)


def _fail(view: ReleaseView, plan: Plan, failure: Failure) -> None:
    steps.fail(plan.status, view.now, failure)
    plan.actions += [Remove(workload) for workload in view.workloads]
    if view.gitref is not None:
        plan.actions.append(Remove(view.gitref))


def _rolled_back(view: ReleaseView, plan: Plan) -> bool:
    """Bring back what an older deploy ran: its artifact, its processes and its variables."""
    target = view.sibling(view.deploy.spec.rollback_to)
    if target is None or not can_roll_back_to(target):
        message = f"Deploy {view.deploy.spec.rollback_to} is no longer kept, so nothing can be brought back from it."
        _fail(view, plan, Failure(reason="RollbackTargetGone", message=message))
        return False
    plan.actions.append(TakeSnapshot(snapshot_secret(view.deploy.name), snapshot_secret(target.name)))
    status = plan.status
    status.commit, status.commit_message = target.status.commit, target.status.commit_message
    status.artifact, status.runtime = target.status.artifact, target.status.runtime
    if not status.processes:
        status.processes = [DeployedProcess(name=p.name, command=p.command) for p in target.status.processes]
    return True


def _built(view: ReleaseView, plan: Plan) -> bool:
    if view.deploy.status.artifact:
        return True
    if not view.project.spec.source.repository:
        message = "The project has no repository: connect one with POST /v1/projects/:id/git, or set spec.source."
        _fail(view, plan, Failure(reason="NoRepository", message=message))
        return False
    commit = _resolved(view, plan)
    # After the question for the commit, which takes longest, and before all that reads it.
    plan.actions.append(TakeSnapshot(snapshot_secret(view.deploy.name), env_secret(view.project.name)))
    return bool(commit) and _build_done(view, plan, commit or "")


def _resolved(view: ReleaseView, plan: Plan) -> str | None:
    if plan.status.commit:
        return plan.status.commit
    steps.begin(plan.status, "resolve", view.now)
    ref = view.gitref
    if ref is None:
        plan.actions.append(Ensure(children.gitref(view)))
        plan.waiting_for = "the commit of the ref"
        return None
    if ref.status.phase == "failed":
        message = ref.status.message or "The repository could not be read."
        _fail(view, plan, Failure(reason="RefNotResolved", message=message))
        return None
    if ref.status.phase != "resolved" or not ref.status.commit:
        plan.waiting_for = "the commit of the ref"
        return None
    plan.status.commit = ref.status.commit
    steps.end(plan.status, "resolve", view.now, ref.status.commit[:12])
    return ref.status.commit


def _build_done(view: ReleaseView, plan: Plan, commit: str) -> bool:
    status = plan.status
    steps.begin(status, "build", view.now)
    if view.build is None:
        plan.actions.append(Ensure(children.build(view, commit)))
        status.build = view.deploy.name
        plan.waiting_for = "the build"
        return False
    made = view.build.status
    status.build, status.build_node = view.build.name, made.node
    status.commit_message = made.commit_message or status.commit_message
    if made.phase == "failed":
        message = made.message or "The build failed; its log tells more."
        _fail(view, plan, Failure(reason=made.reason or "BuildFailed", message=message))
        return False
    if made.phase != "succeeded" or not made.artifact:
        plan.waiting_for = "the build"
        return False
    status.artifact, status.runtime = made.artifact, made.runtime
    detected = [DeployedProcess(name=p.name, command=p.command) for p in made.processes]
    status.processes = children.processes(view, detected)
    if not status.processes:
        message = "The build found no process to run: add a Procfile, or name one under spec.processes."
        _fail(view, plan, Failure(reason="NoProcess", message=message))
        return False
    steps.end(status, "build", view.now)
    return True


def _started(view: ReleaseView, plan: Plan) -> bool:
    """Every process runs and answers, or nothing of it is wanted (scaled to 0)."""
    status = plan.status
    status.phase = "releasing"
    steps.begin(status, "start", view.now)
    have = {workload.name: workload for workload in view.workloads if not workload.deleting}
    for process in status.processes:
        process.workload = workload_name(view.deploy.name, process.name)
        if process.workload not in have:
            wanted = children.workload(view, process, status.artifact or "", status.runtime or "", status.commit or "")
            plan.actions.append(Ensure(wanted))
    if view.routed:
        return True
    workloads = [have[p.workload] for p in status.processes if p.workload in have]
    if len(workloads) < len(status.processes):
        plan.waiting_for = "the workloads"
        return False
    return _answering(view, plan, workloads)


def _answering(view: ReleaseView, plan: Plan, workloads: list[Workload]) -> bool:
    status = plan.status
    broken = next((w for w in workloads if w.status.trouble and w.status.trouble.final), None)
    if broken is not None:
        _fail(view, plan, _trouble(broken))
        return False
    if all(_running_enough(w) for w in workloads):
        steps.end(status, "start", view.now)
        steps.begin(status, "check", view.now)
    late = [w for w in workloads if not _ready_enough(w)]
    if not late:
        steps.end(status, "check", view.now)
        return True
    limit = max(w.spec.health.timeout_seconds for w in late)
    started = steps.begin(status, "start", view.now).started_at
    left = (started + timedelta(seconds=limit + _REPORT_SECONDS) - view.now).total_seconds()
    if left <= 0:
        _fail(view, plan, _too_late(late[0], limit))
        return False
    plan.again_in = left
    plan.waiting_for = f"process {late[0].spec.process} to answer"
    return False


def _observed(workload: Workload) -> bool:
    return workload.status.observed_generation >= workload.metadata.generation


def _running_enough(workload: Workload) -> bool:
    if workload.spec.replicas == 0:
        return True
    return (
        _observed(workload) and workload.status.scheduled > 0 and workload.status.running >= workload.status.scheduled
    )


def _ready_enough(workload: Workload) -> bool:
    """All that could be placed are ready: what does not fit is reported on the project, and does not stop a release."""
    if workload.spec.replicas == 0:
        return True
    status = workload.status
    return _observed(workload) and status.scheduled > 0 and status.ready >= status.scheduled and _placed(workload)


def _placed(workload: Workload) -> bool:
    """Everything is placed, or the scheduler has said that the rest does not fit."""
    schedulable = find(workload.status.conditions, SCHEDULABLE)
    short = schedulable is not None and schedulable.status == "False"
    return workload.status.scheduled >= workload.spec.replicas or short


def _trouble(workload: Workload) -> Failure:
    trouble = workload.status.trouble
    assert trouble is not None
    message = f"Process {workload.spec.process}: {trouble.message}"
    return Failure(reason=trouble.reason, message=message, instance=trouble.instance, node=trouble.node)


def _too_late(workload: Workload, limit: int) -> Failure:
    if workload.status.trouble is not None:
        return _trouble(workload)
    schedulable = find(workload.status.conditions, SCHEDULABLE)
    if schedulable is not None and schedulable.status == "False":
        return Failure(reason="Unschedulable", message=schedulable.message or "No node has room for it.")
    return Failure(
        reason="NotReady",
        message=f"Process {workload.spec.process} did not answer on its PORT within {limit} s "
        f"(GET {workload.spec.health.path} must answer below 500).",
    )


def _switched(view: ReleaseView, plan: Plan) -> None:
    """One write of the Route; live once the router says that traffic goes there."""
    status = plan.status
    steps.end(status, "start", view.now)
    steps.end(status, "check", view.now)
    steps.begin(status, "switch", view.now)
    served = next((p for p in status.processes if p.name == children.SERVED), None)
    target = (served.workload if served else "") or ""
    route = view.route
    if route is None or route.spec.deploy != view.deploy.name or route.spec.workload != target:
        plan.actions.append(SwitchTraffic(view.deploy.name, target))
        plan.waiting_for = "the router"
        return
    if target and not _taken_over(view, target):
        plan.waiting_for = "the router"
        return
    steps.end(status, "switch", view.now)
    status.phase = "live"
    status.was_live = True
    status.url = view.url if target else None
    status.live_at = status.finished_at = view.now
    if view.gitref is not None:
        plan.actions.append(Remove(view.gitref))


def _taken_over(view: ReleaseView, target: str) -> bool:
    workload = next((w for w in view.workloads if w.name == target), None)
    if workload is not None and workload.spec.replicas == 0:
        return True
    return view.route is not None and view.route.status.served_by == target
