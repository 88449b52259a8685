"""A skip is a failure: here is the machine that has what the test needs."""

from collections.abc import Generator

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped:
        report.outcome = "failed"
    return report


def pytest_deselected(items: list[pytest.Item]) -> None:
    if items and not items[0].config.option.keyword:
        raise pytest.UsageError(f"left out: {', '.join(item.nodeid for item in items)}")
