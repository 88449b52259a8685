"""The agent as a process, driven by records alone: build, run, log, stop, crash."""

from pathlib import Path

from crds.models.build import Build
from crds.models.gitref import GitRef
from crds.models.instance import Instance
from crds.names import FINALIZER_ROUTER
from tests.system.node.world import NAMESPACE, World
from tests.unit.cluster.repositories import commit, example, repository, write


async def test_the_node_says_what_it_is(here: World) -> None:
    node = await here.node()
    assert (node.status.phase, node.status.sandbox, node.status.network) == ("ready", "bubblewrap", "shared")
    assert node.status.capacity.cpu == 2.0


async def test_a_ref_is_resolved_and_looked_at_again_when_asked(here: World, tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    first = repository(repo, {"main.py": ""})
    record = await here.gitref("shop-head", str(repo))
    await here.until(GitRef, record.name, lambda ref: ref.status.commit == first)
    second = commit(repo)
    await here.client.patch(GitRef, record.name, NAMESPACE, {"spec": {"request": "push-1"}})
    seen = await here.until(GitRef, record.name, lambda ref: ref.status.request == "push-1")
    assert seen.status.commit == second
    bad = await here.gitref("shop-bad", "ext::sh -c x")
    failed = await here.until(GitRef, bad.name, lambda ref: ref.status.phase == "failed")
    assert "https or ssh" in (failed.status.message or "")


async def test_from_a_repository_to_an_answer_and_back(here: World, tmp_path: Path) -> None:
    await here.project("hello")
    await here.secret("hello-d1-env", {"GREETING": "Good day", "API_TOKEN": "canary-token"})
    build = await here.built("hello-d1", "hello", str(tmp_path / "repo"), example("hello", tmp_path / "repo"))
    assert build.status.phase == "succeeded", build.status.message
    workload = await here.workload(build, snapshot="hello-d1-env")
    made = await here.instance(workload, finalizers=(FINALIZER_ROUTER,))
    instance = await here.ready(made.name)
    assert instance.status.phase == "running"
    status, text = await here.get(instance)
    assert status == 200
    assert "Good day" in text
    lines = await here.lines(f"/v1/logs/{NAMESPACE}/hello")
    assert any("Listening" in line["line"] for line in lines)
    log = await here.lines(f"/v1/builds/{NAMESPACE}/hello-d1/log?from=2&follow=1")
    assert [line["seq"] for line in log] == list(range(2, len(log) + 2))
    assert (await here.ask(f"/v1/builds/{NAMESPACE}/other/log"))[0] == 404

    await here.client.delete(Instance, made.name, NAMESPACE)
    leaving = await here.until(Instance, made.name, lambda one: one.status.phase == "stopping")
    assert (await here.get(leaving))[0] == 200, "it answers until the traffic has left"
    await here.client.remove_finalizer(leaving, FINALIZER_ROUTER)
    await here.gone(Instance, made.name)
    lines = await here.lines(f"/v1/logs/{NAMESPACE}/hello")
    assert [line["line"] for line in lines][-1] == "Stopped."


async def test_what_crashes_is_started_again_and_says_why(here: World, tmp_path: Path) -> None:
    await here.project("bad")
    code = "import sys\nprint('giving up', flush=True)\nsys.exit(4)\n"
    build = await here.built("bad-d1", "bad", str(tmp_path / "repo"), repository(tmp_path / "repo", {"main.py": code}))
    made = await here.instance(await here.workload(build))
    seen = await here.until(Instance, made.name, lambda one: one.status.reason == "CrashLoop")
    assert seen.status.exit_code == 4
    assert seen.status.restarts >= 3
    assert "code 4" in (seen.status.message or "")
    lines = await here.lines(f"/v1/logs/{NAMESPACE}/bad?limit=50")
    assert sum(line["line"] == "giving up" for line in lines) >= 3


async def test_a_failed_build_says_why(here: World, tmp_path: Path) -> None:
    await here.project("none")
    repo = tmp_path / "repo"
    build = await here.built("none-d1", "none", str(repo), repository(repo, {"README": "nothing"}))
    assert (build.status.phase, build.status.reason) == ("failed", "NothingFits")
    write(repo, {"requirements.txt": "no-such-package-in-any-index==99.0\n", "main.py": ""})
    build = await here.built("none-d2", "none", str(repo), commit(repo))
    assert (build.status.phase, build.status.reason) == ("failed", "InstallFailed")
    log = await here.lines(f"/v1/builds/{NAMESPACE}/none-d2/log")
    assert any("no-such-package" in line["line"] for line in log)


async def test_a_build_sees_only_the_variables_it_is_given(here: World, tmp_path: Path) -> None:
    await here.project("vars")
    await here.secret("vars-env", {"SHOWN": "shown-value-1", "HIDDEN": "hidden-value-2"})
    repo = tmp_path / "repo"
    files = {"package.json": '{"scripts": {"build": "env; cat /proc/1/environ || true", "start": "x"}}'}
    build = await here.built(
        "vars-d1", "vars", str(repo), repository(repo, files), variables=["SHOWN"], snapshot="vars-env"
    )
    assert build.status.phase == "succeeded", build.status.message
    text = "\n".join(line["line"] for line in await here.lines(f"/v1/builds/{NAMESPACE}/vars-d1/log"))
    assert "SHOWN=********" in text
    assert "shown-value-1" not in text
    assert "HIDDEN" not in text
    assert "canary-of-the-platform" not in text
    seen = await here.client.get(Build, "vars-d1", NAMESPACE)
    assert "shown-value-1" not in str(seen.wire())
