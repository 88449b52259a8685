"""While somebody gives way, `beat.py` makes the kernel look again more often. It costs 2 % of each core, so it runs at
no other time (docs/decisions/0021-a-metronome.md)."""

import asyncio
import logging
import sys
from pathlib import Path

_log = logging.getLogger(__name__)
_PROGRAM = Path(__file__).with_name("beat.py")


class Metronome:
    """`lock`: a file that all nodes of the machine share, so that one metronome beats for all of them."""

    def __init__(self, lock: Path):
        self._lock = lock
        self._process: asyncio.subprocess.Process | None = None

    async def follow(self, giving: bool) -> None:
        """Start it when somebody gives way, and again when it died; end it when nobody does. Safe to repeat."""
        if not giving:
            await self.end()
        elif self._process is None or self._process.returncode is not None:
            await self._start()

    async def end(self) -> None:
        """It ends by itself when we do: its standard input is ours."""
        process, self._process = self._process, None
        if process is not None and process.stdin is not None:
            process.stdin.close()
            await process.wait()

    async def _start(self) -> None:
        # Nothing of ours: neither packages nor settings, so that it is small and starts at once.
        command = [sys.executable, "-I", "-S", str(_PROGRAM), str(self._lock)]
        try:
            self._process = await asyncio.create_subprocess_exec(*command, stdin=asyncio.subprocess.PIPE, env={})
        except OSError as error:
            _log.info("metronome: %s", error)
