"""Parser of MovieLens files: user, movie, rating and time in each line."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

import numpy as np
from numpy.typing import NDArray

from frankwolfe.base.budget import Budget

__all__ = ["LICENCE", "Ratings", "read_movielens"]

BLOCK = 1 << 22  # bytes read at once
MAX_LINE_BYTES = 1 << 12  # a longer line is no rating: the file is another one
MAX_ID = 2**31 - 1  # ids are int32
MAX_TABLE_ID = 64 << 20  # largest id renumbered by a table (4 bytes an id); above, by sorting
LICENCE = (
    "GroupLens, for research; redistribution is not allowed "
    "(F. M. Harper and J. A. Konstan, The MovieLens Datasets, ACM TiiS 5, 2015)"
)


@dataclass(frozen=True)
class Ratings:
    """Ratings of movies by users.

    Attributes
    ----------
    movies, users : array of int32
        Row and column of every rating, from 0.
    values : array of float32
        The ratings.
    shape : tuple of int
        Number of movies and of users.
    name, licence : str
    """

    movies: NDArray[np.int32]
    users: NDArray[np.int32]
    values: NDArray[np.float32]
    shape: tuple[int, int]
    name: str
    licence: str = LICENCE

    def __len__(self) -> int:
        return int(self.values.size)

    def __repr__(self) -> str:
        movies, users = self.shape
        return f"Ratings({self.name}: {len(self):,} ratings, {movies:,} movies x {users:,} users)"


def read_movielens(file: IO[bytes], separator: bytes, header: bytes, name: str) -> Ratings:
    """Ratings of a file, parsed block by block.

    Raises
    ------
    ValueError
        If a line has not four numbers, or they cannot be a user, a movie and a rating.
    """
    budget = Budget.of()
    users, movies, values = [], [], []
    for block in _blocks(file, header):
        table = _numbers(block, separator)
        users.append(_ids("user", table[:, 0]))
        movies.append(_ids("movie", table[:, 1]))
        values.append(_stars(table[:, 2]))
        budget.hold(48 * len(table), name)  # what is made of it, twice while it is joined
    if not values:
        raise ValueError("it is empty")
    columns, user_count = _numbered(np.concatenate(users))
    rows, movie_count = _numbered(np.concatenate(movies))
    return Ratings(rows, columns, np.concatenate(values), (movie_count, user_count), name)


def _blocks(file: IO[bytes], header: bytes) -> Iterator[bytes]:
    """Blocks of whole lines, without the header."""
    if header and file.readline(MAX_LINE_BYTES).strip() != header:
        raise ValueError(f"it does not begin with {header.decode()}")
    rest = b""
    while more := file.read(BLOCK):
        block = rest + more
        end = block.rfind(b"\n") + 1
        if len(block) - end > MAX_LINE_BYTES:
            raise ValueError("a line has no end")
        rest = block[end:]
        if end:
            yield block[:end]
    if rest:
        yield rest + b"\n"


def _numbers(block: bytes, separator: bytes) -> NDArray[np.float64]:
    """Numbers of a block as a matrix with four columns."""
    letters = np.frombuffer(block, dtype=np.uint8)
    ends = np.flatnonzero(letters == ord("\n"))
    marks = np.cumsum(letters == separator[0], dtype=np.int32)[ends]
    if (np.diff(marks, prepend=0) != 3 * len(separator)).any():
        raise ValueError("a line has not four numbers")
    text = block.replace(separator, b" ").decode("ascii")
    with warnings.catch_warnings():  # numpy stops at a word among numbers, with this warning
        warnings.simplefilter("error", DeprecationWarning)
        try:
            cells = np.fromstring(text, sep=" ")
        except (DeprecationWarning, ValueError):
            cells = np.empty(0)
    if cells.size != 4 * ends.size:
        raise ValueError("a line has not four numbers")
    return cells.reshape(-1, 4)


def _ids(what: str, numbers: NDArray[np.float64]) -> NDArray[np.int32]:
    """Ids of users or movies as whole numbers from 1 on, checked."""
    fine = (numbers >= 1.0) & (numbers <= MAX_ID) & (numbers == np.floor(numbers))
    if not fine.all():
        wrong = numbers[np.argmin(fine)]
        raise ValueError(f"a {what} has the id {wrong:g}, which must be a whole number from 1 on")
    return numbers.astype(np.int32)


def _stars(numbers: NDArray[np.float64]) -> NDArray[np.float32]:
    """Ratings between 0.5 and 5, checked."""
    fine = (numbers >= 0.5) & (numbers <= 5.0)
    if not fine.all():
        wrong = numbers[np.argmin(fine)]
        raise ValueError(f"a rating is {wrong:g}, which must lie between 0.5 and 5")
    return numbers.astype(np.float32)


def _numbered(ids: NDArray[np.int32]) -> tuple[NDArray[np.int32], int]:
    """Rank of each id among the ids that occur, from 0; and how many occur."""
    if ids.max() >= MAX_TABLE_ID:
        known, places = np.unique(ids, return_inverse=True)
        return places.astype(np.int32), known.size
    seen = np.zeros(int(ids.max()) + 1, dtype=bool)
    seen[ids] = True
    number = np.cumsum(seen, dtype=np.int32) - np.int32(1)
    return np.asarray(number[ids], dtype=np.int32), int(seen.sum())
