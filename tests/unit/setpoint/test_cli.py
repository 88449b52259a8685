"""The command line: what each command takes, and what its help says."""

import pytest

from setpoint.cli import main
from setpoint.parts import ROLES
from setpoint.settings import OPTIONS


def _said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[object, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    out, err = capsys.readouterr()
    return ended.value.code, " ".join(out.split()), err


@pytest.mark.parametrize("command", ["up", "status", *ROLES])
def test_help_says_what_a_command_is_for_and_how_to_name_the_installation(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, text, _ = _said(capsys, command, "--help")
    assert code == 0
    assert "--data-dir DIR where everything of the installation is kept" in text
    assert ROLES.get(command, "") in text
    assert ("--router-port" in text) is (command == "up"), "of a part's settings those of `up` are told there"


@pytest.mark.parametrize("role", ROLES)
def test_a_part_takes_each_setting_of_up(
    role: str, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    nowhere = str(tmp_path_factory.mktemp("nowhere") / "none")
    given = {option.flag: option.default for option in OPTIONS if option.default} | {"--data-dir": nowhere}
    assert main([role, *(text for pair in given.items() for text in pair)]) == 1
    assert f"There is no installation in {nowhere}" in capsys.readouterr().err


def test_status_refuses_what_would_change_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = _said(capsys, "status", "--nodes", "3")
    assert code == 2
    assert "--nodes" in err
