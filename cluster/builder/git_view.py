"""What git may do and see in the sandbox: its configuration, the one address it may connect to, whom it trusts."""

import ssl
from pathlib import Path

from cluster.builder.addresses import resolve_outside
from cluster.builder.repository import Refused, Repository
from cluster.builder.workshop import Workshop
from cluster.sandbox.machine import CERTIFICATES
from cluster.sandbox.view import Mount, View

_CONFIG = """
[safe]
\tdirectory = *
[protocol]
\tallow = never
[protocol "https"]
\tallow = always
[protocol "ssh"]
\tallow = always
[protocol "file"]
\tallow = always
[http]
\tfollowRedirects = false
[core]
\thooksPath = /dev/null
\tfsmonitor = false
\tsshCommand = ssh -oBatchMode=yes -oStrictHostKeyChecking=yes
[submodule]
\trecurse = false
[fetch]
\trecurseSubmodules = false
[gc]
\tauto = 0
[uploadpack]
\tallowAnySHA1InWant = true
[advice]
\tdetachedHead = false
"""

_TRUSTED = "/trusted.pem"


async def git_view(repository: Repository, workshop: Workshop, mounts: tuple[Mount, ...]) -> View:
    """Raises Refused for an address that leads inside."""
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": "/tmp",  # noqa: S108 (inside the sandbox)
        "LANG": "C.UTF-8",
        "GIT_ALLOW_PROTOCOL": "https:ssh:file",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/git.conf",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_PROTOCOL_FROM_USER": "0",
    }
    mounts = (Mount(_config_file(workshop), "/git.conf"), *mounts)
    if repository.kind == "file":
        mounts = (Mount(Path(repository.path), repository.url), *mounts)
    else:
        environment |= _settings(*await _pinned(repository, workshop))
    if repository.kind == "https" and workshop.git_ca:
        mounts = (Mount(_trusted_file(workshop, workshop.git_ca), _TRUSTED), *mounts)
        environment["GIT_SSL_CAINFO"] = _TRUSTED
    return View(mounts, environment, "/", limits=workshop.limits.of_step)


async def _pinned(repository: Repository, workshop: Workshop) -> list[tuple[str, str]]:
    """The settings that make git connect to the address that was looked at, whatever the name leads to by then."""
    found = await resolve_outside(repository.host, repository.port, workshop.allow)
    try:
        address = workshop.networks.address_of(found)
    except ValueError as error:
        raise Refused(f"The repository's host cannot be read from: {error}") from error
    if repository.kind == "https":
        # An address as it is is looked up by nobody (and one of IPv6 would not fit into the setting).
        if str(address) == repository.host or ":" in repository.host:
            return []
        bare = f"[{address}]" if address.version == 6 else str(address)
        return [("http.curloptResolve", f"{repository.host}:{repository.port}:{bare}")]
    options = f"-oBatchMode=yes -oStrictHostKeyChecking=yes -oHostName={address} -oHostKeyAlias={repository.host}"
    return [("core.sshCommand", f"ssh {options}")]


def _settings(*pairs: tuple[str, str]) -> dict[str, str]:
    found = {"GIT_CONFIG_COUNT": str(len(pairs))}
    for number, (key, value) in enumerate(pairs):
        found |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return found


def _config_file(workshop: Workshop) -> Path:
    return _kept(workshop.state / "git.conf", _CONFIG)


def _trusted_file(workshop: Workshop, ca: Path) -> Path:
    """The system's roots and the operator's, in one file: git takes one instead of the system's, not beside them.
    Read anew each time, so that a renewed CA needs no restart. Raises Refused."""
    try:
        own = ca.read_text()
    except (OSError, ValueError) as error:
        raise Refused("The operator's CA file for git cannot be read: check the setting --git-ca.") from error
    return _kept(workshop.state / "trusted.pem", f"{_system_roots()}\n{own}")


def _system_roots() -> str:
    known = ssl.get_default_verify_paths().cafile
    path = next((path for path in (CERTIFICATES, Path(known or "")) if path.is_file()), None)
    return path.read_text() if path else ""


def _kept(path: Path, text: str) -> Path:
    """A file with this text, replaced as a whole when it has another: sandboxes may hold the one before."""
    if not path.is_file() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        new = path.with_name(f".{path.name}.new")
        new.write_text(text)
        # Nothing of it is secret, and git may run as another user.
        new.chmod(0o644)
        new.rename(path)
    return path
