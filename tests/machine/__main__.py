"""`python -m tests.machine [what pytest is to run instead of all]`: ends as pytest inside the machine ended."""

import sys
from pathlib import Path

from tests.machine.boot import Machine, run
from tests.machine.bytecode import compile_missing
from tests.machine.packages import Missing, kernel
from tests.machine.ramdisk import write_ramdisk

CHECKOUT = Path(__file__).parent.parent.parent
FOLDER = CHECKOUT / ".machine"
# Those of version 1 need another kernel, and run in `make test`.
TESTS = [
    "tests/unit/cluster/limits",
    "--ignore=tests/unit/cluster/limits/test_version1.py",
    "tests/machine/inside",
]


def main() -> int:
    try:
        found = kernel(FOLDER)
        ramdisk = write_ramdisk(FOLDER / "ramdisk", found)
        compile_missing(CHECKOUT, found.layer)
        return run(Machine(FOLDER, found, ramdisk), [sys.executable, str(CHECKOUT), *(sys.argv[1:] or TESTS)])
    except Missing as missing:
        print(missing, file=sys.stderr)
        return 1


sys.exit(main())
