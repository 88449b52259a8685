"""What a user can set: by option, by variable, or not at all. One place names them all."""

import ipaddress
import json
import os
import re
from argparse import SUPPRESS, ArgumentParser, Namespace
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from setpoint.installation import read_json, write_file

DEFAULT_API_PORT = 7300
DEFAULT_ROUTER_PORT = 7380
_SAVED = "settings.json"


class SettingError(Exception):
    """A value that cannot be used; the message says which and what would do."""


@dataclass(frozen=True)
class Option:
    """One setting: `--flag`, its variable, its default as text, its help."""

    flag: str
    variable: str
    default: str
    metavar: str
    help: str

    @property
    def attribute(self) -> str:
        return self.flag.removeprefix("--").replace("-", "_")


OPTIONS: list[Option] = [
    Option("--data-dir", "SETPOINT_DATA_DIR", ".setpoint", "DIR", "where everything of the installation is kept"),
    Option("--api-port", "SETPOINT_API_PORT", str(DEFAULT_API_PORT), "N", "port of the /v1 API"),
    Option(
        "--router-port", "SETPOINT_ROUTER_PORT", str(DEFAULT_ROUTER_PORT), "N", "port under which projects are served"
    ),
    Option("--nodes", "SETPOINT_NODES", "1", "N", "how many compute nodes share this machine"),
    Option("--base-domain", "SETPOINT_BASE_DOMAIN", "localhost", "NAME", "projects are served under this name"),
    Option(
        "--kubeconfig",
        "SETPOINT_KUBECONFIG",
        "",
        "FILE",
        "keep the records in this Kubernetes cluster instead of the API that Setpoint brings (an administrator's file)",
    ),
    Option(
        "--control-plane",
        "SETPOINT_CONTROL_PLANE",
        "embedded",
        "embedded|real",
        "real: build a Kubernetes API server with etcd (once, some minutes) and keep the records there",
    ),
    Option("--handle", "SETPOINT_HANDLE", "main", "NAME", "handle of the first account"),
    Option(
        "--allow-addresses",
        "SETPOINT_ALLOW_ADDRESSES",
        "",
        "CIDR,...",
        "private networks that builds may reach all the same, for repositories and packages",
    ),
    Option(
        "--allow-egress",
        "SETPOINT_ALLOW_EGRESS",
        "",
        "CIDR,...",
        "private networks that projects may reach all the same",
    ),
    Option(
        "--allow-ports",
        "SETPOINT_ALLOW_PORTS",
        "53,80,443,465,587,1433,3306,5432,5672,6379,6543,27017",
        "N,...",
        "TCP ports that projects and builds reach where they share the machine's network and Landlock keeps them to it",
    ),
    Option(
        "--network",
        "SETPOINT_NETWORK",
        "auto",
        "auto|shared",
        "shared: instances have the machine's network, even where each could have its own",
    ),
    Option(
        "--disk-quota",
        "SETPOINT_DISK_QUOTA",
        "10G",
        "SIZE",
        "what the volumes, releases and logs of one project may take together (such as 500M or 2G)",
    ),
    Option("--rate-per-minute", "SETPOINT_RATE_PER_MINUTE", "600", "N", "requests a minute that each API key may make"),
    Option("--git-ca", "SETPOINT_GIT_CA", "", "FILE", "certificates (PEM) that git trusts beside the system's"),
    Option(
        "--git-interval", "SETPOINT_GIT_INTERVAL", "300", "SECONDS", "how often a followed branch is looked at unasked"
    ),
    Option("--git-host", "SETPOINT_GIT_HOST", "https://github.com", "URL", "what owner/name as a repository means"),
]


@dataclass(frozen=True)
class Settings:
    data_dir: Path
    api_port: int
    router_port: int
    nodes: int
    base_domain: str
    kubeconfig: Path | None
    control_plane: str
    handle: str
    allow_addresses: tuple[str, ...]
    allow_egress: tuple[str, ...]
    allow_ports: tuple[int, ...]
    network: str
    allow_shared_network: bool
    disk_quota: int
    landlock: bool
    git_host: str
    git_interval: int
    git_ca: Path | None
    rate_per_minute: int
    example: bool

    @property
    def api_url(self) -> str:
        return f"http://127.0.0.1:{self.api_port}"

    @property
    def router_url(self) -> str:
        return f"http://{self.base_domain}:{self.router_port}"

    @property
    def fingerprint(self) -> str:
        """Two parts with the same one run alike (whether `up` deploys the example is nothing to a part)."""
        return repr(replace(self, example=True))


def add_options(parser: ArgumentParser) -> None:
    for option in OPTIONS:
        _add(parser, option)
    parser.add_argument(
        "--no-example",
        action="store_true",
        help="do not deploy examples/hello on a new installation [$SETPOINT_EXAMPLE=0]",
    )


def add_data_dir(parser: ArgumentParser) -> None:
    """For commands to which nothing else matters than which installation is meant."""
    _add(parser, OPTIONS[0])


def add_overrides(parser: ArgumentParser) -> None:
    """For commands that run with what `up` was given: each of its options is taken, one is worth showing."""
    add_data_dir(parser)
    for option in OPTIONS[1:]:
        parser.add_argument(option.flag, help=SUPPRESS)


def _add(parser: ArgumentParser, option: Option) -> None:
    shown = f" (default: {option.default})" if option.default else ""
    parser.add_argument(option.flag, metavar=option.metavar, help=f"{option.help}{shown} [${option.variable}]")


def read_settings(options: Namespace, environment: Mapping[str, str] = os.environ) -> Settings:
    """Option before variable before default. Raises SettingError."""
    return _settings(options, environment, {})


def read_saved_settings(options: Namespace, environment: Mapping[str, str] = os.environ) -> Settings:
    """The same for an installation that is there: what `up` last ran with comes before the defaults."""
    plain = _settings(options, environment, {})
    saved = read_json(plain.data_dir / _SAVED) or {}
    return _settings(options, environment, {str(key): str(value) for key, value in saved.items()})


def save_settings(settings: Settings) -> None:
    write_file(settings.data_dir / _SAVED, json.dumps(texts_of(settings), indent=1))


def texts_of(settings: Settings) -> dict[str, str]:
    """Each option's value as it would be given; empty: nothing."""
    texts = {o.attribute: str(getattr(settings, o.attribute)) for o in OPTIONS}
    texts["git_ca"] = str(settings.git_ca or "")
    texts["kubeconfig"] = str(settings.kubeconfig or "")
    texts["allow_addresses"] = ",".join(settings.allow_addresses)
    texts["allow_egress"] = ",".join(settings.allow_egress)
    texts["allow_ports"] = ",".join(map(str, settings.allow_ports))
    return texts


def _settings(options: Namespace, environment: Mapping[str, str], saved: Mapping[str, str]) -> Settings:
    values = {
        o.attribute: getattr(options, o.attribute, None)
        or environment.get(o.variable)
        or saved.get(o.attribute)
        or o.default
        for o in OPTIONS
    }
    example = not getattr(options, "no_example", False) and environment.get("SETPOINT_EXAMPLE", "1") not in (
        "0",
        "no",
        "false",
    )
    return Settings(
        data_dir=Path(values["data_dir"]).expanduser().absolute(),
        api_port=_number("--api-port", values["api_port"], 1, 65535),
        router_port=_number("--router-port", values["router_port"], 1, 65535),
        nodes=_number("--nodes", values["nodes"], 1, 64),
        base_domain=_domain(values["base_domain"]),
        kubeconfig=_file("--kubeconfig", values["kubeconfig"]),
        control_plane=_control_plane(values["control_plane"], values["kubeconfig"]),
        handle=_handle(values["handle"]),
        allow_addresses=_networks("--allow-addresses", values["allow_addresses"]),
        allow_egress=_networks("--allow-egress", values["allow_egress"]),
        allow_ports=_ports("--allow-ports", values["allow_ports"]),
        network=_one_of("--network", values["network"], "auto", "shared"),
        allow_shared_network=environment.get("SETPOINT_ALLOW_SHARED_NETWORK", "0") in ("1", "yes", "true"),
        disk_quota=_size("--disk-quota", values["disk_quota"]),
        landlock=environment.get("SETPOINT_LANDLOCK", "1") not in ("0", "no", "false"),
        git_host=_git_host(values["git_host"]),
        git_ca=_file("--git-ca", values["git_ca"]),
        git_interval=_number("--git-interval", values["git_interval"], 1, 86_400),
        rate_per_minute=_number("--rate-per-minute", values["rate_per_minute"], 1, 10_000_000),
        example=example,
    )


def _handle(text: str) -> str:
    # Not above: the records' models take as long to load as all else that the command line needs.
    from crds.names import HANDLE_LENGTH, name_problem

    if problem := name_problem(text, HANDLE_LENGTH):
        raise SettingError(f"--handle {problem}; it is {text!r}.")
    return text


def _git_host(text: str) -> str:
    from planning.source import repository_problem

    host = text.rstrip("/")
    if repository_problem(f"{host}/owner/name.git", operator=False):
        raise SettingError(f"--git-host must be an https or ssh address such as https://git.example.com, not {text!r}.")
    return host


def _number(flag: str, text: str, least: int, most: int) -> int:
    if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
        raise SettingError(f"{flag} must be a number from {least} to {most}, not {text!r}.")
    return int(text)


def _size(flag: str, text: str) -> int:
    found = re.fullmatch(r"([1-9][0-9]{0,14})([KMGT]?)", text, re.ASCII)
    if found is None:
        raise SettingError(f"{flag} must be a size such as 500M or 2G, not {text!r}.")
    return int(found[1]) << {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}[found[2]]


def _networks(flag: str, text: str) -> tuple[str, ...]:
    parts = tuple(part.strip() for part in text.split(",") if part.strip())
    for part in parts:
        try:
            ipaddress.ip_network(part, strict=False)
        except ValueError:
            raise SettingError(f"{flag} must name networks such as 10.1.0.0/16, not {part!r}.") from None
    return parts


def _ports(flag: str, text: str) -> tuple[int, ...]:
    return tuple(_number(flag, part.strip(), 1, 65535) for part in text.split(",") if part.strip())


def _one_of(flag: str, text: str, *choices: str) -> str:
    if text not in choices:
        raise SettingError(f"{flag} must be {' or '.join(choices)}, not {text!r}.")
    return text


def _control_plane(text: str, kubeconfig: str) -> str:
    wanted = _one_of("--control-plane", text, "embedded", "real")
    if kubeconfig and wanted == "real":
        raise SettingError("--kubeconfig names a cluster that is there, --control-plane=real makes one: choose one.")
    return wanted


def _file(flag: str, text: str) -> Path | None:
    if not text:
        return None
    path = Path(text).expanduser().absolute()
    if not path.is_file():
        raise SettingError(f"{flag} must name a file that is there, not {text!r}.")
    return path


def _domain(text: str) -> str:
    labels = text.lower().rstrip(".").split(".")
    if not all(label and label.replace("-", "a").isalnum() and label.isascii() for label in labels):
        raise SettingError(f"--base-domain must be a domain name such as apps.example.com, not {text!r}.")
    return ".".join(labels)
