"""YAML as Kubernetes reads it, and aliases that would fill any memory."""

import pytest

from cluster.apiserver.http.yaml import load_yaml


def bomb(levels: int) -> bytes:
    lines = ["a0: &a0 [x]"]
    lines += [f"a{level}: &a{level} [{','.join([f'*a{level - 1}'] * 9)}]" for level in range(1, levels + 1)]
    return "\n".join(lines).encode()


@pytest.mark.parametrize("raw", [bomb(9), bomb(40), b"a: &a [1, *a]", b"a: &a {b: *a}"])
def test_aliases_that_never_end_are_refused_before_they_are_written_out(raw: bytes) -> None:
    with pytest.raises(ValueError, match="aliasing"):
        load_yaml(raw)


def test_a_few_aliases_are_written_out() -> None:
    assert load_yaml(b"a: &a {b: y}\nc: [*a, *a]") == {"a": {"b": True}, "c": [{"b": True}, {"b": True}]}
