"""Boots the machine, shows what its tests say, and answers how they ended."""

import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.machine.packages import Kernel, Missing

_SECONDS = 20 * 60
_INSIDE = Path(__file__).parent / "inside"
_OPTIONS = "console=ttyS0 panic=-1 TERM=dumb systemd.show_status=error systemd.unit=setpoint-machine.service"


@dataclass(frozen=True)
class Machine:
    """`folder`: where its console is written to; `disk`: what it writes to, and finds again at its next boot."""

    folder: Path
    kernel: Kernel
    ramdisk: Path
    disk: Path


def run(machine: Machine, arguments: list[str]) -> int:
    """One boot: the exit code of `inside/run` with these arguments; 1 when the machine ended without telling one."""
    verdict, console = machine.folder / "verdict", machine.folder / "console.log"
    verdict.unlink(missing_ok=True)
    _lay(machine.kernel.layer, arguments)
    try:
        subprocess.run(_command(machine, console, verdict), timeout=_SECONDS, stdin=subprocess.DEVNULL, check=False)
    except subprocess.TimeoutExpired:
        print(f"The machine was not done after {_SECONDS} s.")
    said = verdict.read_text().strip() if verdict.exists() else ""
    if said.isdecimal():
        return int(said)
    print(f"The machine did not say how its tests ended. Its console:\n{_tail(console)}")
    return 1


def _lay(layer: Path, arguments: list[str]) -> None:
    """What the machine is to have in /etc beside the other machine's files."""
    shutil.copytree(Path(__file__).parent / "files", layer, dirs_exist_ok=True)
    (layer / "etc/setpoint-machine").write_text(f"exec {shlex.join([str(_INSIDE / 'run'), *arguments])}\n")


def _command(machine: Machine, console: Path, verdict: Path) -> list[str]:
    program = shutil.which("qemu-system-x86_64")
    if program is None:
        raise Missing("qemu is missing: install it, for example: sudo apt-get install qemu-system-x86")
    shared = "security_model=none,readonly=on,multidevs=remap"
    return [
        *(program, "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", "2048"),
        *("-display", "none", "-nodefaults", "-no-reboot", "-nic", "none"),
        *("-kernel", str(machine.kernel.image), "-initrd", str(machine.ramdisk), "-append", _OPTIONS),
        *("-virtfs", f"local,path=/,mount_tag=files,{shared}"),
        *("-virtfs", f"local,path={machine.kernel.layer},mount_tag=kernel,{shared}"),
        # Nothing need outlive this machine's own end.
        *("-drive", f"file={machine.disk},format=raw,if=virtio,cache=unsafe"),
        *("-serial", f"file:{console}", "-serial", "stdio", "-serial", f"file:{verdict}"),
    ]


def _tail(path: Path) -> str:
    lines = path.read_text(errors="replace").splitlines() if path.exists() else []
    return "\n".join(lines[-60:])
