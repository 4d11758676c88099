"""Matrices of linear operators, row by row from products with the adjoint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.base.arrays import Array, Matrix
from frankwolfe.base.checks import all_finite, frobenius
from frankwolfe.base.errors import InvalidInput

__all__ = ["rows_of"]

ADJOINT_TRIALS = 3  # random pairs x, y on which <Ax, y> = <x, A'y> is tested
ADJOINT_TOL = 1e-8  # relative: enough digits to tell a wrong adjoint from rounding
MAX_KEPT_ENTRIES = 2**27  # 1.6 GB with their indices


class Operator(Protocol):
    """A linear map with products from both sides, as scipy's LinearOperator."""

    shape: tuple[int, int]

    def matvec(self, x: Array) -> ArrayLike:
        """Product A x, a vector of `rows` numbers."""

    def rmatvec(self, x: Array) -> ArrayLike:
        """Product of the adjoint with x, a vector of n numbers."""


def rows_of(operator: Operator) -> Matrix:
    """Matrix, dense or sparse, of an operator with `shape`, `matvec` and `rmatvec`.

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
        if entries > MAX_KEPT_ENTRIES:
            raise InvalidInput(
                f"the rows of A have more than {MAX_KEPT_ENTRIES:,} entries: pass a sparse matrix, "
                "or fewer rows."
            )
    stack = sp.vstack(kept).tocsr()
    return stack if 4 * stack.nnz <= rows * n else stack.toarray()


def _check_adjoint(operator: Operator, rows: int, n: int) -> None:
    """Raise an error unless <Ax, y> = <x, A'y> for random x and y."""
    rng = np.random.default_rng(0)
    for _ in range(ADJOINT_TRIALS):
        x, y = rng.standard_normal(n), rng.standard_normal(rows)
        there = _product(operator.matvec, x, rows, "matvec")
        back = _product(operator.rmatvec, y, n, "rmatvec")
        one, other = float(there @ y), float(x @ back)
        size = frobenius(there) * frobenius(y) + frobenius(x) * frobenius(back)
        if abs(one - other) > ADJOINT_TOL * size:
            raise InvalidInput(
                "rmatvec must be the adjoint of matvec, but for random x and y <Ax, y> is "
                f"{one:.6g} and <x, A'y> is {other:.6g}."
            )


def _product(product: Callable[[Array], ArrayLike], x: Array, length: int, name: str) -> Array:
    """One product, checked to be a finite vector of that length."""
    try:
        out = np.asarray(product(x), dtype=np.float64).ravel()
    except NotImplementedError:
        raise InvalidInput(f"A must have its adjoint: pass an operator with {name}.") from None
    if out.size != length or not all_finite(out):
        raise InvalidInput(
            f"{name} of A must give {length} finite numbers, got an array of size {out.size}."
        )
    return out
