"""Names and identifiers: what is refused, and that an id leads back to its record."""

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crds.names import deploy_name, name_problem, project_host, record_id, uid_of, workload_name


@given(st.uuids())
def test_an_id_leads_back_to_its_uid(uid: uuid.UUID) -> None:
    id_ = record_id("prj", str(uid))
    assert id_.startswith("prj_")
    assert len(id_) == 30
    assert uid_of("prj", id_) == str(uid)


@given(st.text(max_size=60))
def test_a_made_up_id_is_none_or_canonical(text: str) -> None:
    uid = uid_of("prj", text)
    assert uid is None or uid_of("prj", record_id("prj", uid)) == uid


@pytest.mark.parametrize("bad", ["", "a" * 31, "A", "a--b", "-a", "a-", "a.b", "a_b", "ä", "a b", "a\n"])
def test_names_that_are_refused(bad: str) -> None:
    assert name_problem(bad, 30)


@given(st.from_regex(r"[a-z0-9]{1,10}(-[a-z0-9]{1,9}){0,2}", fullmatch=True))
def test_names_that_are_taken(name: str) -> None:
    assert name_problem(name, 30) is None


@given(st.from_regex(r"[a-z][a-z0-9]{0,29}", fullmatch=True), st.text(max_size=40))
def test_child_names_fit_a_label_and_are_stable(project: str, token: str) -> None:
    name = deploy_name(project, token)
    assert name == deploy_name(project, token)
    assert len(workload_name(name, "p" * 15)) <= 57


def test_host() -> None:
    assert project_host("shop", "main", "localhost") == "shop--main.localhost"
