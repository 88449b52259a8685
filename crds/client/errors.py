"""What can go wrong at the Kubernetes API, wrapped at this one edge.

ApiError                 anything below
|-- Unavailable          no answer, or 5xx, or 429: try again later
|-- NotFound             404
|-- AlreadyExists        409 on create
|-- Conflict             409: the resource version moved on, or another manager owns the field
|-- Gone                 410: the resource version is too old to watch from
|-- Invalid              400 and 422: the API server refuses the object; `message` says why
`-- Forbidden            401 and 403
"""

from typing import Any


class ApiError(Exception):
    """`status` is the HTTP code (0 without an answer); `reason` is Kubernetes' own word; `causes` as it sent them."""

    def __init__(self, message: str, *, status: int = 0, reason: str = "", causes: list[dict[str, Any]] | None = None):
        super().__init__(message)
        self.message = message
        self.status = status
        self.reason = reason
        self.causes = causes or []


class Unavailable(ApiError):
    pass


class NotFound(ApiError):
    pass


class AlreadyExists(ApiError):
    pass


class Conflict(ApiError):
    pass


class Gone(ApiError):
    pass


class Invalid(ApiError):
    pass


class Forbidden(ApiError):
    pass


def error_for(status: int, body: Any) -> ApiError:
    """The error for an answer; `body` is a Kubernetes Status, or text, or bytes."""
    if not isinstance(body, dict):
        text = body.decode(errors="replace") if isinstance(body, bytes) else str(body)
        body = {"message": text.strip()[:500] or f"HTTP {status}"}
    reason = str(body.get("reason") or "")
    causes = (body.get("details") or {}).get("causes") or []
    kind = _kind_of(status, reason)
    return kind(str(body.get("message") or f"HTTP {status}"), status=status, reason=reason, causes=causes)


def _kind_of(status: int, reason: str) -> type[ApiError]:
    if status == 409:
        return AlreadyExists if reason == "AlreadyExists" else Conflict
    if status == 429 or status >= 500:
        return Unavailable
    by_status: dict[int, type[ApiError]] = {
        400: Invalid,
        401: Forbidden,
        403: Forbidden,
        404: NotFound,
        410: Gone,
        422: Invalid,
    }
    return by_status.get(status, ApiError)
