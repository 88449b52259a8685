"""What the banner shows, and to whom."""

import os
import sys
from pathlib import Path

import pytest

from setpoint.guide import _key_line
from setpoint.installation import Installation


def test_the_key_is_not_written_into_the_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    about = os.fstat(sys.stdout.fileno())
    installation = Installation(tmp_path)
    # A shell may have inherited the name of a journal that its output does not go to.
    for stream in ("", f"{about.st_dev}:{about.st_ino + 1}"):
        monkeypatch.setenv("JOURNAL_STREAM", stream)
        assert _key_line("sk_secret", installation).startswith("sk_secret ")
    monkeypatch.setenv("JOURNAL_STREAM", f"{about.st_dev}:{about.st_ino}")
    assert _key_line("sk_secret", installation) == f"kept in {installation.credentials}"
