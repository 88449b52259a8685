"""What the kernel starts from: just enough to see our files, see `init`."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.machine.packages import Kernel

_INIT = Path(__file__).parent / "init"
# Our files by 9p, a layer that is written to above them, on a disk.
_MODULES = ("virtio_pci", "virtio_blk", "crc32c_generic", "ext4", "9pnet_virtio", "9p", "overlay")


def write_ramdisk(path: Path, kernel: Kernel) -> Path:
    root = path.with_suffix(".root")
    shutil.rmtree(root, ignore_errors=True)
    _add(_INIT, root / "init")
    _add(kernel.busybox, root / "bin" / "busybox")
    inside = Path("lib/modules") / kernel.modules.name
    for name in ("modules.dep", *_needed(kernel.modules)):
        _add(kernel.modules / name, root / inside / name)
    names = "".join(f"{each.relative_to(root)}\n" for each in sorted(root.rglob("*")))
    packed = subprocess.run(
        [kernel.busybox, "cpio", "-o", "-H", "newc"], cwd=root, input=names.encode(), capture_output=True, check=True
    )
    path.write_bytes(packed.stdout)
    return path


def _add(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, target)


def _needed(modules: Path) -> Iterator[str]:
    """Their files, and those of the modules that they are built on."""
    for line in (modules / "modules.dep").read_text().splitlines():
        file, _, others = line.partition(":")
        if Path(file).name.partition(".")[0] in _MODULES:
            yield from (file, *others.split())
