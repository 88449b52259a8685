"""What a write left as it was, made the very same object in the new one as in the old: the steps after it (validation,
ownership, generation) then pass over it at a glance."""

from cluster.apiserver.fields.walk import ABSENT, same
from cluster.apiserver.types import Json


def share(obj: Json, old: Json) -> None:
    """For the fields of `obj` and those one level below. The two `metadata` stay apart: each is written to later."""
    for name, value in obj.items():
        before = old.get(name, ABSENT)
        if name != "metadata" and same(value, before):
            obj[name] = before
        elif type(value) is dict and type(before) is dict:
            _share_fields(value, before)


def unchanged(obj: Json, old: Json) -> bool:
    """Of two that were shared: is every field, and there is no other, the same?"""
    return obj.keys() == old.keys() and all(value is old[name] for name, value in obj.items())


def _share_fields(value: Json, before: Json) -> None:
    for name, item in value.items():
        was = before.get(name, ABSENT)
        if item is not was and same(item, was):
            value[name] = was
