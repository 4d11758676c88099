"""Points as columns of a sparse matrix, and products of few columns with one another."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from frankwolfe.base.arrays import Array, Indices, Matrix
from frankwolfe.base.blas import one_thread
from frankwolfe.base.checks import is_sparse
from frankwolfe.base.kernels import dense, gram, sparse
from frankwolfe.base.threads import GATHERED, LONG, PARTS, PIECES, balanced, many
from frankwolfe.core.atoms import Atom, Vertex, entries

__all__ = ["as_columns", "canonical", "dense_times", "product_noise", "vertices", "weighted_gram"]

PRODUCTS = 8  # multiplications of a product of matrices that take as long as reading a number
BLOCK = 120  # rows that a small product by BLAS has at least
CROWDED = 4  # as many numbers added up for each one of a sum, and adding up parts is little
ROOM = 2**27  # bytes of the parts
KEPT = 2**24  # bytes of room that is kept
STRIP = 512  # entries of a sum, for each piece of it, from which on they are made some at a time


def product_noise(linear: Any, reach: Callable[[Array], float], *, sharp: bool) -> float:
    """What rounding may add to <r, A v> over a region, over eps times the 2-norm of r.

    The sum of |r_i| |A_ij| |v_j| is at most that norm times the sum of the columns' norms times
    |v_j|. A sum of m numbers in vector registers and blocks loses far less than the m eps of the
    worst case; a term that grows as the root of m is left for data in an order, unless sums are
    made in a precision higher than that of the entries. Certificates count eight times this
    (`certificate.certify`).

    Parameters
    ----------
    linear : DataMap
        A.
    reach : callable
        ``reach(w)`` bounds the sum of w_j |v_j| over the region, w being one number for each
        variable, or one for all.
    sharp : bool
        Whether the norm of each column counts, or that of the whole matrix for all of them.
    """
    norms = linear.column_norms if sharp else np.array([linear.norm])
    grown = 0.0 if linear.sums_in_double else math.sqrt(linear.shape[0]) / 128.0
    return _rounded_up((1.0 + grown) * reach(norms))


def _rounded_up(value: float) -> float:
    """`value` with four bits, so that the order of a sum does not show in it."""
    if not math.isfinite(value):
        return math.inf
    share, exponent = math.frexp(value)
    return math.ldexp(math.ceil(16.0 * share) / 16.0, min(exponent, 1023))


def as_columns(atoms: Sequence[Atom], n: int) -> Any:
    """Atoms as the columns of a sparse matrix."""
    from scipy.sparse import csc_array

    if all(isinstance(atom, Vertex) for atom in atoms):
        places, values = vertices(atoms)
        return csc_array((values, places, np.arange(len(atoms) + 1)), shape=(n, len(atoms)))
    pieces = [entries(atom) for atom in atoms]
    ends = np.cumsum([0, *(values.size for _, values in pieces)])
    indices = np.concatenate([places for places, _ in pieces])
    values = np.concatenate([values for _, values in pieces])
    return csc_array((values, indices, ends), shape=(n, len(atoms)))


def vertices(atoms: Sequence[Any]) -> tuple[Indices, Array]:
    """Index and value of each vertex."""
    return (
        np.array([atom.index for atom in atoms], dtype=np.int64),
        np.array([atom.value for atom in atoms]),
    )


def dense_times(matrix: Array, x: Array, out: Array) -> None:
    """out = A x, for A with contiguous rows or columns: by BLAS, or by loops of ours."""
    if matrix.size < LONG or not out.flags.c_contiguous:
        np.dot(matrix, x, out=out)
        return
    kind = "parallel_" if many(matrix.size) else ""
    x = np.ascontiguousarray(x)
    if matrix.flags.c_contiguous:
        getattr(dense, f"{kind}dots")(matrix, x, out)
    elif out.size >= STRIP * PIECES:
        getattr(dense, f"{kind}combination_in_strips")(matrix.T, x, out)
    else:
        parts = _room(PARTS * out.size, out.dtype).reshape(PARTS, out.size)
        getattr(dense, f"{kind}combination_in_parts")(matrix.T, x, parts, out)


_KEPT: dict[tuple[int, Any], Array] = {}  # room of the last products in each thread


def _room(size: int, dtype: Any) -> Array:
    """Room for sums, which is kept where it is not large: fresh memory costs as much as they do."""
    place = threading.get_ident(), np.dtype(dtype)
    room = _KEPT.get(place)
    if room is None or room.size < size:
        room = np.empty(size, dtype=dtype)
        if room.nbytes <= KEPT:
            _KEPT[place] = room
    return room[:size]


def weighted_gram(left: Matrix, right: Matrix, weights: Array) -> Array:
    """B' diag(weights) C."""
    if is_sparse(left):
        return _sparse_gram(left, right, weights)
    if many(left.shape[1] * right.size / PRODUCTS):
        return _gram_on_threads(left, right, weights)
    if left is right:  # one side of the symmetric product is enough
        scaled = left * np.sqrt(weights)[:, None]
        return np.asarray(scaled.T @ scaled, dtype=np.float64)
    return np.asarray(left.T @ (right * weights[:, None]), dtype=np.float64)


def _gram_on_threads(left: Array, right: Array, weights: Array) -> Array:
    """The same in blocks of rows."""
    import scipy.linalg  # noqa: F401  (whose BLAS the loop uses)

    mine, theirs = (np.ascontiguousarray(side.T, dtype=np.float64) for side in (left, right))
    out = np.empty((mine.shape[0], theirs.shape[0]))
    blocks = max(min(mine.shape[1] // BLOCK, PARTS, ROOM // out.nbytes), 1)
    with one_thread():
        parts = _room(blocks * out.size, out.dtype).reshape(blocks, *out.shape)
        gram.gram(mine, theirs, weights, parts, out)
    return out


def _sparse_gram(left: Any, right: Any, weights: Array) -> Array:
    """The same row by row: scipy would store the scaled matrix and a sparse product first."""
    out = np.empty((left.shape[1], right.shape[1]))
    a = canonical(left.tocsr())
    given: tuple[Any, ...] = a.indptr, a.indices, a.data
    if left is not right:
        b = canonical(right.tocsr())
        given = *given, b.indptr, b.indices, b.data
    work = left.nnz * (right.nnz / max(left.shape[0], 1)) * GATHERED
    name, parts = "gram" if left is right else "cross_gram", _parts(work, out.size)
    if parts < 2:
        getattr(sparse, name)(*given, weights, out)
        return out
    kind = "parallel_" if many(work) else ""
    room = _room(parts * out.size, out.dtype).reshape(parts, *out.shape)
    loop = getattr(sparse, f"{kind}{name}_in_parts")
    loop(*given, weights, room, out, balanced(a.indptr, parts))
    return out


def _parts(work: float, size: int) -> int:
    """How many sums of that size are made for a product with so much to do; 1 for one alone."""
    if work < LONG:
        return 1
    return int(min(PARTS, ROOM // (8 * size), work // (CROWDED * size)))


def canonical(matrix: Any) -> Any:
    """The compressed matrix without duplicate entries; the caller's is left as it was."""
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix
