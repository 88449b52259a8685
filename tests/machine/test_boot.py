"""That the machine cannot pass by mistake: with a program in place of qemu that ends as it is told to."""

from pathlib import Path

import pytest

from tests.machine.boot import Machine, run
from tests.machine.packages import Kernel, Missing

PROGRAM = """#!/bin/sh
for last; do :; done
printf "%s" '{verdict}' > "${{last#file:}}"
exit {code}
"""


def machine(folder: Path) -> Machine:
    (folder / "console.log").write_text("the kernel gave up\n")
    return Machine(
        folder, Kernel(folder / "k", folder / "m", folder / "b", folder / "layer"), folder / "ramdisk", folder / "disk"
    )


@pytest.mark.parametrize(
    ("verdict", "code", "expected"),
    [("0\\n", 0, 0), ("0\\n", 1, 0), ("3\\n", 0, 3), ("", 0, 1), ("oops", 0, 1), ("-1", 0, 1)],
)
def test_only_the_verdict_counts(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    verdict: str,
    code: int,
    expected: int,
) -> None:
    program = tmp_path / "qemu-system-x86_64"
    program.write_text(PROGRAM.format(verdict=verdict.replace("\\n", "\n"), code=code))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    (tmp_path / "verdict").write_text("0\n")
    assert run(machine(tmp_path), ["python"]) == expected
    assert ("the kernel gave up" in capfd.readouterr().out) == (verdict in ("", "oops", "-1"))


def test_without_qemu_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Missing, match="apt-get install qemu-system-x86"):
        run(machine(tmp_path), ["python"])
