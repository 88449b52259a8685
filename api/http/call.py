"""One request on its way through the adapter, as a handler sees it."""

import asyncio
import contextlib
import hashlib
import secrets
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from starlette.types import Message, Receive, Scope

from api.http.preconditions import matches
from api.problems import Problem, conflict
from crds.models.account import Account
from crds.models.deploy import Deploy
from crds.models.project import Project
from crds.names import account_namespace

if TYPE_CHECKING:
    from api.http.endpoint import Endpoint
    from api.identity.credentials import Credential
    from api.platform import Platform

MIB = 1024 * 1024
BODY_LIMIT = MIB
_FINISH_BYTES = 16 * MIB
_FINISH_SECONDS = 2.0


class Call:
    """The adapter fills it step by step; each attribute is set before the step that needs it.

    `account` is the one in which the credential acts, `project` and `deploy` what the path names."""

    __slots__ = (
        "_read_whole",
        "_receive",
        "account",
        "address",
        "body",
        "credential",
        "deploy",
        "endpoint",
        "headers",
        "limit_headers",
        "method",
        "params",
        "path",
        "platform",
        "project",
        "query",
        "query_string",
        "raw",
        "request_id",
    )

    endpoint: "Endpoint"
    credential: "Credential"
    account: Account
    project: Project
    deploy: Deploy
    body: Any
    query: Any

    def __init__(self, platform: "Platform", scope: Scope, receive: Receive):
        self.platform = platform
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.query_string: bytes = scope["query_string"]
        self.headers: dict[bytes, bytes] = dict(scope["headers"])
        self.address: str = scope["client"][0] if scope.get("client") else ""
        self.params: dict[str, str] = {}
        self.raw = b""
        self.request_id = ""
        self.limit_headers: tuple[tuple[bytes, bytes], ...] = ()
        self._receive = receive
        self._read_whole = False

    def header(self, name: bytes) -> str:
        """The header's value (its name in lower case); empty when it is not there."""
        return self.headers.get(name, b"").decode("latin-1")

    async def chunks(self, limit: int) -> AsyncIterator[bytes]:
        """The body as it comes in. Raises 413 once it is longer than `limit`."""
        if int(self.headers.get(b"content-length", b"0")) > limit:
            raise too_large(limit)
        async for chunk in self._incoming(limit):
            yield chunk

    async def _incoming(self, limit: int) -> AsyncIterator[bytes]:
        length = 0
        while True:
            message: Message = await self._receive()
            if message["type"] == "http.disconnect":
                raise ClientGone
            chunk: bytes = message.get("body", b"")
            length += len(chunk)
            if length > limit:
                raise too_large(limit)
            self._read_whole = not message.get("more_body", False)
            yield chunk
            if self._read_whole:
                return

    async def let_finish(self) -> None:
        """Before a refusal, to who says that the connection ends with it: closed while bytes are on their way it would
        be reset, and the refusal never be read. They are thrown away, as long as they are not too many or too slow."""
        if self._read_whole or self.header(b"connection").lower() != "close" or b"expect" in self.headers:
            return
        if not int(self.headers.get(b"content-length", b"0")) and b"transfer-encoding" not in self.headers:
            return
        with contextlib.suppress(Problem, ClientGone, TimeoutError):
            async with asyncio.timeout(_FINISH_SECONDS):
                async for _ in self._incoming(_FINISH_BYTES):
                    pass

    async def gone(self) -> None:
        """Returns when the client has left (once the body was read)."""
        while (await self._receive())["type"] != "http.disconnect":
            pass

    @property
    def namespace(self) -> str:
        return account_namespace(self.account.name)

    @property
    def idempotency_key(self) -> str:
        return self.header(b"idempotency-key")

    def token(self) -> str:
        """What the name of a record made by this call is derived from: the same for a repeat with the same
        Idempotency-Key and credential, else unlike any other."""
        key = self.idempotency_key
        if not key:
            return secrets.token_hex(16)
        return hashlib.sha256(f"{self.credential.id}\0{key}".encode()).hexdigest()

    @property
    def own_project(self) -> Project:
        """The project, for an edit: 409 when it is being deleted."""
        if self.project.deleting:
            raise conflict("The project is being deleted.")
        return self.project

    def must_match(self, etag: str) -> None:
        """412 when the caller looked at another state than the one that `etag` names."""
        wanted = self.headers.get(b"if-match")
        if wanted is not None and not matches(wanted.decode("latin-1"), etag):
            raise Problem(
                "precondition_failed",
                "If-Match names another state than the present one. Get the resource again and repeat the edit.",
                headers={"ETag": etag},
            )


class ClientGone(Exception):
    """The client left before its request was read: nobody is there to answer."""


def too_large(limit: int) -> Problem:
    return Problem("too_large", f"The body may have at most {limit} bytes.")
