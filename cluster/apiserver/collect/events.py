"""Events are kept for an hour after they were last written, as the real server does it."""

from cluster.apiserver.collect.edit import delete_now
from cluster.apiserver.kinds.builtin.table import EVENTS
from cluster.apiserver.verbs.context import Context

KEEP_SECONDS = 3600.0


async def expire_events(context: Context) -> None:
    table = context.store.table(EVENTS)
    if not table.records:
        return
    oldest = context.store.version_before(KEEP_SECONDS)
    for record in [record for record in table.scan() if record.rv <= oldest]:
        await delete_now(context, EVENTS, record)
