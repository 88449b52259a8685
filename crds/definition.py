"""The CustomResourceDefinition of a kind, and the files that hold them all.

`python -m crds.definition` writes them (`make crds`); a test fails when they differ from the models."""

import sys
from pathlib import Path
from typing import Any

import yaml

from crds.kinds import KINDS
from crds.models.record import GROUP, VERSION, Column, Record, ScalePaths
from crds.schema import structural

FOLDER = Path(__file__).parent / "generated"


def definition(model: type[Record]) -> dict[str, Any]:
    """The CRD as `kubectl apply` takes it."""
    resource = model.resource
    names = {
        "kind": resource.kind,
        "listKind": f"{resource.kind}List",
        "plural": resource.plural,
        "singular": getattr(model, "singular", resource.kind.lower()),
        "categories": ["setpoint"],
    }
    short_names = getattr(model, "short_names", [])
    if short_names:
        names["shortNames"] = short_names
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{resource.plural}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "names": names,
            "scope": "Namespaced" if resource.namespaced else "Cluster",
            "versions": [_version(model)],
        },
    }


def _version(model: type[Record]) -> dict[str, Any]:
    fields = model.model_fields
    spec = fields.get("spec")
    properties = {
        part: structural(fields[part].annotation)  # type: ignore[arg-type]
        for part in ("spec", "status")
        if part in fields
    }
    required = ["spec"] if spec is not None and spec.is_required() else []
    subresources: dict[str, Any] = {"status": {}}
    scale = getattr(model, "scale", None)
    if scale is not None:
        subresources["scale"] = _scale(scale)
    columns = [_column(column) for column in getattr(model, "columns", [])]
    columns.append({"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"})
    return {
        "name": VERSION,
        "served": True,
        "storage": True,
        "schema": {
            "openAPIV3Schema": {
                "description": _summary(model),
                "type": "object",
                "properties": properties,
                **({"required": required} if required else {}),
            }
        },
        "subresources": subresources,
        "additionalPrinterColumns": columns,
    }


def _summary(model: type[Record]) -> str:
    return " ".join((sys.modules[model.__module__].__doc__ or model.__name__).split())


def _column(column: Column) -> dict[str, Any]:
    out: dict[str, Any] = {"name": column.name, "type": column.type, "jsonPath": column.path}
    if column.priority:
        out["priority"] = column.priority
    return out


def _scale(paths: ScalePaths) -> dict[str, str]:
    out = {"specReplicasPath": paths.replicas, "statusReplicasPath": paths.ready}
    if paths.selector:
        out["labelSelectorPath"] = paths.selector
    return out


def files() -> dict[str, str]:
    """File name -> YAML of every kind."""
    return {
        f"{kind.model.resource.plural}.yaml": yaml.safe_dump(definition(kind.model), sort_keys=False, width=110)
        for kind in KINDS
    }


def write() -> None:
    FOLDER.mkdir(exist_ok=True)
    wanted = files()
    for stale in FOLDER.glob("*.yaml"):
        if stale.name not in wanted:
            stale.unlink()
    for name, text in wanted.items():
        (FOLDER / name).write_text(text)


if __name__ == "__main__":
    write()
