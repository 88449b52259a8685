"""`python -m tests.cluster.controlplane [FOLDER]`: builds it once, starts it, and stays until Ctrl-C."""

import signal
import sys
from pathlib import Path

from cluster.controlplane.build import CACHE, BuildFailed, programs, told
from tests.cluster.controlplane.server import running


def main() -> int:
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    folder = Path(sys.argv[1]) if sys.argv[1:] else CACHE / "run"
    try:
        with running(folder.resolve(), programs(CACHE, told)) as plane:
            told(
                f"A control plane is ready. kubeconfig: {plane.kubeconfig}\nCtrl-C stops it; its data stays: {folder}."
            )
            signal.pause()
    except KeyboardInterrupt:
        pass
    except (BuildFailed, RuntimeError) as error:
        told(str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
