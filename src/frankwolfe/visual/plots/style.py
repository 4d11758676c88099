"""Colours, dashes and markers of lines, and new axes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any, TypeAlias, TypedDict

from frankwolfe.base.errors import MissingExtra

__all__ = [
    "DASHES",
    "MARKERS",
    "PALETTE",
    "Axes",
    "Dash",
    "Figure",
    "LineStyle",
    "new_axes",
    "style",
    "styles",
]

Axes: TypeAlias = Any
"""Axes of matplotlib, which is not installed with every copy, so that types cannot name it."""
Figure: TypeAlias = Any
"""A figure of matplotlib."""
Dash: TypeAlias = str | tuple[int, tuple[int, ...]]
"""Dashes of a line, as matplotlib names or counts them."""

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
"""Okabe and Ito's colours, which colour-blind readers can distinguish."""

DASHES: tuple[Dash, ...] = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")


class LineStyle(TypedDict):
    """Options of a line, for matplotlib's `plot`."""

    color: str
    linestyle: Dash
    marker: str
    markersize: float
    markevery: tuple[float, float] | None
    linewidth: float


def style(index: int) -> LineStyle:
    """Options of the line with that number: 63 lines in a row differ."""
    return {
        "color": PALETTE[index % len(PALETTE)],
        "linestyle": DASHES[index % len(DASHES)],
        "marker": MARKERS[index % len(MARKERS)],
        "markersize": 4.0,
        "markevery": (0.03 * (index % 5), 0.15),  # of the axes' diagonal: markers of two stay apart
        "linewidth": 1.5,
    }


def styles() -> Iterator[LineStyle]:
    """Options of line after line, without end."""
    return map(style, count())


def new_axes(
    columns: int = 1, size: tuple[float, float] = (5.2, 3.8), rows: int = 1
) -> tuple[Figure, Axes]:
    """Figure and its rows x columns axes in one list, drawn without a window system."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("A plot", "matplotlib", "plot") from None
    figure = Figure(figsize=(size[0] * columns, size[1] * rows), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False).ravel()
