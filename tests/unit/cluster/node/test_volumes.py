"""Volumes on disk: whose they are, and when their files go."""

from pathlib import Path
from typing import Literal

import pytest

from cluster.node.view import lie_in_each_other
from cluster.node.volumes import Note, Volumes
from crds.models.project import Project, ProjectSpec
from crds.models.record import Metadata


def project(uid: str, policy: Literal["delete", "retain"] = "delete") -> Project:
    meta = Metadata(name="shop", namespace="acc-main", uid=uid)
    return Project(metadata=meta, spec=ProjectSpec(deletion_policy=policy))


def test_a_project_of_the_same_name_has_other_files(tmp_path: Path) -> None:
    volumes = Volumes(tmp_path / "volumes")
    first = volumes.provide(project("u1"), ["data"])
    (first.folders["data"] / "file").write_text("first")
    assert volumes.provide(project("u1"), ["data", "more"]).folders["data"] == first.folders["data"]
    assert (first.folders["data"] / "file").read_text() == "first"
    second = volumes.provide(project("u2"), ["data"])
    assert list(second.folders["data"].iterdir()) == []
    assert (first.owner, second.owner) == ("u1", "u2")


@pytest.mark.parametrize(("policy", "kept"), [("delete", False), ("retain", True)])
def test_files_of_a_project_that_is_gone(tmp_path: Path, policy: Literal["delete", "retain"], kept: bool) -> None:
    volumes = Volumes(tmp_path / "volumes")
    assert volumes.all() == []
    mounted = volumes.provide(project("u1", policy), ["data"])
    closed = mounted.folders["data"] / "closed"
    (closed / "deep").mkdir(parents=True)
    closed.chmod(0)
    volumes.sweep(volumes.all(), [project("u1", policy), project("u2")])
    assert mounted.folders["data"].is_dir(), "the project is there"
    volumes.sweep(volumes.all(), [project("u2")])
    assert [path.name for path in volumes.all()] == (["u1"] if kept else [])


def test_the_last_word_on_what_becomes_of_the_files_counts(tmp_path: Path) -> None:
    volumes = Volumes(tmp_path / "volumes")
    volumes.provide(project("u1"), ["data"])
    volumes.sweep(volumes.all(), [project("u1", "retain")])
    volumes.note(project("u2", "retain"))
    assert [path.name for path in volumes.all()] == ["u1"], "who has no volumes gets no folder"
    volumes.sweep(volumes.all(), [])
    volumes.sweep(volumes.all(), [])
    assert volumes.read(tmp_path / "volumes/u1") == Note("acc-main", "shop", "retain")


@pytest.mark.parametrize("note", ["", "{", '{"namespace": "a"}', "[]", None])
def test_what_nobody_can_tell_the_owner_of_stays(tmp_path: Path, note: str | None) -> None:
    volumes = Volumes(tmp_path / "volumes")
    mounted = volumes.provide(project("u1"), ["data"])
    path = tmp_path / "volumes/u1/project.json"
    path.unlink() if note is None else path.write_text(note)
    volumes.sweep(volumes.all(), [])
    assert mounted.folders["data"].is_dir()


def test_what_an_agent_that_was_killed_began_to_remove_goes_too(tmp_path: Path) -> None:
    volumes = Volumes(tmp_path / "volumes")
    (tmp_path / "volumes/.gone-u1/data").mkdir(parents=True)
    volumes.sweep(volumes.all(), [])
    assert volumes.all() == []


@pytest.mark.parametrize(
    ("paths", "nested"),
    [
        (["/data"], False),
        (["/data/a", "/data/b"], False),
        (["/data/a", "/data/ab"], False),
        (["/data/a", "/data/a/b/c"], True),
        (["/data/x/y", "/data"], True),
        (["/data/a", "/data/a"], True),
    ],
)
def test_volumes_that_lie_in_each_other(paths: list[str], nested: bool) -> None:
    assert lie_in_each_other(paths) is nested
