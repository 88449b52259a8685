"""A namespace that is deleted: what is in it goes first."""

from cluster.apiserver.collect.edit import delete_now, edit
from cluster.apiserver.kinds.builtin.namespaces import FINALIZER
from cluster.apiserver.kinds.builtin.table import NAMESPACES
from cluster.apiserver.types import Json
from cluster.apiserver.verbs.context import Context

ALWAYS = ("default", "kube-system")


async def settle_namespace(context: Context, name: str) -> None:
    record = context.store.latest(NAMESPACES, ("", name))
    if record is None or not record.deleting:
        return
    left = False
    for resource, table in context.store.tables():
        for inside in list(table.scan(name)):
            await delete_now(context, resource, inside)
        left = left or next(table.scan(name), None) is not None
    if not left:
        await edit(context, NAMESPACES, ("", name), _release)


def _release(obj: Json) -> None:
    obj["spec"] = {"finalizers": [held for held in obj["spec"].get("finalizers", []) if held != FINALIZER]}
    if not obj["spec"]["finalizers"]:
        obj["spec"] = {}
