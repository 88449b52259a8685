"""Which hostnames a project may claim beside its own."""

import ipaddress
import re

_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")


def hostname_problem(hostname: str, base_domain: str, api_host: str) -> str | None:
    """Why it cannot be claimed, as the end of a sentence; None when it can."""
    labels = hostname.split(".")
    if len(hostname) > 253 or not all(_LABEL.fullmatch(part) for part in labels):
        return "must be lower-case labels of letters, digits and hyphens, with dots between"
    if _is_address(hostname):
        return "must be a name, not an address"
    if len(labels) < 2:
        return "must have at least two labels, such as shop.example.com"
    for reserved in (base_domain, api_host):
        if hostname == reserved or hostname.endswith("." + reserved):
            return f"is part of {reserved}, which belongs to the platform"
    return None


def _is_address(hostname: str) -> bool:
    try:
        ipaddress.ip_address(hostname)
    except ValueError:
        return bool(re.fullmatch(r"[0-9.]+", hostname))
    return True
