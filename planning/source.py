"""Which repositories a project may name, and when a branch that moved makes a deploy."""

import hashlib
import json
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from crds.models.project import ProjectSpec

_SCP = re.compile(r"[A-Za-z0-9_.-]+@[A-Za-z0-9][A-Za-z0-9.-]*:[A-Za-z0-9_./~-]+")
HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\]")
"""A host in a URL; none begins with a dash."""
_NOT_THE_OPERATOR = "a path on this machine can be used by the operator account only"
_START = "start:"
_REF = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/@+-]*")


def repository_problem(repository: str, *, operator: bool) -> str | None:
    """Why this cannot be a source, as a sentence; None when it can."""
    if any(ord(char) <= 32 or ord(char) == 127 for char in repository) or repository.startswith("-"):
        return "must be an https or ssh URL, without spaces or control characters"
    if repository.startswith(("/", "file://")):
        return _path_problem(repository) if operator else _NOT_THE_OPERATOR
    if _SCP.fullmatch(repository):
        return None
    return _url_problem(repository)


def _path_problem(repository: str) -> str | None:
    path = repository.removeprefix("file://").removeprefix("localhost")
    if not path.startswith("/") or any(part in ("..", ".") for part in path.split("/")):
        return "must be an absolute path without `.` and `..`, as in /srv/git/shop.git"
    return None


def _url_problem(repository: str) -> str | None:
    try:
        parts = urlsplit(repository)
        _port = parts.port
    except ValueError:
        return "is not a URL"
    if parts.scheme not in ("https", "ssh") or not parts.hostname:
        return "must be an https or ssh URL (https://host/owner/name.git)"
    if parts.password or (parts.scheme == "https" and parts.username):
        return "must not carry a user name or password: store the credentials with the project instead"
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    if not HOST.fullmatch(host) or parts.query or parts.fragment:
        return "must name a host and a path on it, and nothing after that"
    if not parts.path.strip("/"):
        return "names a host, but no repository on it"
    return None


def ref_problem(ref: str) -> str | None:
    """Why this cannot be a branch, tag or commit (git's own rules, and no leading dash); None when it can."""
    bad = ("..", "@{", "//", "/.", ".lock/")
    if not ref or len(ref) > 255 or not _REF.fullmatch(ref):
        return "must be a branch, tag or commit: letters, digits and . _ / - + @, not beginning with a dash or dot"
    if any(part in ref for part in bad) or ref.endswith((".lock", "/", ".")):
        return "is not a name that git allows for a branch or tag"
    return None


def fingerprint(spec: ProjectSpec) -> str:
    """Changes when something changes that a deploy would make different."""
    relevant = spec.wire()
    relevant.pop("deployPolicy", None)
    relevant.pop("deletionPolicy", None)
    return hashlib.sha256(json.dumps(relevant, sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Follow:
    """What a project that follows its branch was last deployed for, and what it should be deployed for."""

    handled: str | None
    wanted: str | None

    @property
    def due(self) -> bool:
        return self.wanted is not None and self.wanted != self.handled


def follow(
    *, spec: ProjectSpec, head: str | None, handled: str | None, pushed: bool, deployed: set[str]
) -> tuple[Follow, bool]:
    """Where the project stands, and whether a deploy is to be made.

    `handled` is the mark written when the last one was made (or taken as the start); `deployed` are the commits that
    its deploys were made from. A project whose deploys the API makes (`manual`) starts where its branch stands when it
    is connected, which a push of that same commit still deploys; one that follows by manifest starts with a deploy."""
    if head is None:
        return Follow(handled, None), False
    if spec.deploy_policy != "manual":
        state = Follow(handled, f"{head}:{fingerprint(spec)}")
        return state, state.due
    place = hashlib.sha256(f"{spec.source.repository}\0{spec.source.branch}".encode()).hexdigest()[:8]
    start, mark = f"{_START}{head}@{place}", f"{head}@{place}"
    if handled and not handled.endswith(f"@{place}"):
        handled = None  # of another repository or branch
    if not pushed and handled in (None, start):
        return Follow(handled, start), False
    state = Follow(handled, mark)
    return state, state.due and head not in deployed
