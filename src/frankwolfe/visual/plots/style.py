"""Colours, dashes and markers, and new axes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

from frankwolfe.base.errors import MissingExtra

__all__ = ["DASHES", "MARKERS", "PALETTE", "new_axes", "style", "styles"]

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
"""Okabe and Ito's colours, which colour-blind readers can distinguish."""

DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")


def style(index: int) -> dict[str, Any]:
    """Options of the line with that number: 63 lines in a row differ."""
    return {
        "color": PALETTE[index % len(PALETTE)],
        "linestyle": DASHES[index % len(DASHES)],
        "marker": MARKERS[index % len(MARKERS)],
        "markersize": 4.0,
        "markevery": (0.03 * (index % 5), 0.15),  # of the axes' diagonal: markers of two stay apart
        "linewidth": 1.5,
    }


def styles() -> Iterator[dict[str, Any]]:
    """One after another, without end."""
    return map(style, count())


def new_axes(
    columns: int = 1, size: tuple[float, float] = (5.2, 3.8), rows: int = 1
) -> tuple[Any, Any]:
    """A figure with rows x columns axes, in one list, drawn without a window system."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("A plot", "matplotlib", "plot") from None
    figure = Figure(figsize=(size[0] * columns, size[1] * rows), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False).ravel()
