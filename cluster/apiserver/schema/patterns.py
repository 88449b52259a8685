"""Regular expressions as the real server has them: RE2, which takes time linear in the text whatever the pattern is."""

from functools import lru_cache

import re2  # type: ignore[import-untyped]

_SHORT = 128
_QUIET = re2.Options()
_QUIET.log_errors = False


class BadPattern(Exception):
    """It cannot be compiled; the message says why."""


class Pattern:
    """`text` is what it was compiled from."""

    __slots__ = ("_compiled", "text")

    def __init__(self, text: str) -> None:
        try:
            self._compiled = re2.compile(text, _QUIET)
        except re2.error as error:
            told = error.args[0] if error.args else error
            raise BadPattern(told.decode(errors="replace") if isinstance(told, bytes) else str(told)) from error
        self.text = text

    def matches(self, value: str) -> bool:
        """Anywhere in the value, unless the pattern is anchored. The same short values come again and again."""
        return _known(self, value) if len(value) <= _SHORT else self.search(value)

    def search(self, value: str) -> bool:
        return self._compiled.search(value) is not None


@lru_cache(maxsize=16_384)
def _known(pattern: Pattern, value: str) -> bool:
    return pattern.search(value)


@lru_cache(maxsize=1_024)
def pattern_of(text: str) -> Pattern:
    """Raises BadPattern."""
    return Pattern(text)
