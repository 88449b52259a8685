"""JSON patch, RFC 6902."""

from collections.abc import Callable
from typing import Any

import orjson

from cluster.apiserver.errors import bad_request, json_patch_failed, too_large
from cluster.apiserver.types import Json

MAX_OPERATIONS = 10_000
MAX_COPIED_BYTES = 3 * 1024 * 1024


def json_patch(value: Any, operations: Any) -> Any:
    """`value` after all operations; it is changed in place. Raises 400 if it is no patch, 422 if it does not fit."""
    if not isinstance(operations, list):
        raise bad_request("a JSON patch must be a list of operations")
    if len(operations) > MAX_OPERATIONS:
        raise too_large(f"a JSON patch may have at most {MAX_OPERATIONS} operations, not {len(operations)}")
    root = {"": value}
    copied = 0
    for operation in operations:
        if not isinstance(operation, dict):
            raise bad_request("each operation of a JSON patch must be an object")
        run = OPERATIONS.get(str(operation.get("op")))
        if run is None:
            raise json_patch_failed(f"Unexpected kind: {operation.get('op')}")
        copied += run(root, operation) or 0
        if copied > MAX_COPIED_BYTES:
            # Copies of copies double what there is with each.
            raise json_patch_failed(f"the copies of a JSON patch may add at most {MAX_COPIED_BYTES} bytes")
    if "" not in root:
        raise json_patch_failed("nothing is left of the object")
    return root[""]


def _pointer(operation: Json, name: str) -> list[str]:
    text = operation.get(name)
    if not isinstance(text, str) or (text and not text.startswith("/")):
        raise json_patch_failed(f"the operation's {name} must be a JSON pointer, not {text!r}")
    return ["", *(part.replace("~1", "/").replace("~0", "~") for part in text.split("/")[1:])]


def _value(operation: Json) -> Any:
    if "value" not in operation:
        raise json_patch_failed("missing value")
    return operation["value"]


def _holder(root: Json, pointer: list[str]) -> Any:
    """The map or list that the last step of a pointer is in."""
    found: Any = root
    for step in pointer[:-1]:
        found = _get(found, step, pointer)
    return found


def _get(holder: Any, step: str, pointer: list[str]) -> Any:
    if isinstance(holder, dict) and step in holder:
        return holder[step]
    if isinstance(holder, list):
        return holder[_index(step, len(holder) - 1, pointer)]
    raise _missing(pointer)


def _index(step: str, last: int, pointer: list[str]) -> int:
    if not step.isascii() or not step.isdigit() or (len(step) > 1 and step[0] == "0") or len(step) > 9:
        raise _missing(pointer)
    if int(step) > last:
        raise json_patch_failed(f"index out of bounds: {'/'.join(pointer)}")
    return int(step)


def _missing(pointer: list[str]) -> Exception:
    return json_patch_failed(f"the path does not exist: {'/'.join(pointer)}")


def _put(root: Json, pointer: list[str], value: Any) -> None:
    holder, step = _holder(root, pointer), pointer[-1]
    if isinstance(holder, list):
        holder.insert(len(holder) if step == "-" else _index(step, len(holder), pointer), value)
    elif isinstance(holder, dict):
        holder[step] = value
    else:
        raise _missing(pointer)


def _take(root: Json, pointer: list[str]) -> Any:
    holder, step = _holder(root, pointer), pointer[-1]
    value = _get(holder, step, pointer)
    if isinstance(holder, list):
        del holder[int(step)]
    else:
        del holder[step]
    return value


def _add(root: Json, operation: Json) -> None:
    _put(root, _pointer(operation, "path"), _value(operation))


def _remove(root: Json, operation: Json) -> None:
    _take(root, _pointer(operation, "path"))


def _replace(root: Json, operation: Json) -> None:
    pointer = _pointer(operation, "path")
    value = _value(operation)
    holder = _holder(root, pointer)
    if isinstance(holder, dict):
        # Also what is not there, as the real server has it.
        holder[pointer[-1]] = value
        return
    _get(holder, pointer[-1], pointer)
    holder[int(pointer[-1])] = value


def _move(root: Json, operation: Json) -> None:
    source, target = _pointer(operation, "from"), _pointer(operation, "path")
    if target[: len(source)] == source and len(target) > len(source):
        raise json_patch_failed("a value cannot be moved into itself")
    _put(root, target, _take(root, source))


def _copy(root: Json, operation: Json) -> int:
    """How many bytes that added."""
    source = _pointer(operation, "from")
    value = orjson.dumps(_get(_holder(root, source), source[-1], source))
    _put(root, _pointer(operation, "path"), orjson.loads(value))
    return len(value)


def _test(root: Json, operation: Json) -> None:
    pointer = _pointer(operation, "path")
    holder = _holder(root, pointer)
    # A test for null is passed by what is not there, as the real server has it.
    absent = isinstance(holder, dict) and pointer[-1] not in holder
    found = None if absent else _get(holder, pointer[-1], pointer)
    if _canonical(found) != _canonical(operation.get("value")):
        raise json_patch_failed(f"testing value {'/'.join(pointer)} failed")


def _canonical(value: Any) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


OPERATIONS: dict[str, Callable[[Json, Json], int | None]] = {
    "add": _add,
    "remove": _remove,
    "replace": _replace,
    "move": _move,
    "copy": _copy,
    "test": _test,
}
