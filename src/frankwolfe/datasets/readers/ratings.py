"""Readers of ratings (user, item, rating) and of pairs (user, item)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frankwolfe.base.arrays import AnyArray
from frankwolfe.base.budget import Budget
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.files import MISSING, plain_name
from frankwolfe.datasets.readers.columns import listed, place_of
from frankwolfe.datasets.readers.grid import read_grid
from frankwolfe.datasets.readers.layout import TextLayout, layout_of
from frankwolfe.datasets.readers.parse import Arrow
from frankwolfe.datasets.readers.source import checked
from frankwolfe.datasets.readers.table import Progress, Request
from frankwolfe.datasets.readers.words import Words

__all__ = ["RatingsTable", "read_pairs", "read_ratings"]

USER = ("user", "userid", "uid", "u", "customer", "customerid", "reviewer", "reviewerid")
MOVIE = ("movie", "movieid", "film", "filmid", "book", "bookid", "isbn", "asin")
ITEM = ("item", "itemid", "iid", "i", "product", "productid", *MOVIE)
RATING = ("rating", "ratings", "score", "value", "stars", "r", "bookrating", "overall")
WHAT = ("a user", "an item", "a rating")


@dataclass(frozen=True, eq=False)
class RatingsTable:
    """Ratings of items by users, with the file's names of both.

    Attributes
    ----------
    users, items : array
        Names in order: whole numbers where all are, else texts as they are written.
    rows, columns : array of int
        Index of each rating's user in `users`, and of its item in `items`.
    values : array
        Ratings in the order of the file.
    """

    users: AnyArray
    items: AnyArray
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
    columns: Sequence[str | int] | None = None,
    header: bool | None = None,
    progress: Progress | None = None,
    max_memory: int | str | None = None,
) -> RatingsTable:
    r"""Read ratings: a user, an item and a rating in each line; other columns are left out.

    MovieLens' ``u.data`` and ``ratings.dat``, CSV, TSV, also compressed. With a header, columns
    are found by names such as userId, movieId and rating; without, or where none of the names is
    known, they are the first three.

    Parameters
    ----------
    path : path
    columns : sequence of str or int, optional
        Columns of users, items and ratings, by name or by number from 1 (negative from the
        end); found out by default.
    header : bool, optional
        True if the first line names the columns; found out by default.
    progress : callable, optional
        Called with the bytes read and the bytes that there are.
    max_memory : int or str, optional
        See :func:`read_table`.

    Returns
    -------
    RatingsTable

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from frankwolfe.datasets.readers import read_ratings
    >>> path = Path(tempfile.mkdtemp(), "ratings.dat")
    >>> _ = path.write_text("ann::up::5\nbob::up::3\nann::jaws::1\n")
    >>> read_ratings(path)
    RatingsTable(3 ratings, 2 users x 2 items)
    """
    budget = Budget.of(max_memory)
    request = Request(checked(path, budget), header=header, progress=progress, budget=budget)
    layout = layout_of(request)
    if columns is None:
        places = _places(request, layout, (USER, ITEM, RATING))
    else:
        places = _chosen(request, layout, columns)
    ratings, words = read_grid(request, layout, places[2:], places[:2])
    users, items = (_names(request, chunks) for chunks in words)
    values = ratings[:, 0]
    if not np.isfinite(values).all():
        row = int(np.flatnonzero(~np.isfinite(values))[0]) + 1
        raise InvalidInput(f"{path}: rating {row:,} is missing or infinite.")
    names, rows = _sorted(request, users, "the user of rating")
    titles, cells = _sorted(request, items, "the item of rating")
    return RatingsTable(names, titles, rows, cells, values)


def read_pairs(
    path: str | os.PathLike[str],
    *,
    names: Sequence[str] = (),
    header: bool | None = None,
    progress: Progress | None = None,
    max_memory: int | str | None = None,
) -> tuple[AnyArray, AnyArray]:
    """Read users and items, one pair in each line, by the names that the file has for them.

    `names` are names that the two columns may have besides the usual ones.
    """
    budget = Budget.of(max_memory)
    request = Request(checked(path, budget), header=header, progress=progress, budget=budget)
    layout = layout_of(request)
    own = [plain_name(name) for name in names] or ["", ""]
    places = _places(request, layout, ((own[0], *USER), (own[1], *ITEM)))
    users, items = (_names(request, found) for found in read_grid(request, layout, (), places)[1])
    _sorted(request, users, "the user of pair")
    _sorted(request, items, "the item of pair")
    return users, items


def _names(request: Request, chunks: Sequence[Arrow]) -> AnyArray:
    """Column of names of users or items."""
    words = Words.of(chunks)
    request.hold(4 * max(map(len, words.values), default=0) * words.codes.size)
    return words.names()


def _places(request: Request, layout: TextLayout, kinds: Sequence[Sequence[str]]) -> list[int]:
    """Indices of the columns by their names; the first ones where no name is known."""
    if len(layout.first) < len(kinds):
        wanted = "a user, an item and a rating" if len(kinds) == 3 else "a user and an item"
        raise InvalidInput(
            f"{request.path}, line {layout.lines + 1} must hold {wanted}, "
            f"but it has {len(layout.first)} cells."
        )
    names = [plain_name(name) for name in layout.names]
    found = [next((names.index(n) for n in kind if n and n in names), None) for kind in kinds]
    known = [place for place in found if place is not None]
    if 0 < len(known) < len(kinds):
        missing = [what for what, place in zip(WHAT, found, strict=False) if place is None]
        raise InvalidInput(
            f"{request.path}: no column for {' and '.join(missing)} is found among "
            f"{listed(layout.names)}; call them user, item and rating, or say which they are by "
            "--columns USER,ITEM,RATING (columns=)."
        )
    return known or list(range(len(kinds)))


def _chosen(request: Request, layout: TextLayout, columns: Sequence[str | int]) -> list[int]:
    """Indices of the three columns that were asked for."""
    if len(columns) != 3:
        raise InvalidInput(
            f"columns must be three, of users, items and ratings, got {len(columns)}."
        )
    count = len(layout.first)
    places = [place_of(request, which, layout.names, count) for which in columns]
    if len(set(places)) < 3:
        raise InvalidInput(
            f"columns must be three different ones, got {', '.join(map(str, columns))}."
        )
    return places


def _sorted(request: Request, column: AnyArray, what: str) -> tuple[AnyArray, NDArray[np.int64]]:
    """Different names in order, and each row's index among them; none may be missing.

    An empty cell is missing; so is one such as NA where all other names are whole numbers.
    """
    names, places = np.unique(column, return_inverse=True)
    if names.dtype.kind == "U":
        absent = [name for name in names.tolist() if name.strip().lower() in MISSING]
        words = set(names.tolist()) - set(absent)
        if absent and ("" in absent or all(word.isdigit() for word in words)):
            gone = "" if "" in absent else absent[0]
            row = int(np.flatnonzero(column == gone)[0]) + 1
            raise InvalidInput(f"{request.path}: {what} {row:,} is missing.")
    return names, places
