"""Proofs in floating point that a symmetric matrix is positive semidefinite, or how nearly so."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array

__all__ = ["Deficit", "deficit_of", "top_eigenvalue_above"]

UNIT = 2.0**-53  # unit roundoff of double precision
INDEFINITE_TOL = (
    1e-7  # an eigenvalue, of a matrix with a diagonal near one, that counts as rounding
)


class Deficit(NamedTuple):
    """A proof that Q + size diag(weights)^2 is positive semidefinite."""

    size: float
    weights: Array


def deficit_of(Q: Array) -> Deficit | None:
    """Smallest deficit that can be proved; None if Q is indefinite by more than rounding.

    Q is scaled by powers of two to a diagonal between 1/2 and 2, which is exact. If a Cholesky
    factorization of B - cI ends, with c above the error of that factorization, B is positive
    semidefinite. Else B + cI is tried, then what the smallest eigenvalue says.

    Parameters
    ----------
    Q : array of shape (n, n)
        Symmetric, finite.

    References
    ----------
    S. M. Rump, *Verification of positive definiteness*, BIT Numerical Mathematics 46, 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.core.semidefinite import deficit_of
    >>> deficit_of(np.diag([1.0, 2.0])).size, deficit_of(np.diag([1e8, -1.0]))
    (0.0, None)
    """
    diagonal = Q.diagonal()
    used = diagonal > 0.0
    if (diagonal < 0.0).any() or Q[~used].any():
        return None
    weights = np.zeros(len(Q))
    half = np.rint(0.5 * np.log2(diagonal[used])).astype(np.int64)
    weights[used] = np.ldexp(1.0, half)
    B = np.ldexp(Q[np.ix_(used, used)], -(half[:, None] + half[None]))
    error = cholesky_error(B)
    if not len(B) or _factors(B, -error):
        return Deficit(0.0, weights)
    if _factors(B, error):
        return Deficit(2.0 * error, weights)
    least = float(np.linalg.eigvalsh(B)[0])
    return None if least < -INDEFINITE_TOL else Deficit(max(-least, 0.0) + 2.0 * error, weights)


def top_eigenvalue_above(M: Array) -> float:
    """Upper bound on the eigenvalues of a symmetric matrix, proved by a Cholesky factor.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.core.semidefinite import top_eigenvalue_above
    >>> 3.0 <= top_eigenvalue_above(np.diag([1.0, 3.0])) <= 3.0 + 1e-13
    True
    """
    size = float(np.abs(M).max()) * len(M) * UNIT
    bound = float(np.linalg.eigvalsh(M)[-1]) + 4.0 * size
    for _ in range(60):
        B = -M
        B[np.diag_indices_from(B)] += bound
        error = cholesky_error(B) + 4.0 * UNIT * (abs(bound) + float(np.abs(M.diagonal()).max()))
        if _factors(B, 0.0):
            return (bound + error) * (1.0 + math.copysign(1e-15, bound + error))
        bound, size = bound + error + size, 2.0 * size
    return math.inf


def cholesky_error(B: Array) -> float:
    """Upper bound, with a margin, on |R'R - B|_2 for a Cholesky factor R in floating point."""
    n = len(B)
    share = (n + 2) * UNIT / (1.0 - (n + 2) * UNIT)
    return 1.1 * share * float(np.abs(B.diagonal()).sum()) + n * math.ulp(0.0)


def _factors(B: Array, shift: float) -> bool:
    """True if Cholesky's factorization of B + shift I ends with finite numbers."""
    moved = B.copy()
    moved[np.diag_indices_from(moved)] += shift
    try:
        factor = np.linalg.cholesky(moved)
    except np.linalg.LinAlgError:
        return False
    return bool(np.isfinite(factor.diagonal()).all())
