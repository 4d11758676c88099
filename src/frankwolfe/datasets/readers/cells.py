"""Single cells of a text: numbers, missing values, words, and what to say of a bad one."""

from __future__ import annotations

import re
from pathlib import Path

from frankwolfe.base.errors import InvalidInput

__all__ = [
    "MISSING",
    "SPELLINGS",
    "as_number",
    "decoded",
    "has_comma",
    "is_missing_word",
    "is_number",
    "like_number",
    "not_a_number",
]

MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "?"})
"""What counts as a missing value, in small or capital letters."""
SPELLINGS = sorted(
    {
        before + spelt + after
        for word in MISSING
        for spelt in (word, word.upper(), word.capitalize())
        for before in ("", " ")
        for after in ("", " ")
    }
)
# a letter is read one way only, so that a long cell is not tried in many
NUMBER = re.compile(r"(?ai)[-+]?((\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?|inf|infinity|nan)")
COMMAS = re.compile(r"[-+]?[\d.]*\d,\d[\d.,]*([eE][-+]?\d+)?")


def decoded(raw: bytes, path: Path, line: int) -> str:
    """Bytes as text."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidInput(
            f"{path}, line {line} is not UTF-8 text: save the file in that encoding."
        ) from None


def as_number(text: str) -> float | None:
    """The number that a text is, NaN where it stands for a missing one, None for a word."""
    if text.strip().lower() in MISSING:
        return float("nan")
    return float(text) if is_number(text) else None


def is_number(text: str) -> bool:
    """Whether a text is a number as pyarrow reads it; blanks may stand around it."""
    return NUMBER.fullmatch(text.strip(" \t")) is not None


def has_comma(text: str) -> bool:
    """Whether a text is a number but for its commas, such as 1,5 or 1.234,56."""
    return COMMAS.fullmatch(text.strip()) is not None


def is_missing_word(text: str) -> bool:
    """Whether a text among words stands for a missing one; none is a word there."""
    text = text.strip().lower()
    return text in MISSING and text != "none"


def like_number(cell: str) -> bool:
    """Whether a cell is a number, a missing one, or one with a comma."""
    return as_number(cell) is not None or has_comma(cell)


def not_a_number(
    text: str, path: Path, line: int, column: str, advice: str = "correct it"
) -> InvalidInput:
    """The error for a word among numbers."""
    if has_comma(text):
        advice = "write decimals with a point, as in 1.5, and thousands without a comma"
    elif text.strip().lower() in MISSING:
        advice = "write nan for a missing value"
    return InvalidInput(
        f"{path}, line {line}, column {column}: {text[:40]!r} is not a number; {advice}."
    )
