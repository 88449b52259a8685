"""The instances that run at the moment."""

from collections.abc import Sequence

from api.http.answers import Page
from api.http.call import Call
from api.http.paging import page_of
from api.runtime.protocol import InstanceUsage, RuntimeAway
from api.views.instance import instance_view
from crds.models.instance import Instance


async def listing(call: Call) -> Page:
    records = call.platform.records
    instances = records.instances_of(call.project)
    usage = await usage_by_instance(call, instances)
    views = []
    for instance in instances:
        view = instance_view(instance, records.deploy_of(instance), usage.get(instance.name))
        if view is not None:
            views.append(view)
    shown, cursor = page_of(views, call.query, call.path, place=lambda view: view.name)
    return Page("instances", list(shown), cursor)


async def usage_by_instance(call: Call, instances: Sequence[Instance]) -> dict[str, InstanceUsage]:
    """Instance name -> its live figures, as far as their nodes answer."""
    nodes = frozenset(instance.spec.node for instance in instances)
    try:
        usages = await call.platform.runtime.usage(call.namespace, call.project.name, nodes)
    except RuntimeAway:
        return {}
    return {usage.instance: usage for usage in usages}
