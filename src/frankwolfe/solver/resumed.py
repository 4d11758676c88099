"""Whether what a checkpoint holds is that of a run: sizes, places, the point and its value."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.core.atoms import RankOne
from frankwolfe.core.low_rank import FactoredMatrix
from frankwolfe.solver.run import History, Run

__all__ = ["Unsound", "check_arrays", "check_point"]

PLACES = ("indices", "point.places")  # numbers of variables
GROWING = (
    *("weights", "lengths", "values", "point.entries", "hessian", "keeps", "momenta"),
    *("steps", "changes", "vectors"),
    *("point.now", "point.before", "point.left", "point.right", "left", "right", "history"),
)
"""Arrays that have another length in each step; what reads them compares their lengths."""
OWN = "oracle_memory/"  # of a region that may have other variables inside: it checks places itself
MOST = 2**53  # steps and calls: a float counts no further
FAR = 1e3  # sizes of the region
SINGLE, DOUBLE = 1e-2, 1e-6  # shares by which rounding may move an image, or x out of the region


class Unsound(ValueError):
    """A checkpoint holds something that a run cannot have written."""


def check_arrays(run: Run, arrays: Mapping[str, Array]) -> None:
    """Compare the arrays, before any is used, with those of a run that has just begun.

    Compiled code trusts lengths and places: a wrong one would end the process.
    """
    begun, shape = run.pack(), _Shapes(run)
    for name, array in arrays.items():
        known, last = begun.get(name), name.rsplit("/", 1)[-1]
        if array.dtype.kind not in "biuf" or (known is not None and array.dtype != known.dtype):
            raise Unsound(f"{name} is of type {array.dtype}")
        if last in PLACES and name.startswith(OWN):
            continue
        if last in PLACES or last == "vertex":
            shape.check_places(name, array[:1] if last == "vertex" else array)
        elif known is not None and known.ndim == 0:
            _check_number(name, array)
        elif known is not None and known.size and last not in GROWING:
            if array.shape != known.shape:
                raise Unsound(f"{name} has shape {array.shape}, not {known.shape}")
        elif last not in GROWING:
            shape.check_length(name, last, array)
    rows = np.shape(arrays["history"])
    if len(rows) != 2 or rows[1] != len(History.columns) or not rows[0]:
        raise Unsound(f"history has shape {rows}")


class _Shapes:
    """The lengths that arrays of a problem have."""

    def __init__(self, run: Run) -> None:
        objective = run.state.problem.objective
        self.variables, self.image = objective.n, objective.m
        self.sides = objective.shape if isinstance(objective.shape, tuple) else ()
        self.lengths = {0, objective.n, objective.gradient_size, *self.sides}
        self.fixed = {"image": {0, objective.m}, "vector": {0, objective.n, *self.sides}}
        self.fixed |= {"dense": {objective.n}, "point.old": {objective.n}}
        if self.sides:
            self.fixed |= {"u": {self.sides[0]}, "v": {self.sides[1]}}

    def check_places(self, name: str, places: Array) -> None:
        """Whether all are numbers of variables."""
        if places.ndim != 1 or (places.size and not _are_whole(places, self.variables)):
            raise Unsound(f"{name} must be whole numbers below {self.variables}")

    def check_length(self, name: str, last: str, array: Array) -> None:
        """Whether an array that had no entries at the beginning has a length that fits."""
        allowed = self.fixed.get(last, self.lengths)
        if array.ndim > 1 or (array.ndim == 1 and array.size not in allowed):
            raise Unsound(f"{name} has shape {array.shape}")


def _are_whole(places: Array, below: int) -> bool:
    """Whether all are whole numbers from 0 on."""
    low, high = places.min(), places.max()
    return bool(0 <= low <= high < below and (places == np.rint(places)).all())


def _check_number(name: str, array: Array) -> None:
    if array.ndim or (array.dtype.kind in "iu" and not 0 <= int(array) < MOST):
        raise Unsound(f"{name} must be one number")


def check_point(run: Run) -> None:
    """Compute image, feasibility and value again, of the point and of the best one."""
    state, best = run.state, run.best
    problem, objective = state.problem, state.problem.objective
    loose = DOUBLE if objective.dtype.itemsize == 8 else SINGLE
    image = _image(run, state.iterate.point.array())
    size = max(float(np.abs(image).max()), float(np.abs(state.atom_image).max()))
    if not float(np.abs(image - state.iterate.image).max()) <= loose * size:
        raise Unsound("the image is not that of its point")
    if not problem.region.violation(state.x) <= loose:
        raise Unsound("its point is outside the region")
    value = state.value
    if best.x is not None:
        value = objective.value(_image(run, objective.read_point(best.x)))
        if not problem.region.violation(best.x) <= loose:
            raise Unsound("its best point is outside the region")
    if not math.isclose(value, best.value, rel_tol=loose, abs_tol=loose * abs(state.value)):
        raise Unsound("its best point has another value")
    _check_atoms(run, loose)
    _check_bound(run, loose)


def _check_atoms(run: Run, loose: float) -> None:
    """Whether the last atom is near the region, and the active ones make the point."""
    state, atom = run.state, run.state.atom
    if isinstance(atom, RankOne):
        point: Any = FactoredMatrix(atom.u[None], np.array([atom.scale]), atom.v[None])
    else:
        point = atom.dense(state.problem.n)
    if not state.problem.region.violation(point) <= FAR:
        raise Unsound("its last atom is far from the region")
    if state.active_set is not None:
        x = state.iterate.point.array()
        apart = np.abs(state.active_set.point() - x).max()
        if not apart <= loose * max(np.abs(x).max(), np.abs(point).max()):
            raise Unsound("its atoms do not make its point")


def _image(run: Run, x: Any) -> Array:
    objective = run.state.problem.objective
    image = objective.new_image()
    objective.image(x, image)
    return image


def _check_bound(run: Run, loose: float) -> None:
    """Whether bound and gap can be those of this value; a bound is taken over as it is."""
    state = run.state
    if not state.certified:
        return
    if not state.convex or not state.problem.objective.convex:
        raise Unsound("nothing can be certified where f is not known to be convex")
    room = loose * max(abs(state.value), abs(state.first_value))  # where a run began, NaN at first
    if not state.lower_bound <= min(state.value, run.best.value) + room:
        raise Unsound("its lower bound is above a value")
    if math.isfinite(state.gap) and state.gap < state.value - state.lower_bound - room:
        raise Unsound("its gap is smaller than value and bound leave")
