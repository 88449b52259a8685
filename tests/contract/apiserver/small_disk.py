"""A disk of its own for a server, soon full: a file system in memory, in a mount namespace, which needs no root."""

import contextlib
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tests.lifeline import end_with_parent

# Reads new sizes, and says when each is there.
_HOLDER = """
mount -t tmpfs -o size=$2,mode=0700 none "$1" && echo ready
while read -r size; do mount -o "remount,size=$size" "$1" && echo ready; done
"""


@dataclass
class SmallDisk:
    holder: "subprocess.Popen[str]"

    @property
    def inside(self) -> list[str]:
        """The beginning of a command that is to see it."""
        return ["nsenter", "--target", str(self.holder.pid), "--user", "--mount", "--preserve-credentials"]

    def resize(self, size: str) -> None:
        print(size, file=_open(self.holder.stdin), flush=True)
        self.wait()

    def wait(self) -> None:
        answer = _open(self.holder.stdout).readline()
        assert answer == "ready\n", "a file system in a namespace of its own is needed: this machine refuses it"


@contextlib.contextmanager
def small_disk(folder: Path, size: str) -> Iterator[SmallDisk]:
    folder.mkdir(parents=True)
    command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", _HOLDER, "sh", str(folder), size]
    holder = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=end_with_parent
    )
    try:
        disk = SmallDisk(holder)
        disk.wait()
        yield disk
    finally:
        holder.kill()
        holder.communicate()


def _open(pipe: IO[str] | None) -> IO[str]:
    assert pipe is not None
    return pipe
