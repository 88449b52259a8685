"""What a step left behind is read, moved and mounted by the platform: nothing of it may lead elsewhere."""

import os
from pathlib import Path

import pytest

from cluster.builder.artifacts import ArtifactStore
from cluster.builder.bytecode import finish_compiling
from cluster.builder.errors import BuildFailed
from cluster.builder.reading import read_text
from tests.unit.cluster.builder.bench import Bench
from tests.unit.cluster.builder.test_installers import write_package
from tests.unit.cluster.repositories import commit, git, write

_HOOK = """
import contextlib, os
for folder in ("/env", "/cache"):
    with contextlib.suppress(OSError):
        os.symlink({secret!r}, folder + "/requirements.txt")
"""


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A folder of the platform's."""
    folder = tmp_path / "platform"
    folder.mkdir()
    (folder / "key").write_text("canary")
    return folder


def test_a_link_in_place_of_a_folder_is_not_published(tmp_path: Path, secret: Path) -> None:
    """A package's hook can leave its node_modules so: whoever mounts them would mount what the link leads to."""
    store = ArtifactStore(tmp_path / "store")
    (tmp_path / "node_modules").symlink_to(secret)
    with pytest.raises(BuildFailed) as caught:
        store.publish({"kind": "node"}, {"node_modules": tmp_path / "node_modules"})
    assert caught.value.reason == "UnsafeSymlink"
    assert list(store.root.iterdir()) == []


def test_what_a_step_left_is_read_only_if_it_is_a_file(tmp_path: Path, secret: Path) -> None:
    (tmp_path / "message").symlink_to(secret / "key")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_text("said")
    assert [read_text(tmp_path / name, 100) for name in ("message", "pipe", "none", "file")] == [None] * 3 + ["said"]


async def test_nothing_is_written_through_a_link_of_an_earlier_build(tmp_path: Path, secret: Path) -> None:
    bench = Bench(tmp_path / "bench")
    repo = tmp_path / "repo"
    write_package(repo / "own")
    with (repo / "own/backend.py").open("a") as backend:
        backend.write(_HOOK.format(secret=str(secret / "key")))
    write(repo, {"requirements.txt": "./own\n", "main.py": ""})
    git(repo, "init", "-q", "-b", "main")
    await bench.build(str(repo), commit(repo))
    (repo / "requirements.txt").unlink()
    write(repo, {"Pipfile": '[packages]\nitsdangerous = "==2.2.0"\n'})
    await bench.build(str(repo), commit(repo))
    assert (secret / "key").read_text() == "canary"
    await finish_compiling()
