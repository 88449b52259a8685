"""What was said to a Kubernetes API and what it answered, in a form that can be held against another's."""

import json
from collections.abc import Callable
from typing import Any

import httpx

from tests.contract.apiserver.client import Api, Json, eventually
from tests.contract.kubernetes.normal import Words


class Conversation:
    """With one API, in a namespace of its own. `said` has an entry for each answer, in order."""

    def __init__(self, api: Api):
        self.api = api
        self.said: list[Json] = []
        self._words = Words(api.namespace)

    def say(
        self,
        method: str,
        path: str,
        body: Any = None,
        kind: str = "application/json",
        accept: str = "",
        token: str = "",
        **query: Any,
    ) -> Json:
        """The answer's JSON as it came, {} where it is none. `token`: of somebody else than the administrator."""
        content = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": kind} if content is not None else {}
        if accept:
            headers["Accept"] = accept
        if token:
            headers["Authorization"] = f"Bearer {token}"
        answer = self.api.http.request(method, path, content=content, headers=headers, params=query)
        found = _decoded(answer)
        self._note(f"{method} {path}", query, answer, found)
        return found if isinstance(found, dict) else {}

    def settled(self, check: Callable[[], Any]) -> None:
        """Wait, without a word of it in the record, for what a server does in its own time."""
        eventually(check)

    def look(self, path: str, part: Callable[[Any], Any], accept: str = "*/*") -> None:
        """GET, and compare the form of the answer and this part of it alone."""
        answer = self.api.http.request("GET", path, headers={"Accept": accept})
        shown = part(_decoded(answer)) if answer.status_code == 200 else _decoded(answer)
        self._note(f"GET {path}", {}, answer, {"form": answer.headers.get("content-type"), "part": shown})

    def keep(self, path: str, accept: str = "*/*") -> None:
        """GET, and ask again by the tag that was given: what a client may keep, and for how long."""
        first = self.api.http.request("GET", path, headers={"Accept": accept})
        self._note(f"GET {path}", {}, first, _of_keeping(first))
        tag = first.headers.get("etag", '"none"')
        again = self.api.http.request("GET", path, headers={"Accept": accept, "If-None-Match": tag})
        self._note(f"AGAIN {path}", {}, again, {**_of_keeping(again), "empty": not again.content})
        other = self.api.http.request("GET", path, headers={"Accept": accept, "If-None-Match": '"other"'})
        self._note(f"WITH ANOTHER {path}", {}, other, _of_keeping(other))

    def watch(self, path: str, **query: Any) -> list[Json]:
        """All events until the server ends it, as `timeoutSeconds` has it do."""
        answer = self.api.http.request("GET", path, params={"watch": "true", **query})
        lines = answer.text.splitlines()
        events = [json.loads(line) for line in lines] if answer.status_code == 200 else []
        events = [_as_of_any(event) for event in events if not _now_and_then(event)]
        self._note(f"WATCH {path}", query, answer, events or _decoded(answer))
        return events

    def _note(self, asked: str, query: Json, answer: httpx.Response, found: Any) -> None:
        warnings = answer.headers.get_list("warning")
        words = [self._words.text(asked), *(f"{name}={value}" for name, value in self._words.normal(query).items())]
        entry = {"asked": " ".join(words), "status": answer.status_code, "answer": self._words.normal(found)}
        if warnings:
            entry["warnings"] = [self._words.text(warning) for warning in warnings]
        self.said.append(entry)


def _of_keeping(answer: httpx.Response) -> Json:
    """Its headers, and which others there are."""
    said = {name: answer.headers.get(name) for name in ("cache-control", "vary", "content-length")}
    if answer.status_code != 304:
        del said["content-length"]
    return {**said, "has": [name for name in ("etag", "expires", "location") if name in answer.headers]}


def _now_and_then(event: Json) -> bool:
    """A bookmark that comes by the server's clock, and not because all there was has been told."""
    return event["type"] == "BOOKMARK" and "annotations" not in event["object"]["metadata"]


def _as_of_any(event: Json) -> Json:
    """A bookmark has the version of the whole store, in which others write, too."""
    if event["type"] != "BOOKMARK":
        return event
    marked = event["object"]
    return {**event, "object": {**marked, "metadata": {**marked["metadata"], "resourceVersion": "<any>"}}}


def _decoded(answer: httpx.Response) -> Any:
    try:
        return answer.json()
    except ValueError:
        return answer.text
