"""Checks that a checkpoint can be that of a run: sizes, places, the point and its value."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from frankwolfe.base.arrays import Array, Point
from frankwolfe.core.atoms import RankOne
from frankwolfe.core.low_rank import FactoredMatrix
from frankwolfe.solver.run import History, Run

__all__ = ["Unsound", "check_arrays", "check_point"]

PLACE_ARRAYS = ("indices", "point.places")  # numbers of variables, which index memory
FIXED_ARRAYS = ("gradient", "atom_image", "iterate/image")  # of the state, as long as at first
ORACLE_ARRAYS = "oracle_memory/"  # a region with other variables inside checks its places itself
MAX_COUNT = 2**53  # steps and calls: a float counts no further
MAX_ATOM_VIOLATION = 1e3  # sizes of the region: an atom may be rough, but not anywhere
SINGLE_TOL = 1e-2  # share by which rounding may move an image, or x out of the region, in float32
DOUBLE_TOL = 1e-6  # the share in float64


class Unsound(ValueError):
    """Raised where a checkpoint holds something that no run can have written."""


def check_arrays(run: Run, arrays: Mapping[str, Array]) -> None:
    """Check types, counts and places before any array is used, and the lengths of the state's.

    Compiled code trusts places: a wrong one would end the process. That memories of methods have
    arrays which fit together is left to the digest of the file.
    """
    begun, n = run.pack(), run.state.problem.objective.n
    for name, array in arrays.items():
        known, last = begun.get(name), name.rsplit("/", 1)[-1]
        if array.dtype.kind not in "biuf" or (known is not None and array.dtype != known.dtype):
            raise Unsound(f"{name} is of type {array.dtype}")
        if known is not None and known.ndim == 0:
            _check_number(name, array)
        elif name in FIXED_ARRAYS and known is not None and array.shape != known.shape:
            raise Unsound(f"{name} has shape {array.shape}, not {known.shape}")
        if last == "vertex":
            _check_places(name, array[:1], n)
        elif last in PLACE_ARRAYS and not name.startswith(ORACLE_ARRAYS):
            _check_places(name, array, n)
    rows = np.shape(arrays["history"])
    if len(rows) != 2 or rows[1] != len(History.columns) or not rows[0]:
        raise Unsound(f"history has shape {rows}")


def _check_places(name: str, places: Array, below: int) -> None:
    """Raise unless all are indices of variables."""
    if places.ndim != 1 or (places.size and not _are_whole(places, below)):
        raise Unsound(f"{name} must be whole numbers below {below}")


def _are_whole(places: Array, below: int) -> bool:
    """True if all are whole numbers from 0 on and below `below`."""
    low, high = places.min(), places.max()
    return bool(0 <= low <= high < below and (places == np.rint(places)).all())


def _check_number(name: str, array: Array) -> None:
    """Raise unless the array is one number, and a count if it is an integer."""
    if array.ndim or (array.dtype.kind in "iu" and not 0 <= int(array) < MAX_COUNT):
        raise Unsound(f"{name} must be one number")


def check_point(run: Run) -> None:
    """Recompute image, feasibility and value of the current and of the best point."""
    state, best = run.state, run.best
    problem, objective = state.problem, state.problem.objective
    loose = DOUBLE_TOL if objective.dtype.itemsize == 8 else SINGLE_TOL
    x, n = state.iterate.point.array(), objective.shape
    shape = n if isinstance(n, tuple) else (n,)
    if x.shape != shape or (best.x is not None and best.x.shape != shape):
        raise Unsound("a point has another number of variables")
    image = _image(run, x)
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
    """Raise unless the last atom is near the region, and the active ones make the point."""
    state, atom = run.state, run.state.atom
    if isinstance(atom, RankOne):
        point: Point = FactoredMatrix(atom.u[None], np.array([atom.scale]), atom.v[None])
    else:
        point = atom.dense(state.problem.n)
    if not state.problem.region.violation(point) <= MAX_ATOM_VIOLATION:
        raise Unsound("its last atom is far from the region")
    if state.active_set is not None:
        x = state.iterate.point.array()
        apart = np.abs(state.active_set.point() - x).max()
        if not apart <= loose * max(np.abs(x).max(), np.abs(point).max()):
            raise Unsound("its atoms do not make its point")


def _image(run: Run, x: Point) -> Array:
    """The image of x, made anew."""
    objective = run.state.problem.objective
    image = objective.new_image()
    objective.image(x, image)
    return image


def _check_bound(run: Run, loose: float) -> None:
    """Raise unless bound and gap fit the value; otherwise they are taken over as they are."""
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
