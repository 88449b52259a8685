"""Is a CustomResourceDefinition one that can be served here: names, versions, and what may not change."""

import re
from collections.abc import Iterator

from cluster.apiserver.errors import (
    FieldError,
    field_forbidden,
    field_invalid,
    field_required,
    field_unsupported,
)
from cluster.apiserver.kinds.definition_names import LABEL, LABEL_RULE, group_errors, names_errors
from cluster.apiserver.kinds.definition_parts import (
    columns_errors,
    deprecation_errors,
    scale_errors,
    selectable_errors,
)
from cluster.apiserver.kinds.definition_schema import schema_errors, status_errors
from cluster.apiserver.kinds.names import SUBDOMAIN
from cluster.apiserver.types import Json

APPROVAL = "api-approved.kubernetes.io"
PROTECTED = ("k8s.io", "kubernetes.io")
SCOPES = ("Cluster", "Namespaced")


def definition_errors(obj: Json) -> list[FieldError]:
    spec = obj.get("spec")
    if not isinstance(spec, dict):
        return [field_required("spec")]
    errors = group_errors(spec.get("group") or "") + names_errors(spec.get("names") or {}, "spec.names")
    scope = spec.get("scope")
    if not scope:
        errors.append(field_required("spec.scope"))
    elif scope not in SCOPES:
        errors.append(field_unsupported("spec.scope", scope, SCOPES))
    for field in ("plural", "singular", "kind", "listKind"):
        if not (spec.get("names") or {}).get(field):
            errors.append(field_required(f"spec.names.{field}"))
    errors.extend(_conversion_errors(spec.get("conversion") or {}))
    if spec.get("preserveUnknownFields"):
        errors.append(field_invalid("spec.preserveUnknownFields", True, "must be false in apiextensions.k8s.io/v1"))
    return errors + _versions_errors(spec.get("versions") or [])


def new_errors(obj: Json) -> list[FieldError]:
    """What is looked at when a definition is made, and cannot change afterwards."""
    spec, name = obj.get("spec") or {}, obj["metadata"]["name"]
    if name != f"{(spec.get('names') or {}).get('plural', '')}.{spec.get('group', '')}" or not SUBDOMAIN.fullmatch(
        name
    ):
        return [field_invalid("metadata.name", name, 'must be spec.names.plural+"."+spec.group')]
    return []


def change_errors(obj: Json, old: Json, established: bool) -> list[FieldError]:
    spec, before = obj.get("spec") or {}, old.get("spec") or {}
    names, had = spec.get("names") or {}, before.get("names") or {}
    held = [("spec.group", spec, before, "group"), ("spec.names.plural", names, had, "plural")]
    if established:
        # Objects may have been stored by these.
        held += [("spec.scope", spec, before, "scope"), ("spec.names.kind", names, had, "kind")]
    return [
        field_invalid(path, new.get(name), "field is immutable")
        for path, new, was, name in held
        if new.get(name) != was.get(name)
    ]


def approval_errors(obj: Json) -> list[FieldError]:
    """Groups of Kubernetes' own want to be told where they were approved, or that they were not."""
    if not str((obj.get("spec") or {}).get("group", "")).endswith(tuple(f".{group}" for group in PROTECTED)):
        return []
    path = f"metadata.annotations[{APPROVAL}]"
    approval = (obj["metadata"].get("annotations") or {}).get(APPROVAL, "")
    if not approval:
        return [field_required(path, "protected groups must have it")]
    if approval.startswith("unapproved") or re.match(r"[a-z][-+.a-z0-9]*://[^/]", approval):
        return []
    return [field_invalid(path, approval, 'must be a URL or a reason that begins with "unapproved"')]


def stored_errors(obj: Json) -> list[FieldError]:
    """A version in which objects may be stored cannot go."""
    path = "status.storedVersions"
    stored = (obj.get("status") or {}).get("storedVersions") or []
    versions = (obj.get("spec") or {}).get("versions") or []
    if not stored:
        return [field_invalid(path, stored, "must have at least one stored version")]
    errors: list[FieldError] = []
    left = {name: index for index, name in enumerate(stored)}
    for version in versions:
        # Each stored one answers for one version: a second of its name is missing here as well.
        if left.pop(version.get("name") or "", None) is None and version.get("storage"):
            errors.append(field_invalid(path, stored, f"must have the storage version {version.get('name')}"))
    told = "missing from spec.versions; it was a storage version, and objects may still be stored in it"
    return errors + [field_invalid(f"{path}[{index}]", name, told) for name, index in left.items()]


def _conversion_errors(conversion: Json) -> list[FieldError]:
    path, strategy = "spec.conversion", conversion.get("strategy")
    if not strategy:
        return [field_required(f"{path}.strategy")]
    webhook, told = conversion.get("webhook") or {}, "should not be set when strategy is not set to Webhook"
    places = {
        "clientConfig": f"{path}.webhookClientConfig",
        "conversionReviewVersions": f"{path}.conversionReviewVersions",
    }
    if strategy == "None":
        return [field_forbidden(place, told) for name, place in places.items() if webhook.get(name)]
    missing = [field_required(place) for name, place in places.items() if not webhook.get(name)]
    if strategy == "Webhook" and missing:
        return missing
    return [field_unsupported(f"{path}.strategy", strategy, ["None"])]


def _versions_errors(versions: list[Json]) -> list[FieldError]:
    errors: list[FieldError] = []
    names = [version.get("name") or "" for version in versions]
    if [version.get("storage") for version in versions].count(True) != 1:
        errors.append(field_invalid("spec.versions", names, "must have exactly one version marked as storage version"))
    if len(set(names)) != len(names):
        errors.append(field_invalid("spec.versions", names, "must contain unique version names"))
    if names and names[0] and not LABEL.fullmatch(names[0]):
        errors.append(field_invalid("spec.version", names[0], LABEL_RULE))
    for index, version in enumerate(versions):
        path = f"spec.versions[{index}]"
        if not LABEL.fullmatch(names[index]):
            errors.append(field_invalid(f"{path}.name", names[index], LABEL_RULE))
        errors.extend(deprecation_errors(version, f"{path}.deprecationWarning"))
        if not isinstance((version.get("schema") or {}).get("openAPIV3Schema"), dict):
            errors.append(field_required(f"{path}.schema.openAPIV3Schema", "schemas are required"))
    return errors + _parts_errors(versions)


def _parts_errors(versions: list[Json]) -> list[FieldError]:
    errors: list[FieldError] = []
    any_status = any("status" in (version.get("subresources") or {}) for version in versions)
    for path, version in _told_of(versions, "schema", "validation"):
        schema = (version.get("schema") or {}).get("openAPIV3Schema")
        if isinstance(schema, dict):
            place = f"{path}.openAPIV3Schema"
            has_status = any_status if path == "spec.validation" else "status" in (version.get("subresources") or {})
            errors.extend(status_errors(schema, place) if has_status else [])
            errors.extend(schema_errors(schema, place))
    for path, version in _told_of(versions, "subresources"):
        errors.extend(scale_errors((version.get("subresources") or {}).get("scale"), f"{path}.scale"))
    for path, version in _told_of(versions, "additionalPrinterColumns"):
        errors.extend(columns_errors(version.get("additionalPrinterColumns") or [], path))
    return errors + _selectable_errors(versions)


def _selectable_errors(versions: list[Json]) -> list[FieldError]:
    errors: list[FieldError] = []
    one_schema = _one_for_all(versions, "schema")
    for path, version in _told_of(versions, "selectableFields"):
        fields, schema = version.get("selectableFields"), (version.get("schema") or {}).get("openAPIV3Schema")
        if not fields or not isinstance(schema, dict):
            continue
        if one_schema != _one_for_all(versions, "selectableFields"):
            errors.append(field_invalid(path, "", "must be the same for all versions exactly if their schemas are"))
        else:
            errors.extend(selectable_errors(fields, schema, path))
    return errors


def _told_of(versions: list[Json], part: str, of_all: str = "") -> Iterator[tuple[str, Json]]:
    """Where a version's part is told to be wrong: one for all versions is the definition's own, as the real server
    keeps it."""
    if _one_for_all(versions, part):
        yield f"spec.{of_all or part}", versions[0]
        return
    for index, version in enumerate(versions):
        yield f"spec.versions[{index}].{part}", version


def _one_for_all(versions: list[Json], part: str) -> bool:
    return bool(versions) and all(version.get(part) == versions[0].get(part) for version in versions)
