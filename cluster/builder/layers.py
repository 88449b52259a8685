"""What installers give back, and what both kinds of them share."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

from cluster.builder.artifacts import ArtifactStore
from cluster.builder.errors import BuildFailed
from cluster.builder.reading import read_file
from cluster.builder.source import SourceLayer
from cluster.builder.step import Steps
from cluster.builder.workshop import Workshop

_LARGEST = 32 * 1024 * 1024


@dataclass(frozen=True)
class LayerMount:
    """`part` of a layer, seen at `target`, by the build's later steps and by every instance alike."""

    layer: str
    part: str
    target: str

    def wire(self) -> dict[str, str]:
        return {"layer": self.layer, "part": self.part, "target": self.target}


@dataclass(frozen=True)
class Installed:
    """What instances need beside the source: mounts in order, folders for PATH, variables, tools by name."""

    mounts: tuple[LayerMount, ...] = ()
    path: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    tools: tuple[str, ...] = ()


@dataclass(frozen=True)
class Job:
    """One build on its way: where it works, what it builds. `variables` are those that the project lists for it."""

    workshop: Workshop
    store: ArtifactStore
    steps: Steps
    project: str
    source: SourceLayer
    path: str
    work: Path
    variables: Mapping[str, str] = field(repr=False)

    @property
    def cwd(self) -> str:
        return f"/app/{self.path}" if self.path else "/app"

    def downloading(self) -> Self:
        """The same, by the user of downloads: for steps that run nobody's code."""
        return replace(self, steps=self.steps.as_user(self.workshop.downloader))

    def variables_hash(self) -> str:
        """Installing may depend on them (an index, a token); the values themselves go nowhere."""
        text = "\0".join(f"{name}={value}" for name, value in sorted(self.variables.items()))
        return hashlib.sha256(f"{self.project}\0{text}".encode()).hexdigest()


def file_hash(job: Job, names: Iterable[str]) -> str:
    """Of the project's files of these names, whole ones. Raises BuildFailed when one is absurdly large."""
    return text_hash(*(_whole(job, name) or b"" for name in names))


def copy_files(job: Job, names: Iterable[str], target: Path) -> None:
    """Those of them that are there."""
    for name in names:
        data = _whole(job, name)
        if data is not None:
            (target / name).write_bytes(data)


def _whole(job: Job, name: str) -> bytes | None:
    data = read_file(job.source.folder / name, _LARGEST + 1)
    if data is not None and len(data) > _LARGEST:
        raise BuildFailed("FileTooLarge", f"{name} is larger than {_LARGEST // 1024 // 1024} MiB.")
    return data


def text_hash(*texts: str | bytes) -> str:
    digest = hashlib.sha256()
    for text in texts:
        data = text.encode(errors="surrogatepass") if isinstance(text, str) else text
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


def installer_environment(job: Job, path: str) -> dict[str, str]:
    """Variables of an installing step: the project's own for builds, then ours; nothing of the platform's."""
    ours = {"PATH": path, "HOME": "/tmp", "LANG": "C.UTF-8", "NO_COLOR": "1", "CI": "1"}  # noqa: S108 (inside)
    return {**job.variables, **ours}
