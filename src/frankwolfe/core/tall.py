"""QR factorizations and products of matrices with many rows and few columns."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import DTypeLike

from frankwolfe.base.arrays import Array
from frankwolfe.base.blas import one_thread
from frankwolfe.base.foreign import engine_of, to_same_device
from frankwolfe.base.threads import MIN_CHUNKED_LENGTH, PARTS, many
from frankwolfe.core.kernels import tall
from frankwolfe.core.place import Loops

__all__ = ["take_out", "thin_qr", "times"]

MIN_ROWS_PER_COLUMN = 8  # of a tall matrix
MIN_ENTRIES = 20_000  # of a tall matrix: from here products take half as long as reflections
PRODUCTS_PER_READ = 8  # multiplications that take as long as reading a number
ORTHOGONALITY_TOL = 1e-2  # of |Q'Q - I| after one round: the second squares it away


def thin_qr(matrix: Array) -> tuple[Array, Array]:
    """Thin QR factorization A = Q R, with orthonormal columns of Q and upper triangular R.

    A tall matrix is factored by CholeskyQR2: twice by the Cholesky factor of A'A, which takes only
    products of matrices, on all threads. The first round loses the square of the condition of A,
    with scaled columns; the second recovers it. Where too little is left for that, and for other
    matrices, it is NumPy's, by reflections.

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
    """True if CholeskyQR2 is quicker for a matrix, which must be NumPy's."""
    rows, columns = matrix.shape
    here = engine_of(matrix) is None
    return (
        here
        and columns > 0
        and rows >= MIN_ROWS_PER_COLUMN * columns
        and matrix.size >= MIN_ENTRIES
    )


def _by_products(matrix: Array) -> tuple[Array, Array] | None:
    """CholeskyQR2 factorization; None if A is too near to a matrix of lower rank."""
    rows = np.ascontiguousarray(matrix)
    first = _corner(_gram(rows))
    if first is None:
        return None
    q = times(rows, np.linalg.inv(first), np.float64)
    left = _gram(q)
    if not float(np.abs(left - np.eye(left.shape[0])).max()) <= ORTHOGONALITY_TOL:
        return None
    second = _corner(left)
    assert second is not None  # it is near the identity
    q = times(q, np.linalg.inv(second), matrix.dtype)
    return q, (second @ first).astype(matrix.dtype, copy=False)


def _corner(gram: Array) -> Array | None:
    """Upper triangular R with R'R = G, with scaled columns; None if G is not definite."""
    sizes = np.sqrt(gram.diagonal())
    if not (np.isfinite(sizes).all() and (sizes > 0.0).all()):
        return None
    try:
        return np.asarray(np.linalg.cholesky(gram / np.outer(sizes, sizes)).T * sizes)
    except np.linalg.LinAlgError:
        return None


def _gram(rows: Array) -> Array:
    """Gram matrix A'A of a tall matrix."""
    count = rows.shape[1]
    out, parts = np.empty((count, count)), np.empty((PARTS, count, count))
    with one_thread():
        _loop("gram", rows.size * count)(rows, parts, out)
    return out


def times(matrix: Array, small: Array, dtype: DTypeLike) -> Array:
    """Product A S of a tall A and a small S, computed in double precision, returned as `dtype`."""
    if engine_of(matrix) is not None or matrix.size < MIN_CHUNKED_LENGTH:
        return cast(Array, matrix @ to_same_device(matrix, small)).astype(dtype, copy=False)
    out = np.empty((matrix.shape[0], small.shape[1]), dtype=dtype)
    small = np.ascontiguousarray(small, dtype=np.float64)
    with one_thread():
        _loop("times", matrix.size * small.shape[1])(np.ascontiguousarray(matrix), small, out)
    return out


def take_out(block: Array, terms: Array) -> None:
    """Project the columns of `block`, in place, off the span of the orthonormal rows `terms`."""
    if not len(terms):
        return
    alike = terms.dtype == block.dtype and terms.flags.c_contiguous and block.flags.c_contiguous
    if engine_of(block) is not None or block.size < MIN_CHUNKED_LENGTH or not alike:
        block -= terms.T @ (terms @ block)
        return
    parts = np.empty((PARTS, len(terms), block.shape[1]), dtype=block.dtype)
    with one_thread():
        _loop("take_out", block.size * len(terms))(terms, parts, block)


def _loop(name: str, products: int) -> Loops:
    """Loop of `kernels.tall`, on threads if so many multiplications are worth it."""
    import scipy.linalg  # noqa: F401  (whose BLAS the loops use)

    return getattr(tall, f"parallel_{name}" if many(products / PRODUCTS_PER_READ) else name)
