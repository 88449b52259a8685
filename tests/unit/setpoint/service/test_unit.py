"""The unit as it is written, and as systemd itself reads it."""

import os
import re
import shutil
import subprocess
import tempfile
from argparse import ArgumentParser
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from setpoint.service.quoting import Unquotable, rest_of_line, word
from setpoint.service.unit import ROOT, Launcher, render, unit_name
from setpoint.settings import Settings, add_options, read_settings, texts_of

SYSTEMD = Path("/lib/systemd/systemd")
HOSTILE = """a b'c"d\\e%f%%n$HOME ${PATH} ; x # \u00e9 = """
PRINTABLE = st.text(st.characters(exclude_categories=("Cs", "Cc")))


def settings(*arguments: str, **variables: str) -> Settings:
    parser = ArgumentParser()
    add_options(parser)
    return read_settings(parser.parse_args(arguments), variables)


def launcher(folder: Path) -> Launcher:
    return Launcher(Path("/bin/sh"), folder, "/usr/bin:/bin")


def unquoted(line: str) -> list[str]:
    """The words of systemd.syntax(7), specifiers as in systemd.unit(5)."""
    words = re.findall(r'"((?:[^"\\]|\\.)*)"(?: |$)', line)
    return [re.sub(r"\\(.)", r"\1", each.replace("%%", "%")) for each in words]


@given(st.lists(PRINTABLE))
def test_words_are_read_back_as_they_were(texts: list[str]) -> None:
    line = " ".join(map(word, texts))
    assert unquoted(line) == texts
    assert not re.search(r"(?<!%)%(?:%%)*(?!%)", line), "no specifier is left"


@given(st.text(), st.sampled_from("\n\r\t\0\x1b\x7f\ud800"), st.text())
def test_what_would_begin_a_new_line_is_refused(before: str, control: str, after: str) -> None:
    for quote in (word, rest_of_line):
        with pytest.raises(Unquotable, match="cannot be written into a unit"):
            quote(before + control + after)


@pytest.mark.parametrize("text", ["/x\\", "/x ", " /x"])
def test_what_the_end_of_a_line_would_swallow_is_refused(text: str) -> None:
    with pytest.raises(Unquotable):
        rest_of_line(text)


def hostile_settings(data_dir: Path) -> Settings:
    """No handle is taken that looks so: what is quoted must not rely on that."""
    return replace(settings("--data-dir", str(data_dir)), handle=HOSTILE)


def test_every_setting_is_in_the_command(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").touch()
    given = settings(
        *("--data-dir", str(tmp_path / HOSTILE), "--api-port", "8001", "--router-port", "8002", "--nodes", "3"),
        *("--base-domain", "a.example", "--handle", "ada", "--no-example"),
        *("--kubeconfig", str(tmp_path / "ca.pem"), "--control-plane", "embedded"),
        *("--allow-addresses", "10.0.0.0/8,127.0.0.0/8", "--allow-egress", "10.1.0.0/16", "--network", "shared"),
        *("--rate-per-minute", "7", "--cpus", "8.5"),
        *("--git-ca", str(tmp_path / "ca.pem"), "--git-interval", "9", "--git-host", "https://git.example"),
        SETPOINT_ALLOW_SHARED_NETWORK="1",
        SETPOINT_LANDLOCK="0",
    )
    lines = dict(line.split("=", 1) for line in render(given, launcher(ROOT), "x.target").splitlines() if "=" in line)
    assert unquoted(lines["ExecStart"])[:4] == [":/bin/sh", "-m", "setpoint", "up"]
    variables = dict(each.split("=", 1) for each in unquoted(lines["Environment"]))
    assert variables.pop("PATH") == "/usr/bin:/bin"
    assert variables == {"SETPOINT_ALLOW_SHARED_NETWORK": "1", "SETPOINT_LANDLOCK": "0"}
    parser = ArgumentParser()
    add_options(parser)
    again = read_settings(parser.parse_args(unquoted(lines["ExecStart"])[4:]), variables)
    assert again == given
    assert all(texts_of(given).values()), "each option had a value"


def test_two_installations_have_two_units() -> None:
    assert unit_name(ROOT / ".setpoint") == "setpoint.service"
    names = {unit_name(Path(folder)) for folder in ("/srv/a", "/srv/b", "/srv/../x\n[Service]")}
    assert len(names) == 3
    assert all(re.fullmatch(r"setpoint-[0-9a-f]{8}\.service", name) for name in names)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not here")
def test_systemd_finds_nothing_wrong_with_it(tmp_path: Path) -> None:
    unit = tmp_path / "setpoint.service"
    unit.write_text(render(hostile_settings(tmp_path / HOSTILE), launcher(ROOT), "a.target"))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    unit.write_text(unit.read_text().replace("KillMode=mixed", "KillMode=mixd"))
    wrong = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True, timeout=60
    )
    assert "kill mode" in wrong.stderr, "it does look"


def as_systemd_reads(unit: Path) -> str:
    """What it says of the unit when it only tries what it would do. It does not do that for root."""
    drop = ["setpriv", "--reuid", "65534", "--clear-groups"] if os.geteuid() == 0 else []
    variables = {"SYSTEMD_UNIT_PATH": f"{unit.parent}:", "XDG_RUNTIME_DIR": str(unit.parent), "PATH": os.defpath}
    command = [*drop, str(SYSTEMD), "--test", "--system", f"--unit={unit.name}"]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=60)
    if "-> Unit " not in done.stdout:
        pytest.skip(f"systemd does not try units here: {done.stderr[-200:]}")
    return done.stdout.partition(f"-> Unit {unit.name}:")[2].partition("-> Unit ")[0]


@pytest.mark.skipif(not SYSTEMD.exists() or shutil.which("setpriv") is None, reason="systemd is not here")
def test_systemd_reads_what_was_meant() -> None:
    given, code = hostile_settings(Path(f"/srv/{HOSTILE}/x")), Path('/srv/co%de "$x')
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        unit = Path(folder) / "setpoint-x.service"
        unit.write_text(render(given, Launcher(Path("/bin/sh"), code, f"/usr/bin:{HOSTILE}"), "multi-user.target"))
        said = as_systemd_reads(unit)
    shown = {key.strip(): value for key, _, value in (line.partition(": ") for line in said.splitlines())}
    assert shown["Description"] == f"Setpoint (its data folder: /srv/{HOSTILE}/x)"
    assert shown["WorkingDirectory"] == str(code)
    assert shown["Environment"] == f"PATH=/usr/bin:{HOSTILE}"
    command = [re.sub(r"\\(.)", r"\1", each) for each in re.findall(r'"((?:[^"\\]|\\.)*)"', shown["Command Line"])]
    assert f"--data-dir=/srv/{HOSTILE}/x" in command
    assert f"--handle={HOSTILE}" in command
    assert (shown["KillMode"], shown["KillSignal"], shown["OOMPolicy"]) == ("mixed", "SIGINT", "continue")
    assert shown["CGroup delegate mask"].split() == ["cpu", "cpuacct", "memory", "pids"]
