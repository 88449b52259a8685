"""Control groups of version 2, with the real kernel's: where its three controllers are ours (see `conftest.py`)."""

import os
import subprocess
import time
from collections.abc import Iterator

import pytest

from cluster.limits.allowance import Allowance, of_size
from cluster.limits.delegation import find_version2
from cluster.limits.idle import gives_way
from cluster.limits.version2 import Version2Groups, values
from tests.unit.cluster.limits import trials
from tests.unit.cluster.limits.trials import BURN, FORKS, HOG, MIB, burning, share_beside_another


@pytest.fixture
def groups() -> Iterator[Version2Groups]:
    found = find_version2(f"setpoint-test-{os.getpid()}", "node")
    yield found
    found.close()
    assert not list(found.of("one").folder.parent.glob(f"setpoint-test-{os.getpid()}*"))


async def run(groups: Version2Groups, allowance: Allowance, code: str) -> tuple[int | None, bool, float]:
    group = groups.make("one", allowance)
    return await trials.run(group, [group.folder], code)


@pytest.mark.version2
async def test_a_memory_hog_is_ended_and_it_is_known_why(groups: Version2Groups) -> None:
    ended, ran_out, _ = await run(groups, of_size(1, 64 * MIB, 100), HOG)
    assert ended == 137
    assert ran_out


@pytest.mark.version2
async def test_what_stays_within_its_memory_did_not_run_out(groups: Version2Groups) -> None:
    ended, ran_out, _ = await run(groups, of_size(1, 64 * MIB, 100), "x = b'x' * 1048576")
    assert ended == 0
    assert not ran_out


@pytest.mark.version2
async def test_no_more_processes_than_allowed(groups: Version2Groups) -> None:
    ended, _, _ = await run(groups, of_size(1, 256 * MIB, 50), FORKS)
    assert ended == 42


@pytest.mark.version2
async def test_no_more_cpu_than_allowed(groups: Version2Groups) -> None:
    begun = time.monotonic()
    _, _, used = await run(groups, Allowance(0.2, 0.2, 128 * MIB, 50), BURN)
    passed = time.monotonic() - begun
    assert used < 0.5 * passed


@pytest.mark.version2
def test_a_second_installation_and_a_second_node_in_the_same_group(groups: Version2Groups) -> None:
    others = [find_version2(f"setpoint-test-{os.getpid()}-b", node) for node in ("node", "other")]
    try:
        for each in (groups, *others):
            assert each.make("one", of_size(1, 64 * MIB, 50)).memory_bytes() is not None
    finally:
        for each in others:
            each.close()


@pytest.mark.version2
def test_empty_groups_are_swept_and_others_kept(groups: Version2Groups) -> None:
    allowance = of_size(1, 64 * MIB, 50)
    left, kept, used = (groups.make(name, allowance) for name in ("left", "kept", "used"))
    process = subprocess.Popen(["sleep", "60"])
    try:
        used.join(process.pid)
        groups.sweep(["kept"])
        assert [group.folder.exists() for group in (left, kept, used)] == [False, True, True]
    finally:
        process.kill()
        process.wait()


@pytest.mark.version2
def test_who_gives_way_runs_when_nobody_else_wants_to_and_has_its_share_again(groups: Version2Groups) -> None:
    allowance = of_size(0.5, 64 * MIB, 50)
    group = groups.make("one", allowance)
    core = min(os.sched_getaffinity(0))
    with burning(core) as pid, burning(core) as other:
        group.join(pid)
        # Not where the tests are, which is the platform's group by now and weighs more than all others.
        groups.make("two", allowance).join(other)
        group.give_way({})
        idle = gives_way(os.uname().release)
        assert (group.folder / "cpu.idle").read_text() == ("1\n" if idle else "0\n")
        assert share_beside_another(pid, other) < 0.2 or not idle
        group.take_part(allowance, {})
        assert share_beside_another(pid, other) > 0.3
    assert (group.folder / "cpu.weight").read_text() == "500\n"


@pytest.mark.version2
def test_a_group_that_is_found_again_takes_part(groups: Version2Groups) -> None:
    groups.make("one", of_size(0.5, 64 * MIB, 50)).give_way({})
    again = groups.make("one", of_size(0.25, 64 * MIB, 50)).folder
    assert [(again / file).read_text() for file in ("cpu.idle", "cpu.weight")] == ["0\n", "250\n"]


@pytest.mark.parametrize(
    ("cpu", "most", "weight", "quota"),
    [
        (1, 1, "1000", "100000 100000"),
        (0.1, 1, "100", "100000 100000"),
        (0.001, 0.001, "1", "1000 100000"),
        (2.5, 2.5, "2500", "250000 100000"),
        (500, 500, "10000", "50000000 100000"),
    ],
)
def test_what_is_written_is_what_the_kernel_takes(cpu: float, most: float, weight: str, quota: str) -> None:
    assert values(Allowance(cpu, most, 64 * MIB, 100)) == {
        "cpu.weight": weight,
        "cpu.max": quota,
        "memory.max": "67108864",
        "memory.swap.max": "0",
        "pids.max": "100",
    }
