"""Convex quadratics over simple sets, and small systems with a positive semidefinite matrix."""

from __future__ import annotations

import numpy as np

from frankwolfe.base.arrays import Array

__all__ = ["solve_definite"]

MAX_RIDGES = 20  # each 100 times the last; where all fail, H is not finite and b comes back


def solve_definite(H: Array, b: Array, ridge: float) -> Array:
    """(H + ridge I)^-1 b, with a larger ridge where rounding asks for it.

    By LAPACK's own routine, which has a tenth of the overhead of the functions around it.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.subproblems.quadratics import solve_definite
    >>> solve_definite(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([3.0, 3.0]), 0.0)
    array([1., 1.])
    """
    from scipy.linalg.lapack import dposv

    for _ in range(MAX_RIDGES):
        work = np.array(H, order="F")
        work.ravel(order="K")[:: work.shape[0] + 1] += ridge
        _, x, info = dposv(work, b, lower=1, overwrite_a=1)
        if info == 0:
            return np.asarray(x)
        ridge *= 100.0
    return b
