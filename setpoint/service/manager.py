"""Telling systemd: the machine's own when we are root, else that of the user."""

import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from setpoint.installation import write_file

_INSTEAD = "Start `setpoint up` from whatever starts services here."
_SECONDS = 600


class Refused(Exception):
    """It was not done; the message says why, and what to do."""


@dataclass(frozen=True)
class Manager:
    """`folder`: where its units are; `options`: of systemctl; `target`: what it starts by itself."""

    folder: Path
    options: tuple[str, ...]
    target: str
    running: Path = Path("/run/systemd/system")

    def check(self) -> None:
        """Raises Refused where there is no such systemd."""
        if shutil.which("systemctl") is None:
            raise Refused(f"systemctl is missing: this machine has no systemd. {_INSTEAD}")
        if not self.running.is_dir():
            raise Refused(f"systemd is not what runs this machine (is it a container?). {_INSTEAD}")
        try:
            self.call("show", "--property=Version")
        except Refused as refused:
            raise Refused(f"{refused} Log in as this user anew (by ssh, not by su), and try again.") from None

    def install(self, name: str, text: str) -> None:
        """Write the unit and start it, anew if it runs already; as before when systemd refuses it. Raises Refused."""
        path = self.folder / name
        before = path.read_text() if path.exists() else None
        self._stay()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_file(path, text, mode=0o644)
        except OSError as error:
            raise Refused(f"{path} cannot be written ({error.strerror}).") from error
        try:
            self.call("daemon-reload")
            self.call("enable", name)
            self.call("restart", name)
        except Refused:
            self._put_back(path, before)
            raise

    def _put_back(self, path: Path, before: str | None) -> None:
        if before is None:
            self._systemctl("disable", "--now", path.name)
            path.unlink()
            self._systemctl("daemon-reload")
            return
        write_file(path, before, mode=0o644)
        self._systemctl("daemon-reload")
        self._systemctl("restart", path.name)

    def remove(self, name: str) -> None:
        """Stop it and forget it. Raises Refused."""
        self.call("disable", "--now", name)
        (self.folder / name).unlink(missing_ok=True)
        self.call("daemon-reload")

    def is_active(self, name: str) -> bool:
        return self._systemctl("is-active", "--quiet", name).returncode == 0

    def show(self, name: str) -> int:
        """Its state, as systemd tells it, on our own output; systemctl's exit code."""
        return subprocess.run(["systemctl", *self.options, "status", "--no-pager", name]).returncode

    def call(self, *arguments: str) -> None:
        done = self._systemctl(*arguments)
        if done.returncode != 0:
            said = done.stderr.strip() or f"exit code {done.returncode}"
            raise Refused(f"`{' '.join(['systemctl', *self.options, *arguments])}` failed: {said}.")

    def _systemctl(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return _run("systemctl", *self.options, *arguments)

    def _stay(self) -> None:
        """A user's services end with their last session, unless they may linger."""
        if "--user" not in self.options:
            return
        user = pwd.getpwuid(os.geteuid()).pw_name
        done = _run("loginctl", "enable-linger", user)
        if done.returncode != 0 and not _stays(user):
            raise Refused(
                f"Your services would end when you log out, and this may not be changed ({done.stderr.strip()}): "
                f"allow it with `sudo loginctl enable-linger {user}`, and try again."
            )


def _stays(user: str) -> bool:
    """Root may have allowed it, where the user may not even ask."""
    return _run("loginctl", "show-user", "--property=Linger", user).stdout.strip() == "Linger=yes"


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(command, 1, "", str(error))


def this_manager() -> Manager:
    if os.geteuid() == 0:
        return Manager(Path("/etc/systemd/system"), (), "multi-user.target")
    config = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return Manager(config / "systemd" / "user", ("--user",), "default.target")
