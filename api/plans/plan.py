"""The plan itself, from what is wanted and what was seen."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from api.plans.manifests import Manifest
from api.plans.room import resources
from api.records.ownership import leaves, managers_of, value_at
from api.views.plan import BuildView, ChangeView, PlanView, ProcessView, SourceView, WiringView
from crds.models.deploy import Deploy
from crds.models.project import ProjectSpec
from crds.models.record import Record
from crds.models.scaling import ScalingSpec
from planning.detect import Detection, NothingFits, detect
from planning.inspection import Inspection
from planning.placement import NodeRoom

_PLATFORM_ENV = ("PORT", "SETPOINT_COMMIT", "SETPOINT_DEPLOY", "SETPOINT_PROJECT")


@dataclass(frozen=True)
class Wanted:
    """What is to be planned. `name`: the project's, empty for a source that is no project yet. `scalings`: process ->
    count and size; `live`: the deploy that serves now; `env`, `pending`: names only."""

    spec: ProjectSpec
    ref: str = ""
    name: str = ""
    scalings: Mapping[str, ScalingSpec] = field(default_factory=dict)
    live: Deploy | None = None
    env: Sequence[str] = ()
    pending: Sequence[str] = ()
    domains: Sequence[str] = ()


def plan(wanted: Wanted | None, seen: Inspection | None, changes: list[ChangeView], nodes: list[NodeRoom]) -> PlanView:
    """`wanted` None: the manifests hold no project with a source. `seen`: what its repository holds."""
    warnings: list[str] = []
    found = _detected(seen, wanted, warnings) if seen and wanted else None
    processes = _processes(found, wanted) if found and wanted else []
    if found and wanted:
        warnings += found.warnings
        changes = [*changes, *_release_changes(wanted, found, seen)]
    needs, shortfalls = resources(processes, nodes)
    view = PlanView(
        source=_source(wanted, seen),
        runtime=found.runtime if found else None,
        build=BuildView(strategy=found.strategy if found else None, steps=list(found.steps) if found else []),
        processes=processes,
        wiring=_wiring(wanted),
        resources=needs,
        changes=changes,
        warnings=[*warnings, *shortfalls],
        digest="",
    )
    return view.model_copy(update={"digest": _digest(view)})


def _detected(seen: Inspection, wanted: Wanted, warnings: list[str]) -> Detection | None:
    try:
        return detect(seen, wanted.spec.runtime)
    except NothingFits as reason:
        warnings.append(f"The deploy would fail: {reason}")
        return None


def _processes(found: Detection, wanted: Wanted) -> list[ProcessView]:
    """As detected, unless the project says otherwise; with count and size as they are, or by default."""
    commands = {process.name: process.command for process in found.processes}
    for declared in wanted.spec.processes:
        commands[declared.name] = declared.command or commands.get(declared.name, "")
    views = []
    for name, command in commands.items():
        scaling = wanted.scalings.get(name) or ScalingSpec(project=wanted.name, process=name)
        views.append(ProcessView(name=name, command=command, instances=scaling.instances, size=scaling.size))
    return views


def _source(wanted: Wanted | None, seen: Inspection | None) -> SourceView | None:
    if wanted is None or not wanted.spec.source.repository:
        return None
    ref = wanted.ref or wanted.spec.source.branch
    return SourceView(repository=wanted.spec.source.repository, ref=ref or None, commit=seen.commit if seen else None)


def _wiring(wanted: Wanted | None) -> WiringView:
    if wanted is None:
        return WiringView(env=[], database=False, domains=[])
    names = {*_PLATFORM_ENV, *wanted.env, *(["DATABASE_URL"] if wanted.spec.database else [])}
    return WiringView(env=sorted(names), database=wanted.spec.database, domains=list(wanted.domains))


def _release_changes(wanted: Wanted, found: Detection, seen: Inspection | None) -> list[ChangeView]:
    """What the release would change of the one that runs: values of variables are never shown."""
    if wanted.live is None:
        return []
    status, of = wanted.live.status, f"Project/{wanted.name}"
    pairs: list[tuple[str, Any, Any]] = [
        ("commit", status.commit, seen.commit if seen else None),
        ("runtime", status.runtime, found.runtime),
    ]
    pairs += [(f"env.{name}", "(as released)", "(as set since)") for name in wanted.pending]
    return [
        ChangeView(object=of, field=name, before=before, after=after, owner=None)
        for name, before, after in pairs
        if before != after
    ]


def manifest_changes(manifest: Manifest, present: Record | None) -> list[ChangeView]:
    """Each field that applying the manifest would change."""
    body = present.wire() if present else {}
    entries = present.metadata.managed_fields if present else None
    meta = {
        key: manifest.body["metadata"][key] for key in ("labels", "annotations") if manifest.body["metadata"].get(key)
    }
    wanted = {"metadata": meta, "spec": manifest.body.get("spec") or {}}
    changes = []
    for path, after in leaves(wanted):
        before = value_at(body, path)
        if after in ({}, None) or before == after:
            continue
        owners = ", ".join(sorted(managers_of(entries, path)))
        name = f"{manifest.record.kind}/{manifest.record.name}"
        changes.append(ChangeView(object=name, field=".".join(path), before=before, after=after, owner=owners or None))
    return changes


def _digest(view: PlanView) -> str:
    content = view.model_dump(mode="json", by_alias=True, exclude={"digest"})
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()
