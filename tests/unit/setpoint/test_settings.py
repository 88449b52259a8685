"""Settings: option before variable before what `up` last ran with before the default; each is documented."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

import pytest

from cluster.sandbox.landlock import kernel_abi
from setpoint.access import ensure_administrator
from setpoint.installation import Installation
from setpoint.run.node import config_of, foreign_ports, machine_cpu, machine_of
from setpoint.settings import OPTIONS, add_options, read_saved_settings, read_settings, save_settings
from setpoint.values import SettingError

ROOT = Path(__file__).parent.parent.parent.parent


def parsed(*arguments: str) -> Namespace:
    parser = ArgumentParser()
    add_options(parser)
    return parser.parse_args(arguments)


def test_option_before_variable_before_default() -> None:
    environment = {"SETPOINT_API_PORT": "8001", "SETPOINT_NODES": "3"}
    settings = read_settings(parsed("--api-port", "8002"), environment)
    assert (settings.api_port, settings.nodes, settings.router_port) == (8002, 3, 7380)
    assert settings.example


@pytest.mark.parametrize(("variable", "example"), [("0", False), ("false", False), ("1", True), ("", True)])
def test_the_example_can_be_left_out(variable: str, example: bool) -> None:
    assert read_settings(parsed(), {"SETPOINT_EXAMPLE": variable}).example is example
    assert not read_settings(parsed("--no-example"), {}).example


def test_other_commands_know_what_up_ran_with(tmp_path: Path) -> None:
    folder = ("--data-dir", str(tmp_path))
    ran = read_settings(parsed(*folder, "--api-port", "8003", "--allow-addresses", "10.0.0.0/8,127.0.0.0/8"), {})
    save_settings(ran)
    assert read_saved_settings(parsed(*folder), {}) == ran
    assert read_saved_settings(parsed(*folder, "--api-port", "8004"), {}).api_port == 8004
    assert read_settings(parsed(*folder), {}).api_port == 7300, "`up` itself begins from its options"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--nodes", "many"), "--nodes must be a number from 1 to 64"),
        (("--nodes", "0"), "--nodes must be"),
        (("--cpus", "0"), "--cpus must be a number of cores"),
        (("--cpus", "lots"), "--cpus must be a number of cores"),
        (("--cpus", "1e3"), "--cpus must be a number of cores"),
        (("--api-port", "70000"), "--api-port must be a number"),
        (("--api-port", "²"), "--api-port must be a number"),
        (("--allow-ports", "80,http"), "--allow-ports must be a number"),
        (("--handle", "A B"), "--handle must be lower-case letters"),
        (("--handle", "x" * 21), "--handle must have 1 to 20 characters"),
        (("--git-host", "ftp://x"), "--git-host must be an https or ssh address"),
        (("--git-host", "https://x y"), "--git-host must be"),
        (("--git-host", "/srv/git"), "--git-host must be"),
        (("--base-domain", "a..b"), "--base-domain must be a domain name"),
        (("--base-domain", "x y"), "--base-domain must be a domain name"),
    ],
)
def test_a_wrong_value_is_a_sentence(arguments: tuple[str, str], words: str) -> None:
    with pytest.raises(SettingError, match=words):
        read_settings(parsed(*arguments), {})


def test_no_port_of_the_platform_is_allowed(tmp_path: Path) -> None:
    installation = Installation(tmp_path)
    installation.prepare()
    ensure_administrator(installation, 5432, "main")
    settings = read_settings(parsed("--allow-ports", "80, 443,5432,7300,8443", "--router-port", "8443"), {})
    assert foreign_ports(settings, installation) == (80, 443)


def test_landlock_is_left_out_when_asked() -> None:
    assert machine_of(read_settings(parsed(), {})).landlock == kernel_abi()
    assert machine_of(read_settings(parsed(), {"SETPOINT_LANDLOCK": "0"})).landlock == 0


@pytest.mark.parametrize(("given", "promised"), [("", None), ("12.5", 6.25)])
def test_nodes_may_promise_more_cpu_than_there_is(given: str, promised: float | None, tmp_path: Path) -> None:
    installation = Installation(tmp_path)
    installation.prepare()
    ensure_administrator(installation, 5432, "main")
    settings = read_settings(parsed("--data-dir", str(tmp_path), "--nodes", "2"), {"SETPOINT_CPUS": given})
    config = config_of(settings, installation, "node-1")
    assert (config.cpu, config.promised_cpu) == (machine_cpu() / 2, promised)
    save_settings(settings)
    assert read_saved_settings(parsed("--data-dir", str(tmp_path)), {}).cpus == settings.cpus


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.flag)
def test_every_setting_is_in_the_readme(option: object) -> None:
    text = (ROOT / "README.md").read_text()
    assert f"`{option.flag}`" in text  # type: ignore[attr-defined]
    assert f"`{option.variable}`" in text  # type: ignore[attr-defined]
