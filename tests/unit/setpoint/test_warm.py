"""What is prepared before the fork leaves nothing that a fork would break: no threads, no connections."""

import json
import threading
from pathlib import Path

import pytest

from setpoint.warm import warm_up
from tests.contract.apiserver import server
from tests.ports import free_port


def open_files() -> set[str]:
    """That of looking is gone by the time it is looked at."""
    return {str(each.readlink()) for each in Path("/proc/self/fd").iterdir() if each.is_symlink()}


@pytest.mark.parametrize("there", [True, False])
def test_nothing_is_left_whether_the_api_answers_or_not(tmp_path: Path, there: bool) -> None:
    with server.running(tmp_path) as api:
        kubeconfig = tmp_path / "asked"
        url = api.url if there else f"https://127.0.0.1:{free_port()}"
        kubeconfig.write_text(json.dumps(server.kubeconfig(url, api.ca, api.token)))
        warm_up(kubeconfig)
        threads, files = threading.enumerate(), open_files()
        warm_up(kubeconfig)
        assert threading.enumerate() == threads
        assert open_files() == files
