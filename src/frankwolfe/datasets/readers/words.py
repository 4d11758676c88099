"""Columns of words, as the different words and each row's index among them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from frankwolfe.base.arrays import AnyArray
    from frankwolfe.datasets.readers.parse import Arrow

__all__ = ["Words"]

WHOLE_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,17}")  # one spelling a number; fits int64


@dataclass(frozen=True, eq=False)
class Words:
    """Different words in order of appearance, and the index of each row's word among them."""

    values: list[str]
    codes: NDArray[np.int64]

    @classmethod
    def of(cls, chunks: Iterable[Arrow]) -> Words:
        """Words of arrays of pyarrow; blanks around one are dropped, null is the empty word."""
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

    def texts(self) -> AnyArray:
        """Array of each row's word."""
        return np.array(self.values, dtype=str)[self.codes]

    def names(self) -> AnyArray:
        """Array of each row's word, or of whole numbers where every word is written as one.

        Such a number has no leading zeros (or 01 and 1 would be one name) and at most 18 digits.
        """
        if all(map(WHOLE_NUMBER.fullmatch, self.values)):
            return np.array(list(map(int, self.values)), dtype=np.int64)[self.codes]
        return self.texts()


def _text(value: object) -> str:
    """Value as a word; 3.0 is written 3, as whole numbers are."""
    if value is None:
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
