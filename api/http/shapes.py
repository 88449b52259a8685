"""Bases of the models of bodies, queries and answers."""

from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, PlainSerializer
from pydantic.alias_generators import to_camel


class Body(BaseModel):
    """A request's JSON object: wrong types and unknown fields are refused."""

    model_config = ConfigDict(
        strict=True, extra="forbid", alias_generator=to_camel, validate_by_alias=True, validate_by_name=False
    )


class NoBody(Body):
    """For rows without a body: none, or `{}`."""


class Query(BaseModel):
    """A query string's parameters; those that no row knows are ignored, as everywhere on the web."""

    model_config = ConfigDict(extra="ignore", alias_generator=to_camel, validate_by_alias=True)


class NoQuery(Query):
    """For rows without parameters."""


class View(BaseModel):
    """What an answer shows: camelCase, and null for what has no value yet."""

    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True, validate_by_alias=True)

    def encoded(self) -> bytes:
        return self.model_dump_json(by_alias=True).encode()


def utc_text(moment: datetime) -> str:
    """ISO 8601 in UTC with `Z`, with milliseconds only where there are any."""
    moment = moment.astimezone(UTC)
    fraction = f".{moment.microsecond // 1000:03d}" if moment.microsecond else ""
    return f"{moment:%Y-%m-%dT%H:%M:%S}{fraction}Z"


Moment = Annotated[datetime, PlainSerializer(utc_text, return_type=str, when_used="json")]


def _whole(value: Any) -> Any:
    # JSON has one kind of number: 3.0 is three.
    return int(value) if isinstance(value, float) and value.is_integer() else value


WholeNumber = Annotated[int, BeforeValidator(_whole)]
