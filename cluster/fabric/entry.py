"""Starting a program in a network namespace: util-linux' nsenter goes in, and becomes the program."""

import os
import shutil
import threading
from dataclasses import dataclass
from functools import cache
from typing import Self

from cluster.fabric.wire import close_all


@dataclass(frozen=True)
class Entry:
    """By which a program is started in a network namespace: its descriptor, and that of the user namespace that owns
    it (None: as root). Closed by its holder, who needs it only until the program has begun."""

    network: int
    user: int | None = None

    def close(self) -> None:
        close_all([self.network] if self.user is None else [self.network, self.user])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def inside(entry: Entry | None, command: list[str]) -> list[str]:
    """The command that runs it there, from this thread; as it is where there is no entry.

    Named by our own descriptors and not inherited: what runs inside must not hold a way to somewhere else. By those of
    this thread: Landlock lets who is confined look only at who is confined alike."""
    if entry is None:
        return command
    own = f"/proc/{os.getpid()}/task/{threading.get_native_id()}/fd"
    options = [f"--net={own}/{entry.network}"]
    if entry.user is not None:
        options = [f"--user={own}/{entry.user}", "--preserve-credentials", *options]
    return [str(nsenter()), *options, "--", *command]


@cache
def nsenter() -> str | None:
    return shutil.which("nsenter", path="/usr/bin:/bin:/usr/sbin:/sbin")
