r"""The largest eigenpair of a symmetric operator, with an upper bound on its eigenvalue.

A Ritz value bounds the largest eigenvalue from below only. From above there is a bound that
holds unless the start was unlucky: with q_j = p_j(S) q_0 the Lanczos vectors and c the
component of q_0 along the top eigenvector u, the numbers p_j(λ) c are the components of u in
an orthonormal basis, so

.. math:: c^2 \sum_{j \le k} p_j(\lambda_{\max})^2 \le 1 .

A start with a fresh random part has c >= c_0 except with probability delta, and the bound is
the largest λ with sum p_j(λ)^2 <= 1/c_0^2 (J. van Dorsselaer, M. Hochstenbach and H. van der
Vorst, *Computing probabilistic bounds for extreme eigenvalues of symmetric matrices with the
Lanczos method*, SIAM J. Matrix Anal. Appl. 22, 2000).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.clock import seconds_left
from frankwolfe.core.kernels import krylov
from frankwolfe.core.place import HERE, Place

__all__ = ["DELTA", "RitzPair", "RitzSpan", "beside", "random_start", "top_pair"]

MAX_RESIDUAL_RATIO = 4.0  # times the median residual; Ritz vectors beyond it are left out of a span
DELTA = 1e-10
"""Probability with which one upper bound may fail."""


@dataclass(frozen=True)
class RitzPair:
    """A Ritz pair with bounds: `value` <= largest eigenvalue <= `above`.

    `residual` bounds the distance of `value` from some eigenvalue; `steps` products were made.
    """

    value: float
    vector: Array
    above: float
    residual: float
    steps: int


def random_start(
    warm: Array | None,
    n: int,
    seed: tuple[int, int],
    share: float = 0.3,
    place: Place = HERE,
) -> tuple[Array, float]:
    """Unit start vector, and c_0 with |<start, u>| >= c_0 except with probability DELTA.

    To a warm start of length 1 a random part of length `share` is added, since the bound from
    above needs a random start. For a random unit vector r and any fixed u and a,
    P(|a + <r, u>| <= t) is largest at a = 0, where it is at most t sqrt(2 n / pi).
    """
    noise = place.noise(seed, n)
    least = DELTA * math.sqrt(math.pi / (2.0 * n))
    if warm is None:
        return noise, least
    start = place.put(warm) + share * noise
    length = place.norm(start)
    return start / length, share * least / length


def top_pair(
    product: Callable[[Array, Array], None],
    start: Array,
    least: float,
    *,
    ceiling: float,
    enough: Callable[[float, float, float], bool],
    most: int,
    place: Place = HERE,
) -> RitzPair:
    """Lanczos with full orthogonalization until `enough(value, above, residual)`.

    It also ends when the run around has no time left: `above` holds after any step.

    Parameters
    ----------
    product : callable
        ``product(x, out)`` writes S x.
    start, least
        Start vector and c_0, as :func:`random_start` returns them.
    ceiling : float
        Certain upper bound on the largest eigenvalue.
    enough : callable
        Stopping rule, called after some of the steps: ever fewer, since it costs an eigenproblem.
    most : int
        Largest number of steps.
    place : Place
        Memory in which the vectors live.
    """
    n = start.size
    most = min(most, n)
    basis = place.empty((min(most, 16) + 1, n), np.float64)
    basis[0] = start
    diagonal, off = np.zeros(most), np.zeros(most)
    w = place.empty(n, np.float64)
    check = 1
    for k in range(most):
        if k + 1 == basis.shape[0]:
            more = place.empty((min(k + 1, most - k), n), np.float64)
            basis = np.concatenate([basis, more])
        product(basis[k], w)
        diagonal[k], off[k] = place.krylov.orthogonalize(basis, k, w)
        known = basis[: k + 1]
        scale = max(float(np.abs(diagonal[: k + 1]).max()), float(off[: k + 1].max()), 1e-300)
        full = off[k] <= 1e-13 * scale or k + 1 == n  # the Krylov space is full
        late = seconds_left() <= 0.0
        if k + 1 < check and not full and k + 1 < most and not late:
            basis[k + 1] = w / off[k]
            continue
        check = max(k + 2, (5 * (k + 1)) // 4)  # ever more rarely: a check costs O(k^2)
        ritz, y = _ritz(diagonal, off, k + 1)
        residual = off[k] * abs(float(y[-1]))
        if full:
            above = ritz + 1e-12 * scale
            return RitzPair(ritz, place.put(y) @ known, min(above, max(ceiling, ritz)), 0.0, k + 1)
        above = float(
            krylov.eigenvalue_above(diagonal, off, k + 1, ritz, max(ceiling, ritz), least**-2)
        )
        if k + 1 == most or late or enough(ritz, above, residual):
            break
        basis[k + 1] = w / off[k]
    return RitzPair(ritz, place.put(y) @ basis[: k + 1], above, residual, k + 1)


class RitzSpan(NamedTuple):
    """A nearly invariant subspace of S near its leading eigenvectors.

    `vectors` V has the orthonormal Ritz vectors as columns, `top` and `vector` are the largest
    Ritz pair, and `off` is the 2-norm of (I - V V')S V.
    """

    vectors: Array
    top: float
    vector: Array
    off: float

    @classmethod
    def of(cls, vectors: Array, images: Array, place: Place = HERE) -> RitzSpan:
        """The subspace from orthonormal vectors Q and S Q, less Ritz vectors of large residual.

        A few large residuals would make `off`, and with it the bound of `above`, large for all.
        """
        between = vectors.T @ images
        rest = images - vectors @ between
        rest -= vectors @ (vectors.T @ rest)
        small = place.get(between)
        values, turns = np.linalg.eigh(0.5 * (small + small.T))
        square = turns.T @ place.get(rest.T @ rest) @ turns
        lengths = np.sqrt(np.maximum(square.diagonal(), 0.0))
        keep = lengths <= MAX_RESIDUAL_RATIO * np.median(lengths)
        values, turns, square = values[keep], turns[:, keep], square[np.ix_(keep, keep)]
        off = math.sqrt(max(float(np.linalg.eigvalsh(0.5 * (square + square.T))[-1]), 0.0))
        kept = vectors @ place.put(turns)
        return cls(kept, float(values[-1]), kept[:, -1].copy(), off)

    def above(self, beyond: float) -> float:
        """Upper bound on the largest eigenvalue of S, from one on the orthogonal complement.

        For a unit vector with the part c within the span, <x, Sx> <= c^2 top + 2 c s off
        + s^2 beyond, s^2 = 1 - c^2: the largest eigenvalue of a matrix of two rows.
        """
        half, middle = 0.5 * (self.top - beyond), 0.5 * (self.top + beyond)
        return middle + math.hypot(half, self.off)


def beside(
    span: RitzSpan,
    product: Callable[[Array, Array], None],
    start: Array,
    least: float,
    place: Place,
) -> tuple[Callable[[Array, Array], None], Array, float]:
    """Product, start and `least` of :func:`top_pair` for S on the complement of a subspace.

    Projecting the start does not change its component along an eigenvector there, only its length.
    """
    vectors = span.vectors

    def rest(x: Array, out: Array) -> None:
        product(x, out)
        out -= vectors @ (vectors.T @ out)

    start = start - vectors @ (vectors.T @ start)  # twice: once leaves rounding of its length
    start -= vectors @ (vectors.T @ start)
    length = place.norm(start)
    return rest, start / length, least / length


def _ritz(diagonal: Array, off: Array, k: int) -> tuple[float, Array]:
    """Largest eigenpair of the k x k tridiagonal matrix."""
    if k == 1:
        return float(diagonal[0]), np.ones(1)
    from scipy.linalg import eigh_tridiagonal

    values, vectors = eigh_tridiagonal(
        diagonal[:k], off[: k - 1], select="i", select_range=(k - 1, k - 1)
    )
    return float(values[0]), vectors[:, 0]
