r"""The Newton system of a step along the interior path, reduced and solved.

.. math:: D\,dy + T'(H\,T\,dy + G'du) + R'dr = a, \quad G\,T\,dy + U\,db - E\,du = b, \quad
          R\,dy - E_R\,dr = b_R, \quad U'du = c

with diagonal D > 0, E > 0 and E_R >= 0. T takes the coefficients to their `Lifting`'s variables,
so that a positive and a negative part, which are as good as parallel, are never in one matrix.
It is reduced to the smaller side of G, scaled so that the diagonal is one (columns of any scale
lose nothing), factored by Cholesky, and refined by the residuals of all four.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.core.standard_form.lifting import Lifting

__all__ = ["Equations", "NewtonSystem", "Sides"]

EPS = 2.0**-52
MAX_RIDGES = 8  # each 100 times the last; the 8th is 2 % of the diagonal, which is scaled to one
MAX_REFINEMENTS = 5  # of a solution by its residuals, while each round halves them
FREE_RIDGE = 1e-13  # of its own curvature, for a variable far from bounds; refinement removes it
SMALLEST = 1e-290  # in the place of a zero diagonal, so that its square root has an inverse


class Sides(NamedTuple):
    """One solution (dy, du, dr, db) of the system, or one right-hand side."""

    y: Array
    u: Array
    r: Array
    b: Array

    def plus(self, other: Sides) -> Sides:
        """Sum, part by part."""
        return Sides(*(one + two for one, two in zip(self, other, strict=True)))

    def minus(self, other: Sides) -> Sides:
        """Difference, part by part."""
        return Sides(*(one - two for one, two in zip(self, other, strict=True)))


class Equations(NamedTuple):
    """The matrices G, R, U, H and diagonals D, E, E_R of the system."""

    layout: Lifting
    G: Array
    R: Array
    U: Array
    D: Array
    E: Array
    E_R: Array
    H: Array | None = None

    def left(self, move: Sides) -> Sides:
        """Left-hand sides at a move."""
        x = self.layout.gather(move.y)
        pull = self.G.T @ move.u
        if self.H is not None:
            pull += self.H @ x
        return Sides(
            self.D * move.y + self.layout.spread(pull) + self.R.T @ move.r,
            self.G @ x + self.U @ move.b - self.E * move.u,
            self.R @ move.y - self.E_R * move.r,
            self.U.T @ move.u,
        )

    def own(self) -> Array:
        """Diagonal of H + G' E^-1 G."""
        added = np.einsum("ij,ij,i->j", self.G, self.G, 1.0 / self.E)
        return np.asarray(added if self.H is None else added + np.diagonal(self.H))


class _Reduction(Protocol):
    """A factored reduction of the system to one symmetric matrix."""

    def solve(self, right: Sides) -> Sides:
        """Solution up to rounding, to be refined."""


class NewtonSystem:
    """Newton's equations, factored once for several right-hand sides."""

    def __init__(self, equations: Equations) -> None:
        self.equations = of = equations
        m, n = of.G.shape
        own = of.own()
        spread = np.abs(of.layout.spread(own))
        held = of.D + FREE_RIDGE * spread  # what is free of bounds would be divided by nothing
        rows = of.H is None and m + of.R.shape[0] <= n
        self._side: _Reduction = _ReducedToRows(of, held) if rows else _ReducedToVariables(of)
        inverse = of.layout.gathered(1.0 / held)
        self._scales = Sides(
            1.0 / np.sqrt(of.D + spread + SMALLEST),
            1.0 / np.sqrt(of.E + np.einsum("ij,ij,j->i", of.G, of.G, inverse) + SMALLEST),
            1.0 / np.sqrt(of.E_R + np.einsum("ij,ij,j->i", of.R, of.R, 1.0 / held) + SMALLEST),
            np.ones(of.U.shape[1]),
        )

    def solve(self, right: Sides) -> Sides:
        """Solution, refined while each round at least halves the residuals."""
        move = self._side.solve(right)
        rest = right.minus(self.equations.left(move))
        for _ in range(MAX_REFINEMENTS):
            ahead = move.plus(self._side.solve(rest))
            left = right.minus(self.equations.left(ahead))
            if not self._size(left) < 0.5 * self._size(rest):
                break
            move, rest = ahead, left
        return move

    def _size(self, rest: Sides) -> float:
        """Norm of residuals, each in its own unit."""
        pairs = zip(rest, self._scales, strict=True)
        return sum(float(np.linalg.norm(r * scale)) for r, scale in pairs)


class _Inverse:
    """Inverse of a positive semidefinite matrix by Cholesky, with a ridge where rounding asks."""

    def __init__(self, K: Array) -> None:
        from scipy.linalg.lapack import dpotrf

        self._scale = 1.0 / np.sqrt(np.maximum(np.diagonal(K), SMALLEST))
        ridge = EPS
        for _ in range(MAX_RIDGES if K.size else 0):
            work = np.multiply(K, self._scale[:, None], order="F")
            work *= self._scale
            work.ravel(order="K")[:: K.shape[0] + 1] += ridge
            self._factor, info = dpotrf(work, lower=1, clean=0, overwrite_a=1)
            if info == 0:
                break
            ridge *= 100.0
        else:
            if K.size:
                raise np.linalg.LinAlgError

    def __call__(self, b: Array) -> Array:
        from scipy.linalg.lapack import dpotrs

        if not b.size:
            return b.copy()
        scale = self._scale if b.ndim == 1 else self._scale[:, None]
        x, _ = dpotrs(self._factor, scale * b, lower=1)
        return np.asarray(scale * x)


class _ReducedToRows:
    """Reduction to u and r, for few rows: S = [G T; R] D^-1 [G T; R]' + E, and U beside it."""

    def __init__(self, of: Equations, D: Array) -> None:
        self._of, self._D = of, D
        m, k = of.G.shape[0], of.R.shape[0]
        across = of.layout.gather_rows(of.R / D)  # R D^-1 T'
        S = np.empty((m + k, m + k))
        S[:m, :m] = (of.G * of.layout.gathered(1.0 / D)) @ of.G.T
        S[m:, :m] = across @ of.G.T
        S[:m, m:] = S[m:, :m].T
        S[m:, m:] = (of.R / D) @ of.R.T
        S.ravel()[:: m + k + 1] += np.concatenate([of.E, of.E_R])
        self._inverse = _Inverse(S)
        self._U = np.zeros((m + k, of.U.shape[1]))
        self._U[:m] = of.U
        self._beside = self._inverse(self._U)
        self._free = _Inverse(self._U.T @ self._beside)

    def solve(self, right: Sides) -> Sides:
        """Solution up to rounding, by a solve for u and r."""
        of, D, m = self._of, self._D, self._of.G.shape[0]
        first = right.y / D
        both = np.concatenate([of.G @ of.layout.gather(first) - right.u, of.R @ first - right.r])
        w = self._inverse(both)
        b = self._free(right.b - self._U.T @ w)
        w = w + self._beside @ b
        u, r = w[:m], w[m:]
        y = (right.y - of.layout.spread(of.G.T @ u) - of.R.T @ r) / D
        return Sides(y, u, r, b)


class _ReducedToVariables:
    """Reduction to x = T y and b: K = D_x + H + G' E^-1 G, with D_x the two parts of D in one."""

    def __init__(self, of: Equations) -> None:
        self._of = of
        n, layout = of.G.shape[1], of.layout
        self._columns = np.hstack([of.G, of.U])
        self._over = self._columns / of.E[:, None]
        K = self._columns.T @ self._over
        if of.H is not None:
            K[:n, :n] += of.H
        K.ravel()[: n * K.shape[0] : K.shape[0] + 1] += layout.joined(of.D)
        self._inverse = _Inverse(K)
        reduced, inner = layout.reduced(of.R, of.D)
        self._R = np.zeros((of.R.shape[0], K.shape[0]))
        self._R[:, :n] = reduced
        self._beside = self._inverse(self._R.T)
        inner.ravel()[:: max(inner.shape[0], 1) + 1] += of.E_R
        self._outer = _Inverse(self._R @ self._beside + inner)

    def solve(self, right: Sides) -> Sides:
        """Solution up to rounding, by a solve for x and b."""
        of, layout, n = self._of, self._of.layout, self._of.G.shape[1]
        a, b_r = layout.folded(right.y, of.R, of.D)
        first = np.concatenate([a, right.b]) + self._over.T @ right.u
        both = self._inverse(first)
        r = self._outer(self._R @ both - (right.r - b_r))
        both = both - self._beside @ r
        u = self._over @ both - right.u / of.E
        y = layout.unfolded(both[:n], right.y - of.R.T @ r, of.D)
        return Sides(y, u, r, both[n:])
