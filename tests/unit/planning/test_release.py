"""A release goes step by step, fails with a reason, and never sends traffic where nothing answers."""

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crds.models.deploy import FINISHED
from crds.names import ANNOTATION_PROJECT_GENERATION
from planning.release.view import is_active
from tests.unit.planning.world import COMMIT, World, project


def test_from_ref_to_traffic() -> None:
    world = World()
    world.add("a")
    world.release("a")
    status = world.deploys["a"].status
    assert status.phase == "live"
    assert status.number == 1
    assert status.commit == COMMIT
    assert [(s.name, s.status) for s in status.steps] == [
        (name, "done") for name in ("resolve", "build", "start", "check", "switch")
    ]
    assert world.route is not None
    assert (world.route.spec.deploy, world.route.spec.workload) == ("a", "a-web")
    assert world.snapshots == {"a-env"}
    assert not world.gitrefs


def test_a_second_release_replaces_the_first_only_when_the_router_has_moved() -> None:
    world = World()
    world.add("a")
    world.release("a")
    world.add("b")
    for _ in range(8):
        for name in ("a", "b"):
            world.step(name)
        world.resolve("b")
        world.build("b")
        world.run("b")
    assert world.phases() == {"a": "live", "b": "releasing"}
    assert "a-web" in world.workloads, "the old one serves until the router says otherwise"
    world.serve()
    world.release("b")
    assert world.phases() == {"a": "superseded", "b": "live"}
    assert set(world.workloads) == {"b-web"}
    assert world.deploys["a"].status.was_live


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        (lambda w: w.resolve("a", "no such branch"), "RefNotResolved"),
        (lambda w: (w.resolve("a"), w.build("a", "npm ERR!")), "BuildFailed"),
        (lambda w: (w.resolve("a"), w.build("a", processes=())), "NoProcess"),
        (lambda w: (w.resolve("a"), w.build("a"), w.crash("a")), "CrashLoop"),
    ],
)
def test_a_broken_one_fails_with_a_reason(act, reason: str) -> None:  # type: ignore[no-untyped-def]
    world = World()
    world.add("a")
    for _ in range(8):
        world.step("a")
        act(world)
    status = world.deploys["a"].status
    assert status.phase == "failed"
    assert status.failure is not None
    assert status.failure.reason == reason
    assert status.steps[-1].status == "failed"
    assert world.route is None
    assert not world.workloads


def test_one_that_never_answers_fails_after_its_time() -> None:
    world = World()
    world.add("a")
    for _ in range(8):
        world.step("a")
        world.resolve("a")
        world.build("a")
        world.run("a", ready=False)
    assert world.deploys["a"].status.phase == "releasing"
    world.now += timedelta(seconds=64)
    world.step("a")
    failure = world.deploys["a"].status.failure
    assert failure is not None
    assert failure.reason == "NotReady"
    assert "60 s" in failure.message


def test_of_those_that_wait_only_the_newest_runs() -> None:
    world = World()
    world.add("a")
    world.step("a")
    for name in ("b", "c", "d"):
        world.add(name)
    for _ in range(4):
        for name in world.deploys:
            world.step(name)
    assert world.phases() == {"a": "building", "b": "superseded", "c": "superseded", "d": "queued"}
    assert [d.status.number for d in world.deploys.values()] == [1, 2, 3, 4]


def test_a_cancelled_one_stops() -> None:
    world = World()
    deploy = world.add("a")
    world.step("a")
    deploy.spec.cancel = True
    world.step("a")
    assert world.phases() == {"a": "cancelled"}


def test_scaled_to_zero_goes_live_without_an_instance() -> None:
    world = World()
    world.add("a")
    for _ in range(8):
        world.step("a")
        world.resolve("a")
        world.build("a")
        for workload in world.workloads.values():
            workload.spec.replicas = 0
    assert world.phases() == {"a": "live"}


def test_rollback_brings_back_what_ran() -> None:
    world = World()
    world.add("a")
    world.release("a")
    world.add("b")
    world.release("b")
    world.add("c", rollback_to="a", trigger="rollback")
    world.release("c")
    assert world.phases() == {"a": "superseded", "b": "superseded", "c": "live"}
    assert "c" not in world.builds, "nothing is built again"
    assert world.deploys["c"].status.artifact == world.deploys["a"].status.artifact


def test_it_waits_for_the_project_that_was_seen_when_it_was_asked_for() -> None:
    """Watches of two kinds keep no order: a deploy may be heard of before the repository that it is to come from."""
    world = World(project=project(source={}))
    deploy = world.add("a")
    deploy.metadata.annotations[ANNOTATION_PROJECT_GENERATION] = "2"
    world.project.metadata.generation = 1
    plan = world.step("a")
    assert (world.phases(), plan.actions) == ({"a": "queued"}, [])
    assert plan.waiting_for == "the project as it was when this deploy was asked for"
    world.project = project()
    world.project.metadata.generation = 2
    world.release("a")
    assert world.phases() == {"a": "live"}


@pytest.mark.parametrize("seen", ["", "x", "-1", "²", "9" * 5_000])
def test_what_is_no_generation_is_waited_for_by_nobody(seen: str) -> None:
    world = World()
    world.add("a").metadata.annotations[ANNOTATION_PROJECT_GENERATION] = seen
    world.release("a")
    assert world.phases() == {"a": "live"}


def test_without_a_repository_it_says_what_to_do() -> None:
    world = World(project=project(source={}))
    world.add("a")
    world.step("a")
    failure = world.deploys["a"].status.failure
    assert failure is not None
    assert "POST /v1/projects/:id/git" in failure.message


NAMES = st.sampled_from("ab")
ACTS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), NAMES),
        st.tuples(st.just("step"), NAMES),
        st.tuples(st.just("step"), NAMES),
        st.tuples(st.just("lost step"), NAMES),
        st.tuples(st.sampled_from(["resolve", "unresolved", "build", "broken", "run", "crash", "cancel"]), NAMES),
        st.tuples(st.sampled_from(["serve", "wait"]), NAMES),
        st.tuples(st.just("advance"), NAMES),
        st.tuples(st.just("advance"), NAMES),
    ),
    max_size=120,
    min_size=20,
)


@settings(max_examples=300, deadline=None)
@given(ACTS)
def test_whatever_happens_in_whatever_order(acts: list[tuple[str, str]]) -> None:
    world = World()
    ended: dict[str, str] = {}
    for act, name in acts:
        if act == "add" and name not in world.deploys:
            world.add(name)
        elif act == "serve":
            world.serve()
        elif act == "wait":
            world.now += timedelta(seconds=40)
        elif name in world.deploys:
            _act(world, act, name)
        _check(world, ended)


def _act(world: World, act: str, name: str) -> None:
    match act:
        case "step" | "lost step":
            world.step(name, crash=act != "step")
        case "resolve":
            world.resolve(name)
        case "advance":
            world.step(name)
            world.resolve(name)
            world.build(name)
            world.run(name)
        case "unresolved":
            world.resolve(name, "no such ref")
        case "build":
            world.build(name)
        case "broken":
            world.build(name, "exit 1")
        case "run":
            world.run(name)
        case "crash":
            world.crash(name)
        case "cancel":
            world.deploys[name].spec.cancel = True


def _check(world: World, ended: dict[str, str]) -> None:
    deploys = list(world.deploys.values())
    assert sum(is_active(d) for d in deploys) <= 1, "one deploy of a project at a time"
    numbers = [d.status.number for d in deploys if d.status.number]
    assert len(numbers) == len(set(numbers))
    for deploy in deploys:
        phase = deploy.status.phase or ""
        before = ended.get(deploy.name)
        assert before is None or phase == before or (before, phase) == ("live", "superseded")
        if phase in FINISHED:
            ended[deploy.name] = phase
            assert all(step.status != "running" for step in deploy.status.steps)
        if phase == "failed":
            assert deploy.status.failure is not None
    if world.route is not None:
        serving = world.deploys[world.route.spec.deploy]
        assert serving.status.phase in ("releasing", "live"), "traffic only ever goes to a release that holds"
        assert world.route.spec.workload in world.workloads, "what serves is never removed"
        served = world.route.status.served_by
        assert served is None or served in world.workloads
