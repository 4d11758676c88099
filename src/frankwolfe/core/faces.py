r"""Faces of matrix regions, and thin matrices that move in them.

A thin matrix :math:`X = USV'` is given by its singular value decomposition. The matrices
:math:`UMV'` with :math:`M \succeq 0` and the trace of S are the smallest face around X of a
nuclear ball whose boundary X is on, and of a spectraplex.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array, Dtype
from frankwolfe.base.foreign import to_host
from frankwolfe.core.atoms import RankOne
from frankwolfe.core.gradients import matrix_gradient
from frankwolfe.core.low_rank import FactoredMatrix
from frankwolfe.core.region_abilities import Gradient

__all__ = ["FaceAwayStep", "RankOneSpan", "ThinFaces", "within_face"]

BOUNDARY_TOL = 1e-4  # relative; a trace this close to the largest counts as the largest
MIN_ROOM = 1e-4  # inverse of the longest step; below, X is nearly the vertex: digits cancel


class ThinFaces(ABC):
    """Ability of a region of matrices to find the smallest face that holds a thin matrix."""

    @abstractmethod
    def away(self, x: FactoredMatrix, g: Gradient) -> FaceAwayStep | None:
        """Step away from the vertex with the largest <g, v> of the face; None where x is it."""


class FaceAwayStep(NamedTuple):
    """Away step X + alpha (X - Z) from a vertex Z of a face, for alpha up to `longest`."""

    vertex: RankOne
    longest: float
    point: Callable[[float], FactoredMatrix]
    """The thin point at alpha."""


def within_face(x: FactoredMatrix, g: Gradient, most: float) -> FaceAwayStep | None:
    r"""Step away from the vertex with the largest <G, Z> of the face around X; None where X is it.

    `most` is the largest trace in the region. Where X has it, the face is :math:`\{UMV' : M
    \succeq 0, tr M = tr S\}`. With w the top eigenvector of the symmetric part of U'GV the
    vertex is tr(S) Uw(Vw)', and the longest step 1/(tr(S) w'S^{-1}w - 1) takes one from the
    rank. Where X has less, the set is that with tr M <= most, and zero is a vertex too.
    """
    trace = float(x.weights.sum())
    inside = trace < (1.0 - BOUNDARY_TOL) * most
    if x.terms < (1 if inside else 2):
        return None
    inner = matrix_gradient(g).between(x.left, x.right)
    slopes, vectors = np.linalg.eigh(0.5 * (inner + inner.T))
    if inside and slopes[-1] <= 0.0:
        return _from_zero(x, most / trace - 1.0)
    # (1 + alpha) S - alpha total ww' is psd while alpha (total w'S^-1 w - 1) <= 1
    w, total = vectors[:, -1], most if inside else trace
    room = total * float((w**2 / x.weights).sum()) - 1.0
    if room < MIN_ROOM:
        return None
    longest, dtype = 1.0 / room, x.left.dtype

    def point(alpha: float) -> FactoredMatrix:
        middle = np.diag((1.0 + alpha) * x.weights) - alpha * total * np.outer(w, w)
        values, turn = np.linalg.eigh(middle)
        least = float(np.finfo(dtype).eps) * values[-1]
        first = max(int((values <= least).sum()), int(alpha >= longest))  # one is zero at the end
        values, turn = values[first:][::-1], turn[:, first:][:, ::-1].T
        if values.size:  # the trace, free of rounding
            values = values * (((1.0 + alpha) * trace - alpha * total) / values.sum())
        return _narrow(turn @ x.left, values, turn @ x.right, dtype)

    vertex = RankOne(total, (w @ x.left).astype(dtype), (w @ x.right).astype(dtype))
    return FaceAwayStep(vertex, longest, point)


def _from_zero(x: FactoredMatrix, longest: float) -> FaceAwayStep:
    """Away step from the vertex zero: along X itself."""
    zero = RankOne(0.0, x.left[0], x.right[0])
    return FaceAwayStep(
        zero, longest, lambda a: FactoredMatrix(x.left, (1.0 + a) * x.weights, x.right)
    )


class RankOneSpan:
    """Matrices a X + b S for a thin X and an atom S, by decompositions of size rank + 1."""

    def __init__(self, x: FactoredMatrix, atom: RankOne) -> None:
        self._dtype = x.left.dtype
        p, self._left = _extended(x.left, to_host(atom.u))
        q, self._right = _extended(x.right, to_host(atom.v))
        self._x, self._atom = np.diag(np.append(x.weights, 0.0)), atom.scale * np.outer(p, q)

    def matrix(self, a: float, b: float) -> FactoredMatrix:
        """Thin decomposition of a X + b S."""
        u, s, vt = np.linalg.svd(a * self._x + b * self._atom)
        rank = int((s > float(np.finfo(self._dtype).eps) * s[0]).sum())
        left, right = u[:, :rank].T @ self._left, vt[:rank] @ self._right
        return _narrow(left, s[:rank].copy(), right, self._dtype)


def _extended(basis: Array, p: Array) -> tuple[Array, Array]:
    """Coordinates of p in an orthonormal basis (rows) extended by p, and the extended basis."""
    basis = basis.astype(np.float64, copy=False)
    coordinates = basis @ p
    rest = p - coordinates @ basis
    length = float(np.linalg.norm(rest))
    if length > 100.0 * np.finfo(p.dtype).eps:
        rest /= length
        rest -= (basis @ rest) @ basis  # a second time, for what cancellation has left
        rest /= np.linalg.norm(rest)
    else:  # p lies within, to rounding; a row of zeros takes no part
        length, rest = 0.0, np.zeros(p.size)
    return np.append(coordinates, length), np.vstack([basis, rest])


def _narrow(left: Array, weights: Array, right: Array, dtype: Dtype) -> FactoredMatrix:
    """Thin matrix whose factors have the type `dtype`."""
    left, right = (np.ascontiguousarray(side, dtype=dtype) for side in (left, right))
    return FactoredMatrix(left, weights, right)
