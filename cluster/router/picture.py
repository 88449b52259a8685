"""How each Route shall be served, kept in step with the records: only what was touched is looked at again."""

from collections.abc import Mapping

from cluster.router.plan import Key, Serving, host_owners, serve
from cluster.router.view import View


class Picture:
    """`served`: by the Route's key; a Route that is gone, or about to go, is not in it."""

    def __init__(self, view: View, base_domain: str):
        self.served: dict[Key, Serving] = {}
        self._view = view
        self._base_domain = base_domain
        self._owners: dict[str, Key] = {}

    def update(self, holders: Mapping[str, Key]) -> frozenset[Key]:
        """Take what changed; answers the keys of the Routes that were looked at. `holders`: see `host_owners`."""
        touched = self._view.take()
        keys = touched.routes
        if touched.hosts:
            self._owners = host_owners(self._view.routes.list(), self._base_domain, holders)
            keys = frozenset(self._view.routes.keys() | set(self.served) | keys)
        records = self._view.records()
        for key in keys:
            route = self._view.routes.get(*key)
            if route is None or route.deleting:
                self.served.pop(key, None)
            else:
                self.served[key] = serve(records, route, self._base_domain, self._owners)
        return keys
