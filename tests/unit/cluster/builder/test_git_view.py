"""What git is told in its sandbox: one address, once looked up; whom it trusts; what its complaints mean."""

import asyncio
import dataclasses
import socket
from pathlib import Path
from typing import Any

import pytest

from cluster.builder.errors import BuildFailed
from cluster.builder.git import resolve, why_unreadable
from cluster.builder.git_view import git_view
from cluster.builder.repository import Refused, parse_repository
from tests.system.githost import git_host
from tests.unit.cluster.builder.bench import Bench
from tests.unit.cluster.repositories import repository

TRUSTED = "/trusted.pem"


async def test_a_name_is_looked_up_once_and_git_is_held_to_that_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name leads somewhere harmless at the first look and inside at every later one."""
    asked: list[str] = []

    async def look_up(_self: object, host: str, port: int, **_: Any) -> list[tuple[Any, ...]]:
        asked.append(host)
        address = "93.184.216.34" if len(asked) == 1 else "127.0.0.1"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    monkeypatch.setattr(type(asyncio.get_running_loop()), "getaddrinfo", look_up)
    workshop = dataclasses.replace(Bench(tmp_path).workshop, allow=())
    view = await git_view(parse_repository("https://rebinds.example.com/a.git"), workshop, ())
    assert view.environment["GIT_CONFIG_KEY_0"] == "http.curloptResolve"
    assert view.environment["GIT_CONFIG_VALUE_0"] == "rebinds.example.com:443:93.184.216.34"
    assert asked == ["rebinds.example.com"]
    with pytest.raises(Refused, match="internal address"):
        await git_view(parse_repository("ssh://git@rebinds.example.com/a.git"), workshop, ())


async def test_of_several_addresses_an_open_one_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def look_up(_self: object, _host: str, port: int, **_: Any) -> list[tuple[Any, ...]]:
        found = ("::1", "10.0.0.1", "93.184.216.34")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in found]

    monkeypatch.setattr(type(asyncio.get_running_loop()), "getaddrinfo", look_up)
    workshop = dataclasses.replace(Bench(tmp_path).workshop, allow=())
    view = await git_view(parse_repository("ssh://git@many.example.com/a.git"), workshop, ())
    assert "-oHostName=93.184.216.34 -oHostKeyAlias=many.example.com" in view.environment["GIT_CONFIG_VALUE_0"]


@pytest.mark.parametrize("host", ["[2606:4700:0::1111]", "[2606:4700::1111]", "1.1.1.1"])
async def test_an_address_in_the_url_needs_no_pin(tmp_path: Path, host: str) -> None:
    workshop = dataclasses.replace(Bench(tmp_path).workshop, allow=())
    view = await git_view(parse_repository(f"https://{host}/a.git"), workshop, ())
    assert view.environment["GIT_CONFIG_COUNT"] == "0"


@pytest.mark.parametrize("host", ["127.0.0.1", "0x7f.1", "2130706433", "[::ffff:7f00:1]", "LOCALHOST"])
async def test_an_address_inside_is_refused_however_it_is_written(tmp_path: Path, host: str) -> None:
    workshop = dataclasses.replace(Bench(tmp_path).workshop, allow=())
    with pytest.raises(Refused, match="internal address"):
        await git_view(parse_repository(f"https://{host}/a.git"), workshop, ())


async def test_a_private_ca_is_trusted_beside_the_systems_and_read_anew(tmp_path: Path) -> None:
    with git_host(tmp_path) as (host, authority):
        commit = repository(host.root / "shop", {"main.py": "print(1)"})
        workshop = Bench(tmp_path).workshop
        with pytest.raises(BuildFailed, match="--git-ca"):
            await resolve(workshop, host.url("shop"), "")
        own = tmp_path / "own.pem"
        trusting = dataclasses.replace(workshop, git_ca=own)
        with pytest.raises(Refused, match="--git-ca"):
            await resolve(trusting, host.url("shop"), "")
        own.write_text("no certificate at all\n")
        with pytest.raises(BuildFailed, match="--git-ca"):
            await resolve(trusting, host.url("shop"), "")
        own.write_bytes(authority.ca.read_bytes())
        assert await resolve(trusting, host.url("shop"), "") == commit
        for written in ("127.0.0.1", "LocalHost"):
            assert await resolve(trusting, host.url("shop").replace("localhost", written), "") == commit
        view = await git_view(parse_repository(host.url("shop")), trusting, ())
        told = next(mount.source for mount in view.mounts if mount.target == TRUSTED).read_text()
        assert told.endswith(authority.ca.read_text())
        system = Path("/etc/ssl/certs/ca-certificates.crt")
        assert not system.is_file() or told.startswith(system.read_text())


async def test_a_redirect_is_not_followed(tmp_path: Path) -> None:
    with git_host(tmp_path) as (host, authority):
        repository(host.root / "shop", {"main.py": "print(1)"})
        workshop = dataclasses.replace(Bench(tmp_path).workshop, git_ca=authority.ca)
        with pytest.raises(BuildFailed, match="sends elsewhere"):
            await resolve(workshop, host.url("moved/shop"), "")
        assert [path for path in host.asked if not path.startswith("/moved/")] == []


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("fatal: unable to access 'https://h/x/': server certificate verification failed. CAfile: x", "--git-ca"),
        ("fatal: unable to access 'https://h/x/': SSL certificate problem: self-signed certificate", "--git-ca"),
        ("fatal: unable to access 'https://h/x/': The requested URL returned error: 302", "sends elsewhere"),
        ("fatal: unable to access 'https://h/certificate/': The requested URL returned error: 302", "sends elsewhere"),
        ("fatal: repository 'https://h/x/' not found", "no such repository"),
        ("fatal: could not read Username for 'https://h': terminal prompts disabled", "no such repository"),
        ("fatal: unable to access 'https://h/x/': Failed to connect to h port 1: Connection refused", "reached"),
        ("remote: certificate", "could not be read"),
        ("fatal: something else", "could not be read"),
    ],
)
def test_what_git_complains_about_in_words_of_ours(said: str, sentence: str) -> None:
    assert sentence in why_unreadable([said])
