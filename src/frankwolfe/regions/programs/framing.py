"""Standard form of a polytope by equations, bounds and slacks, for interior-point methods."""

from __future__ import annotations

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import is_sparse
from frankwolfe.core.atoms import Vertex
from frankwolfe.core.standard_form.form import StandardForm
from frankwolfe.core.standard_form.lifting import plain
from frankwolfe.regions.programs.centre import Centre

__all__ = ["framed"]

MAX_FRAME_ENTRIES = 10_000_000  # of the dense rows with their slacks: 80 MB
RANK_TOL = 1e-10  # of the largest pivot of QR; an equation below it follows from others


def framed(inside: Centre, units: Array, below: Array) -> StandardForm | None:
    """Standard form of a polytope in units; `below` are finite lower bounds of all variables.

    Variables that cannot move are part of the centre. An inequality gets a slack, so that rows
    depend on each other among the equations alone, where those that follow are left out.
    """
    given, x = inside.constraints, inside.x
    moving = given.lower < given.upper
    rows, n = given.low.size, int(moving.sum())
    if not n or inside.depth <= 0.0 or rows * (rows + n) > MAX_FRAME_ENTRIES:
        return None
    A = given.A.toarray() if is_sparse(given.A) else np.asarray(given.A)
    still = A[:, ~moving] @ given.lower[~moving]
    A = A[:, moving]
    equal = given.equations
    kept = np.flatnonzero(equal)[_independent(A[equal])]
    if kept.size == n:  # one point
        return None
    slack = np.flatnonzero(~equal)
    at_high = np.isfinite(given.high[slack])
    sums = np.zeros((kept.size + slack.size, n + slack.size))
    sums[: kept.size, :n] = A[kept]
    sums[kept.size :, :n] = A[slack]
    sums[kept.size + np.arange(slack.size), n + np.arange(slack.size)] = np.where(at_high, 1, -1)
    levels = np.where(at_high, given.high[slack], given.low[slack])
    totals = np.concatenate([given.high[kept], levels]) - still[np.concatenate([kept, slack])]
    start = np.concatenate([x[moving], np.abs(totals[kept.size :] - A[slack] @ x[moving])])
    lower, upper = given.lower[moving], given.upper[moving]
    width = np.maximum(np.abs(below[moving]), float(np.abs(below).max()) or 1.0)
    lower = np.where(np.isfinite(lower), lower, below[moving] - width)
    lower = np.concatenate([lower, np.zeros(slack.size)])
    upper = np.concatenate([upper, (given.high - given.low)[slack]])
    atoms = [Vertex(int(j), float(units[j])) for j in np.flatnonzero(moving)]
    center = np.where(moving, 0.0, given.lower) * units
    layout = plain(n, n + slack.size)
    return StandardForm(atoms, lower, upper, start, sums, totals, center=center, layout=layout)


def _independent(rows: Array) -> Array:
    """Places of a largest set of linearly independent rows."""
    from scipy.linalg import qr

    if not len(rows):
        return np.zeros(0, dtype=np.intp)
    triangle, order = qr(rows.T, mode="r", pivoting=True)
    diagonal = np.abs(np.diagonal(triangle))
    rank = int((diagonal > RANK_TOL * max(float(diagonal[0]), 1e-300)).sum())
    return np.sort(order[:rank])
