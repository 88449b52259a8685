"""The look into a repository that a plan needs."""

import os
import sys
from pathlib import Path

import pytest

from cluster.builder.errors import BuildFailed
from cluster.builder.inspect import inspect
from cluster.builder.repository import Refused
from planning.detect import detect
from tests.unit.cluster.repositories import example, repository

PYTHON = Path(os.path.realpath(sys.executable))


async def test_an_example_is_seen_and_nothing_is_kept(tmp_path: Path) -> None:
    commit = example("flask", tmp_path / "repo")
    seen = await inspect(str(tmp_path / "repo"), "main", scratch=tmp_path / "scratch", python=PYTHON)
    assert (seen.commit, seen.message) == (commit, "Example flask")
    assert "requirements.txt" in seen.files
    assert detect(seen).processes[0].command == "gunicorn --bind $HOST:$PORT app:app"
    assert list((tmp_path / "scratch").iterdir()) == []


async def test_a_folder_of_a_repository(tmp_path: Path) -> None:
    repository(tmp_path / "repo", {"apps/web/index.html": "x", "main.py": ""})
    seen = await inspect(str(tmp_path / "repo"), path="apps/web", scratch=tmp_path / "scratch", python=PYTHON)
    assert seen.files == ("index.html",)
    assert detect(seen).runtime == "static"
    for bad in ("../x", "/etc"):
        with pytest.raises(Refused):
            await inspect(str(tmp_path / "repo"), path=bad, scratch=tmp_path / "scratch", python=PYTHON)
    with pytest.raises(BuildFailed, match="no folder"):
        await inspect(str(tmp_path / "repo"), path="nope", scratch=tmp_path / "scratch", python=PYTHON)
    with pytest.raises(Refused, match="no repository"):
        await inspect(str(tmp_path / "none"), scratch=tmp_path / "scratch", python=PYTHON)
