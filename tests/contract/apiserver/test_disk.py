"""Ours only: a disk that is full, and one that does not keep what it was given."""

import contextlib
import platform
from pathlib import Path

import httpx
import pytest

from tests.contract.apiserver.client import Api, widget
from tests.contract.apiserver.conftest import client_of, install_widgets
from tests.contract.apiserver.server import Server, prepared
from tests.contract.apiserver.small_disk import small_disk

MUCH = "x" * 20_000
MANY = 2_000
# Once the file is there, the kernel answers EIO to each wish to bring something to the disk, whichever thread has it.
NO_SYNC = """
import ctypes, struct, threading, time
from pathlib import Path
def _refuse():
    while not Path({flag!r}).exists():
        time.sleep(0.01)
    # Load the call's number; is it one of the two: EIO; else allow.
    jump = lambda number, yes: struct.pack("HBBI", 0x15, yes, 0, number)
    code = struct.pack("HBBI", 0x20, 0, 0, 0) + jump({first}, 2) + jump({second}, 1)
    code += struct.pack("HBBI", 0x06, 0, 0, 0x7FFF0000) + struct.pack("HBBI", 0x06, 0, 0, 0x00050005)
    program = ctypes.create_string_buffer(code)
    filter_ = ctypes.create_string_buffer(struct.pack("HxxxxxxP", 5, ctypes.addressof(program)))
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.prctl(38, 1, 0, 0, 0) == 0
    assert libc.syscall({seccomp}, 1, 1, filter_) == 0, ctypes.get_errno()
    Path({flag!r} + ".done").touch()
threading.Thread(target=_refuse, daemon=True).start()
"""
# Numbers of seccomp, fsync and fdatasync.
CALLS = {"x86_64": (317, 74, 75), "aarch64": (277, 82, 83)}


def write_until_it_fails(server: Server, api: Api) -> dict[str, str]:
    """The versions of those that were acknowledged, by name. The one that was not was refused, or never answered."""
    kept: dict[str, str] = {}
    for number in range(MANY):
        try:
            answer = api.request("POST", api.widgets, widget(f"w{number}", {"note": "n", "free": {"much": MUCH}}))
        except httpx.HTTPError:
            break
        if answer.status_code != 201:
            assert answer.status_code == 503, answer.text
            break
        kept[f"w{number}"] = answer.json()["metadata"]["resourceVersion"]
    else:
        raise AssertionError("the disk took it all")
    assert server.process is not None
    assert server.process.wait(10) != 0, "what became of a write is unknown, and it went on"
    return kept


def hold(server: Server, kept: dict[str, str]) -> None:
    """All that was acknowledged is there, at most one more is, and the next write gets a version that is newer."""
    api = client_of(server)
    found = {item["metadata"]["name"]: item["metadata"]["resourceVersion"] for item in api.get(api.widgets)["items"]}
    assert kept.items() <= found.items()
    assert len(found) <= len(kept) + 1
    assert int(api.widget("after")["metadata"]["resourceVersion"]) > max(map(int, found.values()))


def test_a_full_disk_loses_nothing_and_is_done_with_once_there_is_room(tmp_path: Path) -> None:
    server = prepared(tmp_path)
    with small_disk(server.data_dir, "4m") as disk:
        server.inside = disk.inside
        server.start()
        try:
            api = client_of(server)
            install_widgets(api)
            kept = write_until_it_fails(server, api)
            assert len(kept) > 10
            with pytest.raises(RuntimeError, match="did not start"):
                server.start()
            said = server.log.read_text()
            assert f"make room on the disk of {server.data_dir}" in said
            disk.resize("64m")
            server.start()
            hold(server, kept)
        finally:
            with contextlib.suppress(ProcessLookupError):
                server.kill()


def test_what_the_disk_refuses_to_keep_is_not_acknowledged(tmp_path: Path) -> None:
    server = prepared(tmp_path)
    flag = tmp_path / "refuse"
    seccomp, first, second = CALLS[platform.machine()]
    server.prelude = NO_SYNC.format(flag=str(flag), seccomp=seccomp, first=first, second=second)
    server.start()
    try:
        api = client_of(server)
        install_widgets(api)
        before = {name: api.widget(name)["metadata"]["resourceVersion"] for name in ("a", "b")}
        flag.touch()
        kept = write_until_it_fails(server, api)
        server.prelude = ""
        server.start()
        hold(server, before | kept)
    finally:
        with contextlib.suppress(ProcessLookupError):
            server.kill()
