"""`setpoint service`: install, remove, status."""

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path

from setpoint.installation import Installation
from setpoint.processes import process_of
from setpoint.service.manager import Manager, Refused, this_manager
from setpoint.service.quoting import Unquotable
from setpoint.service.unit import ROOT, Launcher, description, render, unit_name
from setpoint.settings import Settings, add_data_dir, add_options

_ABOUT = """Have systemd start Setpoint with the machine and keep it running, after you log out, too. systemd gives it
control groups of its own, so that the limits of instances hold. As root it is a service of the machine, else of you."""


def add_service(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    service = commands.add_parser("service", help="run Setpoint as a service of systemd", description=_ABOUT)
    actions = service.add_subparsers(dest="action", required=True, metavar="ACTION")
    install = actions.add_parser("install", help="write the unit, with these settings, and start it (anew)")
    install.add_argument("--dry-run", action="store_true", help="print the unit and change nothing")
    add_options(install)
    add_data_dir(actions.add_parser("remove", help="stop it and remove the unit; the data folder stays"))
    add_data_dir(actions.add_parser("status", help="show what systemd says of it"))


def run(options: argparse.Namespace, settings: Settings) -> int:
    """The exit code."""
    actions: dict[str, Callable[[Manager, Settings], int]] = {"install": _install, "remove": _remove, "status": _status}
    act = _print if options.action == "install" and options.dry_run else actions[options.action]
    try:
        return act(this_manager(), settings)
    except (Refused, Unquotable) as refused:
        print(refused, file=sys.stderr)
        return 1


def _print(manager: Manager, settings: Settings) -> int:
    print(_unit(manager, settings), end="")
    return 0


def _install(manager: Manager, settings: Settings) -> int:
    name, text = unit_name(settings.data_dir), _unit(manager, settings)
    manager.check()
    _check_clash(manager.folder / name, settings)
    running = process_of(Installation(settings.data_dir), "up")
    if running and not manager.is_active(name):
        raise Refused(f"Setpoint already runs on {settings.data_dir} (process {running.pid}): stop that first.")
    manager.install(name, text)
    journal = " ".join(["journalctl", *manager.options, "-u", name])
    print(f"Setpoint runs as {name}, now and after each start of this machine. What it says: {journal}")
    return 0


def _remove(manager: Manager, settings: Settings) -> int:
    name = unit_name(settings.data_dir)
    manager.check()
    if not (manager.folder / name).exists():
        raise Refused(f"There is no service for {settings.data_dir}: `setpoint service install` makes one.")
    _check_clash(manager.folder / name, settings)
    manager.remove(name)
    print(f"{name} is stopped and removed; {settings.data_dir} stays, and `setpoint up` brings everything back.")
    return 0


def _status(manager: Manager, settings: Settings) -> int:
    manager.check()
    return manager.show(unit_name(settings.data_dir))


def _check_clash(path: Path, settings: Settings) -> None:
    """The plain name may have been taken by another checkout, and not every `setpoint.service` is ours."""
    if path.exists() and description(settings.data_dir) not in path.read_text(errors="replace").splitlines():
        raise Refused(f"{path} is of something else: remove it, or choose another folder with --data-dir.")


def _unit(manager: Manager, settings: Settings) -> str:
    launcher = Launcher(Path(sys.executable), ROOT, os.environ.get("PATH", os.defpath))
    return render(settings, launcher, manager.target)
