"""Spool files: an instance writes its output into them, the agent takes the lines over and gives the space back."""

import ctypes
import os
from collections.abc import Callable
from pathlib import Path

from cluster.lines import LineSplitter

# Small: nobody else has the agent's core until one is taken over.
_CHUNK = 32 * 1024
_KEPT = 256 * 1024
_BACKLOG = 4 * 1024 * 1024
_BLOCK = 4096
_PUNCH_HOLE, _KEEP_SIZE = 0x02, 0x01
_libc = ctypes.CDLL(None, use_errno=True)
_libc.fallocate.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64]

Take = Callable[[str, int], None]
"""Called with a line and the offset after it."""


class Spool:
    """Reads one stream from where the log says it was read to."""

    def __init__(self, path: Path, position: int, take: Take, dropped: Callable[[int], None]):
        self.path = path
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._read = position
        self._freed = position - position % _BLOCK
        self._splitter = LineSplitter(position)
        self._take = take
        self._dropped = dropped

    def drain(self, chunks: int = 64) -> bool:
        """Take over what is there, so many chunks at most; True when more may be left."""
        self.skip_backlog()
        self._begin_again()
        for _ in range(chunks):
            data = os.pread(self._file, _CHUNK, self._read)
            self._read += len(data)
            for line, position in self._splitter.feed(data):
                self._take(line, position)
            self._give_back()
            if len(data) < _CHUNK:
                return False
        return True

    def finish(self) -> None:
        """The writer is gone: everything, also a last line without an end."""
        while self.drain():
            pass
        for line, position in self._splitter.flush():
            self._take(line, position)

    def close(self) -> None:
        os.close(self._file)

    def skip_backlog(self) -> None:
        """Who writes faster than anybody can read loses the middle, not the end, and not the disk."""
        size = os.fstat(self._file).st_size
        if size - self._read <= _BACKLOG:
            return
        target = size - _KEPT
        self._dropped(target - self._splitter.position)
        self._read = target
        self._splitter = LineSplitter(target)
        self._give_back()

    def _begin_again(self) -> None:
        """A program that opens its output anew by name (a shell's `> /dev/stderr`) empties the file."""
        if os.fstat(self._file).st_size < self._read:
            self._read = self._freed = 0
            self._splitter = LineSplitter(0)

    def _give_back(self) -> None:
        end = self._splitter.position - self._splitter.position % _BLOCK
        if end - self._freed < 16 * _BLOCK:
            return
        # Where a file system knows no holes the file just stays as long as the instance.
        _libc.fallocate(self._file, _PUNCH_HOLE | _KEEP_SIZE, self._freed, end - self._freed)
        self._freed = end
