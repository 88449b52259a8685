"""The unit that runs `setpoint up`. Pure."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from setpoint.service.quoting import rest_of_line, word
from setpoint.settings import OPTIONS, Settings, texts_of

ROOT = Path(__file__).parent.parent.parent
_SECONDS_TO_STOP, _SECONDS_A_NODE = 60, 30


@dataclass(frozen=True)
class Launcher:
    """With which Python, from which folder of code, and where programs are looked for (git, above all)."""

    python: Path
    code: Path
    search_path: str


def unit_name(data_dir: Path) -> str:
    """One a data folder, so that two installations do not meet."""
    if data_dir == ROOT / ".setpoint":
        return "setpoint.service"
    return f"setpoint-{hashlib.sha256(str(data_dir).encode(errors='surrogateescape')).hexdigest()[:8]}.service"


def description(data_dir: Path) -> str:
    """The line that tells whose unit it is."""
    return f"Description={rest_of_line(f'Setpoint (its data folder: {data_dir})')}"


def render(settings: Settings, launcher: Launcher, wanted_by: str) -> str:
    """Raises Unquotable."""
    command = [f":{launcher.python}", "-m", "setpoint", "up", *_arguments(settings)]
    variables = {"PATH": launcher.search_path}
    if settings.allow_shared_network:
        variables["SETPOINT_ALLOW_SHARED_NETWORK"] = "1"
    if not settings.landlock:
        variables["SETPOINT_LANDLOCK"] = "0"
    return _TEMPLATE.format(
        description=description(settings.data_dir),
        command=" ".join(word(part) for part in command),
        environment=" ".join(word(f"{name}={value}") for name, value in variables.items()),
        code=rest_of_line(str(launcher.code)),
        seconds_to_stop=_SECONDS_TO_STOP + _SECONDS_A_NODE * settings.nodes,
        wanted_by=wanted_by,
    )


def _arguments(settings: Settings) -> list[str]:
    texts = texts_of(settings)
    given = [f"{option.flag}={texts[option.attribute]}" for option in OPTIONS if texts[option.attribute]]
    return given if settings.example else [*given, "--no-example"]


_TEMPLATE = """# Written by `setpoint service install`: to change a setting, run that again with other options.
[Unit]
{description}

[Service]
Type=exec
ExecStart={command}
Environment={environment}
WorkingDirectory={code}
Restart=always
RestartSec=5
# The group of this unit is divided among the instances; one that uses too much memory ends alone.
Delegate=cpu memory pids
OOMPolicy=continue
TasksMax=infinity
# `up` alone is asked, as by Ctrl-C, and ends all others in their order; what is left after that is killed.
KillMode=mixed
KillSignal=SIGINT
TimeoutStopSec={seconds_to_stop}

[Install]
WantedBy={wanted_by}
"""
