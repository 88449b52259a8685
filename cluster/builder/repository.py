"""What a repository's address and a ref may look like, before git ever sees them. Pure."""

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from planning.source import HOST

INSIDE = "/repository"
_SCP = re.compile(r"^([A-Za-z0-9_.-]{1,64})@([A-Za-z0-9.-]{1,253}):(?!/)([^\s]{1,1000})$")
_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_REF_FORBIDDEN = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|\.lock(/|$)|(^|/)\.|\.$|/$")


class Refused(ValueError):
    """An address or a ref that is never given to git; the message says how to fix it."""


@dataclass(frozen=True)
class Repository:
    """`url` is what git gets inside the sandbox; `path` the folder to bind there, for a local one."""

    kind: Literal["https", "ssh", "file"]
    url: str
    host: str = ""
    port: int = 0
    path: str = ""

    @property
    def ports(self) -> tuple[int, ...]:
        """That git connects to."""
        return () if self.kind == "file" else (self.port,)


def parse_repository(address: str) -> Repository:
    """Raises Refused."""
    if not address or len(address) > 2048 or address.startswith("-") or not address.isprintable() or " " in address:
        raise Refused("The repository must be an https or ssh URL, or an absolute path.")
    if address.startswith("/"):
        return _local(address)
    scp = _SCP.match(address)
    if scp and "://" not in address:
        return _remote(f"ssh://{scp[1]}@{scp[2]}/{scp[3]}")
    if address.startswith("file://"):
        rest = address.removeprefix("file://").removeprefix("localhost")
        if not rest.startswith("/"):
            raise Refused("A file: address must hold an absolute path, as in file:///srv/git/shop.git.")
        return _local(rest)
    return _remote(address)


def _local(path: str) -> Repository:
    if any(part in ("..", ".") for part in path.split("/")):
        raise Refused("The repository's path must not hold `.` or `..` parts.")
    return Repository("file", INSIDE, path=path)


def _remote(address: str) -> Repository:
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError as error:
        raise Refused("The repository's URL cannot be read.") from error
    if parts.scheme not in ("https", "ssh"):
        raise Refused("The repository must be an https or ssh URL, or an absolute path.")
    host = parts.hostname or ""
    if not HOST.fullmatch(f"[{host}]" if ":" in host else host) or parts.query or parts.fragment:
        raise Refused("The repository's URL must name a host and a path, and nothing after it.")
    if parts.password is not None or (parts.scheme == "https" and parts.username is not None):
        raise Refused("A repository's URL must not hold a user name or password.")
    if parts.username is not None and not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}", parts.username):
        raise Refused("The user name in the repository's URL is not a plain one.")
    if parts.scheme == "https":
        return Repository("https", address, host, port or 443)
    return Repository("ssh", address, host, port or 22)


def check_ref(ref: str) -> str:
    """The ref as it is (empty: the repository's HEAD), when git would take it as a name. Raises Refused."""
    if ref and (len(ref) > 255 or ref.startswith(("-", "/")) or ref == "@" or _REF_FORBIDDEN.search(ref)):
        raise Refused("The ref must be the name of a branch or tag, or a full commit hash.")
    return ref


def is_commit(ref: str) -> bool:
    return bool(_COMMIT.fullmatch(ref))


def check_folder(path: str) -> str:
    """A folder inside the repository, as a normal relative path (empty: the root). Raises Refused."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if path.startswith("/") or not path.isprintable() or any(part in ("..", ".git") for part in parts):
        raise Refused("The project's path must be a folder inside the repository.")
    return "/".join(parts)
