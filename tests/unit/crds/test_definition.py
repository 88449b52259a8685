"""The generated CRDs: equal to the models, structural, and shadowing nothing of Kubernetes."""

from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from pydantic import BaseModel

from crds.definition import FOLDER, definition, files
from crds.kinds import KINDS
from crds.schema import NotStructural, structural

BUILT_IN = {
    "deploy", "deployment", "deployments", "no", "node", "nodes", "ns", "po", "pod", "svc", "service", "ing",
    "ingress", "job", "jobs", "cm", "ev", "event", "events", "sa", "rs", "sts", "ds", "pv", "pvc", "hpa", "cj",
    "secret", "secrets", "lease", "leases", "build.knative.dev", "rc", "sc", "crd", "quota", "limits", "ep", "pdb",
}  # fmt: skip


def test_the_files_are_what_the_models_say() -> None:
    on_disk = {path.name: path.read_text() for path in FOLDER.glob("*.yaml")}
    assert on_disk == files(), "run `make crds` and commit what it writes"


def _nodes(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield schema
    for child in schema.get("properties", {}).values():
        yield from _nodes(child)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from _nodes(schema[key])


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.model.__name__)
def test_every_schema_is_structural(kind: Any) -> None:
    text = files()[f"{kind.model.resource.plural}.yaml"]
    schema = yaml.safe_load(text)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    for node in _nodes(schema):
        assert node.get("type"), node
        assert not {"$ref", "anyOf", "oneOf", "allOf", "$defs", "title"} & set(node)
        assert not ("properties" in node and "additionalProperties" in node)
        assert not (node.get("nullable") and "default" in node)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.model.__name__)
def test_no_name_shadows_a_built_in_one(kind: Any) -> None:
    names = definition(kind.model)["spec"]["names"]
    ours = {names["singular"], names["plural"], *names.get("shortNames", [])}
    assert not ours & BUILT_IN


def test_short_names_are_used_once() -> None:
    short = [name for kind in KINDS for name in getattr(kind.model, "short_names", [])]
    assert len(short) == len(set(short))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.model.__name__)
def test_every_kind_reports_status_and_shows_columns(kind: Any) -> None:
    version = definition(kind.model)["spec"]["versions"][0]
    assert version["subresources"]["status"] == {}
    assert {"observedGeneration", "conditions"} <= set(
        version["schema"]["openAPIV3Schema"]["properties"]["status"]["properties"]
    )
    assert len(version["additionalPrinterColumns"]) >= 3


def test_a_union_is_refused_when_generating() -> None:
    class Bad(BaseModel):
        either: int | str

    with pytest.raises(NotStructural, match="union"):
        structural(Bad)


def test_or_null_becomes_nullable_without_a_default() -> None:
    class Good(BaseModel):
        maybe: int | None = None

    assert structural(Good)["properties"]["maybe"] == {"type": "integer", "nullable": True}
