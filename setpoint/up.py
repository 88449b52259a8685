"""`setpoint up`: everything of an installation, in the foreground, until Ctrl-C."""

import importlib
import os
import signal
import sys
import time

from setpoint.access import KubeconfigError, admin_kubeconfig, ensure_administrator, server_of
from setpoint.allocator import give_back_code, give_back_early, give_back_memory
from setpoint.child import become, set_log_levels
from setpoint.installation import Installation, InstallationError, port_problem
from setpoint.parts import APISERVER, former_nodes, names_of, parts_of
from setpoint.pki import ensure_certificates
from setpoint.processes import process_of, write_process
from setpoint.records import REAL, keep_records_where_they_are
from setpoint.renewal import Renewal
from setpoint.requirements import missing
from setpoint.settings import Settings, save_settings
from setpoint.supervisor import Supervisor

_HEAVY = (
    "kopf",
    "kubernetes.aio.client",
    "sqlalchemy.dialects.sqlite.aiosqlite",
    "uvicorn.lifespan.off",
    "setpoint.bootstrap",
    "setpoint.guide",
    "setpoint.run.api",
    "setpoint.run.controller",
    "setpoint.run.egress",
    "setpoint.run.fabric",
    "setpoint.run.node",
    "setpoint.run.router",
    "setpoint.run.scheduler",
    "setpoint.warm",
)


def up(settings: Settings) -> int:
    """The exit code: 0 after Ctrl-C, 1 when it could not start."""
    began = time.monotonic()
    for sentence in missing():
        _say(sentence)
        return 1
    installation = Installation(settings.data_dir)
    try:
        installation.prepare()
        lock = installation.lock()
    except InstallationError as error:
        _say(str(error))
        return 1
    return _supervise(settings, installation, lock, began)


def _supervise(settings: Settings, installation: Installation, lock: int, began: float) -> int:
    give_back_early()
    stop = _Stop()
    supervisor = Supervisor(settings, installation, _say, inherited=[lock])
    try:
        first = not installation.credentials.exists()
        _prepare(settings, installation)
        save_settings(settings)
        write_process(installation, "up", os.getpid())
        supervisor.end_former(former_nodes(settings, installation))
        parts = parts_of(settings)
        first_of_all = [part for part in parts if part.role == APISERVER]
        for part in first_of_all:
            supervisor.start(part)
        for module in _HEAVY:
            importlib.import_module(module)
        set_log_levels()
        if not _bootstrap(settings, installation, lock):
            return 1
        _warm_up(settings, installation)
        for part in parts[len(first_of_all) :]:
            supervisor.start(part)
        give_back_code()
        renewal = Renewal(settings, installation, [lock])
        guide = _fork_guide(settings, installation, lock, began, first)
        while not stop.asked:
            supervisor.turn(1.0)
            guide = _reap(guide)
            renewal.turn()
    except (InstallationError, KubeconfigError) as error:
        _say(str(error))
        return 1
    finally:
        _say("Stopping.")
        supervisor.stop()
        (installation.run / "up.json").unlink(missing_ok=True)
    _say("Stopped: `make up` brings everything back as it was.")
    return 0


class _Stop:
    """Set by SIGINT and SIGTERM; the loop looks at it. A second Ctrl-C changes nothing: stopping is under way."""

    def __init__(self) -> None:
        self.asked = False
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._take)

    def _take(self, _number: int, _frame: object) -> None:
        self.asked = True


def _prepare(settings: Settings, installation: Installation) -> None:
    names = names_of(settings)
    if not any(process_of(installation, name) for name in names):
        for flag, port in (("--api-port", settings.api_port), ("--router-port", settings.router_port)):
            problem = port_problem(flag, port)
            if problem and not (flag == "--router-port" and (installation.root / "router" / "haproxy.json").exists()):
                raise InstallationError(problem)
    keep_records_where_they_are(settings, installation)
    ensure_certificates(installation, ["admin", *names])
    if settings.kubeconfig:
        server_of(settings.kubeconfig)
    else:
        running = process_of(installation, APISERVER)
        port = installation.saved_apiserver_port() if running else installation.apiserver_port()
        ensure_administrator(installation, port, settings.handle)
    if settings.control_plane == REAL:
        # Not at the top: most installations never need it.
        from setpoint.controlplane import build, ensure_files

        build(_say)
        ensure_files(installation)


def _bootstrap(settings: Settings, installation: Installation, lock: int) -> bool:
    """In a process of its own, so that this one stays a plain loop."""
    from setpoint.bootstrap import bootstrap

    log = installation.run / "bootstrap.log"
    pid = os.fork()
    if pid == 0:
        become("bootstrap", log, [lock], lambda: bootstrap(settings, installation))
    _, status = os.waitpid(pid, 0)
    if status != 0:
        _say(f"The installation could not be made ready; {log.with_suffix('.out')} tells why.")
    return status == 0


def _warm_up(settings: Settings, installation: Installation) -> None:
    from setpoint.warm import warm_up

    warm_up(admin_kubeconfig(settings, installation))
    give_back_memory()


def _fork_guide(settings: Settings, installation: Installation, lock: int, began: float, first: bool) -> int:
    from setpoint.guide import guide

    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            os.close(lock)
            guide(settings, installation, began, first=first)
            code = 0
        except Exception as error:
            _say(f"{type(error).__name__}: {error}")
        finally:
            sys.stdout.flush()
            os._exit(code)
    return pid


def _reap(guide: int) -> int:
    if guide > 0:
        pid, _status = os.waitpid(guide, os.WNOHANG)
        return 0 if pid else guide
    return 0


def _say(text: str) -> None:
    """To whoever is still there: a closed terminal or a pipe whose reader has gone stops neither this nor the parts."""
    try:
        print(text, flush=True)
    except OSError:
        # What was not written is still in the buffer, and Python would fail on it again when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
