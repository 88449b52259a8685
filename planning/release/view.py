"""What a release is decided from: the deploy and everything of its project that matters, as of now."""

from dataclasses import dataclass, field
from datetime import datetime

from crds.models.build import Build
from crds.models.deploy import FINISHED, Deploy
from crds.models.gitref import GitRef
from crds.models.project import Project
from crds.models.route import Route
from crds.models.scaling import Scaling
from crds.models.workload import Workload
from crds.names import ANNOTATION_PROJECT_GENERATION

# Of a generation; anybody may write an annotation.
_MOST_DIGITS = 12


@dataclass(frozen=True)
class ReleaseView:
    """`siblings` are the project's other deploys; `workloads` those of this deploy; times are UTC."""

    deploy: Deploy
    project: Project
    now: datetime
    url: str
    runner: str = "local"
    siblings: list[Deploy] = field(default_factory=list)
    gitref: GitRef | None = None
    build: Build | None = None
    workloads: list[Workload] = field(default_factory=list)
    route: Route | None = None
    scalings: list[Scaling] = field(default_factory=list)

    @property
    def routed(self) -> bool:
        """Traffic was sent to this deploy: from here on there is no way back."""
        return self.route is not None and self.route.spec.deploy == self.deploy.name

    @property
    def project_is_older(self) -> bool:
        """Than whoever asked for the deploy saw it: the watches of two kinds keep no order between them."""
        seen = self.deploy.metadata.annotations.get(ANNOTATION_PROJECT_GENERATION, "")
        known = seen.isascii() and seen.isdigit() and len(seen) <= _MOST_DIGITS
        return known and self.project.metadata.generation < int(seen)

    def sibling(self, name: str) -> Deploy | None:
        return next((deploy for deploy in self.siblings if deploy.name == name), None)

    def scaling(self, process: str) -> Scaling | None:
        return next((s for s in self.scalings if s.spec.process == process), None)


def is_finished(deploy: Deploy) -> bool:
    return deploy.status.phase in FINISHED


def is_active(deploy: Deploy) -> bool:
    return deploy.status.phase in ("building", "releasing")
