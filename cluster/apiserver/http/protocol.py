"""uvicorn's HTTP protocol, with the holder of a client certificate made known to the application."""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from cluster.apiserver.access.identity import Identity, identity_of
from cluster.apiserver.http.asgi import PEER


class CertificateProtocol(HttpToolsProtocol):
    peer: Identity | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        certificate = transport.get_extra_info("peercert")
        if certificate:
            self.peer = holder(certificate)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self.peer is not None:
            self.scope[PEER] = self.peer  # type: ignore[typeddict-unknown-key]


def holder(certificate: dict[str, Any]) -> Identity | None:
    """CN is the user, O are the groups; None without a CN."""
    user, groups = "", []
    for parts in certificate.get("subject", ()):
        for name, value in parts:
            if name == "commonName":
                user = value
            elif name == "organizationName":
                groups.append(value)
    return identity_of(user, groups) if user else None
