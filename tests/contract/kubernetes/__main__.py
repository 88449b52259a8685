"""`python -m tests.contract.kubernetes [record]`: have a real control plane answer every case (it is built first where
it is not there yet), and say which answers differ from those recorded; `record` keeps them as the new ones."""

import sys
import tempfile
from pathlib import Path

from cluster.controlplane.build import CACHE, programs, told
from tests.cluster.controlplane.server import ControlPlane, running
from tests.contract.apiserver.client import Api
from tests.contract.kubernetes.all_cases import CASES
from tests.contract.kubernetes.backends import SCRIPT, converse, install, typed
from tests.contract.kubernetes.snapshots import record, recorded

# What it does in its own time it may once do in another order; what has changed differs every time.
_ATTEMPTS = 3


def main(words: list[str]) -> int:
    keep = words == ["record"]
    stale = 0
    with tempfile.TemporaryDirectory() as folder, running(Path(folder), programs(CACHE, told)) as plane:
        api = Api(plane.url, plane.token, plane.ca)
        install(api)
        for case in CASES:
            if keep:
                record(case.name, converse(api, case))
            elif not any(converse(api, case) == recorded(case.name) for _ in range(_ATTEMPTS)):
                stale += 1
                told(f"{case.name}: the real API server answers otherwise than recorded")
        api.http.close()
        stale += _script(plane, keep=keep)
    told(f"{len(CASES)} cases, {stale} of them stale")
    return 1 if stale else 0


def _script(plane: ControlPlane, *, keep: bool) -> int:
    """What kubectl makes of it; 1 if that is otherwise than recorded."""
    if keep:
        record(SCRIPT, typed(plane))
        return 0
    for _ in range(_ATTEMPTS):
        said = typed(plane)
        if said == recorded(SCRIPT):
            return 0
    for now, before in zip(said, recorded(SCRIPT), strict=True):
        if now != before:
            told(f"kubectl {now['asked']}: {now} and not {before}")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
