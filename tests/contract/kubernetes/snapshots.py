"""What a real API server answered, kept so that ours can be held against it where none is built."""

import json
from pathlib import Path

FOLDER = Path(__file__).with_name("answers")
Said = list[dict[str, object]]


def recorded(name: str) -> Said:
    """Raises FileNotFoundError for a case that was not recorded yet: `make record` does it."""
    found: Said = json.loads((FOLDER / f"{name}.json").read_text())
    return found


def record(name: str, said: Said) -> None:
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{name}.json").write_text(json.dumps(said, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
