"""The script of kubectl by the minor version before the one that all else is tried with, on both servers."""

import subprocess
from pathlib import Path

import pytest
import uv

from cluster.controlplane.build import CACHE
from tests.cluster.controlplane.server import ControlPlane
from tests.contract.apiserver.client import Api
from tests.contract.apiserver.server import running
from tests.contract.kubernetes.backends import install, typed

LOCK = Path(__file__).with_name("kubectl-1.36.lock")


@pytest.fixture(scope="module")
def older() -> str:
    """Not in the environment, where there is one kubectl only."""
    folder = CACHE / "kubectl-1.36"
    program = folder / "bin" / "kubectl"
    if not program.exists():
        command = [uv.find_uv_bin(), "pip", "install", "--quiet", "--require-hashes", "--target", str(folder)]
        subprocess.run([*command, "-r", str(LOCK)], check=True, timeout=300)
    return str(program)


def test_it_is_older(older: str) -> None:
    told = subprocess.run([older, "version", "--client"], capture_output=True, text=True, check=True, timeout=30)
    assert "v1.36." in told.stdout


def test_it_is_told_the_same_by_both(plane: ControlPlane, older: str, tmp_path: Path) -> None:
    api = Api(plane.url, plane.token, plane.ca)
    install(api)
    api.http.close()
    with running(tmp_path) as server:
        install(Api(server.url, server.token, server.ca))
        # The real one's collectors are behind at times.
        for attempt in (1, 2, 3):
            ours, theirs = typed(server, older), typed(plane, older)
            if ours == theirs:
                return
            assert attempt < 3, [pair for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1]]
