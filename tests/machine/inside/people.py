"""Those who use the machine: root, and an ordinary user who logs in and out."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).parent.parent.parent.parent
_SECONDS = 280


@dataclass(frozen=True)
class Person:
    name: str
    home: Path

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """In a login of its own, which is over when this returns."""
        login = ["--property=PAMName=login", f"--uid={self.name}", f"--working-directory={CHECKOUT}"]
        begin = ["systemd-run", "--quiet", "--pipe", "--wait", "--collect", *login, "--", *command]
        return subprocess.run(begin, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_SECONDS)

    def setpoint(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.run(sys.executable, "-m", "setpoint", *arguments)

    def processes(self) -> list[str]:
        """What runs of theirs, as command lines."""
        return output("ps", "-U", self.name, "-o", "args=", check=False).splitlines()

    def owns(self, folder: Path) -> None:
        output("chown", "-R", self.name, str(folder))


def new_person(person: Person) -> None:
    output("useradd", "--create-home", "--home-dir", str(person.home), "--shell", "/bin/sh", person.name)


def output(*command: str, check: bool = True) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, env={**os.environ, "LC_ALL": "C"})
    assert not check or done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout
