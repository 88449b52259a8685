"""The way out, account by account: lists of their own, and what each instance used is kept."""

import os
import signal
from pathlib import Path

import httpx
import pytest

from cluster.egress.usage import read_ledger
from tests.system.platform import Platform, eventually
from tests.system.repositories import commit
from tests.system.walls.giving import Giver, allow, ask, holder, start_caller
from tests.system.walls.hogs import told_of

MIB = 1024 * 1024


@pytest.fixture(scope="module", autouse=True)
def _caller(running: Platform, client: httpx.Client, tmp_path_factory: pytest.TempPathFactory) -> None:
    start_caller(running, client, tmp_path_factory.mktemp("caller"))


def kept(running: Platform) -> tuple[int, int]:
    """Connections made and bytes received, of all instances of the project."""
    files = (running.data_dir / "egress" / "usage").glob("*.ndjson")
    lines = [line for path in files for line in read_ledger(path) if line["project"] == "caller"]
    return sum(line["connections"] for line in lines), sum(line["received"] for line in lines)


def end_part(running: Platform, sign: signal.Signals) -> None:
    """The way out's driver; whoever starts it again has done so when this returns."""
    pid = running.pid("egress")
    os.kill(pid, sign)
    eventually(lambda: running.pid("egress") != pid)


def test_an_accounts_list_opens_a_network_and_its_use_is_kept(running: Platform, giver: Giver) -> None:
    def got(count: int) -> str:
        return ask(running, giver.host, giver.port, count)

    assert not got(10).isdigit(), "an address of this machine is nobody's to reach"
    allow(running, f"{giver.host}/32")
    eventually(lambda: got(10) == "10")

    assert got(5 * MIB) == str(5 * MIB)
    end_part(running, signal.SIGTERM)
    connections, received = eventually(lambda: kept(running))
    assert connections >= 2
    assert 5 * MIB < received < 5 * MIB + 100_000
    eventually(lambda: got(MIB) == str(MIB))
    end_part(running, signal.SIGKILL)
    eventually(lambda: got(10) == "10")
    end_part(running, signal.SIGTERM)
    eventually(lambda: kept(running)[1] > 6 * MIB)
    assert kept(running)[1] < 6 * MIB + 200_000, "counted once"

    allow(running)
    eventually(lambda: not got(10).isdigit())
    with pytest.raises(AssertionError, match=r"spec\.egress\.allow"):
        allow(running, f"{giver.host}/99")


def test_one_that_holds_as_many_connections_as_it_may_is_told_so_and_others_go_on(
    running: Platform, client: httpx.Client, giver: Giver, tmp_path: Path
) -> None:
    allow(running, f"{giver.host}/32")
    commit(tmp_path / "holder", holder(giver.host, giver.port))
    project = running.new_project(client, "holder", tmp_path / "holder")
    assert client.post(f"/v1/projects/{project}/deploy", json={}).status_code == 202
    eventually(lambda: "as many connections to others open as it may" in told_of(running, "holder")[1], 120)
    assert ask(running, giver.host, giver.port, 10) == "10"
    assert told_of(running, "caller") == ("running", "")
