"""The Accept header: plain objects, Tables or metadata only."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from cluster.apiserver.errors import not_acceptable

ACCEPTED = ("application/json",)
JSON_RANGES = frozenset({"application/json", "application/*", "*/*"})
FORMS: dict[str, Literal["table", "metadata"]] = {
    "Table": "table",
    "PartialObjectMetadata": "metadata",
    "PartialObjectMetadataList": "metadata",
}
VERSIONS = ("v1", "v1beta1")


class Form(NamedTuple):
    """`version` is that of meta.k8s.io, for Tables and metadata."""

    shape: Literal["object", "table", "metadata"] = "object"
    version: str = "v1"


OBJECT = Form()


@lru_cache(maxsize=256)
def negotiate(accept: str) -> Form:
    """The first form in the client's list that can be given. Raises 406 if there is none."""
    if not accept:
        return OBJECT
    for parameters in options_of(accept):
        wanted = parameters.get("as")
        if not wanted:
            return OBJECT
        shape = FORMS.get(wanted)
        version = parameters.get("v", "v1")
        if shape is not None and parameters.get("g", "meta.k8s.io") == "meta.k8s.io" and version in VERSIONS:
            return Form(shape, version)
    raise not_acceptable(ACCEPTED)


def options_of(accept: str) -> Iterator[dict[str, str]]:
    """The parameters of each of the client's options that JSON would do for, in its order."""
    for option in accept.split(","):
        media, *raw = (part.strip() for part in option.split(";"))
        if media in JSON_RANGES:
            yield dict(part.partition("=")[::2] for part in raw)
