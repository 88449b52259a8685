"""The one cache of the controller: a Store a kind, fed by the operator's events, and now and then by a fresh list."""

import logging
from collections.abc import Callable, Iterable
from typing import Any, TypeVar, cast

from crds.client.client import Client
from crds.client.reflector import take_event
from crds.client.store import Store, by_label
from crds.models.record import Record
from crds.names import LABEL_PROJECT

R = TypeVar("R", bound=Record)
_log = logging.getLogger(__name__)


def _by_project(model: type[Record]) -> Callable[[Any], Iterable[str]]:
    """Index by namespace and project: from the spec where it names one (people's records need no label)."""
    spec = model.model_fields.get("spec")
    if spec is not None and "project" in getattr(spec.annotation, "model_fields", {}):
        return lambda record: [f"{record.namespace}/{record.spec.project}"]
    return by_label(LABEL_PROJECT)


class Cache:
    """All kinds that the controller watches."""

    def __init__(self, models: list[type[Record]]):
        self._stores: dict[type[Record], Store[Any]] = {
            model: Store(model, {"project": _by_project(model)}) for model in models
        }

    def store(self, model: type[R]) -> Store[R]:
        return cast(Store[R], self._stores[model])

    @property
    def models(self) -> list[type[Record]]:
        return list(self._stores)

    def get(self, model: type[R], namespace: str | None, name: str) -> R | None:
        return self.store(model).get(namespace, name)

    def of_project(self, model: type[R], namespace: str, project: str) -> list[R]:
        return list(self.store(model).indexed("project", f"{namespace}/{project}"))

    def take(self, model: type[Record], event: str | None, body: dict[str, Any]) -> None:
        """One event of the operator: DELETED, or anything else with the record as it is now."""
        take_event(self._stores[model], event, body)

    def subscribe(self, model: type[R], listener: Callable[[R | None, R | None], None]) -> None:
        self.store(model).subscribe(listener)

    async def refresh(self, client: Client) -> None:
        """Hold every kind against a fresh list: the start, and the cure for what a watch may have missed."""
        for model, store in self._stores.items():
            records, _version = await client.list(model)
            known = store.keys()
            store.replace_all(records)
            if known and known != store.keys():
                _log.info("%s: a fresh list differed from the cache", model.resource.plural)
