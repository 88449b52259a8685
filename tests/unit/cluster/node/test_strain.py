"""What an instance is held back for is said when it lasts, and for as long as it does."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from cluster.node.strain import CPU, OUTPUT, PROCESSES, Kind, Strain

LOOK = 2.0


def looks(*signs: set[Kind]) -> list[str]:
    strain = Strain()
    found = [strain.look(each, number * LOOK) for number, each in enumerate(signs)]
    return [cause.reason if cause else "" for cause in found]


def test_a_moment_is_not_worth_a_word() -> None:
    assert set(looks({PROCESSES}, set(), set())) == {""}
    assert set(looks(*[{CPU}] * 10)) == {""}


def test_what_goes_on_is_said_and_the_worst_of_it() -> None:
    assert looks({OUTPUT}, {OUTPUT}, {OUTPUT})[-1] == "TooMuchOutput"
    assert looks(*[{CPU}] * 11)[-1] == "GivesWay"
    assert looks(*[{CPU, OUTPUT, PROCESSES}] * 11)[-1] == "TooManyProcesses"


def test_it_is_said_until_it_was_over_for_a_while() -> None:
    said = looks(*[{OUTPUT}] * 3, *[set()] * 20)
    assert said[2:17] == ["TooMuchOutput"] * 15, "for 30 s after the last sign"
    assert set(said[17:]) == {""}


def test_late_looks_do_not_begin_it_anew() -> None:
    strain = Strain()
    strain.look({OUTPUT}, 0.0)
    assert strain.look({OUTPUT}, 60.0) is not None


def test_one_look_without_it_does_not_end_it() -> None:
    strain = Strain()
    strain.look({OUTPUT}, 0.0)
    strain.look(set(), 2.0)
    assert strain.look({OUTPUT}, 4.0) is not None


@given(st.lists(st.sets(st.sampled_from([CPU, OUTPUT, PROCESSES])), max_size=100))
def test_it_does_not_flicker(signs: list[set[Kind]]) -> None:
    """Whatever comes and goes at each look: what is said changes only so often."""
    only = [each & {OUTPUT} for each in signs]
    said = looks(*only)
    ends = [number for number in range(1, len(said)) if said[number - 1] and not said[number]]
    assert all(after - before >= 15 for before, after in pairwise(ends))
