"""What the verbs work with."""

from dataclasses import dataclass

from cluster.apiserver.access.access import Access
from cluster.apiserver.kinds.registry import Registry
from cluster.apiserver.storage.store import Store
from cluster.apiserver.watching.hub import Hub


@dataclass(frozen=True)
class Context:
    store: Store
    registry: Registry
    access: Access
    hub: Hub
