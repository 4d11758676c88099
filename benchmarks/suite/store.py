"""Where results are kept: one JSON file a section, with the machine's facts.

A script of its own adds a section with `save("my section", rows)`; rows are dictionaries.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from suite.facts import facts

FOLDER = Path(__file__).parents[2] / "results" / "bench"

Row = dict[str, Any]


def save(section: str, rows: Sequence[Row], folder: Path = FOLDER) -> Path:
    """Write a section; an older one of that name is replaced."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{section.replace(' ', '_')}.json"
    content = {"section": section, "facts": facts(), "rows": _plain(list(rows))}
    path.write_text(json.dumps(content, indent=1, allow_nan=False) + "\n")
    return path


def load(section: str, folder: Path = FOLDER) -> tuple[list[Row], dict[str, Any]]:
    """Rows and facts of a section; none where it was not run."""
    path = folder / f"{section.replace(' ', '_')}.json"
    if not path.exists():
        return [], {}
    content = json.loads(path.read_text())
    return content["rows"], content["facts"]


def sections(folder: Path = FOLDER) -> list[str]:
    """The names of all that was saved."""
    return sorted(json.loads(path.read_text())["section"] for path in folder.glob("*.json"))


def _plain(value: Any) -> Any:
    """The same for JSON: what is not finite becomes null."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, bool | int | str) or value is None:
        return value
    number = float(value)
    return number if math.isfinite(number) else None
