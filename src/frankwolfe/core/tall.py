"""Orthonormal columns for matrices with many rows and few columns."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.blas import one_thread
from frankwolfe.base.foreign import alongside, engine_of
from frankwolfe.base.threads import LONG, PARTS, many
from frankwolfe.core.kernels import tall

__all__ = ["take_out", "thin_qr", "times"]

TALL = 8  # rows for each column, at least
ENTRIES = 20_000  # and so many entries: then products take half as long as reflections
PRODUCTS = 8  # multiplications that take as long as reading a number
NEAR = 1e-2  # how far from orthonormal columns may be after one round


def thin_qr(matrix: Array) -> tuple[Array, Array]:
    """Q with orthonormal columns and R, upper triangular, with Q R = A.

    Where there are many rows, by the Cholesky factor of A'A, twice: all is made of products of
    matrices, on all threads. The first round loses the square of the condition of A, scaled, and
    the second round gets it back; where there is too little left for that, and elsewhere, by
    reflections.

    References
    ----------
    T. Fukaya, Y. Nakatsukasa, Y. Yanagisawa and Y. Yamamoto, *CholeskyQR2: A simple and
    communication-avoiding algorithm for computing a tall-skinny QR factorization on a large-scale
    parallel system*, ScalA 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.core.tall import thin_qr
    >>> A = np.random.default_rng(0).standard_normal((100_000, 6))
    >>> q, r = thin_qr(A)
    >>> bool(abs(q.T @ q - np.eye(6)).max() < 1e-14), bool(abs(q @ r - A).max() < 1e-12)
    (True, True)
    """
    found = _by_products(matrix) if _is_tall(matrix) else None
    return tuple(np.linalg.qr(matrix)) if found is None else found  # type: ignore[return-value]


def _is_tall(matrix: Array) -> bool:
    rows, columns = matrix.shape
    here = engine_of(matrix) is None
    return here and columns > 0 and rows >= TALL * columns and matrix.size >= ENTRIES


def _by_products(matrix: Array) -> tuple[Array, Array] | None:
    """By Cholesky factors; None where A is too near to one of lower rank."""
    rows = np.ascontiguousarray(matrix)
    first = _corner(_gram(rows))
    if first is None:
        return None
    q = times(rows, np.linalg.inv(first), np.float64)
    left = _gram(q)
    if not float(np.abs(left - np.eye(left.shape[0])).max()) <= NEAR:
        return None
    second = _corner(left)
    assert second is not None  # it is near the identity
    q = times(q, np.linalg.inv(second), matrix.dtype)
    return q, (second @ first).astype(matrix.dtype, copy=False)


def _corner(gram: Array) -> Array | None:
    """R with R'R = G, of columns scaled alike; None where G is not definite."""
    sizes = np.sqrt(gram.diagonal())
    if not (np.isfinite(sizes).all() and (sizes > 0.0).all()):
        return None
    try:
        return np.asarray(np.linalg.cholesky(gram / np.outer(sizes, sizes)).T * sizes)
    except np.linalg.LinAlgError:
        return None


def _gram(rows: Array) -> Array:
    count = rows.shape[1]
    out, parts = np.empty((count, count)), np.empty((PARTS, count, count))
    with one_thread():
        _loop("gram", rows.size * count)(rows, parts, out)
    return out


def times(matrix: Array, small: Array, dtype: Any) -> Array:
    """A S, where A has many rows and S few, in double precision; then of that type."""
    if engine_of(matrix) is not None or matrix.size < LONG:
        return cast(Array, matrix @ alongside(matrix, small)).astype(dtype, copy=False)
    out = np.empty((matrix.shape[0], small.shape[1]), dtype=dtype)
    small = np.ascontiguousarray(small, dtype=np.float64)
    with one_thread():
        _loop("times", matrix.size * small.shape[1])(np.ascontiguousarray(matrix), small, out)
    return out


def take_out(block: Array, terms: Array) -> None:
    """What is along `terms`, rows of length one, orthogonal to each other, leaves the columns."""
    if not len(terms):
        return
    alike = terms.dtype == block.dtype and terms.flags.c_contiguous and block.flags.c_contiguous
    if engine_of(block) is not None or block.size < LONG or not alike:
        block -= terms.T @ (terms @ block)
        return
    parts = np.empty((PARTS, len(terms), block.shape[1]), dtype=block.dtype)
    with one_thread():
        _loop("take_out", block.size * len(terms))(terms, parts, block)


def _loop(name: str, products: int) -> Any:
    import scipy.linalg  # noqa: F401  (whose BLAS the loops use)

    return getattr(tall, f"parallel_{name}" if many(products / PRODUCTS) else name)
