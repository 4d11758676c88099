"""Categorical features: codes of the words in a column, and one-hot columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from frankwolfe.base.arrays import Matrix
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.files import is_missing_word
from frankwolfe.datasets.readers.columns import ChosenColumns, place_of
from frankwolfe.datasets.readers.table import Request, Unseen
from frankwolfe.datasets.readers.words import WHOLE_NUMBER, Words

__all__ = ["Encoded", "encoded_columns", "one_hot", "one_hot_names"]

Floats = NDArray[np.float64]
MIN_SPARSE_CELLS = 1_000_000  # cells (8 MB); below, an array is small whatever it holds
MAX_SPARSE_DENSITY = 0.25  # of cells not zero; compressed rows take 12 bytes for each, arrays 8


def encoded_columns(
    request: Request, columns: ChosenColumns, names: Sequence[str], count: int
) -> set[int]:
    """Columns of the file to encode: those asked for, and those that a model has encoded."""
    asked = [] if isinstance(request.encode, bool) else request.encode
    found = {place_of(request, which, names, count) for which in asked}
    for gone in found - set(columns.features) - {columns.target}:
        name = names[gone] if names else gone + 1
        raise InvalidInput(f"{request.path}: column {name} cannot be both encoded and left out.")
    if columns.target in found:
        raise InvalidInput(
            f"{request.path}: the target cannot be encoded; encode features, words in a target "
            "are classes."
        )
    return found | {columns.features[j] for j in request.categories}


@dataclass(eq=False)
class Encoded:
    """Columns of words as codes: the index of each row's word among the column's categories.

    Attributes
    ----------
    categories : dict
        Words of each encoded feature in order, by the feature's index.
    codes : dict
        Code of each row, by the feature's index: NaN where a word is missing, -1 where it is
        none of the categories.
    unseen : list of Unseen
        Words that are no categories of the model.
    """

    categories: dict[int, tuple[str, ...]] = field(default_factory=dict)
    codes: dict[int, Floats] = field(default_factory=dict)
    unseen: list[Unseen] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        request: Request,
        columns: ChosenColumns,
        found: Mapping[int, Words],
        name_of: Callable[[int], str],
    ) -> Encoded:
        """Encode the columns in `found`, by the categories of the request where it has some."""
        encoded = cls()
        for place, column in enumerate(columns.features):
            if column not in found:
                continue
            words, here = found[column], found[column].values
            known = request.categories.get(place)
            if known is None:
                known = _ordered([word for word in here if not is_missing_word(word)])
            if not known:
                raise InvalidInput(
                    f"{request.path}: column {name_of(column)} has no word at all; leave it out."
                )
            order = {word: float(k) for k, word in enumerate(known)}
            places = [np.nan if is_missing_word(w) else order.get(w, -1.0) for w in here]
            encoded.categories[place] = tuple(known)
            encoded.codes[place] = np.array(places)[words.codes]
            new = [word for word, code in zip(here, places, strict=True) if code == -1.0]
            if new:
                rows = int(np.count_nonzero(encoded.codes[place] == -1.0))
                encoded.unseen.append(Unseen(name_of(column), tuple(new), rows))
        return encoded

    def beside(self, numbers: Floats) -> Floats:
        """All features as a matrix: numeric ones, and codes at the indices of encoded ones."""
        if not self.codes:
            return numbers
        X = np.empty((len(numbers), numbers.shape[1] + len(self.codes)))
        X[:, [j for j in range(X.shape[1]) if j not in self.codes]] = numbers
        for place, codes in self.codes.items():
            X[:, place] = codes
        return X


def _ordered(words: list[str]) -> list[str]:
    """Words sorted; by size where all are whole numbers."""
    whole = all(map(WHOLE_NUMBER.fullmatch, words))
    return sorted(words, key=int) if whole else sorted(words)


def one_hot(X: Floats, categories: Mapping[int, Sequence[str]]) -> Matrix:
    """X with each column of codes replaced by 0/1 columns, one for each category.

    Compressed rows where the result is large and mostly zero, else an array.
    """
    if not categories:
        return X
    from scipy.sparse import csr_matrix, hstack

    rows, kept = len(X), [j for j in range(X.shape[1]) if j not in categories]
    width = len(kept) + sum(map(len, categories.values()))
    filled = np.count_nonzero(X[:, kept]) + rows * len(categories)
    parts = [
        _indicators(X[:, j], len(categories[j])) if j in categories else X[:, j : j + 1]
        for j in range(X.shape[1])
    ]
    if rows * width >= MIN_SPARSE_CELLS and filled <= MAX_SPARSE_DENSITY * rows * width:
        return csr_matrix(hstack([csr_matrix(part) for part in parts], format="csr"))
    return np.hstack([part if isinstance(part, np.ndarray) else part.toarray() for part in parts])


def _indicators(codes: Floats, count: int) -> Matrix:
    """Compressed rows with a one at each code; empty where the code is NaN or negative."""
    from scipy.sparse import csr_matrix

    known = codes >= 0.0
    ends = np.concatenate([[0], np.cumsum(known)])
    places = codes[known].astype(np.int64)
    return csr_matrix((np.ones(places.size), places, ends), shape=(codes.size, count))


def one_hot_names(names: Sequence[str], categories: Mapping[int, Sequence[str]]) -> list[str]:
    """Names of the columns of :func:`one_hot`: a, city=Oslo, city=Rome."""
    return [
        name if word is None else f"{name}={word}"
        for j, name in enumerate(names)
        for word in categories.get(j, (None,))
    ]
