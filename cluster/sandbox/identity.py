"""Under which user of this machine a project's code runs. Pure.

An ordinary user has none to give but his own, which a user namespace calls `app` inside. Root has: what gets out of a
sandbox that was started by him would be root, so each project gets a user of its own that nothing else on the machine
has, and that can do nothing."""

import hashlib

APP = 1000
"""What a user namespace makes of our own."""
_FIRST = 0x70000000
"""Of the numbers that no distribution and no container manager gives away (see systemd's list of uids and gids)."""
_COUNT = 0x0FFF0000


DOWNLOADS, PLANS = "downloads", "plans"


def own_uid_of(installation: str, work: str) -> int:
    """For what is no project's: no namespace has an empty name."""
    return uid_of(installation, "", work)


def uid_of(installation: str, namespace: str, project: str) -> int:
    """Always the same one, so that files in volumes stay the project's; nothing has to be kept to know it, and nothing
    is left behind. Two have the same by chance once in some hundred million pairs, and are still apart then."""
    digest = hashlib.sha256(f"{installation}\0{namespace}\0{project}".encode()).digest()
    return _FIRST + int.from_bytes(digest[:8]) % _COUNT
