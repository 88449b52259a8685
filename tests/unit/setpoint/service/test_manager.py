"""What systemd is told, by a systemctl that writes down what it heard, and what is left when it refuses."""

import stat
from pathlib import Path

import pytest

from setpoint.service.manager import Manager, Refused

PROGRAM = """#!/bin/sh
echo "${0##*/} $*" >> "%(log)s"
for word in %(refused)s; do
    case " $* " in *" $word "*) echo "no $word today" >&2; exit 1;; esac
done
exit 0
"""


class World:
    """A PATH with these two programs alone; `refuse` names arguments that they refuse."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch):
        self.folder, self.log = folder, folder / "log"
        self.units = folder / "units"
        self.manager = Manager(self.units, ("--user",), "default.target", running=folder)
        patch.setenv("PATH", str(folder / "bin"))
        (folder / "bin").mkdir()
        self.refuse()

    def refuse(self, *words: str) -> None:
        for name in ("systemctl", "loginctl"):
            path = self.folder / "bin" / name
            path.write_text(PROGRAM % {"log": self.log, "refused": " ".join(words) or "nothing"})
            path.chmod(0o755)

    def heard(self) -> list[str]:
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        return [line.replace("systemctl --user ", "") for line in lines]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(tmp_path, monkeypatch)


def test_install_writes_the_unit_and_starts_it(world: World) -> None:
    world.manager.check()
    world.manager.install("a.service", "text\n")
    path = world.units / "a.service"
    assert path.read_text() == "text\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert [each.name for each in world.units.iterdir()] == ["a.service"], "nothing else is left"
    heard = world.heard()
    assert heard[0] == "show --property=Version"
    assert heard[1].startswith("loginctl enable-linger ")
    assert heard[2:] == ["daemon-reload", "enable a.service", "restart a.service"]


def test_root_needs_not_linger(world: World) -> None:
    Manager(world.units, (), "multi-user.target", running=world.folder).install("a.service", "text\n")
    assert world.heard() == ["systemctl daemon-reload", "systemctl enable a.service", "systemctl restart a.service"]


@pytest.mark.parametrize("refused", ["daemon-reload", "enable", "restart"])
def test_what_systemd_refuses_leaves_nothing_behind(world: World, refused: str) -> None:
    world.refuse(refused)
    with pytest.raises(Refused, match=f"`systemctl --user {refused}.*no {refused} today"):
        world.manager.install("a.service", "text\n")
    assert list(world.units.iterdir()) == []
    assert "disable --now a.service" in world.heard()


def test_what_was_there_before_comes_back(world: World) -> None:
    world.manager.install("a.service", "before\n")
    world.refuse("enable")
    with pytest.raises(Refused):
        world.manager.install("a.service", "after\n")
    assert (world.units / "a.service").read_text() == "before\n"
    assert world.heard()[-1] == "restart a.service"


def test_without_lingering_nothing_is_done(world: World) -> None:
    world.refuse("enable-linger")
    with pytest.raises(Refused, match="sudo loginctl enable-linger"):
        world.manager.install("a.service", "text\n")
    assert not world.units.exists()


def test_what_root_allowed_already_need_not_be_asked_for(world: World) -> None:
    """Without polkit nobody but root may change it, and asking for what is so already is refused, too."""
    world.refuse("enable-linger")
    loginctl = world.folder / "bin" / "loginctl"
    loginctl.write_text(loginctl.read_text().replace("exit 0", "echo Linger=yes"))
    world.manager.install("a.service", "text\n")
    assert (world.units / "a.service").exists()


def test_remove(world: World) -> None:
    world.manager.install("a.service", "text\n")
    world.heard()
    world.manager.remove("a.service")
    assert list(world.units.iterdir()) == []
    assert world.heard() == ["disable --now a.service", "daemon-reload"]


def test_a_systemd_of_the_user_that_does_not_answer(world: World) -> None:
    world.refuse("show")
    with pytest.raises(Refused, match=r"no show today.*Log in as this user anew"):
        world.manager.check()


def test_whether_it_runs_is_asked(world: World) -> None:
    assert world.manager.is_active("a.service")
    world.refuse("is-active")
    assert not world.manager.is_active("a.service")
