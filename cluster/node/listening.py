"""Where a process listens, as the kernel says of its network: for a better sentence than "it does not"."""

from pathlib import Path

_LISTENS = "0A"
_LOOPBACK = ("0100007F", "00000000000000000000000001000000")


def on_loopback_only(pid: int, port: int) -> bool:
    """Does anything in its network listen on that port of 127.0.0.1 (or ::1), and nothing on all addresses?"""
    hosts = {host for name in ("tcp", "tcp6") for host in _listeners(Path(f"/proc/{pid}/net/{name}"), port)}
    return bool(hosts) and hosts <= set(_LOOPBACK)


def _listeners(table: Path, port: int) -> list[str]:
    try:
        rows = [line.split() for line in table.read_text().splitlines()[1:]]
    except OSError:
        return []
    places = [row[1].partition(":") for row in rows if len(row) > 3 and row[3] == _LISTENS]
    return [host for host, _, text in places if int(text, 16) == port]
