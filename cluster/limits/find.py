"""Which control groups there are for a node: tried, not guessed."""

import hashlib
from pathlib import Path

from cluster.limits.delegation import Unavailable, find_version2
from cluster.limits.group import Groups, NoGroups
from cluster.limits.remedy import remedy, this_machine
from cluster.limits.sessions import SessionGroups, shared_by_session
from cluster.limits.version1 import find_version1


def find_groups(data_dir: Path, node: str) -> Groups:
    """`data_dir` tells one installation of this machine from the next. Version 1 first: a machine on which it works has
    its controllers there."""
    installation = installation_of(data_dir)
    found = find_version1(installation, node)
    if found is not None:
        return found
    try:
        return find_version2(installation, node)
    except Unavailable as refused:
        without = SessionGroups if shared_by_session() else NoGroups
        return without(str(refused), remedy(this_machine(), data_dir))


def installation_of(data_dir: Path) -> str:
    """With what the names of all its groups begin."""
    return f"setpoint-{hashlib.sha256(str(data_dir).encode()).hexdigest()[:8]}"
