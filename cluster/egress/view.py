"""The records that the way out watches: accounts, for their lists, and instances, for their addresses."""

from collections.abc import Callable, Mapping

from cluster.egress.policy import Network, networks
from cluster.egress.tenants import Tenant
from cluster.fabric.networks import endpoint_of
from crds.client.client import Client
from crds.client.reflector import Reflector
from crds.client.store import Store
from crds.models.account import Account
from crds.models.instance import Instance
from crds.names import LABEL_PROJECT, account_namespace, label


class View:
    """`changed` is called when an address or a list did."""

    def __init__(self, changed: Callable[[], None]):
        self.accounts = Store(Account)
        self.instances = Store(Instance)
        self.tenants: dict[str, Tenant] = {}
        self._changed = changed
        self.accounts.subscribe(self._account_changed)
        self.instances.subscribe(self._instance_changed)

    def reflectors(self, client: Client) -> tuple[Reflector[Account], Reflector[Instance]]:
        return Reflector(client, self.accounts), Reflector(client, self.instances)

    def allow(self) -> Mapping[str, tuple[Network, ...]]:
        """By namespace; of those accounts that have a list."""
        found = {account_namespace(each.name): networks(each.spec.egress.allow) for each in self.accounts.list()}
        return {namespace: nets for namespace, nets in found.items() if nets}

    def _account_changed(self, old: Account | None, new: Account | None) -> None:
        if (old.spec.egress if old else None) != (new.spec.egress if new else None):
            self._changed()

    def _instance_changed(self, old: Instance | None, new: Instance | None) -> None:
        before, after = _address(old), _address(new)
        if before == after:
            return
        if before is not None:
            self.tenants.pop(before, None)
        if after is not None and new is not None:
            self.tenants[after] = Tenant(new.namespace, label(new, LABEL_PROJECT), new.name)
        self._changed()


def _address(instance: Instance | None) -> str | None:
    if instance is None or not instance.status.address:
        return None
    return endpoint_of(instance.status.address)[0]
