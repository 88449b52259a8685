"""What was seen of one commit of a repository: enough to decide how it is built and run, and no more."""

from collections.abc import Mapping
from dataclasses import dataclass, field

READ = [
    "Procfile",
    "Dockerfile",
    "pyproject.toml",
    "uv.lock",
    "requirements.txt",
    "Pipfile",
    "Pipfile.lock",
    "package.json",
    "package-lock.json",
    "npm-shrinkwrap.json",
    ".npmrc",
    ".python-version",
    "main.py",
    "app.py",
    "wsgi.py",
    "asgi.py",
    "server.py",
    "manage.py",
]
"""The files whose text detection and installers read, where they are there."""
READ_BYTES = 256 * 1024
LOCK_BYTES = 4 * 1024 * 1024
"""No more of each is read (of a lock file: the second); a longer one counts as cut off here."""


def most_bytes(name: str) -> int:
    """How much of the file of that name is read."""
    return LOCK_BYTES if name.endswith((".lock", "-lock.json", "shrinkwrap.json")) else READ_BYTES


@dataclass(frozen=True)
class Inspection:
    """`files`: relative paths below the project's folder. `contents`: texts of some of READ, size-capped."""

    commit: str
    message: str
    files: tuple[str, ...]
    contents: Mapping[str, str] = field(default_factory=dict)

    def text(self, name: str) -> str:
        return self.contents.get(name, "")

    def has(self, name: str) -> bool:
        return name in self.contents or name in self.files
