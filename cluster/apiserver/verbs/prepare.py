"""From an object as it was sent to one that may be stored: pruned, defaulted, completed, validated."""

from typing import Any

from cluster.apiserver.cel.rules import ABSENT, check_rules
from cluster.apiserver.errors import ApiError, FieldError, bad_request, field_invalid, invalid, rules_not_run
from cluster.apiserver.http.request import Request
from cluster.apiserver.kinds.model import Target
from cluster.apiserver.kinds.names import finalizer_warnings, metadata_errors
from cluster.apiserver.schema.normalize import normalize
from cluster.apiserver.schema.validate import validate, validate_change
from cluster.apiserver.types import Json
from cluster.apiserver.verbs.options import WriteOptions

# An object with one of these is not what a schema's rules were written for.
_BLOCKING = frozenset(
    {"FieldValueNotSupported", "FieldValueRequired", "FieldValueTooLong", "FieldValueTooMany", "FieldValueTypeInvalid"}
)
OMITTED_WHEN_EMPTY = ("labels", "annotations", "finalizers", "ownerReferences", "generateName", "selfLink")


def check_identity(target: Target, obj: Json) -> None:
    """apiVersion, kind and namespace must be those of the address; absent ones are filled in."""
    resource = target.resource
    api_version, kind = obj.get("apiVersion") or target.api_version, obj.get("kind") or resource.kind
    if api_version != target.api_version:
        raise bad_request(
            f"the API version in the data ({api_version}) does not match the expected API version "
            f"({target.api_version})"
        )
    if kind != resource.kind and resource.custom:
        cause = field_invalid("kind", kind, f"must be {resource.kind}")
        raise invalid(resource.group, str(kind), target.name or _name_in(obj), [cause])
    if kind != resource.kind:
        raise bad_request(f"{kind} in the data does not match the expected kind {resource.kind}")
    obj["apiVersion"], obj["kind"] = api_version, kind
    metadata = obj.get("metadata")
    if metadata is None:
        metadata = obj["metadata"] = {}
    if not isinstance(metadata, dict):
        raise bad_request("metadata must be an object")
    if resource.namespaced:
        sent = metadata.get("namespace") or target.namespace
        if sent != target.namespace:
            raise bad_request("the namespace of the provided object does not match the namespace sent on the request")
        metadata["namespace"] = target.namespace
    else:
        metadata.pop("namespace", None)


def _name_in(obj: Json) -> str:
    metadata = obj.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else ""
    return name if isinstance(name, str) else ""


def tidy(target: Target, obj: Json, duplicates: list[str], options: WriteOptions, request: Request) -> None:
    """Prune and default in place; unknown and duplicate fields are ignored, warned of or refused as asked."""
    unknown = normalize(obj, target.version.schema)
    # Of kinds of its own the real server tells them as they come.
    told = [f'unknown field "{path}"' for path in (sorted(unknown) if target.resource.custom else unknown)]
    told += [f'duplicate field "{path}"' for path in duplicates]
    if told and options.field_validation == "Strict":
        raise StrictError(told)
    if told and options.field_validation == "Warn":
        request.warnings.extend(told)
    metadata = obj["metadata"]
    for name in OMITTED_WHEN_EMPTY:
        if name in metadata and not metadata[name]:
            del metadata[name]


class StrictError(ApiError):
    """Unknown or duplicate fields under fieldValidation=Strict."""

    def __init__(self, told: list[str]) -> None:
        super().__init__(400, "BadRequest", "strict decoding error: " + ", ".join(told))
        self.told = told


class Undecodable(ApiError):
    """Values that the kind has no room for."""

    def __init__(self, message: str) -> None:
        super().__init__(400, "BadRequest", message)


def complete(target: Target, obj: Json, old: Json | None) -> None:
    """What the kind fills in; raises the 400 of Undecodable for values that it cannot decode."""
    strategy = target.resource.strategy
    if strategy.type_errors_are_bad_requests:
        wrong = validate(obj, target.version.schema)
        if wrong:
            raise Undecodable(f"{target.resource.kind} cannot be handled: json: cannot unmarshal: {wrong[0].text()}")
    problem = strategy.check_format(obj)
    if problem:
        raise Undecodable(f"{target.resource.kind} in version {target.version.name!r} cannot be handled: {problem}")
    strategy.prepare(obj, old)


def check(target: Target, obj: Json, old: Json | None, request: Request) -> None:
    """Raises the 422 of all that is wrong with `obj`; what was already wrong and is unchanged may stay."""
    errors = _errors(target, obj, old)
    if errors and old is not None and target.resource.strategy.ratchets:
        before = _errors(target, old, None)
        errors = [error for error in errors if error not in before]
    if errors:
        raise invalid(target.resource.group, target.resource.kind, obj["metadata"].get("name", ""), errors)
    finalizers = obj["metadata"].get("finalizers")
    if finalizers:
        request.warnings.extend(finalizer_warnings(finalizers))


def _errors(target: Target, obj: Json, old: Json | None) -> list[FieldError]:
    """Raises a 400 for metadata of a wrong type: the real server cannot decode it."""
    schema, strategy = target.version.schema, target.resource.strategy
    wrong = [] if strategy.type_errors_are_bad_requests else validate_change(obj, old, schema)
    for error in wrong:
        if error.field.startswith("metadata."):
            raise bad_request(f"json: cannot unmarshal into ObjectMeta: {error.text()}")
    errors = metadata_errors(obj["metadata"]) + wrong + _scale_errors(target, obj)
    if old is None and not target.resource.custom:
        errors += strategy.name_errors(obj["metadata"].get("name"))
    if left_out := rules_left_out(target, errors):
        errors += left_out
    elif schema.rules_below:
        errors.extend(check_rules(obj, ABSENT if old is None else old, schema))
    if target.subresource == "status" and old is not None:
        return errors + strategy.validate_status(obj, old)
    errors.extend(strategy.validate(obj, old))
    return errors


def rules_left_out(target: Target, errors: list[FieldError]) -> list[FieldError]:
    """That the rules of the schema are not run, where they are not."""
    blocked = target.version.schema.rules_below and any(error.reason in _BLOCKING for error in errors)
    return [rules_not_run()] if blocked else []


def _scale_errors(target: Target, obj: Json) -> list[FieldError]:
    """What the scale subresource shows must be a number that it can show."""
    scale = target.version.scale
    value = value_at(obj, scale.spec) if scale else None
    if scale is None or value is None:
        return []
    field = "." + ".".join(scale.spec)
    if type(value) is not int:
        return [field_invalid(field, 0, f"{field} accessor error: it is no integer")]
    if value < 0:
        return [field_invalid(field, value, "should be a non-negative integer")]
    most = 2**31 - 1
    return [field_invalid(field, value, f"should be less than or equal to {most}")] if value > most else []


def value_at(obj: Json, path: tuple[str, ...]) -> Any:
    """None where there is nothing."""
    value: Any = obj
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def without(obj: Json, *names: str) -> Json:
    return {name: value for name, value in obj.items() if name not in names}


def desired(obj: Json) -> dict[str, Any]:
    """What metadata.generation counts the changes of."""
    return without(obj, "metadata", "status", "apiVersion", "kind")
