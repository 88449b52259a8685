"""The parts of an installation: what each is called, in which order they start, and how each is run.

A part's module is imported when it starts (or before, by the supervisor's preload), never by looking at this table."""

from dataclasses import dataclass
from importlib import import_module

from setpoint.installation import Installation
from setpoint.settings import Settings


@dataclass(frozen=True)
class Part:
    """`name` is unique on the installation (node-1, node-2 ...); `role` names the sub-command and the module."""

    name: str
    role: str

    async def run(self, settings: Settings, installation: Installation) -> None:
        """Run it until cancelled."""
        await import_module(f"setpoint.run.{self.role}").run(settings, installation, self.name)

    async def end(self, settings: Settings, installation: Installation) -> None:
        """After it was interrupted: end what it ran for others, where there is such a thing."""
        end = getattr(import_module(f"setpoint.run.{self.role}"), "end", None)
        if end is not None:
            await end(settings, installation, self.name)


def node_name(number: int) -> str:
    return f"node-{number}"


def parts_of(settings: Settings) -> list[Part]:
    """In the order in which they start; they stop in reverse."""
    nodes = [Part(node_name(number), "node") for number in range(1, settings.nodes + 1)]
    embedded = [] if settings.kubeconfig else [Part(APISERVER, APISERVER)]
    return [
        *embedded,
        Part("fabric", "fabric"),
        Part("egress", "egress"),
        Part("router", "router"),
        *nodes,
        Part("scheduler", "scheduler"),
        Part("controller", "controller"),
        Part("api", "api"),
    ]


def former_nodes(settings: Settings, installation: Installation) -> list[Part]:
    """Nodes of an earlier start with more of them; what they have on disk stays, should they come back."""
    kept = names_of(settings)
    folders = sorted(path for path in (installation.root / "nodes").glob("*") if path.is_dir())
    return [Part(path.name, "node") for path in folders if path.name not in kept]


def names_of(settings: Settings) -> list[str]:
    return [part.name for part in parts_of(settings)]


APISERVER = "apiserver"
# Each continues: a part which ...
ROLES: dict[str, str] = {
    "apiserver": "holds all records: the embedded Kubernetes API (SQLite)",
    "controller": "makes records true: the loop",
    "scheduler": "chooses the node of each instance and build",
    "api": "answers /v1",
    "node": "runs instances and builds on this machine",
    "fabric": "keeps the network that instances live in, one for each",
    "egress": "leads out of that network: to what may be reached, by which names",
    "router": "drives HAProxy, by which requests come to instances",
}
