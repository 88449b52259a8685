"""How long others wait while hostile requests are answered, against how long they wait when nothing else is."""

import gc
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bench.report import figure
from tests.contract.apiserver.client import Api, config_map
from tests.contract.apiserver.conftest import client_of, install_widgets
from tests.contract.apiserver.hostile import HOSTILE, PROBE
from tests.contract.apiserver.server import Server, running


class Others(threading.Thread):
    """Gets one object again and again; `waits` are (when it began, how long it took)."""

    def __init__(self, server: Server) -> None:
        super().__init__()
        self._api = Api(server.url, server.token, server.ca)
        self.waits: list[tuple[float, float]] = []
        self.over = False

    def run(self) -> None:
        while not self.over:
            began = time.monotonic()
            self._api.get(PROBE)
            self.waits.append((began, time.monotonic() - began))
            time.sleep(0.002)
        self._api.http.close()

    def worst_ms(self, since: float, until: float) -> float:
        return 1000 * max((took for began, took in self.waits if began + took >= since and began <= until), default=0.0)


@pytest.fixture
def uncollected() -> Iterator[None]:
    """Who looks at the clock is not to be stopped by its own collector, which takes 0.3 s of what a test run holds."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.bench
@pytest.mark.usefixtures("uncollected")
def test_others_hardly_notice(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        api = client_of(server)
        install_widgets(api)
        api.ok("POST", PROBE.rpartition("/")[0], config_map("probe", {"a": "1"}))
        others = Others(server)
        others.start()
        try:
            time.sleep(2)
            figure("others, nothing else asked for: worst", others.worst_ms(0, time.monotonic()), "ms", "-")
            for hostile in HOSTILE:
                body, began = hostile.body(), time.monotonic()
                headers = {"Content-Type": hostile.kind} if hostile.kind else {}
                api.http.request(hostile.method, hostile.path, content=body, headers=headers, timeout=60)
                time.sleep(0.1)
                figure(f"others, {hostile.name}: worst", others.worst_ms(began, time.monotonic()), "ms", "<= 100")
        finally:
            others.over = True
            others.join()
