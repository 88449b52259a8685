"""`python -m tests.machine [what pytest is to run instead of all]`: ends as pytest inside the machine ended."""

import sys
from pathlib import Path

from tests.machine.boot import Machine, run
from tests.machine.bytecode import compile_missing
from tests.machine.disk import new_disk
from tests.machine.packages import Missing, kernel
from tests.machine.ramdisk import write_ramdisk

CHECKOUT = Path(__file__).parent.parent.parent
FOLDER = CHECKOUT / ".machine"
# What is tried in the first boot, and after a reboot. Those of version 1 need another kernel, the pure ones need none:
# they run in `make test`.
BOOTS = [
    [
        "tests/unit/cluster/limits",
        "--ignore=tests/unit/cluster/limits/test_version1.py",
        "--ignore=tests/unit/cluster/limits/test_giving_way.py",
        "tests/machine/inside/test_service.py",
    ],
    ["tests/machine/inside/test_rebooted.py"],
]


def main() -> int:
    try:
        found = kernel(FOLDER)
        ramdisk = write_ramdisk(FOLDER / "ramdisk", found)
        compile_missing(CHECKOUT, found.layer)
        machine = Machine(FOLDER, found, ramdisk, new_disk(FOLDER / "disk"))
        for tests in [sys.argv[1:]] if sys.argv[1:] else BOOTS:
            if code := run(machine, [sys.executable, str(CHECKOUT), *tests]):
                return code
        return 0
    except Missing as missing:
        print(missing, file=sys.stderr)
        return 1


sys.exit(main())
