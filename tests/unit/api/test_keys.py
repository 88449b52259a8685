"""The form of keys and ids; scopes."""

import re

from hypothesis import given
from hypothesis import strategies as st

from api.identity.ids import new_id
from api.identity.keys import KEY_LENGTH, digest, lookup_prefix, new_key, well_formed
from api.identity.scopes import LADDER, includes, scope_in, smaller
from crds.names import uid_of


def test_a_key_has_its_form() -> None:
    keys = {new_key() for _ in range(200)}
    assert len(keys) == 200
    for key in keys:
        assert re.fullmatch(r"sk_[A-Za-z0-9_-]{43}[A-Za-z0-9]{6}", key)
        assert len(key) == KEY_LENGTH == 52
        assert well_formed(key)
        assert key.startswith(lookup_prefix(key))
        assert len(digest(key)) == 32


@given(st.integers(0, 51), st.characters(codec="utf-8"))
def test_one_wrong_character_is_seen(where: int, letter: str) -> None:
    key = new_key()
    wrong = key[:where] + letter + key[where + 1 :]
    assert well_formed(wrong) == (wrong == key)


@given(st.text(max_size=60))
def test_noise_is_no_key(text: str) -> None:
    assert not well_formed(text)


def test_ids_sort_by_birth() -> None:
    ids = [new_id("usr") for _ in range(50)]
    assert len(set(ids)) == 50
    for each in ids:
        uid = uid_of("usr", each)
        assert uid is not None
        assert (uid[14], uid[19] in "89ab") == ("7", True)
    # Within a millisecond the order is chance; over the whole it is time.
    assert ids[0][:12] <= ids[-1][:12]


def test_scopes_are_a_ladder() -> None:
    assert [includes("deploy", scope) for scope in LADDER] == [True, True, False]
    assert smaller("admin", "read") == smaller("read", "admin") == "read"


def test_a_role_counts_in_its_account_and_an_admins_below_it() -> None:
    assert scope_in(["a"], {"a": "developer"}) == "deploy"
    assert scope_in(["a"], {"b": "owner"}) is None
    assert scope_in(["child", "parent"], {"parent": "admin"}) == "admin"
    assert scope_in(["child", "parent"], {"parent": "developer"}) is None
    assert scope_in(["child", "parent"], {"child": "viewer", "parent": "owner"}) == "admin"
    assert scope_in(["parent"], {"child": "owner"}) is None
    assert scope_in(["a"], {"a": "no such role"}) is None
