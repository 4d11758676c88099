"""Cells that the fast reader leaves alone: quoted numbers, missing ones, words."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from frankwolfe.numerics.errors import InvalidInput

__all__ = [
    "MISSING",
    "as_number",
    "decoded",
    "grown",
    "has_comma",
    "is_missing_word",
    "like_number",
    "not_a_number",
    "not_utf8",
    "text_of",
]

MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "?"})
"""What counts as a missing value, in any letters."""
COMMAS = re.compile(r"[-+]?[\d.]*\d,\d[\d.,]*([eE][-+]?\d+)?")


def decoded(raw: bytes, path: Path, line: int) -> str:
    """Bytes as text."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise not_utf8(path, line) from None


def not_utf8(path: Path, line: int) -> InvalidInput:
    """What to say of a line in another encoding."""
    return InvalidInput(f"{path}, line {line} is not UTF-8 text: save the file in that encoding.")


def text_of(raw: bytes, path: Path, line: int) -> str:
    """A cell's text, without its quotes."""
    text = decoded(raw, path, line).strip()
    if len(text) >= 2 and text[0] == text[-1] == '"':
        return text[1:-1].replace('""', '"')
    return text


def as_number(text: str) -> float | None:
    """The number that a text is, NaN where it stands for a missing one, None for a word."""
    if text.strip().lower() in MISSING:
        return float("nan")
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def has_comma(text: str) -> bool:
    """Whether a text is a number but for its commas, such as 1,5 or 1.234,56."""
    return COMMAS.fullmatch(text.strip()) is not None


def is_missing_word(text: str) -> bool:
    """Whether a text among words stands for a missing one; none is a word there."""
    text = text.strip().lower()
    return text in MISSING and text != "none"


def not_a_number(
    text: str, path: Path, line: int, column: str, advice: str = "correct it"
) -> InvalidInput:
    """What to say of a word: the line, the column and itself."""
    if has_comma(text):
        advice = "write decimals with a point, as in 1.5, and thousands without a comma"
    return InvalidInput(
        f"{path}, line {line}, column {column}: {text[:40]!r} is not a number; {advice}."
    )


def like_number(cell: str) -> bool:
    """Whether a cell is a number, a missing one, or one with a comma."""
    return as_number(cell) is not None or has_comma(cell)


def grown(array: NDArray[np.generic], rows: int) -> NDArray[np.generic]:
    """The same array with room for `rows` rows and some more; it may move."""
    if rows > array.shape[0]:
        array.resize((max(rows, array.shape[0] * 3 // 2), *array.shape[1:]), refcheck=False)
    return array
