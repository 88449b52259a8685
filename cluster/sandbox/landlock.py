"""Landlock by its system calls: what this thread gives up is also given up by all that it starts, for good.

File systems stay out of it: bubblewrap could not mount."""

import ctypes
import os
import struct

from cluster.sandbox.confinement import Rules

# The same on every architecture.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_CREATE_RULESET_VERSION = 1
_RULE_NET_PORT = 2
_NO_NEW_PRIVS = 38
_libc = ctypes.CDLL(None, use_errno=True)


def kernel_abi() -> int:
    """Which version of Landlock is here; 0: none."""
    try:
        return _call(_CREATE_RULESET, None, 0, _CREATE_RULESET_VERSION)
    except OSError:
        return 0


def restrict_this_thread(rules: Rules) -> None:
    """Others of the process stay as they are. Raises OSError."""
    content = struct.pack("=QQQ", 0, rules.handled, rules.scoped)
    ruleset = _call(_CREATE_RULESET, content, len(content), 0)
    try:
        for access, port in rules.ports:
            _call(_ADD_RULE, ruleset, _RULE_NET_PORT, struct.pack("=QQ", access, port), 0)
        _checked(_libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0))
        _call(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def _call(number: int, *arguments: bytes | int | None) -> int:
    words = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    return _checked(_libc.syscall(ctypes.c_long(number), *words))


def _checked(answer: int) -> int:
    if answer < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"Landlock: {os.strerror(number)}")
    return answer
