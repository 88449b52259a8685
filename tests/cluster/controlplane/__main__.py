"""`python -m tests.cluster.controlplane [FOLDER]`: builds it once, starts it, and stays until Ctrl-C, or until one
of its programs ends: then all of it does, and says so."""

import os
import signal
import sys
from pathlib import Path

from cluster.controlplane.build import CACHE, BuildFailed, programs, told
from tests.cluster.controlplane.server import ControlPlane, running


def main() -> int:
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    folder = Path(sys.argv[1]) if sys.argv[1:] else CACHE / "run"
    try:
        with running(folder.resolve(), programs(CACHE, told)) as plane:
            told(
                f"A control plane is ready. kubeconfig: {plane.kubeconfig}\nCtrl-C stops it; its data stays: {folder}."
            )
            told(_first_end(plane))
            return 1
    except KeyboardInterrupt:
        pass
    except (BuildFailed, RuntimeError) as error:
        told(str(error))
        return 1
    return 0


def _first_end(plane: ControlPlane) -> str:
    ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
    names = {process.pid: name for name, process in plane.processes.items()}
    return f"{names.get(ended.si_pid if ended else 0, 'A program')} has ended: so does the rest. Its data stays."


if __name__ == "__main__":
    sys.exit(main())
