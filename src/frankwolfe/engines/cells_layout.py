"""Layout of the observed cells in which a device adds them up: lines, panels and pieces.

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
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from frankwolfe.base.errors import InvalidInput

if TYPE_CHECKING:
    from frankwolfe.engines.maps import DeviceArray

__all__ = ["Side", "by_column", "by_row", "checked_count", "multiplicity", "row_order"]

MAX_PANEL_ENTRIES = 14_336  # float64 entries: two blocks share a multiprocessor's 227 KB
MAX_PIECE_CELLS = 2048  # cells; bounds the unevenness of the work of two groups of threads
MIN_LINE_CELLS = 8  # cells of a line in a panel, on average, for panels to outweigh more pieces
MAX_CELLS = 2**31 - 2**13  # cells; positions are int32, with room for the last piece
COMPARED_AT_ONCE = 2**26  # cells; limits the temporaries of `multiplicity`


ArrayModule: TypeAlias = Any
"""NumPy or CuPy, as a module."""


@dataclass(frozen=True)
class Side:
    """Observed cells sorted by line, in panels and pieces.

    Attributes
    ----------
    lines, across : int
        Lines, and entries of a vector that a line is multiplied by.
    width : int
        Entries of a panel.
    fits : bool
        True if a panel of a vector fits into the memory that a block's threads share.
    index : array
        Position of each cell within its panel.
    places : array or None
        Position of each cell in the order of rows; None on the side of rows itself.
    starts : array
        The first cell of each piece, and the number of cells.
    owner : array
        The line of each piece.
    panels : array
        The first piece of each panel, and the number of pieces.
    borders : tuple of int
        `panels` in this process's memory, for the sizes of launches.
    ends : array
        Start of each line's pieces in `ids`.
    ids : array or None
        The pieces by line; None where they lie in that order.
    """

    lines: int
    across: int
    width: int
    fits: bool
    index: DeviceArray
    places: DeviceArray | None
    starts: DeviceArray
    owner: DeviceArray
    panels: DeviceArray
    borders: tuple[int, ...]
    ends: DeviceArray
    ids: DeviceArray | None

    @property
    def pieces(self) -> int:
        """Number of pieces on this side."""
        return self.borders[-1]

    @property
    def cells(self) -> int:
        """Number of observed cells."""
        return int(self.index.size)

    @property
    def whole(self) -> bool:
        """True if every line is one piece, so that no second pass has to add pieces."""
        return self.ids is None and self.pieces == self.lines


def row_order(xp: ArrayModule, rows: DeviceArray) -> DeviceArray | None:
    """Stable permutation that sorts cells by row; None if they are sorted."""
    if not bool((rows[1:] < rows[:-1]).any()):
        return None
    # row and position in one key: the sort is stable, and in place
    keys = xp.left_shift(rows.astype(np.uint64), np.uint64(32))
    keys |= xp.arange(rows.size, dtype=np.uint32)
    keys.sort()
    return _low(xp, keys)


def by_row(
    xp: ArrayModule, rows: DeviceArray, columns: DeviceArray, shape: tuple[int, int], most: int
) -> Side:
    """Layout by row, for cells sorted by row; `most` float64 entries fit into shared memory."""
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


def by_column(
    xp: ArrayModule, rows: DeviceArray, columns: DeviceArray, shape: tuple[int, int], most: int
) -> Side:
    """Layout by column, for cells sorted by row; `most` float64 entries fit into shared memory."""
    width = _width(rows.size, shape, min(MAX_PANEL_ENTRIES, most))
    count = -(-shape[0] // width)
    segments = count * shape[1]
    # panel and column in the upper half of a key, position in the lower half
    keys = (rows // width).astype(np.uint64)
    keys *= np.uint64(shape[1])
    keys += columns.astype(np.uint32, copy=False)
    keys = xp.left_shift(keys, np.uint64(32), out=keys)
    keys |= xp.arange(rows.size, dtype=np.uint32)
    keys.sort()
    wanted = xp.left_shift(xp.arange(segments + 1, dtype=np.uint64), np.uint64(32))
    bounds = xp.searchsorted(keys, wanted)
    places = _low(xp, keys)
    del keys, wanted  # the longest arrays, before the next are made
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


def multiplicity(
    xp: ArrayModule, rows: DeviceArray, columns: DeviceArray, places: DeviceArray
) -> int:
    """Number of times that the most frequent cell occurs; `places` sorts cells by column.

    Equal cells are neighbours in that order: one occurs more than t times if two cells at
    distance t are equal. So t is found by doubling, then bisection.
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


def _apart(
    xp: ArrayModule, rows: DeviceArray, columns: DeviceArray, places: DeviceArray, apart: int
) -> bool:
    """True if two cells at distance `apart` are equal."""
    for first in range(0, rows.size - apart, COMPARED_AT_ONCE):
        one = places[first : min(first + COMPARED_AT_ONCE, rows.size - apart)]
        other = places[first + apart : first + apart + one.size]
        if bool(((rows[one] == rows[other]) & (columns[one] == columns[other])).any()):
            return True
    return False


def checked_count(count: int) -> None:
    """Raise InvalidInput if there are more cells than the layout can count."""
    if count > MAX_CELLS:
        raise InvalidInput(
            f"a device takes at most {MAX_CELLS} ratings, got {count}: split them over several "
            "devices."
        )


def _width(cells: int, shape: tuple[int, int], fits: int) -> int:
    """Rows of a panel: as many as fit, or all if columns would have few cells in a panel."""
    panels = -(-shape[0] // fits)
    if panels == 1 or cells < MIN_LINE_CELLS * panels * shape[1] or panels * shape[1] >= 2**31:
        return shape[0]
    return fits


def _low(xp: ArrayModule, keys: DeviceArray) -> DeviceArray:
    """Positions: the lower 32 bits of the keys."""
    return xp.bitwise_and(keys, np.uint64(2**32 - 1)).astype(np.int32)


def _pieces(xp: ArrayModule, bounds: DeviceArray) -> tuple[DeviceArray, DeviceArray]:
    """First cell of each piece, with the end of the last, and the segment of each piece."""
    counts = -(-xp.diff(bounds) // MAX_PIECE_CELLS)
    firsts = xp.concatenate([xp.zeros(1, dtype=np.int64), xp.cumsum(counts)])
    total = int(firsts[-1])
    number = xp.arange(total, dtype=np.int64)
    owner = xp.searchsorted(firsts, number, side="right") - 1
    starts = bounds[owner] + MAX_PIECE_CELLS * (number - firsts[owner])
    return xp.concatenate([starts, bounds[-1:]]).astype(np.int32), owner.astype(np.int32)


def _first_of(xp: ArrayModule, owner: DeviceArray, lines: int) -> DeviceArray:
    """Start of each line in a sorted list of owners, with the end of the last."""
    return xp.searchsorted(owner, xp.arange(lines + 1, dtype=owner.dtype)).astype(np.int32)


def _grouped(xp: ArrayModule, owner: DeviceArray, lines: int) -> tuple[DeviceArray, DeviceArray]:
    """Pieces sorted by line, stably: start of each line, and the permutation."""
    keys = xp.left_shift(owner.astype(np.uint64), np.uint64(32))
    keys |= xp.arange(owner.size, dtype=np.uint32)
    keys.sort()
    ids = _low(xp, keys)
    return _first_of(xp, owner[ids], lines), ids
