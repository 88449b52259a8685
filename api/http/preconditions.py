"""If-Match, by RFC 9110: a list of strong entity tags, or `*`."""

import re

_TAGS = re.compile(r'\s*(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"\s*(?:,|$)')


def matches(header: str, etag: str) -> bool:
    """Whether the header names this very state. A weak tag never does."""
    if header.strip() == "*":
        return True
    return any(found.group().strip(" \t,") == etag for found in _TAGS.finditer(header))
