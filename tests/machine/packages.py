"""The kernel and its helpers, from Debian's packages: downloaded and unpacked into a folder, never installed."""

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

# The one for clouds lacks 9p, by which the machine sees our files.
_KERNEL = "linux-image-amd64"
_HELPERS = "busybox-static"


class Missing(Exception):
    """Something that the machine is made of is not here; the message says what, and what to do."""


@dataclass(frozen=True)
class Kernel:
    """`image`: what is booted; `modules`: the folder named as its release; `busybox`: a program without libraries;
    `layer`: a root folder that holds nothing else than what this kernel adds to one."""

    image: Path
    modules: Path
    busybox: Path
    layer: Path


def kernel(folder: Path) -> Kernel:
    """Once unpacked, it is kept until there is a newer one. Raises Missing."""
    package = _real_name(_KERNEL)
    home = folder / package
    if not home.exists():
        _unpack(home, package)
    modules = next((home / "layer/usr/lib/modules").iterdir())
    return Kernel(home / "vmlinuz", modules, home / "busybox", home / "layer")


def _real_name(package: str) -> str:
    """That on which the package without a version depends."""
    found = re.search(r"Depends: (linux-image-\S+)", _output("apt-cache", "depends", package))
    if found is None:
        raise Missing(f"apt knows no {package}: run `apt-get update`, on Debian.")
    return found[1]


def _unpack(home: Path, package: str) -> None:
    work = home.with_suffix(".new")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    _output("apt-get", "download", "-q", package, _HELPERS, cwd=work)
    for archive in work.glob("*.deb"):
        _output("dpkg-deb", "-x", str(archive), str(work / "all"))
        archive.unlink()
    _arrange(work)
    work.rename(home)


def _arrange(work: Path) -> None:
    """Only modules and `modprobe` go into the layer, which must not hide links of the root folder below it."""
    below = work / "layer" / "usr"
    (below / "lib").mkdir(parents=True)
    next((work / "all/boot").glob("vmlinuz-*")).rename(work / "vmlinuz")
    _either(work / "all", "lib/modules").rename(below / "lib" / "modules")
    _either(work / "all", "bin/busybox").rename(work / "busybox")
    shutil.rmtree(work / "all")
    # The real one would want an index that only the real depmod writes.
    (below / "sbin").mkdir()
    shutil.copy(work / "busybox", below / "sbin" / "modprobe")
    release = next((below / "lib" / "modules").iterdir()).name
    _output(str(work / "busybox"), "depmod", "-b", str(below), release)


def _either(root: Path, path: str) -> Path:
    """Newer packages have it below usr."""
    return next(each for each in (root / path, root / "usr" / path) if each.exists())


def _output(*command: str, cwd: Path | None = None) -> str:
    try:
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Missing(f"{command[0]}: {error}") from None
    if done.returncode != 0:
        raise Missing(f"`{' '.join(command)}` failed: {done.stderr.strip()}")
    return done.stdout
