"""What a request can be refused with. Every refusal is a Problem with one of these codes; one adapter writes it."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Code:
    """`title` is the same for every occurrence; what is special about one is its detail."""

    status: int
    title: str


CODES: dict[str, Code] = {
    "malformed": Code(400, "The request could not be read"),
    "unauthenticated": Code(401, "A valid credential is needed"),
    "insufficient_scope": Code(403, "The credential's scope is too small"),
    "not_found": Code(404, "There is no such thing here"),
    "method_not_allowed": Code(405, "This path does not know that method"),
    "conflict": Code(409, "The state it is in does not allow that"),
    "idempotency_conflict": Code(409, "This Idempotency-Key was used for another request"),
    "managed_by_git": Code(409, "The field is declared in git"),
    "precondition_failed": Code(412, "It was changed since you looked at it"),
    "too_large": Code(413, "The body is too large"),
    "unsupported_media_type": Code(415, "The body must be JSON"),
    "misdirected": Code(421, "This service does not answer under that host name"),
    "invalid": Code(422, "The request is not valid"),
    "reserved_name": Code(422, "The name is reserved"),
    "rate_limited": Code(429, "Too many requests"),
    "internal": Code(500, "Something went wrong on our side"),
    "unavailable": Code(503, "The service cannot answer right now"),
}


@dataclass(frozen=True)
class Fault:
    """One thing wrong with the input. `pointer`: a JSON pointer into the body, or `?name` for a query parameter."""

    pointer: str
    detail: str


class Problem(Exception):
    """A refusal: `detail` says what is wrong and how to mend it, and never holds a secret or another tenant's name."""

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        faults: Sequence[Fault] = (),
        headers: dict[str, str] | None = None,
    ):
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.faults = tuple(faults)
        self.headers = headers or {}

    @property
    def status(self) -> int:
        return CODES[self.code].status


def not_found() -> Problem:
    """One body for what is absent and for what is another account's."""
    return Problem("not_found", "Nothing with this address exists in this account. Check the id.")


def invalid(pointer: str, detail: str, *, code: str = "invalid") -> Problem:
    return Problem(code, detail, faults=[Fault(pointer, detail)])


def conflict(detail: str) -> Problem:
    return Problem("conflict", detail)


def unavailable(detail: str, seconds: int = 2) -> Problem:
    return Problem("unavailable", detail, headers={"Retry-After": str(seconds)})


def unauthenticated(detail: str) -> Problem:
    return Problem("unauthenticated", detail, headers={"WWW-Authenticate": "Bearer"})
