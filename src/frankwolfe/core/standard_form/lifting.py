"""Coefficients with bounds, and the variables that they make."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from frankwolfe.base.arrays import Array, Indices

__all__ = ["Layout", "mirrored", "plain"]


@dataclass(frozen=True)
class Layout:
    """Which coefficients make each variable: one, or a positive and a negative part.

    Those in neither list are slacks. T takes coefficients to variables.
    """

    plus: Indices
    minus: Indices  # as many, -1 where there is no negative part
    size: int

    @property
    def _two(self) -> Any:
        return self.minus >= 0

    def gather(self, y: Array) -> Array:
        """T y."""
        return np.asarray(self.gather_rows(y[None])[0])

    def gather_rows(self, rows: Array) -> Array:
        """Rows times T'."""
        x = rows[:, self.plus]
        x[:, self._two] -= rows[:, self.minus[self._two]]
        return x

    def matrix(self) -> Any:
        """T, sparse."""
        from scipy.sparse import csr_array

        x = np.arange(self.plus.size)
        places = np.concatenate([self.plus, self.minus[self._two]])
        signs = np.where(np.arange(places.size) < x.size, 1.0, -1.0)
        rows = np.concatenate([x, x[self._two]])
        return csr_array((signs, (rows, places)), shape=(x.size, self.size))

    def gathered(self, d: Array) -> Array:
        """The diagonal of T diag(d) T'."""
        x = d[self.plus]
        x[self._two] += d[self.minus[self._two]]
        return x

    def spread(self, x: Array) -> Array:
        """T' x."""
        y = np.zeros(self.size)
        y[self.plus] = x
        y[self.minus[self._two]] = -x[self._two]
        return y

    @cached_property
    def slack(self) -> Indices:
        """The coefficients that make no variable."""
        return np.setdiff1d(np.arange(self.size), np.concatenate([self.plus, self.minus]))

    def _pair(self, d: Array) -> tuple[Array, Array, Array]:
        """D of the positive parts that have a negative one, D of these, and the sums."""
        p, q = d[self.plus[self._two]], d[self.minus[self._two]]
        return p, q, p + q

    def joined(self, D: Array) -> Array:
        """(T D^-1 T')^-1: what bends x where its two parts share a move in the best way."""
        x = D[self.plus]
        p, q, both = self._pair(D)
        x[self._two] = p * (q / both)
        return x

    def reduced(self, R: Array, D: Array) -> tuple[Array, Array]:
        """Rows of coefficients as rows of x, and what they are worth in the rest of y."""
        two = self._two
        rows = R[:, self.plus]
        p, q, both = self._pair(D)
        minus = R[:, self.minus[two]]
        sums = rows[:, two] + minus
        rows[:, two] = rows[:, two] * (q / both) - minus * (p / both)
        slack = R[:, self.slack]
        return rows, (sums / both) @ sums.T + (slack / D[self.slack]) @ slack.T

    def folded(self, a: Array, R: Array, D: Array) -> tuple[Array, Array]:
        """A right-hand side of coefficients as one of x, and what that moves in the rows."""
        two = self._two
        x = a[self.plus]
        p, q, both = self._pair(D)
        sums = x[two] + a[self.minus[two]]
        x[two] = x[two] * (q / both) - a[self.minus[two]] * (p / both)
        rows = R[:, self.plus][:, two] + R[:, self.minus[two]]
        return x, rows @ (sums / both) + R[:, self.slack] @ (a[self.slack] / D[self.slack])

    def unfolded(self, x: Array, a: Array, D: Array) -> Array:
        """The coefficients of a move of x, where `a` is what their own conditions ask for."""
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


def plain(n: int, size: int = 0) -> Layout:
    """A variable for each coefficient but slacks at the end."""
    return Layout(np.arange(n), np.full(n, -1), max(n, size))


def mirrored(n: int, size: int) -> Layout:
    """Positive parts, negative parts, then slacks."""
    return Layout(np.arange(n), np.arange(n, 2 * n), size)
