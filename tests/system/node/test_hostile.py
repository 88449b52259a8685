"""A project that tries to get out, and repositories that try to get in."""

import sys
from pathlib import Path

import orjson

from crds.models.gitref import GitRef
from crds.models.instance import Instance
from tests.system.node.world import World
from tests.unit.cluster.repositories import commit, example, git, repository

SPY = """
import json, os, signal, ctypes
from http.server import BaseHTTPRequestHandler, HTTPServer
found = {}
target = json.loads(os.environ["TARGET"])
def attempt(name, what):
    try:
        found[name] = repr(what())[:2000]
    except BaseException as error:
        found[name] = "refused: " + type(error).__name__
def walk():
    names = []
    for root, folders, files in os.walk("/"):
        if root.startswith(("/proc", "/usr", "/sys", "/dev", target["python"])):
            folders[:] = []
            continue
        names += [os.path.join(root, file) for file in files]
    return names
def texts():
    seen = ""
    for name in walk():
        try:
            seen += open(name, errors="replace").read(200000)
        except OSError:
            pass
    return "CANARY-" "OF-ANOTHER" in seen
def environs():
    seen = ""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            seen += open(f"/proc/{pid}/environ").read() + open(f"/proc/{pid}/cmdline").read()
        except OSError:
            pass
    return seen
attempt("files", lambda: [name for name in walk() if "canary" in name or name.endswith((".key", "state.json"))])
attempt("texts", texts)
WORDS = ("canary-of-the-platform", "CANARY-" "OF-ANOTHER", "KUBECONFIG")
attempt("environs", lambda: [word for word in WORDS if word in environs()])
attempt("processes", lambda: len([p for p in os.listdir("/proc") if p.isdigit()]))
attempt("data", lambda: os.listdir(target["data"]))
attempt("home", lambda: os.listdir("/root") + os.listdir("/home"))
attempt("through_proc", lambda: os.listdir("/proc/1/root" + target["data"]))
attempt("kill", lambda: os.kill(target["pid"], signal.SIGKILL))
attempt("kill_all", lambda: os.kill(-1, 0))
libc = ctypes.CDLL(None, use_errno=True)
attempt("trace", lambda: libc.ptrace(16, target["pid"], 0, 0))
attempt("mount", lambda: libc.mount(b"none", b"/tmp", b"tmpfs", 0, None))
attempt("unshare", lambda: libc.unshare(0x10000000))
attempt("write_app", lambda: open("/app/main.py", "a").write("x"))
attempt("write_usr", lambda: open("/usr/x", "w"))
attempt("link_out", lambda: open("/app/inside").read())
attempt("shadow", lambda: open("/etc/shadow").read())
attempt("private", lambda: os.listdir("/etc/ssl/private"))
class Page(BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps(found).encode()
        self.send_response(200); self.send_header("Content-Length", str(len(body))); self.end_headers()
        self.wfile.write(body)
HTTPServer((os.environ["HOST"], int(os.environ["PORT"])), Page).serve_forever()
"""


async def test_a_hostile_project_sees_and_touches_nothing_of_others(here: World, tmp_path: Path) -> None:
    victim = await _victim(here, tmp_path)
    await here.project("spy")
    repo = tmp_path / "spy"
    target = {"data": str(here.data), "pid": victim, "python": sys.base_prefix}
    await here.secret("spy-env", {"TARGET": orjson.dumps(target).decode()})
    build = await here.built("spy-d1", "spy", str(repo), repository(repo, {"main.py": SPY}))
    made = await here.instance(await here.workload(build, snapshot="spy-env"))
    found = orjson.loads((await here.get(await here.ready(made.name)))[1])
    assert found["files"] == "[]"
    assert found["texts"] == "False"
    assert found["environs"] == "[]"
    assert int(found["processes"]) <= 5
    for refused in ("data", "home", "through_proc", "kill", "write_app", "write_usr", "shadow", "private"):
        assert found[refused].startswith("refused"), (refused, found[refused])
    for denied in ("trace", "mount", "unshare"):
        assert found[denied] == "-1", (denied, found[denied])
    assert Path(f"/proc/{victim}").exists()
    assert (here.data / "nodes").is_dir()


async def _victim(here: World, tmp_path: Path) -> int:
    """Another project with a secret in its file, its variables and its memory; the pid of its process."""
    await here.project("victim")
    await here.secret("victim-env", {"PASSWORD": "CANARY-OF-ANOTHER"})
    repo = tmp_path / "victim"
    example("hello", repo)
    (repo / "canary.txt").write_text("CANARY-OF-ANOTHER")
    build = await here.built("victim-d1", "victim", str(repo), commit(repo))
    made = await here.instance(await here.workload(build, snapshot="victim-env"))
    await here.ready(made.name)
    canaries = [b"CANARY-OF-ANOTHER", b"canary-of-the-platform"]
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    for pid in pids:
        try:
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue
        assert not any(canary in command for canary in canaries), "a value is in a process list"
    folder = here.data / "nodes" / "node-1" / "instances"
    state = next(folder.iterdir())
    return int(orjson.loads((state / "status").read_bytes().splitlines()[0])["child-pid"])


HOSTILE = [
    ("--upload-pack=touch CANARY", "main"),
    ("ext::sh -c touch% CANARY", "main"),
    ("ext::touch", "main"),
    ("file:///../CANARY", "main"),
    ("https://user:password@example.com/x.git", "main"),
    ("https://127.0.0.1:1/x.git", "main"),
    ("https://169.254.169.254/latest", "main"),
    ("https://[::ffff:10.0.0.1]/x.git", "main"),
    ("ssh://-oProxyCommand=touch/x", "main"),
    ("git://example.com/x.git", "main"),
    ("REPO", "--upload-pack=touch CANARY"),
    ("REPO", "a b"),
    ("REPO", "../../etc/passwd"),
    ("REPO", "-x"),
    ("REPO", "main:refs/heads/x"),
]


async def test_hostile_addresses_and_refs_never_reach_git(here: World, tmp_path: Path) -> None:
    repo, canary = tmp_path / "repo", tmp_path / "canary"
    repository(repo, {"main.py": ""})
    for number, (address, ref) in enumerate(HOSTILE):
        text = address.replace("REPO", str(repo)).replace("CANARY", str(canary))
        await here.gitref(f"ref-{number}", text, ref.replace("CANARY", str(canary)))
    for number, pair in enumerate(HOSTILE):
        seen = await here.until(GitRef, f"ref-{number}", lambda one: one.status.phase is not None)
        assert (seen.status.phase, seen.status.commit) == ("failed", None), pair
    assert not canary.exists()


async def test_links_and_submodules_lead_nowhere(here: World, tmp_path: Path) -> None:
    await here.project("links")
    canary = tmp_path / "outside" / "canary.txt"
    canary.parent.mkdir()
    canary.write_text("CANARY-OF-ANOTHER")
    repo = tmp_path / "repo"
    repository(repo, {"index.html": "ok"})
    (repo / "requirements.txt").symlink_to(canary)
    build = await here.built("links-d1", "links", str(repo), commit(repo))
    assert (build.status.phase, build.status.reason) == ("failed", "UnsafeSymlink")
    (repo / "requirements.txt").unlink()
    other = tmp_path / "other"
    repository(other, {"secret.txt": "CANARY-OF-ANOTHER"})
    git(repo, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other), "sub")
    build = await here.built("links-d2", "links", str(repo), commit(repo))
    assert build.status.phase == "succeeded", build.status.message
    assert build.status.artifact
    assert list((here.data / "artifacts").rglob("secret.txt")) == []


async def test_hooks_and_filters_of_a_repository_never_run(here: World, tmp_path: Path) -> None:
    await here.project("hooks")
    canary = tmp_path / "canary"
    repo = tmp_path / "repo"
    repository(repo, {"index.html": "ok", ".gitattributes": "* filter=evil\n"})
    for hook in ("post-checkout", "pre-receive", "reference-transaction", "post-index-change"):
        path = repo / ".git" / "hooks" / hook
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\ntouch {canary}\n")
        path.chmod(0o755)
    git(repo, "config", "filter.evil.smudge", f"touch {canary}; cat")
    git(repo, "config", "uploadpack.packObjectsHook", f"touch {canary}; exec")
    git(repo, "config", "core.fsmonitor", f"touch {canary}")
    head = git(repo, "rev-parse", "HEAD")
    build = await here.built("hooks-d1", "hooks", str(repo), head)
    assert build.status.phase == "succeeded", build.status.message
    assert not canary.exists()


async def test_a_procfile_with_odd_lines_is_harmless(here: World, tmp_path: Path) -> None:
    await here.project("odd")
    repo = tmp_path / "repo"
    text = "web: python3 -m http.server --bind $HOST $PORT\r\n../../x: touch /tmp/x\n$(touch x): y\n-rf: z\n\x00\n"
    build = await here.built("odd-d1", "odd", str(repo), repository(repo, {"Procfile": text}))
    assert [process.name for process in build.status.processes] == ["web"]
    made = await here.instance(await here.workload(build))
    assert (await here.get(await here.ready(made.name)))[0] == 200


async def test_too_much_memory_ends_the_hog_alone(here: World, tmp_path: Path) -> None:
    await here.project("hog")
    code = (
        "import time\nprint('begin', flush=True)\ntime.sleep(0.5)\nkeep = bytearray(300 << 20)\n"
        "for i in range(0, len(keep), 4096): keep[i] = 1\nprint('took it', flush=True)\ntime.sleep(1000)\n"
    )
    repo = tmp_path / "repo"
    build = await here.built("hog-d1", "hog", str(repo), repository(repo, {"main.py": code}))
    made = await here.instance(await here.workload(build, process="web", served=False))
    seen = await here.until(Instance, made.name, lambda one: one.status.reason == "OutOfMemory")
    assert "memory" in (seen.status.message or "")


async def test_the_endpoint_answers_only_named_parts(here: World) -> None:
    assert (await here.ask("/v1/usage"))[0] == 200
    assert (await here.ask("/v1/usage", here.authority.issue("setpoint:node-2")))[0] == 403
    for path in ("/v1/logs/..%2F..%2Fx/y", "/v1/builds/acc-test/..%2Fx/log"):
        assert (await here.ask(path))[0] == 404
