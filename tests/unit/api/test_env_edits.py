"""Variables after an edit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.edits.env import EnvRequest, Variables, changed, check, looks_secret, new_secret, secret_patch
from api.problems import Problem
from api.views.env import MASK, env_view, pending, secret_names
from crds.models.core import Secret
from crds.models.project import Project
from crds.models.record import Metadata

names = st.from_regex(r"[A-Z_][A-Z0-9_]{0,6}", fullmatch=True).filter(lambda name: name != "PORT")
values = st.text(max_size=10)


@given(st.dictionaries(names, values), st.dictionaries(names, values | st.none()), st.none() | st.sets(names))
def test_an_edit_says_what_is_afterwards(
    now: dict[str, str], sent: dict[str, str | None], listed: set[str] | None
) -> None:
    before = Variables(now, frozenset(name for name in now if len(name) > 3))
    after_names = {**now, **sent}
    listed = None if listed is None else {name for name in listed if after_names.get(name) is not None}
    result = changed(before, EnvRequest(vars=sent, secret=None if listed is None else sorted(listed)))
    assert result.values == {name: value for name, value in {**now, **sent}.items() if value is not None}
    assert result.masked <= result.values.keys()
    untouched = before.masked - sent.keys()
    assert untouched <= result.masked
    if listed is not None:
        assert listed <= result.masked


@given(st.dictionaries(names, values), st.dictionaries(names, values))
def test_the_patch_leads_from_one_to_the_other(now: dict[str, str], wanted: dict[str, str]) -> None:
    secret = Secret(metadata=Metadata(name="x-env", resource_version="7"), data=Secret.encode(now))
    target = Variables(wanted, frozenset())
    patch = secret_patch(secret, target)
    data = {**secret.data, **patch.get("data", {})}
    assert {name: value for name, value in data.items() if value is not None} == Secret.encode(wanted)
    if patch:
        assert patch["metadata"]["resourceVersion"] == "7"
        merged = secret.model_copy(
            update={"data": Secret.encode(wanted), "metadata": Metadata(annotations=patch["metadata"]["annotations"])}
        )
        assert secret_patch(merged, target) == {}


def test_what_looks_secret() -> None:
    for name in ("API_KEY", "token", "MySecret", "PASSWORD_FILE"):
        assert looks_secret(name, "x")
    assert looks_secret("DB_URL", "postgres://u:p@h/d")
    assert not looks_secret("DB_URL", "postgres://u@h/d")
    assert not looks_secret("HOME_URL", "https://example.com:80/a:b@c")
    assert not looks_secret("COLOUR", "postgres://u:p@h/d")
    assert looks_secret("BAD_URL", "http://[")


@pytest.mark.parametrize("value", [MASK, "a\0"])
def test_refusals_hold_no_value(value: str) -> None:
    with pytest.raises(Problem) as refused:
        check(EnvRequest(vars={"A": value}))
    assert value not in str([refused.value.detail, refused.value.faults])


def test_a_secret_without_a_readable_note_masks_everything() -> None:
    secret = new_secret(Project(metadata=Metadata(name="shop", uid="u")), Variables({"A": "1"}, frozenset()))
    assert secret_names(secret) == frozenset()
    secret.metadata.annotations = {"setpoint.dev/secret-names": "{not json"}
    assert env_view(secret, None).vars == {"A": MASK}


def test_pending_leaves_the_platforms_own_names_out() -> None:
    running = {"PORT": "1", "SETPOINT_PROJECT": "x", "OLD": "1", "SAME": "1"}
    assert pending({"SAME": "1", "NEW": ""}, running) == ["NEW", "OLD"]
