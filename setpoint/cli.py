"""The `setpoint` command: one sub-command for everything, one for each part, one to look, and one for systemd."""

import argparse
import os
import sys
from collections.abc import Sequence

from setpoint.installation import Installation
from setpoint.parts import ROLES, Part
from setpoint.processes import process_of, write_process
from setpoint.service.command import add_service
from setpoint.settings import Settings, add_data_dir, add_options, add_overrides, read_saved_settings, read_settings
from setpoint.values import SettingError

_INTRO = """Setpoint deploys and runs projects from git repositories.
What you want is a record; a loop makes it so and reports what is there."""
_OUTRO = "Start with `setpoint up`; it prints what to do next."


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        settings = (read_settings if options.command == "up" else read_saved_settings)(options)
    except SettingError as error:
        print(error, file=sys.stderr)
        return 2
    try:
        code = _dispatch(options, settings)
        sys.stdout.flush()
    except BrokenPipeError:
        # Who reads it (`| head`) has seen enough; Python's own last flush is to find nobody to complain to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return code


def _parser() -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="setpoint", description=_INTRO, epilog=_OUTRO, formatter_class=raw)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    everything = commands.add_parser("up", help="start everything, in the foreground", description=_UP)
    add_options(everything)
    status = commands.add_parser("status", help="show the parts: health, memory, the loop's queue", description=_STATUS)
    add_data_dir(status)
    add_service(commands)
    for role, text in ROLES.items():
        part = commands.add_parser(role, help=f"run one part, which {text}", description=_PART.format(text))
        if role == "node":
            part.add_argument("name", nargs="?", default="node-1", metavar="NAME", help="which node (default: node-1)")
        add_overrides(part)
    return parser


_UP = """Start all parts and keep them running until Ctrl-C: the embedded Kubernetes API, the controller, the
scheduler, the nodes, the router and the /v1 API. A new installation gets an owner's API key and a first project."""

_STATUS = """Show the parts that run here: process, health, since when, how often each was started again, memory; and
what the loop has to do."""
_PART = """Run the part which {}. It runs in the foreground, on a data folder that `setpoint up` made, and with the
settings that `up` last had there; each setting may be given here, too, as for `up`."""


def _dispatch(options: argparse.Namespace, settings: Settings) -> int:
    if options.command == "up":
        from setpoint.up import up

        return up(settings)
    if options.command == "service":
        from setpoint.service.command import run

        return run(options, settings)
    installation = Installation(settings.data_dir)
    if not installation.run.exists():
        print(f"There is no installation in {settings.data_dir}: make one with `setpoint up`.", file=sys.stderr)
        return 1
    if options.command == "status":
        from setpoint.status import status

        return status(settings, installation)
    return _run_part(Part(getattr(options, "name", options.command), options.command), settings, installation)


def _run_part(part: Part, settings: Settings, installation: Installation) -> int:
    from setpoint.child import run_until_signal, set_up_logging

    running = process_of(installation, part.name)
    if running is not None:
        print(f"{part.name} runs already (process {running.pid}): stop it, or `setpoint up`, first.", file=sys.stderr)
        return 1
    set_up_logging(None)
    # Where `status` looks, and where a later `up` finds it and takes it over.
    write_process(installation, part.name, os.getpid(), restarts=0, settings=settings.fingerprint)
    return run_until_signal(lambda: part.run(settings, installation), lambda: part.end(settings, installation))


if __name__ == "__main__":
    sys.exit(main())
