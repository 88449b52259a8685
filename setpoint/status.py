"""`setpoint status`: the parts, whether they answer, what memory they use, and how deep the loop's queue is."""

import base64
import http.client
import ssl
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from setpoint.access import server_of
from setpoint.installation import Installation, read_json
from setpoint.parts import APISERVER, Part, parts_of
from setpoint.processes import children_of, process_of, pss_bytes
from setpoint.settings import Settings

_MIB = 1024 * 1024


@dataclass(frozen=True)
class Row:
    name: str
    pid: str
    health: str
    uptime: str
    restarts: str
    memory_bytes: int


def status(settings: Settings, installation: Installation) -> int:
    """0 when every part runs and answers, 1 otherwise."""
    rows = [_row(part, settings, installation) for part in [Part("up", "up"), *parts_of(settings)]]
    if settings.kubeconfig:
        rows.insert(1, Row(APISERVER, "-", _cluster_health(settings.kubeconfig), "-", "-", 0))
    found = [_haproxy(installation, "router", "haproxy"), _haproxy(installation, "egress", "haproxy (out)")]
    rows += [row for row in found if row]
    print(f"{'PART':<14} {'PID':>7} {'HEALTH':<14} {'UP':>9} {'RESTARTS':>8} {'MEMORY':>10}")
    for row in rows:
        memory = f"{row.memory_bytes / _MIB:.1f} MiB" if row.memory_bytes else "-"
        print(f"{row.name:<14} {row.pid:>7} {row.health:<14} {row.uptime:>9} {row.restarts:>8} {memory:>10}")
    print(f"{'total':<14} {'':>7} {'':<14} {'':>9} {'':>8} {sum(r.memory_bytes for r in rows) / _MIB:>6.1f} MiB")
    _print_queue(installation)
    return 0 if all(row.health in ("ok", "running") for row in rows) else 1


def _row(part: Part, settings: Settings, installation: Installation) -> Row:
    process = process_of(installation, part.name)
    saved = read_json(installation.run / f"{part.name}.json") or {}
    if process is None:
        return Row(part.name, "-", "not running", "-", "-", 0)
    health = _health(part, settings, installation)
    restarts = str(saved.get("restarts", 0))
    return Row(part.name, str(process.pid), health, _span(process.uptime_seconds()), restarts, pss_bytes(process.pid))


def _health(part: Part, settings: Settings, installation: Installation) -> str:
    if part.role == "api":
        return _get(http.client.HTTPConnection("127.0.0.1", settings.api_port, timeout=3))
    if part.role == "apiserver":
        context = ssl.create_default_context(cafile=str(installation.ca))
        port = installation.saved_apiserver_port()
        return _get(http.client.HTTPSConnection("127.0.0.1", port, timeout=3, context=context))
    return "running"


def _cluster_health(kubeconfig: Path) -> str:
    """Of a cluster that is not ours."""
    server = server_of(kubeconfig)
    url = urlsplit(server["server"])
    if url.scheme == "http":
        return _get(http.client.HTTPConnection(url.hostname or "", url.port or 80, timeout=3))
    context = ssl.create_default_context(
        cafile=server.get("certificate-authority"), cadata=_decoded(server.get("certificate-authority-data"))
    )
    if server.get("insecure-skip-tls-verify"):
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return _get(http.client.HTTPSConnection(url.hostname or "", url.port or 443, timeout=3, context=context))


def _decoded(data: str | None) -> str | None:
    return base64.b64decode(data).decode() if data else None


def _get(connection: http.client.HTTPConnection) -> str:
    try:
        connection.request("GET", "/readyz")
        answer = connection.getresponse()
    except OSError:
        return "no answer"
    finally:
        connection.close()
    # Whether strangers may ask is another question than whether it is ready.
    return "ok" if answer.status in (200, 401, 403) else "not ready"


def _haproxy(installation: Installation, folder: str, name: str) -> Row | None:
    saved = read_json(installation.root / folder / "haproxy.json")
    if saved is None:
        return None
    pid = int(saved["pid"])
    total = pss_bytes(pid) + sum(pss_bytes(child) for child in children_of(pid))
    return Row(name, str(pid), "running" if total else "not running", "-", "-", total)


def _print_queue(installation: Installation) -> None:
    depth = read_json(installation.run / "controller.queue.json")
    if process_of(installation, "controller") is None:
        print("\nloop: not running")
    elif depth is not None:
        print(
            f"\nloop: {depth['waiting']} waiting, {depth['working']} working, "
            f"{depth['delayed']} to look at again, {depth['failing']} failing"
        )


def _span(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f}s"
    if seconds < 3600:
        return f"{seconds // 60:.0f}m{seconds % 60:.0f}s"
    return f"{seconds // 3600:.0f}h{seconds % 3600 // 60:.0f}m"
