"""The build's log: numbered without a gap, masked, limited, followed."""

import asyncio
from pathlib import Path

import orjson
import pytest

from cluster.builder.log import BuildLog, OutputLimit, masks, read_log


async def _read(path: Path, first: int, live: BuildLog | None) -> list[int]:
    return [orjson.loads(line)["seq"] async for line in read_log(path, first, live)]


async def test_a_second_attempt_goes_on_with_the_numbers_also_after_a_torn_line(tmp_path: Path) -> None:
    path = tmp_path / "log"
    log = BuildLog(path, 1000)
    log.system("one")
    log.output("stdout", "two")
    log.close()
    with path.open("ab") as file:
        file.write(b'{"seq":3,"at":"20')
    log = BuildLog(path, 1000)
    log.system("three")
    log.close()
    assert await _read(path, 1, None) == [1, 2, 3]
    assert await _read(path, 3, None) == [3]


async def test_followers_see_every_line_once_and_end_with_the_build(tmp_path: Path) -> None:
    log = BuildLog(tmp_path / "log", 100_000)
    log.system("before")
    readers = [asyncio.ensure_future(_read(tmp_path / "log", 1, log)) for _ in range(10)]
    for number in range(50):
        log.output("stdout", f"line {number}")
        if number % 7 == 0:
            await asyncio.sleep(0)
    log.close()
    for found in await asyncio.gather(*readers):
        assert found == list(range(1, 52))


def test_secrets_are_masked_line_by_line_and_output_is_limited(tmp_path: Path) -> None:
    log = BuildLog(tmp_path / "log", 100, ["first-line\nsecond-line", "abc", "first-line-and-more"])
    log.output("stdout", "x first-line-and-more y second-line abc")
    assert orjson.loads((tmp_path / "log").read_bytes())["line"] == "x ******** y ******** abc"
    assert masks(["abc", ""]) == []
    with pytest.raises(OutputLimit):
        log.output("stderr", "z" * 100)
    log.system("ours always fit")
    log.close()
