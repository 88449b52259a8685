"""Which changes of records make the router compare its table."""

from typing import Any

from cluster.router.view import View
from crds.models.route import Route


def route(version: str, generation: int, **status: Any) -> Route:
    meta = {
        "name": "shop", "namespace": "acc-main", "uid": "u1", "resourceVersion": version, "generation": generation
    }  # fmt: skip
    return Route.parse({"metadata": meta, "spec": {"project": "shop"}, "status": status})


def test_a_status_that_is_written_back_does_not_move_the_table() -> None:
    calls: list[int] = []
    view = View(lambda: calls.append(1))
    view.routes.upsert(route("1", 1))
    assert len(calls) == 1
    view.routes.upsert(route("2", 1, servedBy="shop-web"))
    assert len(calls) == 1
    view.routes.upsert(route("3", 2))
    assert len(calls) == 2
    view.routes.remove(route("4", 2))
    assert len(calls) == 3
