"""The map T from bounded coefficients y to variables x = T y, and its part of Newton systems."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from frankwolfe.base.arrays import Array, Flags, Indices, Matrix

__all__ = ["Lifting", "mirrored", "plain"]


@dataclass(frozen=True)
class Lifting:
    """The map T with x_i = y[plus_i] - y[minus_i], or y[plus_i] where minus_i is -1.

    Coefficients in neither list are slacks.
    """

    plus: Indices
    minus: Indices  # -1 where there is no negative part
    size: int

    @property
    def _two(self) -> Flags:
        """True for the variables with a negative part."""
        return self.minus >= 0

    def gather(self, y: Array) -> Array:
        """Variables T y."""
        return np.asarray(self.gather_rows(y[None])[0])

    def gather_rows(self, rows: Array) -> Array:
        """Product of rows of coefficients with T'."""
        x = rows[:, self.plus]
        x[:, self._two] -= rows[:, self.minus[self._two]]
        return x

    def matrix(self) -> Matrix:
        """Sparse matrix T."""
        from scipy.sparse import csr_array

        x = np.arange(self.plus.size)
        places = np.concatenate([self.plus, self.minus[self._two]])
        signs = np.where(np.arange(places.size) < x.size, 1.0, -1.0)
        rows = np.concatenate([x, x[self._two]])
        return csr_array((signs, (rows, places)), shape=(x.size, self.size))

    def gathered(self, d: Array) -> Array:
        """Diagonal of T diag(d) T'."""
        x = d[self.plus]
        x[self._two] += d[self.minus[self._two]]
        return x

    def spread(self, x: Array) -> Array:
        """Product T' x."""
        y = np.zeros(self.size)
        y[self.plus] = x
        y[self.minus[self._two]] = -x[self._two]
        return y

    @cached_property
    def slack(self) -> Indices:
        """Coefficients that belong to no variable."""
        return np.setdiff1d(np.arange(self.size), np.concatenate([self.plus, self.minus]))

    def _pair(self, d: Array) -> tuple[Array, Array, Array]:
        """Entries p of the positive and q of the negative parts of pairs, and p + q."""
        p, q = d[self.plus[self._two]], d[self.minus[self._two]]
        return p, q, p + q

    def joined(self, D: Array) -> Array:
        """Diagonal (T D^-1 T')^-1: the curvature of x where its parts share a move at best."""
        x = D[self.plus]
        p, q, both = self._pair(D)
        x[self._two] = p * (q / both)  # not p q / both: a product may overflow
        return x

    def reduced(self, R: Array, D: Array) -> tuple[Array, Array]:
        """Rows R in terms of x after elimination of the rest of y, and that rest's Schur term."""
        two = self._two
        rows = R[:, self.plus]
        p, q, both = self._pair(D)
        minus = R[:, self.minus[two]]
        sums = rows[:, two] + minus
        rows[:, two] = rows[:, two] * (q / both) - minus * (p / both)
        slack = R[:, self.slack]
        return rows, (sums / both) @ sums.T + (slack / D[self.slack]) @ slack.T

    def folded(self, a: Array, R: Array, D: Array) -> tuple[Array, Array]:
        """Right-hand side a in terms of x after elimination, and the rows' change by it."""
        two = self._two
        x = a[self.plus]
        p, q, both = self._pair(D)
        sums = x[two] + a[self.minus[two]]
        x[two] = x[two] * (q / both) - a[self.minus[two]] * (p / both)
        rows = R[:, self.plus][:, two] + R[:, self.minus[two]]
        return x, rows @ (sums / both) + R[:, self.slack] @ (a[self.slack] / D[self.slack])

    def unfolded(self, x: Array, a: Array, D: Array) -> Array:
        """Coefficients of a move of x, where `a` is the right-hand side of their conditions."""
        y = np.zeros(self.size)
        y[self.plus] = x
        two = self._two
        p, q, both = self._pair(D)
        sums = a[self.plus[two]] + a[self.minus[two]]
        # of p = x + q and q = p - x the one next to its bound has its digits from the sum
        y[self.minus[two]] = sums / both - x[two] * (p / both)
        y[self.plus[two]] = sums / both + x[two] * (q / both)
        y[self.slack] = a[self.slack] / D[self.slack]
        return y


def plain(n: int, size: int = 0) -> Lifting:
    """Identity on the first n coefficients; the others, up to `size`, are slacks."""
    return Lifting(np.arange(n), np.full(n, -1), max(n, size))


def mirrored(n: int, size: int) -> Lifting:
    """Map for n positive parts, n negative parts, and then slacks."""
    return Lifting(np.arange(n), np.arange(n, 2 * n), size)
