"""A plain HTTP client of a Kubernetes API, for tests of what goes over the wire."""

import json
import ssl
import time
import uuid
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

Json = dict[str, Any]
GROUP = "/apis/test.example.com/v1"
MERGE = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"
DEADLINE_SECONDS = 15.0


@dataclass(eq=False)
class Api:
    """A Kubernetes API at `url`; `namespace` is a fresh one of this test's own."""

    url: str
    token: str
    ca: Path
    namespace: str = "default"

    def __post_init__(self) -> None:
        self.http = httpx.Client(
            base_url=self.url,
            verify=ssl.create_default_context(cafile=str(self.ca)),
            headers={"Authorization": f"Bearer {self.token}", "User-Agent": "contract/1"},
            timeout=20,
        )
        # Clients are made freely in tests: each closes its connections when it is let go.
        weakref.finalize(self, self.http.close)

    def request(
        self, method: str, path: str, body: Any = None, kind: str = "application/json", **query: Any
    ) -> httpx.Response:
        content = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": kind} if content is not None else {}
        return self.http.request(method, path, content=content, headers=headers, params=query)

    def ok(self, method: str, path: str, body: Any = None, kind: str = "application/json", **query: Any) -> Json:
        answer = self.request(method, path, body, kind, **query)
        assert answer.status_code < 300, f"{method} {path}: {answer.status_code} {answer.text}"
        found: Json = answer.json()
        return found

    def get(self, path: str, **query: Any) -> Json:
        return self.ok("GET", path, **query)

    def patch(self, path: str, body: Any, kind: str = MERGE, **query: Any) -> Json:
        return self.ok("PATCH", path, body, kind, **query)

    def apply(self, path: str, body: Any, manager: str, **query: Any) -> Json:
        return self.ok("PATCH", path, body, APPLY, fieldManager=manager, **query)

    def table(self, path: str, accept: str = "application/json;as=Table;v=v1;g=meta.k8s.io", **query: Any) -> Json:
        answer = self.http.get(path, headers={"Accept": accept}, params=query)
        assert answer.status_code == 200, answer.text
        found: Json = answer.json()
        return found

    @property
    def widgets(self) -> str:
        return f"{GROUP}/namespaces/{self.namespace}/widgets"

    def core(self, plural: str) -> str:
        return f"/api/v1/namespaces/{self.namespace}/{plural}"

    def widget(self, name: str, spec: Json | None = None, **metadata: Any) -> Json:
        """Create one and return it."""
        return self.ok("POST", self.widgets, widget(name, spec, **metadata))

    @contextmanager
    def watching(self, path: str, **query: Any) -> Iterator["Watch"]:
        params = {"watch": "true", **query}
        with self.http.stream("GET", path, params=params) as answer:
            yield Watch(answer)

    def gone(self, path: str) -> bool:
        return self.request("GET", path).status_code == 404


class Watch:
    """The events of a watch, one at a time."""

    def __init__(self, answer: httpx.Response) -> None:
        self.answer = answer
        self._lines = answer.iter_lines()

    def next(self) -> Json:
        event: Json = json.loads(next(self._lines))
        return event

    def until(self, wanted: Callable[[Json], bool]) -> Json:
        for line in self._lines:
            event: Json = json.loads(line)
            if wanted(event):
                return event
        raise AssertionError("the watch ended without the event")

    def rest(self) -> list[Json]:
        return [json.loads(line) for line in self._lines]


def widget(name: str, spec: Json | None = None, **metadata: Any) -> Json:
    return {
        "apiVersion": "test.example.com/v1",
        "kind": "Widget",
        "metadata": {"name": name, **metadata},
        "spec": {"note": "n"} if spec is None else spec,
    }


def config_map(name: str, data: Json | None = None, **metadata: Any) -> Json:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **metadata}, "data": data or {}}


def unique(prefix: str) -> str:
    return f"{prefix}-{uuid.uuid4().hex[:8]}"


def eventually(check: Callable[[], Any], seconds: float = DEADLINE_SECONDS) -> Any:
    """The first true answer of `check`, within the deadline."""
    deadline = time.monotonic() + seconds
    while not (found := check()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)
    return found


def causes(answer: httpx.Response) -> list[tuple[str, str]]:
    """The (reason, field) of a 422."""
    return [(cause["reason"], cause["field"]) for cause in answer.json()["details"].get("causes", [])]


def managed(obj: Json, manager: str, operation: str = "", subresource: str = "") -> Json | None:
    """The fields of a manager, None if it has no entry."""
    for entry in obj["metadata"].get("managedFields", []):
        same = entry["manager"] == manager and entry.get("subresource", "") == subresource
        if same and operation in ("", entry["operation"]):
            fields: Json = entry["fieldsV1"]
            return fields
    return None
