"""Columns of words: the different ones, and each row's place among them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Words"]

WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")


class Words:
    """A column of words that comes in pieces."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._codes: list[NDArray[np.int64]] = [np.empty(0, dtype=np.int64)]

    def add(self, values: Sequence[str], codes: NDArray[np.integer[Any]]) -> None:
        """More rows: the words `values[code]`; blanks around a word do not count."""
        known = self._places
        places = [known.setdefault(value.strip(), len(known)) for value in values]
        self._codes.append(np.array(places, dtype=np.int64)[codes])

    def add_arrow(self, column: Any) -> None:
        """More rows, from a column of pyarrow; what is null there is the empty word."""
        import pyarrow.types as kinds

        column = column if kinds.is_dictionary(column.type) else column.dictionary_encode()
        for chunk in column.chunks:
            values = [_text(value) for value in chunk.dictionary.to_pylist()]
            codes = chunk.indices.cast("int64").fill_null(len(values))
            self.add([*values, ""] if chunk.null_count else values, np.asarray(codes))

    @property
    def values(self) -> list[str]:
        """The different words, in the order in which they came."""
        return list(self._places)

    @property
    def codes(self) -> NDArray[np.int64]:
        """The place of each row's word among them."""
        return np.concatenate(self._codes)

    def texts(self) -> NDArray[Any]:
        """Each row's word."""
        return np.array(self.values, dtype=str)[self.codes]

    def names(self) -> NDArray[Any]:
        """Each row's word, as a whole number where every word is written as one is.

        Such a number has no zeros before it and at most 18 digits.
        """
        values = self.values
        if all(map(WHOLE.fullmatch, values)):
            return np.array(list(map(int, values)), dtype=np.int64)[self.codes]
        return self.texts()


def _text(value: Any) -> str:
    """A value as a word: 3.0 is written 3, as whole numbers are."""
    if value is None:
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
