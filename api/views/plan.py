"""What a deploy would do, as answers show it."""

from typing import Any

from api.http.shapes import View


class SourceView(View):
    repository: str
    ref: str | None
    commit: str | None


class BuildView(View):
    strategy: str | None
    steps: list[str]


class ProcessView(View):
    name: str
    command: str
    instances: int
    size: str


class WiringView(View):
    """Names of the variables that a process sees; `domains`: the hostnames that lead to it."""

    env: list[str]
    database: bool
    domains: list[str]


class ResourcesView(View):
    """Of all instances together. `node`: where they would go; null when they do not fit."""

    cpu: float
    memory_bytes: int
    instances: int
    fits: bool
    node: str | None


class ChangeView(View):
    """`owner`: the field managers that own the field now; null when nobody does."""

    object: str
    field: str
    before: Any
    after: Any
    owner: str | None


class PlanView(View):
    """`digest`: the same for the same plan."""

    source: SourceView | None
    runtime: str | None
    build: BuildView
    processes: list[ProcessView]
    wiring: WiringView
    resources: ResourcesView
    changes: list[ChangeView]
    warnings: list[str]
    digest: str
