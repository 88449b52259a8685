"""The watch cache: every record that an answer is made from, indexed as answers need it."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from crds.client.client import Client
from crds.client.reflector import Reflector
from crds.client.store import Store, by_label, with_editors
from crds.models.account import Account
from crds.models.computenode import ComputeNode
from crds.models.deploy import Deploy
from crds.models.instance import Instance
from crds.models.project import Project
from crds.models.record import Record
from crds.models.route import Route
from crds.models.scaling import Scaling
from crds.names import LABEL_DEPLOY, LABEL_PROJECT, account_namespace, label, scaling_name

_Owned = Deploy | Scaling | Route


def _by_namespace(record: Record) -> Iterable[str]:
    return [record.namespace]


def _by_project(record: _Owned) -> Iterable[str]:
    return [f"{record.namespace}/{record.spec.project}"]


class Records:
    """Stores for reading. `upsert` the answer of each write, so that its writer reads what it wrote."""

    def __init__(self) -> None:
        # An edit is laid over what the API owns of a record, and refused where somebody else owns it.
        self.accounts = Store(Account, transform=with_editors)
        self.projects = Store(Project, {"namespace": _by_namespace}, with_editors)
        self.scalings = Store(Scaling, {"project": _by_project}, with_editors)
        self.deploys = Store(Deploy, {"project": _by_project}, with_editors)
        self.instances = Store(Instance, {"project": by_label(LABEL_PROJECT)})
        self.routes = Store(Route, {"project": _by_project})
        self.nodes = Store(ComputeNode)
        self._wakers: dict[str, set[asyncio.Event]] = {}
        self.deploys.subscribe(self._wake_by_spec)
        self.projects.subscribe(self._wake_by_name)

    @property
    def stores(self) -> list[Store]:  # type: ignore[type-arg]  # of every kind, each with its own type
        return [
            self.accounts,
            self.projects,
            self.scalings,
            self.deploys,
            self.instances,
            self.routes,
            self.nodes,
        ]

    def account_of(self, handle: str) -> Account | None:
        return self.accounts.get(None, handle)

    def projects_of(self, account: Account) -> Sequence[Project]:
        return self.projects.indexed("namespace", account_namespace(account.name))

    def scaling_of(self, project: Project, process: str) -> Scaling | None:
        usual = self.scalings.get(project.namespace, scaling_name(project.name, process))
        if usual is not None:
            return usual
        found = self.scalings.indexed("project", _project_key(project))
        return next((scaling for scaling in found if scaling.spec.process == process), None)

    def processes_of(self, project: Project) -> list[str]:
        """Those of what serves, else of what was deployed last; none before that."""
        named = project.status.deploy or project.status.latest_deploy
        deploy = self.deploys.get(project.namespace, named) if named else None
        return [process.name for process in deploy.status.processes] if deploy else []

    def main_process(self, project: Project) -> str:
        """The one that a project's count and size are those of: `web`, or the only one."""
        names = self.processes_of(project)
        return names[0] if len(names) == 1 else "web"

    def main_scaling(self, project: Project) -> Scaling | None:
        return self.scaling_of(project, self.main_process(project))

    def deploys_of(self, project: Project) -> Sequence[Deploy]:
        return self.deploys.indexed("project", _project_key(project))

    def live_deploy(self, project: Project) -> Deploy | None:
        return self.deploys.get(project.namespace, project.status.deploy) if project.status.deploy else None

    def instances_of(self, project: Project) -> Sequence[Instance]:
        return self.instances.indexed("project", _project_key(project))

    def deploy_of(self, instance: Instance) -> Deploy | None:
        """By its label, which outlives its workload while it stops."""
        return self.deploys.get(instance.namespace, label(instance, LABEL_DEPLOY))

    @contextmanager
    def waking(self, namespace: str, project: str) -> Iterator[asyncio.Event]:
        """An event that is set whenever the project or a deploy of it changes."""
        key = f"{namespace}/{project}"
        event = asyncio.Event()
        self._wakers.setdefault(key, set()).add(event)
        try:
            yield event
        finally:
            self._wakers[key].discard(event)
            if not self._wakers[key]:
                del self._wakers[key]

    def _wake_by_spec(self, old: Deploy | None, new: Deploy | None) -> None:
        record = new or old
        if record is not None:
            self._wake(f"{record.namespace}/{record.spec.project}")

    def _wake_by_name(self, old: Project | None, new: Project | None) -> None:
        record = new or old
        if record is not None:
            self._wake(f"{record.namespace}/{record.name}")

    def _wake(self, key: str) -> None:
        for event in self._wakers.get(key, ()):
            event.set()


def _project_key(project: Project) -> str:
    return f"{project.namespace}/{project.name}"


class Feed:
    """Keeps Records equal to what the API server has."""

    def __init__(self, client: Client, records: Records):
        self._reflectors = [Reflector(client, store) for store in records.stores]

    @property
    def synced(self) -> bool:
        return all(reflector.synced.is_set() for reflector in self._reflectors)

    async def wait(self) -> None:
        for reflector in self._reflectors:
            await reflector.synced.wait()

    async def run(self) -> None:
        """Never returns."""
        await asyncio.gather(*(reflector.run() for reflector in self._reflectors))
