"""Caches that all projects' builds share: dropped whole, never from under a build."""

import time
from pathlib import Path

from cluster.builder.common_cache import CacheLimits, common_cache, trim_common_caches

MONTH = 31 * 86400.0


def _use(state: Path, what: str, kib: int) -> Path:
    with common_cache(state, what) as folder:
        (folder / "deep").mkdir(exist_ok=True)
        (folder / "deep/file").write_bytes(b"x" * kib * 1024)
    return folder


def test_what_is_small_and_used_stays_what_is_old_goes(tmp_path: Path) -> None:
    folder = _use(tmp_path, "uv", 1)
    assert trim_common_caches(tmp_path, time.time()) == []
    assert (folder / "deep/file").exists()
    assert trim_common_caches(tmp_path, time.time() + MONTH) == ["uv"]
    assert [path.name for path in folder.parent.iterdir()] == ["uv.lock"]
    assert _use(tmp_path, "uv", 1).is_dir(), "the next build begins a new one"


def test_what_is_too_large_goes_and_the_others_stay(tmp_path: Path) -> None:
    small, large = _use(tmp_path, "npm", 4), _use(tmp_path, "uv", 400)
    assert trim_common_caches(tmp_path, time.time(), CacheLimits(bytes=100 * 1024)) == ["uv"]
    assert small.is_dir()
    assert not large.exists()


def test_a_cache_in_use_is_left_for_the_next_time(tmp_path: Path) -> None:
    with common_cache(tmp_path, "uv") as folder, common_cache(tmp_path, "uv"):
        assert trim_common_caches(tmp_path, time.time() + MONTH) == []
        assert folder.is_dir()
    assert trim_common_caches(tmp_path, time.time() + MONTH) == ["uv"]


def test_a_cache_from_before_there_were_locks_is_judged_by_its_folder(tmp_path: Path) -> None:
    (tmp_path / "caches-common/uv").mkdir(parents=True)
    assert trim_common_caches(tmp_path, time.time()) == []
    assert trim_common_caches(tmp_path, time.time() + MONTH) == ["uv"]
    assert trim_common_caches(tmp_path / "none", time.time()) == []
