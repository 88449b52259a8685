"""The options of a write, from the query: dryRun, fieldValidation, fieldManager, force."""

from dataclasses import dataclass

from cluster.apiserver.errors import (
    FieldError,
    field_forbidden,
    field_invalid,
    field_required,
    field_too_long,
    field_unsupported,
    invalid_options,
)
from cluster.apiserver.fields.managed import APPLY, UPDATE, Entry
from cluster.apiserver.fields.sets import EMPTY
from cluster.apiserver.http.request import Request
from cluster.apiserver.kinds import times
from cluster.apiserver.kinds.model import Target

VALIDATIONS = ("Ignore", "Warn", "Strict")
MAX_MANAGER = 128


@dataclass(frozen=True, slots=True)
class WriteOptions:
    dry_run: bool
    field_validation: str
    manager: str
    force: bool = False

    def entry(self, target: Target, operation: str = UPDATE) -> Entry:
        """Who is noted as the owner of what this write sets."""
        return Entry(self.manager, operation, target.api_version, target.subresource, EMPTY, times.now())

    def applier(self, target: Target) -> Entry:
        return self.entry(target, APPLY)


def write_options(request: Request, kind: str) -> WriteOptions:
    """Raises a 422 that speaks of `kind`: CreateOptions, UpdateOptions or PatchOptions."""
    query = request.query
    if not query:
        return WriteOptions(False, "Warn", request.manager)
    errors = _common_errors(query)
    if "force" in query and kind == "PatchOptions":
        errors.append(field_forbidden("force", "may not be specified for non-apply patch"))
    if errors:
        raise invalid_options(kind, errors)
    return WriteOptions("dryRun" in query, query.get("fieldValidation") or "Warn", request.manager)


def apply_options(request: Request) -> WriteOptions:
    query = request.query
    errors = _common_errors(query)
    if not query.get("fieldManager"):
        errors.append(field_required("fieldManager", "is required for apply patch"))
    if errors:
        raise invalid_options("PatchOptions", errors)
    validation = query.get("fieldValidation") or "Warn"
    return WriteOptions("dryRun" in query, validation, request.manager, force=request.flag("force"))


def _common_errors(query: dict[str, str]) -> list[FieldError]:
    errors: list[FieldError] = []
    if "dryRun" in query and query["dryRun"] != "All":
        errors.append(field_unsupported("dryRun", [query["dryRun"]], ["All"]))
    validation = query.get("fieldValidation", "")
    if validation and validation not in VALIDATIONS:
        errors.append(field_unsupported("fieldValidation", validation, VALIDATIONS))
    manager = query.get("fieldManager", "")
    if len(manager) > MAX_MANAGER:
        errors.append(field_too_long("fieldManager", f"may not be more than {MAX_MANAGER} bytes"))
    if not manager.isprintable():
        errors.append(field_invalid("fieldManager", manager, "should only contain printable characters"))
    return errors
