"""Manifests as text into records of our kinds; what cannot be applied is refused with its document's number."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml
from pydantic import ValidationError

from api.problems import Problem, invalid
from api.records.ownership import leaves, value_at
from crds.models.domain import Domain
from crds.models.project import Project
from crds.models.record import GROUP, VERSION, Record
from crds.models.scaling import Scaling

_KINDS: dict[str, type[Record]] = {"Project": Project, "Scaling": Scaling, "Domain": Domain}
_MOST = 100


@dataclass(frozen=True)
class Manifest:
    """`body` as it was written; `record` as it is understood; `unknown`: fields that its kind does not have."""

    body: dict[str, Any]
    record: Record
    unknown: tuple[str, ...]


class _Loader(yaml.SafeLoader):
    """Without aliases: a short text with aliases can stand for an endless one."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not allowed")
        return super().compose_node(parent, index)


def read_manifests(text: str, namespace: str) -> list[Manifest]:
    """The documents of a YAML text. Raises Problem `invalid` at /manifests."""
    try:
        documents = [document for document in yaml.load_all(text, Loader=_Loader) if document is not None]
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 1}" if mark else ""
        raise _refused(f"This is not YAML{where}.") from None
    if len(documents) > _MOST:
        raise _refused(f"At most {_MOST} documents at once.")
    return [_manifest(number, document, namespace) for number, document in enumerate(documents, 1)]


def _manifest(number: int, body: Any, namespace: str) -> Manifest:
    if not isinstance(body, dict) or not isinstance(body.get("metadata"), dict):
        raise _refused(f"Document {number} is not a manifest: it needs apiVersion, kind and metadata.name.")
    model = _KINDS.get(str(body.get("kind")))
    if body.get("apiVersion") != f"{GROUP}/{VERSION}" or model is None:
        kinds = ", ".join(_KINDS)
        raise _refused(f"Document {number} is none of: {kinds} of {GROUP}/{VERSION}.")
    if body["metadata"].get("namespace", namespace) != namespace:
        raise _refused(f"Document {number} is for another namespace; leave metadata.namespace out.")
    try:
        record = model.parse({**body, "metadata": {**body["metadata"], "namespace": namespace}})
    except ValidationError as error:
        fault = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(str(part) for part in fault["loc"])
        raise _refused(f"Document {number}: {where}: {fault['msg']}") from None
    if not record.name:
        raise _refused(f"Document {number} has no metadata.name.")
    return Manifest(body, record, tuple(_unknown(body, record)))


def _unknown(body: dict[str, Any], record: Record) -> Iterator[str]:
    understood = record.model_dump(mode="json", by_alias=True)
    for path, _ in leaves({"spec": body.get("spec") or {}}):
        above = value_at(understood, path[:-1])
        if not isinstance(above, dict) or path[-1] not in above:
            yield ".".join(path)


def _refused(detail: str) -> Problem:
    return invalid("/manifests", detail)
