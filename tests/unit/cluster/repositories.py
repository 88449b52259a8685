"""Real git repositories made of folders or of given files."""

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

EXAMPLES = Path(__file__).parents[3] / "examples"
_IDENTITY = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"]


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *_IDENTITY, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def commit(folder: Path, message: str = "A change") -> str:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", message)
    return git(folder, "rev-parse", "HEAD")


def example(name: str, folder: Path) -> str:
    """The example as a repository at `folder`; its commit."""
    shutil.copytree(EXAMPLES / name, folder, ignore=shutil.ignore_patterns("node_modules", "__pycache__"))
    git(folder, "init", "-q", "-b", "main")
    return commit(folder, f"Example {name}")


def repository(folder: Path, files: Mapping[str, str]) -> str:
    """A repository of these files; its commit."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    write(folder, files)
    return commit(folder, "First")


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
