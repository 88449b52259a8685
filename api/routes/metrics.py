"""Live figures of a project."""

from api.http.answers import Answer
from api.http.call import Call
from api.problems import unavailable
from api.runtime.protocol import RequestUsage, RuntimeAway
from api.views.metrics import metrics_view
from api.views.status import instance_word


async def read(call: Call) -> Answer:
    found = call.platform.records.instances_of(call.project)
    instances = [instance for instance in found if instance_word(instance) is not None]
    nodes = frozenset(instance.spec.node for instance in instances)
    try:
        usages = await call.platform.runtime.usage(call.namespace, call.project.name, nodes)
    except RuntimeAway as away:
        raise unavailable(f"The figures cannot be read: {away}. Try again shortly.") from None
    return Answer(metrics_view(instances, usages, await _requests(call)))


async def _requests(call: Call) -> RequestUsage | None:
    try:
        return await call.platform.runtime.requests(call.namespace, call.project.name)
    except RuntimeAway:
        return None
