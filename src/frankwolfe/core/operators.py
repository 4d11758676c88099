"""Rows of a linear map that is known by its products."""

from __future__ import annotations

from typing import Any

import numpy as np

from frankwolfe.base.arrays import Array, Matrix
from frankwolfe.base.checks import all_finite, frobenius
from frankwolfe.base.errors import InvalidInput

__all__ = ["rows_of"]

TRIALS, CLOSE = 3, 1e-8  # of inner products, which agree to so many digits
LARGE = 2**27  # entries that are kept, at most


def rows_of(operator: Any) -> Matrix:
    """The rows of scipy's LinearOperator, or of what has a `shape`, `matvec` and `rmatvec`.

    Raises
    ------
    InvalidInput
        If the adjoint is not one, or a product is not finite or has another length.
    """
    import scipy.sparse as sp

    rows, n = (int(size) for size in operator.shape)
    _check_adjoint(operator, rows, n)
    kept, entries = [], 0
    for k in range(rows):
        row = sp.csr_array(_product(operator.rmatvec, np.eye(1, rows, k)[0], n, "rmatvec")[None])
        kept.append(row)
        entries += row.nnz
        if entries > LARGE:
            raise InvalidInput(
                f"the rows of A have more than {LARGE:,} entries: pass a sparse matrix, or fewer "
                "rows."
            )
    stack = sp.vstack(kept).tocsr()
    return stack if 4 * stack.nnz <= rows * n else stack.toarray()


def _check_adjoint(operator: Any, rows: int, n: int) -> None:
    """Compare <Ax, y> with <x, A'y> for random x and y."""
    rng = np.random.default_rng(0)
    for _ in range(TRIALS):
        x, y = rng.standard_normal(n), rng.standard_normal(rows)
        there = _product(operator.matvec, x, rows, "matvec")
        back = _product(operator.rmatvec, y, n, "rmatvec")
        one, other = float(there @ y), float(x @ back)
        size = frobenius(there) * frobenius(y) + frobenius(x) * frobenius(back)
        if abs(one - other) > CLOSE * size:
            raise InvalidInput(
                "rmatvec must be the adjoint of matvec, but for random x and y <Ax, y> is "
                f"{one:.6g} and <x, A'y> is {other:.6g}."
            )


def _product(product: Any, x: Array, length: int, name: str) -> Array:
    try:
        out = np.asarray(product(x), dtype=np.float64).ravel()
    except NotImplementedError:
        raise InvalidInput(f"A must have its adjoint: pass an operator with {name}.") from None
    if out.size != length or not all_finite(out):
        raise InvalidInput(
            f"{name} of A must give {length} finite numbers, got an array of size {out.size}."
        )
    return out
