"""The order of a deploy's stream."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from api.streams.script import BuildOutput, Done, LoopLine, StatusChange, script
from crds.models.deploy import Deploy, DeploySpec, DeployStatus, Step

NAMES = ("resolve", "build", "start", "check", "switch")
AT = datetime(2026, 11, 21, tzinfo=UTC)


def deploy_after(moves: int, *, fails: bool) -> Deploy:
    """A deploy after so many moves of the loop: each step begins, then ends; the last one may fail."""
    steps: list[Step] = []
    for move in range(moves):
        at = AT + timedelta(seconds=move)
        if move % 2 == 0:
            steps.append(Step(name=NAMES[move // 2], status="running", started_at=at))
        else:
            steps[-1] = steps[-1].model_copy(update={"status": "done", "finished_at": at})
    fails = fails and moves < 2 * len(NAMES)
    if fails and steps and steps[-1].finished_at is None:
        steps[-1] = steps[-1].model_copy(update={"status": "failed", "finished_at": AT, "message": "why"})
    status = DeployStatus(steps=steps, phase="failed" if fails else "live" if moves == 2 * len(NAMES) else None)
    return Deploy(spec=DeploySpec(project="shop"), status=status)


@given(st.integers(0, 10), st.integers(0, 10), st.booleans())
def test_a_later_script_begins_with_the_earlier_one(one: int, other: int, fails: bool) -> None:
    early, late = sorted((one, other))
    before = script(deploy_after(early, fails=False))
    after = script(deploy_after(late, fails=fails))
    shape = [(type(item), getattr(item, "line", getattr(item, "status", None))) for item in after]
    assert shape[: len(before)] == [
        (type(item), getattr(item, "line", getattr(item, "status", None))) for item in before
    ]


def test_a_whole_one() -> None:
    items = script(deploy_after(10, fails=False))
    assert items[0] == StatusChange("queued")
    assert items[-1] == Done()
    assert [item.status for item in items if isinstance(item, StatusChange)] == ["queued", "building", "releasing"]
    output = items.index(BuildOutput(over=True))
    before, after = items[output - 1], items[output + 1]
    assert isinstance(before, LoopLine)
    assert isinstance(after, LoopLine)
    assert (before.line, after.phase) == ("Building", "build")


def test_a_failed_one_ends_with_its_step() -> None:
    items = script(deploy_after(5, fails=True))
    last = items[-2]
    assert isinstance(last, LoopLine)
    assert last.line.endswith(": why")
    assert items[-1] == Done()


def test_a_build_that_runs_is_not_over() -> None:
    assert script(deploy_after(3, fails=False))[-1] == BuildOutput(over=False)
