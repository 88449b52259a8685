"""What needs control groups of version 2 is left to a machine that has them, and it is said so."""

import os

import pytest

from cluster.limits.delegation import Unavailable, find_version2

_LEFT = pytest.StashKey[str]()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    needing = [item for item in items if item.get_closest_marker("version2")]
    refused = _refused() if needing else ""
    if refused:
        items[:] = [item for item in items if item not in needing]
        config.hook.pytest_deselected(items=needing)
        config.stash[_LEFT] = f"{len(needing)} tests of version 2 are left to `make test-machine`: {refused}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if _LEFT in config.stash:
        terminalreporter.write_line(config.stash[_LEFT])


def _refused() -> str:
    try:
        find_version2(f"setpoint-test-{os.getpid()}", "node").close()
    except Unavailable as refused:
        return f"here, {refused}"
    return ""
