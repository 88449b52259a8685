"""Count and size of a project's instances as answers show them."""

from api.http.shapes import View
from api.views.common import truth
from crds.conditions import SCHEDULABLE, find
from crds.models.scaling import Scaling


class ScaleView(View):
    """`schedulable` null: not judged yet."""

    instances: int
    size: str
    ready: int
    schedulable: bool | None
    message: str | None


def scale_view(scaling: Scaling) -> ScaleView:
    conditions = scaling.status.conditions
    condition = find(conditions, SCHEDULABLE)
    judged = condition is not None and condition.observed_generation >= scaling.metadata.generation
    return ScaleView(
        instances=scaling.spec.instances,
        size=scaling.spec.size,
        ready=scaling.status.ready,
        schedulable=truth(conditions, SCHEDULABLE) if judged else None,
        message=(condition.message or None) if judged and condition else None,
    )
