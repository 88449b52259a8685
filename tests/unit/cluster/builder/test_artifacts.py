"""The artifact store: content-addressed, whole or not there, swept by what is named."""

import os
import time
from pathlib import Path

import pytest

from cluster.builder.artifacts import ArtifactStore, digest_of


def _content(folder: Path, text: str) -> dict[str, Path]:
    folder.mkdir()
    (folder / "file").write_text(text)
    return {"tree": folder}


def test_published_twice_the_first_stands(tmp_path: Path) -> None:
    store = ArtifactStore(tmp_path / "artifacts")
    manifest = {"kind": "source", "commit": "a"}
    assert store.find(manifest) is None
    digest = store.publish(manifest, _content(tmp_path / "one", "one"))
    assert store.publish(manifest, _content(tmp_path / "two", "two")) == digest == digest_of(manifest)
    assert (store.path(digest) / "tree/file").read_text() == "one"
    assert store.read(digest) == manifest
    assert [entry.name for entry in store.root.iterdir()] == [digest.removeprefix("sha256:")]


def test_a_sweep_keeps_what_is_named_with_its_layers_and_what_is_young(tmp_path: Path) -> None:
    store = ArtifactStore(tmp_path / "artifacts")
    layer = store.publish({"kind": "source", "commit": "a"}, _content(tmp_path / "one", "one"))
    release = store.publish({"kind": "release", "mounts": [{"layer": layer, "part": "tree", "target": "/app"}]})
    old = store.publish({"kind": "source", "commit": "b"}, _content(tmp_path / "two", "two"))
    assert store.sweep([]) == 0, "all are young"
    later = time.time() + 7200
    assert store.sweep([release, "an/image:1"], later) == 1
    assert store.read(layer)
    assert store.read(old) is None
    os.utime(store.path(release), (0, 0))
    assert store.find({"kind": "release", "mounts": [{"layer": layer, "part": "tree", "target": "/app"}]}) == release
    assert store.sweep([], time.time() + 1) == 0


def test_a_digest_is_never_a_path(tmp_path: Path) -> None:
    store = ArtifactStore(tmp_path)
    for bad in ("../x", "sha256:../../x", "sha256:" + "g" * 64, "", "sha256:" + "a" * 63):
        with pytest.raises(ValueError):
            store.path(bad)
