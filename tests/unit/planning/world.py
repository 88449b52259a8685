"""A small world in which releases are planned: records in memory, and the acts of those who are not the loop."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from crds.models.build import Build, DetectedProcess
from crds.models.deploy import Deploy, DeploySpec
from crds.models.gitref import GitRef
from crds.models.project import Project, ProjectSpec
from crds.models.record import Metadata, Record
from crds.models.route import Route, RouteSpec
from crds.models.scaling import Scaling
from crds.models.workload import Trouble, Workload
from planning.release.actions import Ensure, Plan, Remove, SwitchTraffic, TakeSnapshot
from planning.release.release import plan_release
from planning.release.view import ReleaseView

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
COMMIT = "c" * 40


def project(**spec: object) -> Project:
    fields = {"source": {"repository": "https://git.example/shop.git", "branch": "main"}, **spec}
    return Project(
        metadata=Metadata(name="shop", namespace="acc-main", uid="p1"), spec=ProjectSpec.model_validate(fields)
    )


@dataclass
class World:
    project: Project = field(default_factory=project)
    deploys: dict[str, Deploy] = field(default_factory=dict)
    gitrefs: dict[str, GitRef] = field(default_factory=dict)
    builds: dict[str, Build] = field(default_factory=dict)
    workloads: dict[str, Workload] = field(default_factory=dict)
    snapshots: set[str] = field(default_factory=set)
    scalings: list[Scaling] = field(default_factory=list)
    route: Route | None = None
    now: datetime = NOON

    def add(self, name: str, **spec: object) -> Deploy:
        created = NOON + timedelta(seconds=len(self.deploys))
        deploy = Deploy(
            metadata=Metadata(name=name, namespace="acc-main", uid=f"u-{name}", creation_timestamp=created),
            spec=DeploySpec.model_validate({"project": "shop", **spec}),
        )
        self.deploys[name] = deploy
        return deploy

    def view(self, name: str) -> ReleaseView:
        return ReleaseView(
            deploy=self.deploys[name],
            project=self.project,
            now=self.now,
            url="http://shop--main.localhost/",
            siblings=[d for d in self.deploys.values() if d.name != name],
            gitref=self.gitrefs.get(name),
            build=self.builds.get(name),
            workloads=[w for w in self.workloads.values() if w.spec.deploy == name],
            route=self.route,
            scalings=self.scalings,
        )

    def step(self, name: str, *, crash: bool = False) -> Plan:
        """Plan and do; with `crash` the status is not written."""
        plan = plan_release(self.view(name))
        for action in plan.actions:
            if isinstance(action, Ensure):
                self._table(action.record).setdefault(action.record.name, action.record.model_copy(deep=True))
            elif isinstance(action, Remove):
                self._table(action.record).pop(action.record.name, None)
            elif isinstance(action, TakeSnapshot):
                self.snapshots.add(action.name)
            elif isinstance(action, SwitchTraffic):
                old = self.route.status if self.route else None
                self.route = Route(spec=RouteSpec(project="shop", deploy=action.deploy, workload=action.workload))
                self.route.status = old or self.route.status
        if not crash:
            self.deploys[name].status = plan.status
            self.project.status.last_number = max(d.status.number or 0 for d in self.deploys.values())
        return plan

    def _table(self, record: Record) -> dict[str, Record]:
        tables: dict[type[Record], dict[str, Record]] = {
            GitRef: self.gitrefs,  # type: ignore[dict-item]
            Build: self.builds,  # type: ignore[dict-item]
            Workload: self.workloads,  # type: ignore[dict-item]
        }
        return tables[type(record)]

    def resolve(self, name: str, error: str | None = None) -> None:
        if name in self.gitrefs:
            status = self.gitrefs[name].status
            status.phase = "failed" if error else "resolved"
            status.commit, status.message = (None, error) if error else (COMMIT, None)

    def build(self, name: str, error: str | None = None, processes: tuple[str, ...] = ("web",)) -> None:
        if name in self.builds:
            status = self.builds[name].status
            status.phase = "failed" if error else "succeeded"
            status.message, status.node = error, "node-1"
            status.artifact = None if error else "sha256:" + "a" * 64
            status.processes = [DetectedProcess(name=p, command=f"run {p}") for p in processes]

    def run(self, name: str, *, ready: bool = True) -> None:
        for workload in self.workloads.values():
            if workload.spec.deploy == name:
                status, wanted = workload.status, workload.spec.replicas
                status.desired = status.scheduled = status.running = wanted
                status.ready = wanted if ready else 0

    def crash(self, name: str) -> None:
        for workload in self.workloads.values():
            if workload.spec.deploy == name:
                workload.status.trouble = Trouble(reason="CrashLoop", message="exit 1", instance="i", final=True)

    def serve(self) -> None:
        if self.route is not None:
            self.route.status.served_by = self.route.spec.workload

    def release(self, name: str) -> None:
        """All goes well."""
        for _ in range(12):
            for other in list(self.deploys):
                self.step(other)
            self.resolve(name)
            self.build(name)
            self.run(name)
            self.serve()

    def phases(self) -> dict[str, str | None]:
        return {name: deploy.status.phase for name, deploy in self.deploys.items()}
