"""CEL source to tokens."""

import re
from typing import NamedTuple


class CelError(Exception):
    """A rule that cannot be compiled, or an evaluation that has no value."""


class Token(NamedTuple):
    kind: str  # int, float, string, name, op, end
    text: str


TOKEN = re.compile(
    r"""\s*(?://[^\n]*\s*)*(?:
    (?P<float>\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)
  | (?P<int>0x[0-9a-fA-F]+u?|\d+u?)
  | (?P<string>[rR]?(?:\"\"\"(?:.|\n)*?\"\"\"|'''(?:.|\n)*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))
  | (?P<name>[_a-zA-Z][_a-zA-Z0-9]*)
  | (?P<op>&&|\|\||==|!=|<=|>=|[-+*/%!<>?:.,()\[\]{}])
  | (?P<end>$))""",
    re.VERBOSE,
)
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{3}|.)", re.DOTALL)


def tokens(source: str) -> list[Token]:
    found: list[Token] = []
    position = 0
    while True:
        match = TOKEN.match(source, position)
        if match is None or match.lastgroup is None:
            raise CelError(f"Syntax error at {source[position : position + 20]!r}")
        found.append(Token(match.lastgroup, match.group(match.lastgroup)))
        if match.lastgroup == "end":
            return found
        position = match.end()


def string_value(text: str) -> str:
    """The value of a string literal as written, quotes and escapes resolved."""
    raw = text[0] in "rR"
    text = text[1:] if raw else text
    quotes = 3 if text[:3] in ('"""', "'''") and len(text) >= 6 else 1
    body = text[quotes:-quotes]
    return body if raw else ESCAPE.sub(_unescape, body)


def _unescape(match: re.Match[str]) -> str:
    text = match.group(1)
    if text[0] in "xuU" and len(text) > 1:
        return chr(int(text[1:], 16))
    if len(text) == 3:
        return chr(int(text, 8))
    return ESCAPES.get(text, text)
