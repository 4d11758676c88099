"""Columns of words: the different ones, and each row's place among them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Words"]

WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")


@dataclass(frozen=True, eq=False)
class Words:
    """The different words in the order in which they came, and the place of each row's word."""

    values: list[str]
    codes: NDArray[np.int64]

    @classmethod
    def of(cls, chunks: Iterable[Any]) -> Words:
        """From arrays of pyarrow; blanks around a word do not count, null is the empty word."""
        import pyarrow.types as kinds

        known: dict[str, int] = {}
        codes = [np.empty(0, dtype=np.int64)]
        for chunk in chunks:
            coded = chunk if kinds.is_dictionary(chunk.type) else chunk.dictionary_encode()
            values = [_text(value) for value in coded.dictionary.to_pylist()]
            here = np.asarray(coded.indices.cast("int64").fill_null(len(values)))
            values += [""] if coded.null_count else []
            places = [known.setdefault(value.strip(), len(known)) for value in values]
            codes.append(np.array(places, dtype=np.int64)[here])
        return cls(list(known), np.concatenate(codes))

    def texts(self) -> NDArray[Any]:
        """Each row's word."""
        return np.array(self.values, dtype=str)[self.codes]

    def names(self) -> NDArray[Any]:
        """Each row's word, as a whole number where every word is written as one is.

        Such a number has no zeros before it and at most 18 digits.
        """
        if all(map(WHOLE.fullmatch, self.values)):
            return np.array(list(map(int, self.values)), dtype=np.int64)[self.codes]
        return self.texts()


def _text(value: Any) -> str:
    """A value as a word: 3.0 is written 3, as whole numbers are."""
    if value is None:
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
