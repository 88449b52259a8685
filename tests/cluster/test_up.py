"""`setpoint up` with a control plane of its own: a real API server and etcd instead of the embedded API."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.system.platform import Platform, eventually, platform

pytestmark = pytest.mark.cluster
REAL = {"SETPOINT_CONTROL_PLANE": "real"}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    with platform(tmp_path_factory.mktemp("real") / "data", example=True, environment=REAL) as started:
        yield started


def test_the_example_is_served_and_etcd_has_the_records(running: Platform) -> None:
    assert running.get("hello").status_code == 200
    assert "v1.36" in json.loads(running.kubectl("version", "-o", "json"))["serverVersion"]["gitVersion"]
    assert (running.data_dir / "controlplane" / "etcd" / "member").is_dir()
    assert not (running.data_dir / "apiserver" / "state.db").exists()


def test_secrets_are_sealed_before_etcd_has_them(running: Platform) -> None:
    value = "a-value-that-stands-nowhere-else"
    running.kubectl("create", "secret", "generic", "sealed", f"--from-literal=key={value}")
    plain = [value.encode(), base64.b64encode(value.encode())]
    member = running.data_dir / "controlplane" / "etcd" / "member"
    files = [path.read_bytes() for path in member.rglob("*") if path.is_file()]
    assert files
    assert not any(secret in content for secret in plain for content in files)


def test_etcd_speaks_with_nobody_who_has_no_certificate(running: Platform) -> None:
    ports = json.loads((running.data_dir / "controlplane" / "ports.json").read_text())
    for port in ports.values():
        with pytest.raises(httpx.HTTPError):
            httpx.get(f"https://127.0.0.1:{port}/health", verify=False, timeout=5)


def test_everything_comes_back_when_the_control_plane_is_killed(running: Platform) -> None:
    running.kill("apiserver")
    assert running.get("hello").status_code == 200, "the router needs no records to serve"
    eventually(lambda: running.kubectl("get", "projects", "hello", check=False).count("running"), 60)


def test_another_start_finds_it_all_and_another_place_is_refused(running: Platform) -> None:
    running.stop()
    assert _refused(running.data_dir) == 1
    running.example = False
    running.start()
    eventually(lambda: running.get("hello").status_code == 200, 60)


def _refused(data_dir: Path) -> int:
    """The exit code of a start that would begin anew in the embedded API."""
    other = Platform(data_dir)
    with pytest.raises(AssertionError, match="keeps its records in a control plane of its own"):
        other.start()
    assert other.process is not None
    code = other.process.wait(timeout=30)
    assert other.process.stdout is not None
    other.process.stdout.close()
    return code
