"""Targets in a file of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frankwolfe.datasets.readers.cells import as_number, is_missing_word, text_of
from frankwolfe.datasets.readers.source import line_blocks
from frankwolfe.datasets.readers.table import Request
from frankwolfe.numerics.errors import InvalidInput

__all__ = ["read_targets"]


def read_targets(path: Path) -> NDArray[Any]:
    """A .npy vector, or one number or word a line; a first line over numbers may be a name."""
    if path.suffix == ".npy":
        return _from_npy(path)
    texts, lines, line = [], [], 0
    for block in line_blocks(Request(path)):
        for raw in block.splitlines():
            line += 1
            if raw.strip():
                texts.append(text_of(raw, path, line))
                lines.append(line)
    numbers = [as_number(text) for text in texts]
    if len(texts) > 1 and numbers[0] is None and None not in numbers[1:]:
        numbers, texts, lines = numbers[1:], texts[1:], lines[1:]
    if None in numbers:
        _refuse_missing(path, lines, [is_missing_word(text) for text in texts])
        return np.array(texts)
    y = np.array(numbers, dtype=np.float64)
    _refuse_missing(path, lines, np.isnan(y).tolist())
    return y


def _refuse_missing(path: Path, lines: list[int], missing: list[bool]) -> None:
    if any(missing):
        raise InvalidInput(f"{path}: the target of line {lines[missing.index(True)]} is missing.")


def _from_npy(path: Path) -> NDArray[Any]:
    try:
        y: NDArray[Any] = np.load(path, allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        raise InvalidInput(f"{path} is not a whole array of NumPy: {error}.") from None
    if y.ndim != 1:
        raise InvalidInput(f"{path} must hold a vector, got an array of shape {y.shape}.")
    return y
