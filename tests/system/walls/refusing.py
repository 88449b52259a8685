"""`setpoint` where the kernel gives nobody a user namespace: in one whose limit for more of them is none. That is the
same refusal as a distribution's, and the machine's other processes have nothing of it.

    python -m tests.system.walls.refusing up ..."""

import ctypes
import os
import sys
from pathlib import Path

from setpoint.cli import main

_NEW_USER = 0x10000000


def refuse() -> None:
    """For this process and what it starts."""
    user, group = os.getuid(), os.getgid()
    if ctypes.CDLL(None, use_errno=True).unshare(_NEW_USER) != 0:
        raise OSError(ctypes.get_errno(), "a user namespace")
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    Path("/proc/sys/user/max_user_namespaces").write_text("0")


if __name__ == "__main__":
    refuse()
    sys.exit(main())
