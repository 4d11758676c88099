"""Ratings: who rated what, and how; and pairs without a rating."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frankwolfe.errors import InvalidInput
from frankwolfe.readers.cells import as_number
from frankwolfe.readers.delimited import Grid, Layout, layout_of, read_grid
from frankwolfe.readers.source import checked
from frankwolfe.readers.table import Progress, Request

__all__ = ["RatingsTable", "read_pairs", "read_ratings"]

USER = ("user", "userid", "user_id", "uid", "u")
ITEM = ("item", "itemid", "item_id", "movie", "movieid", "movie_id", "iid", "i", "product")
RATING = ("rating", "ratings", "score", "value", "stars", "r")


@dataclass(frozen=True, eq=False)
class RatingsTable:
    """Ratings of items by users, with their own names for both.

    Attributes
    ----------
    users, items : array
        Their names, numbers or texts, in order.
    rows, columns : array of int
        Place of each rating's user and item in these.
    values : array
        The ratings.
    """

    users: NDArray[Any]
    items: NDArray[Any]
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: NDArray[np.float64]

    def __len__(self) -> int:
        return int(self.values.size)

    def __repr__(self) -> str:
        return (
            f"RatingsTable({len(self):,} ratings, {self.users.size:,} users x "
            f"{self.items.size:,} items)"
        )


def read_ratings(
    path: str | os.PathLike[str],
    *,
    header: bool | None = None,
    progress: Progress | None = None,
) -> RatingsTable:
    r"""Read ratings: a user, an item and a rating a line; more columns are left out.

    MovieLens' ``u.data`` and ``ratings.dat``, CSV, TSV, also compressed. With a header, columns
    are found by names such as userId, movieId and rating; without, they are the first three.

    Parameters
    ----------
    path : path
    header : bool, optional
        Whether the first line names the columns; found out by default.
    progress : callable, optional
        Told the bytes read and the bytes there are.

    Returns
    -------
    RatingsTable

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from frankwolfe.readers import read_ratings
    >>> path = Path(tempfile.mkdtemp(), "ratings.dat")
    >>> _ = path.write_text("ann::up::5\nbob::up::3\nann::jaws::1\n")
    >>> read_ratings(path)
    RatingsTable(3 ratings, 2 users x 2 items)
    """
    request = Request(checked(path), header=header, progress=progress)
    layout = layout_of(request)
    places = _places(request, layout, (USER, ITEM, RATING))
    users, items, values = _columns(request, layout, places)
    if not np.isfinite(values).all():
        row = int(np.flatnonzero(~np.isfinite(values))[0]) + 1
        raise InvalidInput(f"{path}: rating {row:,} is missing or infinite.")
    names, rows = np.unique(users, return_inverse=True)
    titles, columns = np.unique(items, return_inverse=True)
    return RatingsTable(names, titles, rows, columns, values)


def read_pairs(
    path: str | os.PathLike[str],
    *,
    header: bool | None = None,
    progress: Progress | None = None,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Read users and items, one pair a line, as their names stand in the file."""
    request = Request(checked(path), header=header, progress=progress)
    layout = layout_of(request)
    users, items, _ = _columns(request, layout, _places(request, layout, (USER, ITEM)))
    return users, items


def _places(request: Request, layout: Layout, kinds: Sequence[Sequence[str]]) -> list[int]:
    """The columns by their names, or the first ones."""
    if len(layout.first) < len(kinds):
        wanted = "a user, an item and a rating" if len(kinds) == 3 else "a user and an item"
        raise InvalidInput(
            f"{request.path}, line {layout.lines + 1} must hold {wanted}, "
            f"but it has {len(layout.first)} cells."
        )
    names = [name.strip().lower() for name in layout.names]
    found = [next((names.index(n) for n in kind if n in names), None) for kind in kinds]
    known = [place for place in found if place is not None]
    return known if len(known) == len(kinds) else list(range(len(kinds)))


def _columns(
    request: Request, layout: Layout, places: list[int]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float64]]:
    """Users, items and, where asked for, ratings."""
    worded = [place for place in places[:2] if as_number(layout.first[place]) is None]
    numbers = [place for place in places if place not in worded]
    grid: Grid = read_grid(request, layout, numbers, words=worded)

    def column(place: int) -> NDArray[Any]:
        if place in worded:
            return np.array(grid.words[worded.index(place)])
        return grid.X[:, numbers.index(place)]

    names = [_names(request, column(place)) for place in places[:2]]
    return names[0], names[1], column(places[2]) if len(places) > 2 else np.empty(0)


def _names(request: Request, column: NDArray[Any]) -> NDArray[Any]:
    """Names of users or items: whole numbers where they are numbers."""
    if column.dtype.kind != "f":
        return column
    whole = column.astype(np.int64, copy=True) if np.isfinite(column).all() else None
    if whole is None or (whole != column).any():
        raise InvalidInput(f"{request.path}: users and items must be whole numbers or words.")
    return whole
