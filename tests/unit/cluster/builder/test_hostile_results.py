"""What a step left behind is read, moved and mounted by the platform: nothing of it may lead elsewhere."""

from pathlib import Path

import pytest

from cluster.builder.artifacts import ArtifactStore
from cluster.builder.errors import BuildFailed


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
