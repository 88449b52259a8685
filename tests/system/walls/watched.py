"""A process of this user that writes down whatever is done to it: nobody who is walled in may reach it."""

import ast
import contextlib
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_NOTES = """
import contextlib, signal, sys
noted = []
for number in signal.valid_signals():
    with contextlib.suppress(OSError, ValueError):
        signal.signal(number, lambda number, _: noted.append(signal.strsignal(number)))
print("ready", flush=True)
for _ in sys.stdin:
    print(noted, flush=True)
"""


@dataclass(frozen=True)
class Watched:
    process: subprocess.Popen[str]

    @property
    def pid(self) -> int:
        return self.process.pid

    def touched(self) -> list[str]:
        """What it was sent, who traces it, and how it ended if it did."""
        code = self.process.poll()
        if code is not None:
            return [f"ended with {code}"]
        tracer = re.findall(r"TracerPid:\t([1-9]\d*)", Path(f"/proc/{self.pid}/status").read_text())
        # Who is traced waits for the tracer before it answers.
        return [f"traced by {pid}" for pid in tracer] or self._noted()

    def _noted(self) -> list[str]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return list(ast.literal_eval(self.process.stdout.readline()))


@contextlib.contextmanager
def watched(name: str) -> Iterator[Watched]:
    """`name` is to be seen in its command."""
    command = [sys.executable, "-c", _NOTES, name]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        try:
            yield Watched(process)
        finally:
            process.kill()
