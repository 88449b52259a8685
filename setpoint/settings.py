"""What a user can set: by option, by variable, or not at all. One place names them all."""

import json
import os
from argparse import SUPPRESS, ArgumentParser, Namespace
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from setpoint import values
from setpoint.installation import read_json, write_file

DEFAULT_API_PORT = 7300
DEFAULT_ROUTER_PORT = 7380
_SAVED = "settings.json"


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
    Option(
        "--cpus",
        "SETPOINT_CPUS",
        "",
        "N",
        "cores that instances may be promised in all; without it, those that there are",
    ),
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
    cpus: float | None
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
    """Option before variable before default. Raises values.SettingError."""
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
    texts["cpus"] = str(settings.cpus or "")
    texts["git_ca"] = str(settings.git_ca or "")
    texts["kubeconfig"] = str(settings.kubeconfig or "")
    texts["allow_addresses"] = ",".join(settings.allow_addresses)
    texts["allow_egress"] = ",".join(settings.allow_egress)
    texts["allow_ports"] = ",".join(map(str, settings.allow_ports))
    return texts


def _settings(options: Namespace, environment: Mapping[str, str], saved: Mapping[str, str]) -> Settings:
    texts = {
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
        data_dir=Path(texts["data_dir"]).expanduser().absolute(),
        api_port=values.number("--api-port", texts["api_port"], 1, 65535),
        router_port=values.number("--router-port", texts["router_port"], 1, 65535),
        nodes=values.number("--nodes", texts["nodes"], 1, 64),
        cpus=values.cores("--cpus", texts["cpus"]),
        base_domain=values.domain(texts["base_domain"]),
        kubeconfig=values.file("--kubeconfig", texts["kubeconfig"]),
        control_plane=values.control_plane(texts["control_plane"], texts["kubeconfig"]),
        handle=values.handle(texts["handle"]),
        allow_addresses=values.networks("--allow-addresses", texts["allow_addresses"]),
        allow_egress=values.networks("--allow-egress", texts["allow_egress"]),
        allow_ports=values.ports("--allow-ports", texts["allow_ports"]),
        network=values.one_of("--network", texts["network"], "auto", "shared"),
        allow_shared_network=environment.get("SETPOINT_ALLOW_SHARED_NETWORK", "0") in ("1", "yes", "true"),
        disk_quota=values.size("--disk-quota", texts["disk_quota"]),
        landlock=environment.get("SETPOINT_LANDLOCK", "1") not in ("0", "no", "false"),
        git_host=values.git_host(texts["git_host"]),
        git_ca=values.file("--git-ca", texts["git_ca"]),
        git_interval=values.number("--git-interval", texts["git_interval"], 1, 86_400),
        rate_per_minute=values.number("--rate-per-minute", texts["rate_per_minute"], 1, 10_000_000),
        example=example,
    )
