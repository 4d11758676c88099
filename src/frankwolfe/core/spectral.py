"""Upper bounds on largest eigenvalues, without a full decomposition of a large matrix."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.core.maps import DataMap

__all__ = ["largest_eigenvalue_bound", "squared_norm_bound"]

MAX_GRAM_SIZE = 256  # rows; up to here decomposing the Gram matrix takes milliseconds
FAILURE = 1e-12  # probability with which the Lanczos bound may be too small


def squared_norm_bound(linear: DataMap) -> float:
    """An upper bound on the squared spectral norm of A, tight to a few per cent.

    Where the smaller side is at most 256 the Gram matrix is decomposed and the bound is
    exact to rounding; otherwise see :func:`largest_eigenvalue_bound`.
    """
    rows, columns = linear.shape
    if min(rows, columns) <= MAX_GRAM_SIZE:
        gram = linear.gram("columns" if columns <= rows else "rows")
        if not np.isfinite(gram).all():
            return math.inf  # the squares of the entries overflow
        top = float(np.linalg.eigvalsh(gram)[-1])
        rounding = 10 * gram.shape[0] * float(np.finfo(gram.dtype).eps)
        return float(max(top, 0.0) * (1.0 + rounding))
    image = linear.place.empty(rows, linear.dtype)

    def product(v: Array, out: Array) -> None:
        linear.apply(v, image)
        linear.adjoint(image, out)

    return largest_eigenvalue_bound(product, columns, linear.dtype)


def largest_eigenvalue_bound(
    product: Callable[[Array, Array], None],
    n: int,
    dtype: np.dtype[np.floating] | type = np.float64,
    steps: int = 60,
) -> float:
    r"""An upper bound on the top eigenvalue of a positive semidefinite operator.

    Lanczos from a random start gives a Ritz value :math:`\theta`, a lower bound. After
    `steps` steps :math:`\lambda_{\max} \le \theta / (1 - \varepsilon)` except with
    probability :math:`1.648 \sqrt{n}\, e^{-\sqrt{\varepsilon}\,(2\,steps - 1)}`
    (Kuczynski and Wozniakowski 1992, Theorem 4.2), which is set to 1e-12.
    """
    steps = min(steps, n)
    rng = np.random.default_rng(0)
    basis = np.zeros((steps + 1, n), dtype=dtype)
    start = rng.standard_normal(n)
    basis[0] = start / np.linalg.norm(start)
    diagonal, off = np.zeros(steps), np.zeros(steps)
    w = np.empty(n, dtype=dtype)
    done, broken = steps, False
    for k in range(steps):
        product(basis[k], w)
        diagonal[k] = float(basis[k] @ w)
        w -= basis[: k + 1].T @ (basis[: k + 1] @ w)  # full orthogonalization, twice
        w -= basis[: k + 1].T @ (basis[: k + 1] @ w)
        off[k] = float(np.linalg.norm(w))
        if off[k] <= 1e-12 * max(abs(diagonal[: k + 1]).max(), 1e-300):
            done, broken = k + 1, True
            break
        basis[k + 1] = w / off[k]
    ritz = np.diag(diagonal[:done]) + np.diag(off[: done - 1], 1) + np.diag(off[: done - 1], -1)
    theta = float(np.linalg.eigvalsh(ritz)[-1])
    if broken or done == n:  # the Krylov space is full: theta is the eigenvalue
        return theta * (1.0 + 1e-6)
    root = math.log(1.648 * math.sqrt(n) / FAILURE) / (2 * done - 1)
    return theta / (1.0 - min(root**2, 0.9))
