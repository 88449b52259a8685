"""The little of the /v1 API that the front door itself calls, over plain HTTP on this machine."""

import http.client
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit


class ApiProblem(Exception):
    """The API refused or did not answer; the message is its own."""


class V1:
    def __init__(self, url: str, key: str = ""):
        parts = urlsplit(url)
        self._host, self._port = parts.hostname or "127.0.0.1", parts.port or 80
        self._key = key

    def ready(self) -> bool:
        try:
            connection, answer = self._send("GET", "/readyz", None)
        except OSError:
            return False
        connection.close()
        return answer.status == 200

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        try:
            connection, answer = self._send(method, path, body)
            value = json.loads(answer.read() or b"{}")
        except (OSError, ValueError) as error:
            raise ApiProblem(f"The API does not answer: {error}") from error
        connection.close()
        if answer.status >= 400:
            raise ApiProblem(str(value.get("detail") or value.get("title") or f"HTTP {answer.status}"))
        return dict(value)

    def stream(self, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """(event, data) of a POST that answers with server-sent events, until it ends."""
        connection, answer = self._send("POST", path, {}, accept="text/event-stream")
        if answer.status >= 400:
            raise ApiProblem(f"The deploy was refused: {answer.read().decode(errors='replace')}")
        event, data = "message", ""
        for raw in answer:
            line = raw.decode().rstrip("\r\n")
            if line.startswith("event:"):
                event = line[6:].strip()
            elif line.startswith("data:"):
                data += line[5:].strip()
            elif not line and data:
                yield event, json.loads(data)
                event, data = "message", ""
        connection.close()

    def _send(
        self, method: str, path: str, body: dict[str, Any] | None, accept: str = "application/json"
    ) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        connection = http.client.HTTPConnection(self._host, self._port, timeout=120)
        headers = {"Accept": accept, "Authorization": f"Bearer {self._key}"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        return connection, connection.getresponse()
