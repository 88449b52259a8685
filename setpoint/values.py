"""Checks of what a user gave for a setting: text in, value out, or a sentence that says what would do."""

import ipaddress
import re
from pathlib import Path


class SettingError(Exception):
    """A value that cannot be used; the message says which and what would do."""


def handle(text: str) -> str:
    # Not above: the records' models take as long to load as all else that the command line needs.
    from crds.names import HANDLE_LENGTH, name_problem

    if problem := name_problem(text, HANDLE_LENGTH):
        raise SettingError(f"--handle {problem}; it is {text!r}.")
    return text


def git_host(text: str) -> str:
    from planning.source import repository_problem

    host = text.rstrip("/")
    if repository_problem(f"{host}/owner/name.git", operator=False):
        raise SettingError(f"--git-host must be an https or ssh address such as https://git.example.com, not {text!r}.")
    return host


def number(flag: str, text: str, least: int, most: int) -> int:
    if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
        raise SettingError(f"{flag} must be a number from {least} to {most}, not {text!r}.")
    return int(text)


def cores(flag: str, text: str) -> float | None:
    """None: it was left out."""
    if not text:
        return None
    if not re.fullmatch(r"[0-9]{1,4}(\.[0-9]{1,3})?", text, re.ASCII) or float(text) < 0.1:
        raise SettingError(f"{flag} must be a number of cores such as 8 or 2.5, not {text!r}.")
    return float(text)


def size(flag: str, text: str) -> int:
    found = re.fullmatch(r"([1-9][0-9]{0,14})([KMGT]?)", text, re.ASCII)
    if found is None:
        raise SettingError(f"{flag} must be a size such as 500M or 2G, not {text!r}.")
    return int(found[1]) << {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}[found[2]]


def networks(flag: str, text: str) -> tuple[str, ...]:
    parts = tuple(part.strip() for part in text.split(",") if part.strip())
    for part in parts:
        try:
            ipaddress.ip_network(part, strict=False)
        except ValueError:
            raise SettingError(f"{flag} must name networks such as 10.1.0.0/16, not {part!r}.") from None
    return parts


def ports(flag: str, text: str) -> tuple[int, ...]:
    return tuple(number(flag, part.strip(), 1, 65535) for part in text.split(",") if part.strip())


def one_of(flag: str, text: str, *choices: str) -> str:
    if text not in choices:
        raise SettingError(f"{flag} must be {' or '.join(choices)}, not {text!r}.")
    return text


def control_plane(text: str, kubeconfig: str) -> str:
    wanted = one_of("--control-plane", text, "embedded", "real")
    if kubeconfig and wanted == "real":
        raise SettingError("--kubeconfig names a cluster that is there, --control-plane=real makes one: choose one.")
    return wanted


def file(flag: str, text: str) -> Path | None:
    if not text:
        return None
    path = Path(text).expanduser().absolute()
    if not path.is_file():
        raise SettingError(f"{flag} must name a file that is there, not {text!r}.")
    return path


def domain(text: str) -> str:
    labels = text.lower().rstrip(".").split(".")
    if not all(label and label.replace("-", "a").isalnum() and label.isascii() for label in labels):
        raise SettingError(f"--base-domain must be a domain name such as apps.example.com, not {text!r}.")
    return ".".join(labels)
