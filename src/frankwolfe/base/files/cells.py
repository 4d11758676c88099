"""Single cells of a table: numbers, missing values, words, labels, and errors about bad ones."""

from __future__ import annotations

import re
from pathlib import Path

from frankwolfe.base.errors import InvalidInput

__all__ = [
    "MISSING",
    "SPELLINGS",
    "decoded",
    "has_comma",
    "is_label",
    "is_missing_word",
    "is_number",
    "like_number",
    "not_a_number",
    "number_of",
]

MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "?"})
"""Cells that mean a missing value, in small or capital letters."""
SPELLINGS = sorted(
    {
        before + spelt + after
        for word in MISSING
        for spelt in (word, word.upper(), word.capitalize())
        for before in ("", " ")
        for after in ("", " ")
    }
)
"""Spellings of MISSING for pyarrow, which compares cells as they are written."""

# Each character can be matched in one way only: no cell makes the pattern backtrack for long.
NUMBER = re.compile(r"(?ai)[-+]?((\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?|inf|infinity|nan)")
COMMAS = re.compile(r"[-+]?[\d.]*\d,\d[\d.,]*([eE][-+]?\d+)?")


def decoded(raw: bytes, path: Path, line: int) -> str:
    """Bytes as UTF-8 text; an error that names the line where they are not."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidInput(
            f"{path}, line {line} is not UTF-8 text: save the file in that encoding."
        ) from None


def number_of(text: str) -> float | None:
    """Number that a text spells; NaN for a missing value, None for a word."""
    if text.strip().lower() in MISSING:
        return float("nan")
    return float(text) if is_number(text) else None


def is_number(text: str) -> bool:
    """True if a text is a number as pyarrow reads it; blanks may stand around it."""
    return NUMBER.fullmatch(text.strip(" \t")) is not None


def has_comma(text: str) -> bool:
    """True if a text is a number but for its commas, such as 1,5 or 1.234,56."""
    return COMMAS.fullmatch(text.strip()) is not None


def is_label(entry: object) -> bool:
    """True if an entry is a text or a whole number of 64 bits."""
    if isinstance(entry, str):
        return True
    if isinstance(entry, bool) or not isinstance(entry, int | float):
        return False
    return -(2**63) <= entry < 2**63 and entry == int(entry)


def is_missing_word(text: str) -> bool:
    """True if a text among words means a missing one; "none" is a word there."""
    text = text.strip().lower()
    return text in MISSING and text != "none"


def like_number(cell: str) -> bool:
    """True if a cell is a number, also a missing one or one with a comma."""
    return number_of(cell) is not None or has_comma(cell)


def not_a_number(
    text: str, path: Path, line: int, column: str, advice: str = "correct it"
) -> InvalidInput:
    """Error for a word among numbers."""
    if has_comma(text):
        advice = "write decimals with a point, as in 1.5, and thousands without a comma"
    elif text.strip().lower() in MISSING:
        advice = "write nan for a missing value"
    return InvalidInput(
        f"{path}, line {line}, column {column}: {text[:40]!r} is not a number; {advice}."
    )
