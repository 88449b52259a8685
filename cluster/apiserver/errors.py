"""Every way in which a request can fail, as the `Status` object that a Kubernetes client expects.

ApiError
  not_found, already_exists, conflict, invalid, forbidden, bad_request, ... : functions that make one
FieldError: one cause of a 422
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from cluster.apiserver.types import Json


class ApiError(Exception):
    """A failed request; `status()` is its body."""

    def __init__(self, code: int, reason: str, message: str, details: Json | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message
        self.details = details
        self.warnings: list[str] = []

    def status(self) -> Json:
        body: Json = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure"}
        body["message"] = self.message
        if self.reason:
            body["reason"] = self.reason
        if self.details is not None:
            body["details"] = self.details
        body["code"] = self.code
        return body


class PageNotFound(Exception):
    """An address that no API group answers: plain text, as the real server does it."""


@dataclass(frozen=True, slots=True)
class FieldError:
    """One cause of a 422: `body` is what the message says after the field's name."""

    reason: str
    field: str
    body: str

    def text(self) -> str:
        return f"{self.field}: {self.body}" if self.field else self.body


def shown(value: Any) -> str:
    """A value as error messages quote it."""
    text = orjson.dumps(value).decode()
    return text if len(text) <= 512 else text[:509] + "..."


def field_required(field: str, detail: str = "") -> FieldError:
    return FieldError("FieldValueRequired", field, "Required value" + (f": {detail}" if detail else ""))


def field_invalid(field: str, value: Any, detail: str) -> FieldError:
    return FieldError("FieldValueInvalid", field, f"Invalid value: {shown(value)}: {detail}")


def field_type(field: str, value: Any, detail: str) -> FieldError:
    return FieldError("FieldValueTypeInvalid", field, f"Invalid value: {shown(value)}: {detail}")


def field_unsupported(field: str, value: Any, supported: Iterable[Any]) -> FieldError:
    options = ", ".join(shown(item) for item in supported)
    return FieldError(
        "FieldValueNotSupported", field, f"Unsupported value: {shown(value)}: supported values: {options}"
    )


def field_forbidden(field: str, detail: str) -> FieldError:
    return FieldError("FieldValueForbidden", field, f"Forbidden: {detail}")


def rules_not_run() -> FieldError:
    """Beside errors that keep the rules of a schema from being run."""
    told = "some validation rules were not checked because the object was invalid; "
    return FieldError("FieldValueInvalid", "<nil>", f"Invalid value: null: {told}correct the existing errors first")


def field_duplicate(field: str, value: Any) -> FieldError:
    return FieldError("FieldValueDuplicate", field, f"Duplicate value: {shown(value)}")


def field_too_long(field: str, detail: str) -> FieldError:
    return FieldError("FieldValueTooLong", field, f"Too long: {detail}")


def field_too_many(field: str, count: int, limit: int) -> FieldError:
    return FieldError("FieldValueTooMany", field, f"Too many: {count}: must have at most {limit} items")


def qualified(name: str, group: str) -> str:
    return f"{name}.{group}" if group else name


def details_of(name: str, group: str, kind: str, causes: Sequence[FieldError] = ()) -> Json:
    details: Json = {}
    if name:
        details["name"] = name
    if group:
        details["group"] = group
    if kind:
        details["kind"] = kind
    if causes:
        details["causes"] = [{"reason": c.reason, "message": c.body, "field": c.field} for c in causes]
    return details


def not_found(group: str, plural: str, name: str) -> ApiError:
    message = f'{qualified(plural, group)} "{name}" not found'
    return ApiError(404, "NotFound", message, details_of(name, group, plural))


def resource_not_found() -> ApiError:
    return ApiError(404, "NotFound", "the server could not find the requested resource", {})


def already_exists(group: str, plural: str, name: str) -> ApiError:
    message = f'{qualified(plural, group)} "{name}" already exists'
    return ApiError(409, "AlreadyExists", message, details_of(name, group, plural))


def conflict(group: str, plural: str, name: str, detail: str = "") -> ApiError:
    detail = detail or ("the object has been modified; please apply your changes to the latest version and try again")
    message = f'Operation cannot be fulfilled on {qualified(plural, group)} "{name}": {detail}'
    return ApiError(409, "Conflict", message, details_of(name, group, plural))


def invalid(group: str, kind: str, name: str, causes: Sequence[FieldError]) -> ApiError:
    """422; `kind` is the Kind, not the plural."""
    texts = [cause.text() for cause in causes]
    told = texts[0] if len(texts) == 1 else "[" + ", ".join(texts) + "]"
    message = f'{qualified(kind, group)} "{name}" is invalid: {told}'
    return ApiError(422, "Invalid", message, details_of(name, group, kind, causes))


def invalid_options(kind: str, causes: Sequence[FieldError]) -> ApiError:
    """422 for a query or options body: `kind` is CreateOptions, ListOptions and so on."""
    return invalid("meta.k8s.io", kind, "", causes)


def forbidden(group: str, plural: str, name: str, why: str, causes: Sequence[FieldError] = ()) -> ApiError:
    subject = f' "{name}"' if name else ""
    message = f"{qualified(plural, group)}{subject} is forbidden: {why}"
    return ApiError(403, "Forbidden", message, details_of(name, group, plural, causes))


def bad_request(message: str) -> ApiError:
    return ApiError(400, "BadRequest", message)


def too_large(message: str) -> ApiError:
    return ApiError(413, "RequestEntityTooLarge", message)


def unauthorized() -> ApiError:
    return ApiError(401, "Unauthorized", "Unauthorized")


def method_not_allowed() -> ApiError:
    message = "the server does not allow this method on the requested resource"
    return ApiError(405, "MethodNotAllowed", message, {})


def unsupported_media_type(accepted: Sequence[str]) -> ApiError:
    message = f"the body of the request was in an unknown format - accepted media types include: {', '.join(accepted)}"
    return ApiError(415, "UnsupportedMediaType", message)


def not_acceptable(accepted: Sequence[str]) -> ApiError:
    message = f"only the following media types are accepted: {', '.join(accepted)}"
    return ApiError(406, "NotAcceptable", message)


def expired(message: str) -> ApiError:
    return ApiError(410, "Expired", message)


def too_large_resource_version(wanted: int, current: int) -> ApiError:
    cause = {"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}
    message = f"Timeout: Too large resource version: {wanted}, current: {current}"
    return ApiError(504, "Timeout", message, {"causes": [cause], "retryAfterSeconds": 1})


def storage_failed() -> ApiError:
    """Whether it is on the disk is unknown; whoever asks again will see."""
    return ApiError(
        503, "ServiceUnavailable", "the write could not be stored, or nobody knows whether it was: look, and try again"
    )


def json_patch_failed(message: str) -> ApiError:
    return ApiError(422, "Invalid", message, {})
