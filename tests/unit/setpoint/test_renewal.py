"""When tokens are renewed."""

import json
import time
from pathlib import Path

import pytest

from setpoint.installation import Installation
from setpoint.renewal import TOKENS, Renewal
from setpoint.settings import Settings


class Counted(Renewal):
    """Counts what it would start; one that has ended is looked for in vain."""

    started = 0

    def _fork(self) -> int:
        self.started += 1
        return 0


@pytest.mark.parametrize(
    ("note", "started"),
    [
        (None, 0),
        ({"renewAt": time.time() + 3600}, 0),
        ({"renewAt": time.time() - 1}, 1),
        ({"renewAt": 0}, 1),
    ],
)
def test_tokens_are_renewed_when_due_and_not_twice_a_minute(
    tmp_path: Path, note: dict[str, float] | None, started: int
) -> None:
    installation = Installation(tmp_path)
    installation.prepare()
    if note is not None:
        (installation.run / TOKENS).write_text(json.dumps(note))
    settings: Settings = None  # type: ignore[assignment]
    renewal = Counted(settings, installation)
    for _ in range(3):
        renewal.turn()
    assert renewal.started == started
