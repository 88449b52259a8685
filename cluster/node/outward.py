"""How many connections an instance has to the outside, as the kernel says of its network."""

from pathlib import Path

_ESTABLISHED, _ASKING = "01", "02"


def connections_out(pid: int, port: int, proc: Path = Path("/proc")) -> int:
    """Those that are open and those that it tries to open, in the network of this process; the ones that come in to
    `port` are not its own. 0 when it is no more."""
    network = proc / str(pid) / "net"
    return sum(_count(network / name, port) for name in ("tcp", "tcp6"))


def sockets(pid: int, proc: Path = Path("/proc")) -> int:
    """Of TCP, of any kind: one short file, however many there are. 0 when it is no more."""
    network = proc / str(pid) / "net"
    return _in_use(network / "sockstat", "TCP:") + _in_use(network / "sockstat6", "TCP6:")


def _in_use(table: Path, name: str) -> int:
    try:
        rows = [line.split() for line in table.read_text().splitlines()]
    except OSError:
        return 0
    return next((int(row[2]) for row in rows if row[:2] == [name, "inuse"]), 0)


def _count(table: Path, port: int) -> int:
    try:
        rows = [line.split(maxsplit=4) for line in table.read_text().splitlines()[1:]]
    except OSError:
        return 0
    own = f":{port:04X}"
    return sum(len(row) > 3 and row[3] in (_ESTABLISHED, _ASKING) and not row[1].endswith(own) for row in rows)
