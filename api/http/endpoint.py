"""What one row of the endpoint table says."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel

from api.http.shapes import NoBody, NoQuery
from api.identity.scopes import Scope

Find = Callable[[Any], None]
Handler = Callable[..., Awaitable[Any]]
Access = Scope | Literal["public", "signature"]


@dataclass(frozen=True)
class Endpoint:
    """`access`: the scope that is needed; `public` needs no credential; `signature` is proved by the handler itself.

    `gives`: model of the answer (None: no JSON body). `takes`: of the body; `query`: of the query string. `of` finds
    the object that the path names and puts it on the call (raises 404). `status`: of success. `etag`: the resource
    carries an ETag, and its edits honour If-Match. `raw_body`: the handler reads the body itself. `streams`: the
    answer is (or can be) an event stream."""

    method: str
    path: str
    access: Access
    handler: Handler
    gives: type[BaseModel] | None
    takes: type[BaseModel] = NoBody
    query: type[BaseModel] = NoQuery
    of: Find | None = None
    status: int = 200
    etag: bool = False
    raw_body: bool = False
    streams: bool = False

    @property
    def needs_credential(self) -> bool:
        return self.access not in ("public", "signature")
