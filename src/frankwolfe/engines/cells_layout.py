"""The observed cells in an order in which a device adds them up: lines, panels and pieces.

Cells are wanted by row and by column. A *side* has them sorted by line (row or column). The other
coordinate is cut into *panels*, so narrow that a panel of a vector fits into the memory that the
threads of a block share, and cells are sorted by panel first. What a line has in a panel is cut
into *pieces* of bounded length, the unit of work.

Images are in the order of the row side, which has one panel. The column side knows where each of
its cells stands there. A rating takes 2 or 4 bytes for its column, 2 or 4 for its row and 4 for its
place, beside its value.

Arrays are those of the module that is passed, NumPy's or CuPy's; none as long as the ratings is
made beside the result but one of keys.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from frankwolfe.base.errors import InvalidInput

__all__ = ["Side", "by_column", "by_row", "checked_count", "multiplicity", "row_order"]

FITS = 14_336  # numbers of a panel, in double precision: two blocks share 227 KB
PIECE = 2048  # most cells of a piece
SHORT = 8  # cells that a line should have in a panel, on average, for panels to pay
MOST = 2**31 - 2**13  # cells that 32 bits can count
AT_ONCE = 2**26


@dataclass(frozen=True)
class Side:
    """The cells by line.

    Attributes
    ----------
    lines, across : int
        Lines, and entries of a vector that a line is multiplied by.
    width : int
        Entries of a panel.
    fits : bool
        Whether a panel of a vector fits into the memory that a block's threads share.
    index : array
        Each cell's place within its panel.
    places : array or None
        Where each cell stands by row; None where it stands there.
    starts : array
        The first cell of each piece, and the number of cells.
    owner : array
        The line of each piece.
    panels : array, and the same as a list
        The first piece of each panel, and the number of pieces.
    ends : array
        Where the pieces of each line begin in `ids`.
    ids : array or None
        The pieces by line; None where they lie in that order.
    """

    lines: int
    across: int
    width: int
    fits: bool
    index: Any
    places: Any
    starts: Any
    owner: Any
    panels: Any
    borders: tuple[int, ...]
    ends: Any
    ids: Any

    @property
    def pieces(self) -> int:
        """How many."""
        return self.borders[-1]

    @property
    def cells(self) -> int:
        """How many."""
        return int(self.index.size)

    @property
    def whole(self) -> bool:
        """Whether every line is one piece."""
        return self.ids is None and self.pieces == self.lines


def row_order(xp: Any, rows: Any) -> Any:
    """The permutation that sorts cells by row, stably; None where they are sorted."""
    if not bool((rows[1:] < rows[:-1]).any()):
        return None
    keys = xp.left_shift(rows.astype(np.uint64), np.uint64(32))
    keys |= xp.arange(rows.size, dtype=np.uint32)
    keys.sort()
    return _low(xp, keys)


def by_row(xp: Any, rows: Any, columns: Any, shape: tuple[int, int], most: int) -> Side:
    """The side of rows, for cells sorted by row; `most` numbers fit into shared memory."""
    index = columns.astype(np.uint16 if shape[1] <= 2**16 else np.int32, order="C")
    bounds = xp.searchsorted(rows, xp.arange(shape[0] + 1, dtype=rows.dtype))
    starts, owner = _pieces(xp, bounds)
    ends = _first_of(xp, owner, shape[0])
    panels = xp.asarray(np.array([0, owner.size], dtype=np.int32))
    borders = (0, int(owner.size))
    return Side(
        shape[0], shape[1], shape[1], shape[1] <= most, index, None, starts, owner, panels, borders,
        ends, None,
    )  # fmt: skip


def by_column(xp: Any, rows: Any, columns: Any, shape: tuple[int, int], most: int) -> Side:
    """The side of columns, for cells sorted by row; `most` numbers fit into shared memory."""
    width = _width(rows.size, shape, min(FITS, most))
    count = -(-shape[0] // width)
    segments = count * shape[1]
    keys = (rows // width).astype(np.uint64)
    keys *= np.uint64(shape[1])
    keys += columns.astype(np.uint32, copy=False)
    keys = xp.left_shift(keys, np.uint64(32), out=keys)
    keys |= xp.arange(rows.size, dtype=np.uint32)
    keys.sort()
    wanted = xp.left_shift(xp.arange(segments + 1, dtype=np.uint64), np.uint64(32))
    bounds = xp.searchsorted(keys, wanted)
    places = _low(xp, keys)
    del keys, wanted
    index = (rows % width).astype(np.uint16 if width <= 2**16 else np.int32)[places]
    starts, owner = _pieces(xp, bounds)
    panels = xp.searchsorted(owner, xp.arange(0, segments + 1, shape[1], dtype=owner.dtype))
    borders = tuple(int(border) for border in panels.tolist())
    lines = (owner % shape[1]).astype(np.int32)
    ends, ids = _grouped(xp, lines, shape[1])
    return Side(
        shape[1], shape[0], width, width <= most, index, places, starts, lines,
        panels.astype(np.int32), borders, ends, ids if count > 1 else None,
    )  # fmt: skip


def multiplicity(xp: Any, rows: Any, columns: Any, places: Any) -> int:
    """How often the most frequent cell occurs, for cells sorted by `places` in column order.

    Equal cells are neighbours there: one occurs more than t times where two that are t apart are
    equal.
    """
    low, high = 0, 1
    while high < rows.size and _apart(xp, rows, columns, places, high):
        low, high = high, 2 * high
    while high - low > 1:  # equal at `low`, none at `high`
        middle = (low + high) // 2
        if middle < rows.size and _apart(xp, rows, columns, places, middle):
            low = middle
        else:
            high = middle
    return low + 1


def _apart(xp: Any, rows: Any, columns: Any, places: Any, apart: int) -> bool:
    """Whether two cells so far apart are equal; so many at a time that little room is needed."""
    for first in range(0, rows.size - apart, AT_ONCE):
        one = places[first : min(first + AT_ONCE, rows.size - apart)]
        other = places[first + apart : first + apart + one.size]
        if bool(((rows[one] == rows[other]) & (columns[one] == columns[other])).any()):
            return True
    return False


def checked_count(count: int) -> None:
    """Raise where there are more cells than the layout can count."""
    if count > MOST:
        raise InvalidInput(
            f"a device takes at most {MOST} ratings, got {count}: split them over several devices."
        )


def _width(cells: int, shape: tuple[int, int], fits: int) -> int:
    """Rows of a panel: those that fit, or all where columns would have few cells in a panel."""
    panels = -(-shape[0] // fits)
    if panels == 1 or cells < SHORT * panels * shape[1] or panels * shape[1] >= 2**31:
        return shape[0]
    return fits


def _low(xp: Any, keys: Any) -> Any:
    """The lower halves of keys, which are places."""
    return xp.bitwise_and(keys, np.uint64(2**32 - 1)).astype(np.int32)


def _pieces(xp: Any, bounds: Any) -> tuple[Any, Any]:
    """The first cell of each piece, with the end of the last; and the segment of each piece."""
    counts = -(-xp.diff(bounds) // PIECE)
    firsts = xp.concatenate([xp.zeros(1, dtype=np.int64), xp.cumsum(counts)])
    total = int(firsts[-1])
    number = xp.arange(total, dtype=np.int64)
    owner = xp.searchsorted(firsts, number, side="right") - 1
    starts = bounds[owner] + PIECE * (number - firsts[owner])
    return xp.concatenate([starts, bounds[-1:]]).astype(np.int32), owner.astype(np.int32)


def _first_of(xp: Any, owner: Any, lines: int) -> Any:
    """Where each line begins in a sorted list of owners, and where the last one ends."""
    return xp.searchsorted(owner, xp.arange(lines + 1, dtype=owner.dtype)).astype(np.int32)


def _grouped(xp: Any, owner: Any, lines: int) -> tuple[Any, Any]:
    """Pieces by line: where each line begins, and the pieces, those of a line in order."""
    keys = xp.left_shift(owner.astype(np.uint64), np.uint64(32))
    keys |= xp.arange(owner.size, dtype=np.uint32)
    keys.sort()
    ids = _low(xp, keys)
    return _first_of(xp, owner[ids], lines), ids
