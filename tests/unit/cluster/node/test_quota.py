"""A project's share of the disk: what is counted, and when who takes too much is ended."""

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.node.disk import MIB, used_bytes
from cluster.node.quota import Claim, Quotas, Share, of_volume, until_over
from tests.unit.cluster.eventually import eventually

QUOTA = 8 * MIB


def fill(path: Path, size: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(os.urandom(size))


@pytest.fixture
async def quotas(tmp_path: Path) -> AsyncIterator[Quotas]:
    made = Quotas(tmp_path, QUOTA)
    task = asyncio.ensure_future(made.run())
    yield made
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


def test_what_is_counted(tmp_path: Path) -> None:
    fill(tmp_path / "one" / "deep" / "file", 3 * MIB)
    before = used_bytes([tmp_path])
    assert 3 * MIB <= before < 4 * MIB
    os.link(tmp_path / "one" / "deep" / "file", tmp_path / "again")
    (tmp_path / "loop").symlink_to(".")
    (tmp_path / "sparse").touch()
    os.truncate(tmp_path / "sparse", 1 << 40)
    assert used_bytes([tmp_path]) == before
    assert used_bytes([tmp_path / "nothing"]) == 0


@given(st.integers(1, 1 << 40), st.integers(0, 1 << 41))
def test_who_begins_within_the_share_may_fill_it_and_no_more(quota: int, at_start: int) -> None:
    share = Share(quota)
    most = share.while_running(at_start)
    assert most >= quota
    if at_start <= quota:
        assert most == quota
    elif at_start <= share.to_start:
        assert at_start < most <= at_start + 16 * MIB, "it may tidy up, which can take a little room"
    else:
        assert most < at_start, "it is ended at once"


async def test_who_takes_too_much_is_ended_and_waits_until_there_is_room(quotas: Quotas, tmp_path: Path) -> None:
    said: list[str] = []

    async def full(message: str) -> None:
        said.append(message)
        quotas.forget("project", "run")

    volume = tmp_path / "volume"
    fill(volume / "a", 4 * MIB)
    claims = [Claim((volume,), quotas.share)]
    quotas.watch("project", claims, "run", full)
    await eventually(lambda: quotas._last)
    assert await quotas.refusal("project", claims) is None
    fill(volume / "b", 80 * MIB)  # much at once is seen at once
    await eventually(lambda: said)
    assert "84 MiB of the 8 MiB" in said[0]
    assert "--disk-quota" in (await quotas.refusal("project", claims) or "")
    (volume / "b").unlink()
    assert await quotas.refusal("project", claims) is None
    assert await quotas.refusal("another", claims) is None


async def test_a_volume_may_hold_what_its_size_says(quotas: Quotas, tmp_path: Path) -> None:
    said: list[str] = []

    async def full(message: str) -> None:
        said.append(message)
        quotas.forget("project", "run")

    claims = [Claim((tmp_path,), quotas.share), of_volume(tmp_path / "small", "small", MIB)]
    fill(tmp_path / "other", 3 * MIB)
    fill(tmp_path / "small" / "a", 2 * MIB)
    quotas.watch("project", claims, "run", full)
    await eventually(lambda: said)
    assert said[0].startswith("The volume small takes 2 MiB of the 1 MiB that it may")
    assert "sizeMiB" in (await quotas.refusal("project", claims) or "")
    (tmp_path / "small" / "a").unlink()
    assert await quotas.refusal("project", claims) is None


async def test_a_build_that_fills_its_folder_is_told_so(tmp_path: Path) -> None:
    fill(tmp_path / "big", QUOTA + MIB)
    assert "9 MiB of the 8 MiB" in await asyncio.wait_for(until_over(tmp_path, Share(QUOTA)), 10)
