"""Changes that were looked at and change no behaviour, each with the reason."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from .changes import Change

__all__ = ["reason", "reasons"]

LIST = Path(__file__).with_name("equivalent.toml")
FIELDS = ("file", "function", "source", "before", "after")


@cache
def reasons(path: Path = LIST) -> dict[tuple[str, ...], str]:
    """Reasons by the key of the change."""
    found = tomllib.loads(path.read_text())["change"]
    return {tuple(entry[name] for name in FIELDS): entry["reason"] for entry in found}


def reason(change: Change, path: Path = LIST) -> str:
    """Why a change is equivalent; empty where nobody says so."""
    return reasons(path).get(change.key, "")
