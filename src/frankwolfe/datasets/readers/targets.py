"""Targets as numbers, or as words that name classes; also from a file of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from frankwolfe.base.arrays import AnyArray
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.files import (
    BrokenArchive,
    decoded,
    has_comma,
    is_missing_word,
    not_a_number,
    number_of,
    read_array,
    reading,
)
from frankwolfe.datasets.readers.parse import Arrow
from frankwolfe.datasets.readers.source import line_blocks
from frankwolfe.datasets.readers.table import Request
from frankwolfe.datasets.readers.words import Words

__all__ = ["classes", "numbers_or_classes", "read_targets"]

BYTES_PER_TEXT = 100  # overhead of a line as bytes and as a str of Python
MAX_CLASS_NUMBERS = 100  # different numbers before a first word; of more it is a typing error


def numbers_or_classes(
    request: Request, chunks: Sequence[Arrow], column: str, line_of: Callable[[int], int]
) -> AnyArray:
    """Target column as numbers, NaN where one is missing, or as words.

    Numbers before a first word are names of classes, too, where they are whole and few.
    """
    import pyarrow

    try:  # the fast way, where nothing is missing
        parts = [(part.dictionary.cast("float64"), part.indices) for part in chunks]
        return np.concatenate([np.asarray(values)[np.asarray(at)] for values, at in parts])
    except pyarrow.ArrowInvalid:
        words = Words.of(chunks)
    numbers = [number_of(word) for word in words.values]
    if None not in numbers:
        return np.array(numbers, dtype=np.float64)[words.codes]
    first = numbers.index(None)
    word, before = words.values[first], np.array(numbers[:first], dtype=np.float64)
    known = before[np.isfinite(before)]
    if has_comma(word) or known.size > MAX_CLASS_NUMBERS or (known != np.rint(known)).any():
        line = line_of(int(np.argmax(words.codes == first)))
        raise not_a_number(word, request.path, line, column)
    return classes(request, words, lambda row: f"line {line_of(row)}")


def classes(request: Request, words: Words, where: Callable[[int], str]) -> AnyArray:
    """Target of words; raises if one is missing."""
    missing = [place for place, word in enumerate(words.values) if is_missing_word(word)]
    if missing:
        row = int(np.argmax(np.isin(words.codes, missing)))
        raise _missing(request.path, where(row))
    longest = max(map(len, words.values), default=0)
    request.hold(
        4 * longest * words.codes.size
    )  # a numpy text has the length of the longest, at 4 bytes a letter
    return words.texts()


def _missing(path: Path, where: str) -> InvalidInput:
    """Error about a target that is missing."""
    return InvalidInput(f"{path}: the target of {where} is missing.")


def read_targets(request: Request) -> AnyArray:
    """Read a .npy vector, or one number or word a line; a word over numbers is a header."""
    path = request.path
    if path.suffix == ".npy":
        return _from_npy(request)
    blocks = []
    for block in line_blocks(request):
        request.hold(len(block) + BYTES_PER_TEXT * block.count(b"\n"))
        blocks.append(block)
    raw = b"".join(blocks).split(b"\n")
    lines = [line for line, text in enumerate(raw, 1) if text.strip()]
    texts = [decoded(raw[line - 1], path, line).strip().strip('"') for line in lines]
    numbers = [number_of(text) for text in texts]
    if len(texts) > 1 and numbers[0] is None and None not in numbers[1:]:
        numbers, texts, lines = numbers[1:], texts[1:], lines[1:]
    if None in numbers:
        words = Words(texts, np.arange(len(texts)))
        return classes(request, words, lambda row: f"line {lines[row]}")
    y = np.array(numbers, dtype=np.float64)
    if np.isnan(y).any():
        raise _missing(path, f"line {lines[int(np.argmax(np.isnan(y)))]}")
    return y


def _from_npy(request: Request) -> AnyArray:
    """Vector of targets in a .npy file."""
    path = request.path
    try:
        with reading(path), open(path, "rb") as file:
            y: AnyArray = read_array(file, path.stat().st_size, path, request.budget)
    except BrokenArchive as error:
        raise InvalidInput(f"{path} is not a whole array of NumPy: {error}.") from None
    if y.ndim != 1:
        raise InvalidInput(f"{path} must hold a vector, got an array of shape {y.shape}.")
    return y
