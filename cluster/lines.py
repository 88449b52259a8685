"""Bytes of a stranger's output into lines of text: bounded, printable, each with where it ended. Pure."""

LONGEST = 16 * 1024


class LineSplitter:
    """Feed it bytes as they come; `position` is the offset of the first byte that is in no line yet."""

    def __init__(self, position: int = 0):
        self.position = position
        self._rest = b""

    def feed(self, data: bytes) -> list[tuple[str, int]]:
        """Lines that are now complete, each with the offset after it. A longer one than LONGEST is cut in pieces."""
        self._rest += data
        found: list[tuple[str, int]] = []
        start = 0
        while True:
            end = self._rest.find(b"\n", start, start + LONGEST)
            if end < 0 and len(self._rest) - start < LONGEST:
                break
            stop, after = (end, end + 1) if end >= 0 else (start + LONGEST, start + LONGEST)
            found.append((clean(self._rest[start:stop]), self.position + after - start))
            self.position += after - start
            start = after
        self._rest = self._rest[start:]
        return found

    def flush(self) -> list[tuple[str, int]]:
        """What is left at the end of the output, as a last line."""
        if not self._rest:
            return []
        self.position += len(self._rest)
        line, self._rest = clean(self._rest), b""
        return [(line, self.position)]


def clean(raw: bytes) -> str:
    """UTF-8 as far as it is; what a carriage return would have overwritten is dropped; no NUL (JSON readers choke)."""
    text = raw.rstrip(b"\r").decode(errors="replace")
    return text.rpartition("\r")[2].replace("\0", "�")
