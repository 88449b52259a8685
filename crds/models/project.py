"""Project: what is deployed and run. Its reconciler only sums up; a release is Deploy's."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field, JsonValue

from crds.models.record import GROUP, VERSION, Column, Record, Resource, Shape, Status, named_list

PROCESS_NAME = r"^[a-z][a-z0-9-]{0,14}$"
SIBLING = r"^[a-z]([a-z0-9-]*[a-z0-9])?$"
Runtime = Literal["", "python", "node", "static", "procfile", "go", "ruby", "php", "dockerfile"]
Phase = Literal["pending", "deploying", "running", "degraded", "sleeping", "stopped", "failed", "deleting"]


class ProjectSource(Shape):
    """Where the code comes from: a git repository, or a prebuilt image (Kubernetes runtime only)."""

    repository: str = Field(default="", max_length=2048, description="URL (https, ssh), or an absolute path")
    branch: str = Field(default="", max_length=255, description="Branch to deploy; empty: the repository's own")
    path: str = Field(default="", max_length=512, description="Folder of the project inside the repository")
    watched_paths: list[str] = Field(
        default_factory=list, max_length=50, description="Deploy only when one of these changed"
    )
    image: str = Field(default="", max_length=512)


class Health(Shape):
    """When an instance counts as ready: it listens on its port, and GET `path` answers below 500."""

    path: str = Field(default="/", max_length=512, pattern=r"^/[!-~]*$")
    timeout_seconds: int = Field(default=60, ge=1, le=600)


class ProcessSpec(Shape):
    """One process type. `web` is served; the others only run."""

    name: str = Field(pattern=PROCESS_NAME, max_length=15)
    command: str = Field(default="", max_length=4096, description="Empty: as detected")
    health: Health = Field(default_factory=Health)
    drain_seconds: int = Field(default=10, ge=0, le=3600, description="How long open requests may finish")
    stop_grace_seconds: int = Field(default=10, ge=0, le=600, description="From SIGTERM to SIGKILL")


class EnvSpec(Shape):
    """Values are in the Secret `<project>-env`, never here."""

    build: list[str] = Field(default_factory=list, max_length=100, description="Variables that builds see too")


class Volume(Shape):
    name: str = Field(pattern=PROCESS_NAME, max_length=15)
    mount_path: str = Field(pattern=r"^/data(/\.{0,2}[A-Za-z0-9_-][A-Za-z0-9._-]*)*$", max_length=200)
    size_mi_b: int = Field(
        default=1024, ge=1, alias="sizeMiB", description="Who fills more is ended; beside the project's disk quota"
    )


# What is mounted inside a volume would be mounted where a link in it leads.
APART: dict[str, JsonValue] = {
    "rule": "self.all(a, !self.exists(b, a.name != b.name && (b.mountPath + '/').startsWith(a.mountPath + '/')))",
    "message": "no volume may lie in another: give each a mountPath beside the others, as /data/a and /data/b",
}


class ProjectSpec(Shape):
    runtime: Runtime = Field(default="", description="Empty: detected")
    source: ProjectSource = Field(default_factory=ProjectSource)
    processes: list[ProcessSpec] = named_list(max_length=20)
    env: EnvSpec = Field(default_factory=EnvSpec)
    volumes: list[Volume] = named_list(APART, max_length=10)
    siblings: list[Annotated[str, Field(max_length=30, pattern=SIBLING)]] = Field(
        default_factory=list,
        max_length=50,
        description="Projects of the same account that its instances reach as http://<name>.internal",
    )
    database: bool = False
    build_timeout_seconds: int = Field(default=900, ge=10, le=7200)
    deploy_policy: Literal["onChange", "manual"] = Field(
        default="onChange",
        description="onChange: a deploy for each new commit of the branch, or change of the spec",
    )
    deletion_policy: Literal["delete", "retain"] = Field(
        default="delete", description="retain: volumes outlive the project"
    )


class InstanceCount(Shape):
    desired: int = 0
    ready: int = 0


class ProjectStatus(Status):
    phase: Phase | None = None
    url: str | None = None
    deploy: str | None = Field(default=None, description="Name of the live Deploy")
    latest_deploy: str | None = Field(default=None, description="Name of the newest Deploy")
    last_number: int = Field(default=0, description="Highest number a deploy of this project ever had")
    runtime: str | None = None
    commit: str | None = None
    instances: InstanceCount = Field(default_factory=InstanceCount)
    summary: str | None = Field(default=None, description="ready/desired, for people")
    head: str | None = Field(default=None, description="Commit of the branch when last looked at")
    head_moves: int = Field(default=0, description="How often the branch moved since it is followed")
    followed: str | None = Field(default=None, description="The head (and spec) that was last handled")
    message: str | None = None


class Project(Record):
    resource: ClassVar[Resource] = Resource(GROUP, VERSION, "projects", "Project")
    short_names: ClassVar[list[str]] = ["prj"]
    columns: ClassVar[list[Column]] = [
        Column("Status", ".status.phase"),
        Column("Ready", ".status.summary"),
        Column("Runtime", ".status.runtime"),
        Column("Commit", ".status.commit"),
        Column("URL", ".status.url"),
        Column("Deploy", ".status.deploy", priority=1),
        Column("Repository", ".spec.source.repository", priority=1),
        Column("Message", ".status.message", priority=1),
    ]
    spec: ProjectSpec = Field(default_factory=ProjectSpec)
    status: ProjectStatus = Field(default_factory=ProjectStatus)
