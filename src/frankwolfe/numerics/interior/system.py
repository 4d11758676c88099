r"""The linear system of a step along the path.

.. math:: D\,dy + G'dw = a, \quad G\,dy + U\,db - E\,dw = b, \quad U'dw = c

with diagonal D > 0 and E >= 0, or a positive semidefinite matrix beside D. It is reduced to the
smaller of its two sides, scaled so that its diagonal is one (columns of any scale lose nothing),
factored by Cholesky, and refined by the residuals of all three.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from frankwolfe.numerics.arrays import Array

__all__ = ["Equations", "System", "factored"]

EPS = 2.0**-52
TRIALS = 8
REFINED = 5  # rounds, at most
HELD = 1e-9  # share of its own curvature that holds a variable back, until it is refined


class Solution(NamedTuple):
    """One move, or one right-hand side."""

    y: Array
    w: Array
    b: Array

    def plus(self, other: Solution) -> Solution:
        return Solution(self.y + other.y, self.w + other.w, self.b + other.b)


class Equations(NamedTuple):
    """G by its first rows, which have E > 0, and the others; D, E, U, and what is beside D."""

    rows: Array
    border: Array
    D: Array
    E: Array
    U: Array
    H: Array | None = None

    def own(self) -> Array:
        """What the rows add to the diagonal of D."""
        m = self.rows.shape[0]
        added = np.einsum("ij,ij,i->j", self.rows, self.rows, 1.0 / self.E[:m])
        return added if self.H is None else added + np.diagonal(self.H)

    def square(self, D: Array) -> Array:
        """The diagonal of G D^-1 G'."""
        both = (np.einsum("ij,ij,j->i", part, part, 1.0 / D) for part in (self.rows, self.border))
        return np.concatenate(list(both))

    def left(self, move: Solution) -> Solution:
        """The three left-hand sides."""
        m = self.rows.shape[0]
        first = self.D * move.y + self.rows.T @ move.w[:m] + self.border.T @ move.w[m:]
        if self.H is not None:
            first += self.H @ move.y
        second = np.concatenate([self.rows @ move.y + self.U @ move.b, self.border @ move.y])
        return Solution(first, second - self.E * move.w, self.U.T @ move.w[:m])


class _Side(Protocol):
    def solve(self, right: Solution) -> Solution:
        """The move, up to rounding."""


class System:
    """The equations, factored."""

    def __init__(self, equations: Equations) -> None:
        self.equations = equations
        m, n = equations.rows.shape
        own = equations.own()
        short = equations.H is None and m + equations.border.shape[0] <= n
        held = equations.D + HELD * own  # what is free of bounds would be divided by nothing
        self._side: _Side = _ByRows(equations, held) if short else _ByVariables(equations)
        self._scales = Solution(
            1.0 / np.sqrt(equations.D + own + 1e-290),
            1.0 / np.sqrt(equations.E + equations.square(held) + 1e-290),
            np.ones(equations.U.shape[1]),
        )

    def solve(self, right: Solution) -> Solution:
        """The move, refined while that brings the residuals down."""
        move = self._side.solve(right)
        rest = self._rest(right, move)
        for _ in range(REFINED):
            ahead = move.plus(self._side.solve(rest))
            left = self._rest(right, ahead)
            if not self._size(left) < 0.5 * self._size(rest):
                break
            move, rest = ahead, left
        return move

    def _rest(self, right: Solution, move: Solution) -> Solution:
        left = self.equations.left(move)
        return Solution(*(r - now for r, now in zip(right, left, strict=True)))

    def _size(self, rest: Solution) -> float:
        """Of residuals, each in its own unit."""
        pairs = zip(rest, self._scales, strict=True)
        return sum(float(np.linalg.norm(r * scale)) for r, scale in pairs)


class factored:  # noqa: N801  (a function that remembers)
    """A positive semidefinite matrix, whose inverse it applies; rounding gets a ridge."""

    def __init__(self, K: Array) -> None:
        from scipy.linalg.lapack import dpotrf

        diagonal = np.maximum(np.diagonal(K), 1e-290)
        self._scale = 1.0 / np.sqrt(diagonal)
        ridge = EPS
        for _ in range(TRIALS):
            work = np.multiply(K, self._scale[:, None], order="F")
            work *= self._scale
            work.ravel(order="K")[:: K.shape[0] + 1] += ridge
            self._factor, info = dpotrf(work, lower=1, clean=0, overwrite_a=1)
            if info == 0:
                return
            ridge *= 100.0
        raise np.linalg.LinAlgError

    def __call__(self, b: Array) -> Array:
        from scipy.linalg.lapack import dpotrs

        if not b.size:
            return b.copy()
        scale = self._scale if b.ndim == 1 else self._scale[:, None]
        x, _ = dpotrs(self._factor, scale * b, lower=1)
        return np.asarray(scale * x)


class _ByRows:
    """In w: (G D^-1 G' + E) dw - U db, for few rows."""

    def __init__(self, equations: Equations, D: Array) -> None:
        self._D = D
        self._G = np.vstack([equations.rows, equations.border])
        over = self._G / D
        S = over @ self._G.T
        S.ravel()[:: S.shape[0] + 1] += equations.E
        self._inverse = factored(S)
        self._U = np.zeros((S.shape[0], equations.U.shape[1]))
        self._U[: equations.rows.shape[0]] = equations.U
        self._beside = self._inverse(self._U)
        self._free = factored(self._U.T @ self._beside) if self._U.shape[1] else None

    def solve(self, right: Solution) -> Solution:
        D = self._D
        w = self._inverse(self._G @ (right.y / D) - right.w)
        b = np.zeros(0)
        if self._free is not None:
            b = self._free(right.b - self._U.T @ w)
            w = w + self._beside @ b
        return Solution((right.y - self._G.T @ w) / D, w, b)


class _ByVariables:
    """In y and b: the other rows but those at the border are eliminated."""

    def __init__(self, equations: Equations) -> None:
        self._of = equations
        rows, U = equations.rows, equations.U
        m, n = rows.shape
        self._n, self._m = n, m
        self._columns = np.hstack([rows, U]) if U.shape[1] else rows
        self._over = self._columns / equations.E[:m, None]
        K = self._columns.T @ self._over
        if equations.H is not None:
            K[:n, :n] += equations.H
        K.ravel()[: n * K.shape[0] : K.shape[0] + 1] += equations.D
        self._inverse = factored(K)
        self._border = np.zeros((equations.border.shape[0], K.shape[0]))
        self._border[:, :n] = equations.border
        self._beside = self._inverse(self._border.T)
        T = self._border @ self._beside
        T.ravel()[:: max(T.shape[0], 1) + 1] += equations.E[m:]
        self._outer = factored(T) if T.shape[0] else None

    def solve(self, right: Solution) -> Solution:
        m, n = self._m, self._n
        first = np.concatenate([right.y, right.b]) + self._over.T @ right.w[:m]
        both, outer = self._inverse(first), np.zeros(0)
        if self._outer is not None:
            outer = self._outer(self._border @ both - right.w[m:])
            both = both - self._beside @ outer
        inner = self._over @ both - right.w[:m] / self._of.E[:m]
        return Solution(both[:n], np.concatenate([inner, outer]), both[n:])
