"""Variables: set, changed, removed; and which of them are masked."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from pydantic import Field

from api.http.shapes import Body
from api.problems import Fault, Problem
from api.views.env import MASK
from crds.models.core import Secret
from crds.models.project import Project
from crds.models.record import Metadata
from crds.names import ANNOTATION_SECRET_NAMES, env_secret, labels_for

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
_SECRET_WORDS = ("KEY", "TOKEN", "SECRET", "PASSWORD")
_MOST_BYTES = 512 * 1024


class EnvRequest(Body):
    vars: dict[str, str | None] = Field(description="Name to value; null removes the variable")
    secret: list[str] | None = Field(default=None, description="Names to mask; left out: judged by name and value")


@dataclass(frozen=True)
class Variables:
    """All of a project's variables, and the names that are masked."""

    values: Mapping[str, str]
    masked: frozenset[str]


def check(body: EnvRequest) -> None:
    """What can be judged without knowing the present variables."""
    faults = [fault for name, value in body.vars.items() for fault in _faults(name, value)]
    if faults:
        raise Problem("invalid", faults[0].detail, faults=faults[:20])


def _faults(name: str, value: str | None) -> Iterable[Fault]:
    pointer = "/vars/" + name.replace("~", "~0").replace("/", "~1")[:200]
    if not _NAME.fullmatch(name):
        yield Fault(pointer, "A name has letters, digits and underscores, and does not begin with a digit.")
    elif name == "PORT" or name.startswith("SETPOINT_"):
        yield Fault(pointer, "This name is set by the platform. Choose another.")
    if value == MASK:
        yield Fault(
            pointer, "This is the mask that stands for a secret, not its value. Leave it out to keep the value."
        )
    if value is not None and "\0" in value:
        yield Fault(pointer, "A value cannot hold a NUL character.")


def changed(now: Variables, body: EnvRequest) -> Variables:
    """The variables after the request. What was masked stays so, unless a new value comes with a list without it."""
    values = {**now.values, **{name: value for name, value in body.vars.items() if value is not None}}
    for name, value in body.vars.items():
        if value is None:
            values.pop(name, None)
    masked = set(now.masked)
    for name, value in body.vars.items():
        if value is None:
            masked.discard(name)
        elif body.secret is not None:
            (masked.add if name in body.secret else masked.discard)(name)
        elif looks_secret(name, value):
            masked.add(name)
    for index, name in enumerate(body.secret or []):
        if name not in values:
            raise Problem("invalid", "secret names a variable that is not set", faults=[_unset(index)])
        masked.add(name)
    if sum(len(name) + len(value.encode()) for name, value in values.items()) > _MOST_BYTES:
        detail = f"All variables together may have {_MOST_BYTES} bytes."
        raise Problem("invalid", detail, faults=[Fault("/vars", detail)])
    return Variables(values, frozenset(masked))


def _unset(index: int) -> Fault:
    return Fault(f"/secret/{index}", "names a variable that is not set")


def looks_secret(name: str, value: str) -> bool:
    upper = name.upper()
    if any(word in upper for word in _SECRET_WORDS):
        return True
    return upper.endswith("_URL") and _has_password(value)


def _has_password(url: str) -> bool:
    try:
        return bool(urlsplit(url).password)
    except ValueError:
        return True  # an address that cannot be read is better masked


def new_secret(project: Project, variables: Variables) -> Secret:
    return Secret(
        metadata=Metadata(
            name=env_secret(project.name),
            namespace=project.namespace,
            labels=labels_for(project.name),
            annotations={ANNOTATION_SECRET_NAMES: _names(variables.masked)},
            owner_references=[project.owner_reference()],
        ),
        data=Secret.encode(dict(variables.values)),
    )


def secret_patch(now: Secret, variables: Variables) -> dict[str, Any]:
    """The merge patch from the present Secret to these variables; empty when it says so already."""
    wanted = Secret.encode(dict(variables.values))
    data: dict[str, str | None] = {name: value for name, value in wanted.items() if now.data.get(name) != value}
    data.update({name: None for name in now.data if name not in wanted})
    names = _names(variables.masked)
    if not data and now.metadata.annotations.get(ANNOTATION_SECRET_NAMES) == names:
        return {}
    return {
        "metadata": {
            "resourceVersion": now.metadata.resource_version,
            "annotations": {ANNOTATION_SECRET_NAMES: names},
        },
        "data": data,
    }


def _names(names: Iterable[str]) -> str:
    return json.dumps(sorted(names))
