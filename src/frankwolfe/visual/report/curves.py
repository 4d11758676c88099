"""Curves for the browser: their values, thinned where there are too many to see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from frankwolfe.base.arrays import Floats
from frankwolfe.base.errors import InvalidInput
from frankwolfe.visual.plots import HistoryLike, RunLike
from frankwolfe.visual.report.markup import inline_json, table

__all__ = ["Curves", "Series", "as_series", "curves", "runs"]

MAX_POINTS = 2000  # of a curve: more than a screen has pixels, and a small page all the same
ROWS = 8  # of the table below the curves
Packed: TypeAlias = dict[str, Any]
"""Curve as JSON for the page's script: `name`, axes `x` by label, `y`, and what is set of
`low`, `high`, `quiet` and `hidden`."""


@dataclass(frozen=True)
class Series:
    """Curve of a report.

    Parameters
    ----------
    name : str
        What the legend says.
    x : array, or mapping of str to array
        The horizontal axis; or several, by name, among which the reader chooses.
    y : array
        The values. NaN and infinity are left out.
    low, high : array, optional
        A band around the curve; with `high` alone it reaches down to zero.
    quiet : bool
        A reference line: thin, grey, dotted.
    hidden : bool
        Whether it waits in the legend until it is asked for.

    Examples
    --------
    >>> from frankwolfe.visual.report import Series
    >>> Series("a bound", [1, 2, 4], [1, 0.5, 0.25], quiet=True).name
    'a bound'
    """

    name: str
    x: ArrayLike | Mapping[str, ArrayLike]
    y: ArrayLike
    low: ArrayLike | None = None
    high: ArrayLike | None = None
    quiet: bool = False
    hidden: bool = False


Curves: TypeAlias = Iterable[Series] | Mapping[str, tuple[ArrayLike, ArrayLike]]


def runs(results: Mapping[str, RunLike], optimum: float | None = None) -> list[Series]:
    """Curves of runs: the gap, or f(x) - f* where the optimum is known, with its certificate.

    They are drawn against iterations or seconds, and passes over the data where all were
    recorded by a `Trace`. The band of a certified run reaches up to the gap.

    Parameters
    ----------
    results : mapping of str to Result or Trace
        Runs by name.
    optimum : float, optional
        The optimal value f*.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> from frankwolfe.visual.report import runs
    >>> result = fw.minimize(fw.SquaredError(np.eye(2), [1.0, 2.0]), fw.L2Ball(1.0))
    >>> [series.name for series in runs({"default": result})]
    ['default']
    """
    axes = {"iteration": "iteration", "seconds": "seconds", "passes over the data": "passes"}
    kept = {
        label: name
        for label, name in axes.items()
        if all(_has(run.history, name) for run in results.values())
    }
    found = []
    for name, run in results.items():
        x = {label: run.history[column] for label, column in kept.items()}
        gap = run.history["gap"]
        if optimum is None:
            found.append(Series(name, x, gap, high=gap if run.certified else None))
            continue
        error = run.history["value"] - optimum
        low, high = (error, gap) if run.certified else (None, None)
        found.append(Series(name, x, error, low=low, high=high))
    return found


def as_series(series: Curves) -> list[Series]:
    """List of Series, from an iterable of them or a mapping of names to (x, y)."""
    if isinstance(series, Mapping):
        return [Series(name, *pair) for name, pair in series.items()]
    return list(series)


def curves(
    place: str, name: str, series: Sequence[Series], *, x: str, y: str, log: tuple[bool, bool]
) -> tuple[str, str]:
    """HTML of the drawing with its data, and of a table below for those who cannot see it."""
    packed = [_packed(one, x) for one in series]
    if not packed or any(set(p["x"]) != set(packed[0]["x"]) for p in packed):
        raise InvalidInput(
            "series must hold one curve at least, and all must have the same horizontal axes."
        )
    data = {"y": y, "log_x": log[0], "log_y": log[1], "series": packed}
    label = f"{name}: {y} against {next(iter(packed[0]['x']))}"
    help_text = (
        "Drag to zoom, double-click to reset. By keyboard: arrows read values, plus and minus "
        "zoom, Escape resets."
    )
    drawing = (
        f'<div class="plot" tabindex="0" role="group" aria-roledescription="chart" '
        f'aria-label="{escape(label)}" aria-describedby="{place}-help"></div>'
        f'<p class="spoken" role="status" aria-live="polite"></p>'
        f"<noscript><p>The curves need JavaScript; the table below does not.</p></noscript>"
        f'<script type="application/json">{inline_json(data)}</script>'
    )
    return drawing, (
        f"<details><summary>Values in a table, and how to use the curves</summary>"
        f'<p id="{place}-help">{help_text}</p>{_values(label, packed)}</details>'
    )


def _has(history: HistoryLike, name: str) -> bool:
    """True if the history has a column of that name."""
    try:
        history[name]
    except KeyError:
        return False
    return True


def _packed(series: Series, x: str) -> Packed:
    """Curve as plain numbers, checked and thinned."""
    axes = series.x if isinstance(series.x, Mapping) else {x: series.x}
    arrays = {label: _floats(series.name, values) for label, values in axes.items()}
    y = _floats(series.name, series.y)
    bands = {
        name: _floats(series.name, band)
        for name, band in (("low", series.low), ("high", series.high))
        if band is not None
    }
    if any(other.size != y.size for other in (*arrays.values(), *bands.values())) or not arrays:
        raise InvalidInput(
            f"the curve {series.name} must have as many values on each axis, and in its band."
        )
    kept = _kept(y)
    return {
        "name": series.name,
        "x": {label: _numbers(values[kept]) for label, values in arrays.items()},
        "y": _numbers(y[kept]),
        **{name: _numbers(band[kept]) for name, band in bands.items()},
        **({"quiet": True} if series.quiet else {}),
        **({"hidden": True} if series.hidden else {}),
    }


def _floats(name: str, values: ArrayLike) -> Floats:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(f"the values of the curve {name} must be numbers.") from None
    if array.ndim != 1:
        raise InvalidInput(f"the values of the curve {name} must be a list of numbers.")
    return array


def _kept(y: Floats, most: int = MAX_POINTS) -> NDArray[np.intp]:
    """Indices of the values to keep: the least and the largest of each of many stretches.

    Stretches grow with the index, so that a logarithmic axis keeps its beginning; a curve that
    jumps up and down still does.
    """
    if y.size <= most:
        return np.arange(y.size)
    edges = np.unique(np.geomspace(1, y.size, most // 2).astype(np.intp))
    finite = y[np.isfinite(y)]
    known = np.where(np.isfinite(y), y, finite.mean() if finite.size else 0.0)
    places = {0, y.size - 1}
    for first, end in pairwise(edges.tolist()):
        stretch = known[first:end]
        places.update((first + int(stretch.argmin()), first + int(stretch.argmax())))
    return np.array(sorted(places), dtype=np.intp)


def _numbers(values: Floats) -> list[float | None]:
    return [float(f"{v:.6g}") if np.isfinite(v) else None for v in values.tolist()]


def _values(label: str, packed: Sequence[Packed]) -> str:
    """Table of a few rows, with each curve's value at its point nearest to the row's x."""
    axis = next(iter(packed[0]["x"]))
    longest = max((p["x"][axis] for p in packed), key=len)
    known = [v for v in longest if v is not None]
    if not known:
        return ""
    places = np.unique(np.geomspace(1, len(known), ROWS).astype(int) - 1)
    rows = [[known[i], *(_at(p, axis, known[i]) for p in packed)] for i in places.tolist()]
    return table(label, [axis, *(p["name"] for p in packed)], rows)


def _at(packed: Packed, axis: str, x: float) -> float:
    pairs = [pair for pair in zip(packed["x"][axis], packed["y"], strict=True) if None not in pair]
    if not pairs or x > max(pairs)[0]:
        return float("nan")
    return float(min(pairs, key=lambda pair: abs(pair[0] - x))[1])
