"""A failing case made small: fewer rows and columns, rounder numbers, simpler parts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from .cases import Case, Part
from .cut import classes_of, keep_rows, keep_variables, rows_of, variables_of
from .truth import dense

__all__ = ["reduced"]

Fails = Callable[[Case], bool]
SIMPLER = {
    "Profiled.SquaredError": "SquaredError",
    "Profiled.Huber": "Huber",
    "Profiled.Quantile": "Quantile",
    "Profiled.Logistic": "Logistic",
    "Profiled.Multinomial": "Multinomial",
    "SquaredError.gram": "SquaredError",
    "Quantile": "SquaredError",
    "Huber": "SquaredError",
}


def reduced(case: Case, fails: Fails, seconds: float = 60.0) -> Case:
    """The smallest case found in the time that still fails."""
    ends = time.monotonic() + seconds
    changed = True
    while changed and time.monotonic() < ends:
        changed = False
        for smaller in _proposals(case):
            if time.monotonic() > ends:
                break
            if _tried(smaller, fails):
                case, changed = smaller, True
                break
    return case


def _tried(case: Case, fails: Fails) -> bool:
    try:
        return fails(case)
    except Exception:  # a cut that makes no sense
        return False


def _proposals(case: Case) -> Iterator[Case]:
    """Simpler cases, the boldest cuts first."""
    yield from _cuts(rows_of(case.objective), lambda kept: _with_rows(case, kept))
    columns = variables_of(case.objective) // classes_of(case.objective)
    if case.region.name != "Birkhoff":
        yield from _cuts(columns, lambda kept: keep_variables(case, kept))
    points = case.region.options.get("points", np.empty((0, 0)))
    yield from _cuts(len(points), lambda kept: _with_points(case, points[kept]))
    yield from _simpler(case)
    yield from _rounder(case)


def _with_rows(case: Case, kept: Any) -> Case:
    return replace(case, objective=keep_rows(case.objective, kept))


def _with_points(case: Case, points: Any) -> Case:
    return replace(case, region=case.region.with_options(points=points))


def _cuts(count: int, cut: Callable[[Any], Case]) -> Iterator[Case]:
    """Without one of two, four, eight... parts of the places."""
    pieces = 2
    while pieces <= 2 * count and count > 1:
        for piece in np.array_split(np.arange(count), min(pieces, count)):
            kept = np.setdiff1d(np.arange(count), piece)
            if 0 < kept.size < count:
                yield cut(kept)
        if pieces >= count:
            break
        pieces *= 2


def _simpler(case: Case) -> Iterator[Case]:
    options = case.objective.options
    if case.objective.name in SIMPLER:
        name = SIMPLER[case.objective.name]
        kept = {k: v for k, v in options.items() if name != "SquaredError" or k not in DELTAS}
        yield replace(case, objective=Part(name, kept))
    for key in ("sample_weight", "reduction"):
        if key in options:
            kept = {k: v for k, v in options.items() if k != key}
            yield replace(case, objective=Part(case.objective.name, kept))
    for key in ("A", "R", "Q"):
        if key in options and type(options[key]) is not np.ndarray:
            yield replace(case, objective=case.objective.with_options(**{key: dense(options[key])}))
        kept = options.get(key)
        if type(kept) is np.ndarray and kept.dtype != np.float64:
            wide = kept.astype(np.float64)
            yield replace(case, objective=case.objective.with_options(**{key: wide}))
    if case.from_vertex is not None:
        yield replace(case, from_vertex=None)
    if "center" in case.region.options:
        kept = {k: v for k, v in case.region.options.items() if k != "center"}
        yield replace(case, region=Part(case.region.name, kept))
    blocks = case.region.options.get("blocks", [])
    if len(blocks) == 1:
        yield replace(case, region=blocks[0][0])
    for name in ("L2Ball", "LInfBall", "L1Ball"):
        if "radius" in case.region.options and case.region.name not in (
            "L2Ball",
            "LInfBall",
            "L1Ball",
        ):
            kept = {k: v for k, v in case.region.options.items() if k in ("radius", "center")}
            yield replace(case, region=Part(name, kept))


DELTAS = ("delta", "quantile")


def _rounder(case: Case) -> Iterator[Case]:
    """Numbers with one, two or three digits."""
    for side in ("region", "objective"):
        part: Part = getattr(case, side)
        for key, value in part.options.items():
            for digits in (1, 2, 3):
                rounded = _rounded(value, digits)
                if rounded is not None and not np.array_equal(rounded, value):
                    yield replace(case, **{side: part.with_options(**{key: rounded})})


def _rounded(value: Any, digits: int) -> Any:
    if isinstance(value, float):
        return float(f"{value:.{digits - 1}e}")
    if type(value) is np.ndarray and value.dtype.kind == "f" and value.size <= 400:
        each = [float(f"{v:.{digits - 1}e}") for v in value.ravel()]
        return np.array(each).reshape(value.shape).astype(value.dtype)
    return None
