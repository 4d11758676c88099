"""Products of matrices for methods: atoms as sparse columns, weighted Gram matrices, rounding."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from frankwolfe.base.arrays import AnyArray, Array, Dtype, Indices, Matrix
from frankwolfe.base.blas import one_thread
from frankwolfe.base.checks import is_sparse
from frankwolfe.base.kernels import dense, gram, sparse
from frankwolfe.base.threads import (
    GATHER_COST,
    MIN_CHUNKED_LENGTH,
    PARTS,
    PIECES,
    balanced,
    many,
)
from frankwolfe.core.atoms import Atom, Vertex, stored_entries

if TYPE_CHECKING:
    from frankwolfe.core.maps import DataMap

__all__ = [
    "WeightedSupport",
    "as_columns",
    "canonical",
    "dense_times",
    "product_noise",
    "vertices",
    "weighted_gram",
]

WeightedSupport: TypeAlias = Callable[[Array], float]
"""Upper bound on Σ_j w_j |v_j| over v in C, by one weight w_j for each variable, or one for all."""

PRODUCTS_PER_READ = (
    8  # multiplications of a product of matrices that take as long as reading a number
)
MIN_BLOCK_ROWS = 120  # of a block: with fewer, calls of BLAS cost more than they compute
MIN_ENTRIES_PER_SUM = (
    4  # as many numbers added up for each one of a sum, and adding up parts is little
)
MAX_PARTS_BYTES = 2**27  # of all partial sums together
MAX_KEPT_BYTES = 2**24  # of a workspace that is kept between products
STRIP = 512  # entries of a sum, for each piece of it, from which on they are made some at a time


def product_noise(linear: DataMap, weighted_support: WeightedSupport, *, sharp: bool) -> float:
    """Estimate of the rounding of <r, A v> over v in a region, divided by eps |r|_2.

    The sum Σ |r_i| |A_ij| |v_j| is at most |r|_2 Σ_j |A_j|_2 |v_j|, A_j the columns.
    A sum of m numbers in vector registers and blocks loses far less than the m eps of the worst
    case; a term that grows as the root of m is left for data in an order, unless sums are made in
    a precision higher than that of the entries. Certificates count eight times this
    (`certificate.certify`).

    Parameters
    ----------
    linear : DataMap
        A.
    weighted_support : callable
        Upper bound on Σ_j w_j |v_j| over v in the region, by the weights w.
    sharp : bool
        If true, the norm of each column counts, else that of the whole matrix for all of them.
    """
    norms = linear.column_norms if sharp else np.array([linear.norm])
    grown = 0.0 if linear.sums_in_double else math.sqrt(linear.shape[0]) / 128.0
    return _rounded_up((1.0 + grown) * weighted_support(norms))


def _rounded_up(value: float) -> float:
    """Round up to four bits: two orders of summation then give the same number."""
    if not math.isfinite(value):
        return math.inf
    share, exponent = math.frexp(value)
    return math.ldexp(math.ceil(16.0 * share) / 16.0, min(exponent, 1023))


def as_columns(atoms: Sequence[Atom], n: int) -> Matrix:
    """Sparse matrix of n rows with the atoms as columns."""
    from scipy.sparse import csc_array

    if all(isinstance(atom, Vertex) for atom in atoms):
        places, values = vertices(atoms)
        return csc_array((values, places, np.arange(len(atoms) + 1)), shape=(n, len(atoms)))
    pieces = [stored_entries(atom) for atom in atoms]
    ends = np.cumsum([0, *(values.size for _, values in pieces)])
    indices = np.concatenate([places for places, _ in pieces])
    values = np.concatenate([values for _, values in pieces])
    return csc_array((values, indices, ends), shape=(n, len(atoms)))


def vertices(atoms: Sequence[Any]) -> tuple[Indices, Array]:
    """Indices and values of vertices, as two arrays."""
    return (
        np.array([atom.index for atom in atoms], dtype=np.int64),
        np.array([atom.value for atom in atoms]),
    )


def dense_times(matrix: Array, x: Array, out: Array) -> None:
    """out = A x, for A with contiguous rows or columns: by BLAS if small, else by our loops.

    Our loops give the same bits on any number of threads.
    """
    if matrix.size < MIN_CHUNKED_LENGTH or not out.flags.c_contiguous:
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


_KEPT: dict[tuple[int, Dtype], AnyArray] = {}
"""Workspace of the last products, by thread and element type."""


def _room(size: int, dtype: Dtype) -> AnyArray:
    """Workspace for sums, kept unless large: fresh memory costs as much as the sums."""
    place = threading.get_ident(), np.dtype(dtype)
    room = _KEPT.get(place)
    if room is None or room.size < size:
        room = np.empty(size, dtype=dtype)
        if room.nbytes <= MAX_KEPT_BYTES:
            _KEPT[place] = room
    return room[:size]


def weighted_gram(left: Matrix, right: Matrix, weights: Array) -> Array:
    """Weighted product B' diag(weights) C of B = `left` and C = `right`."""
    if is_sparse(left):
        return _sparse_gram(left, right, weights)
    if many(left.shape[1] * right.size / PRODUCTS_PER_READ):
        return _gram_on_threads(left, right, weights)
    if left is right:  # one side of the symmetric product is enough
        scaled = left * np.sqrt(weights)[:, None]
        return np.asarray(scaled.T @ scaled, dtype=np.float64)
    return np.asarray(left.T @ (right * weights[:, None]), dtype=np.float64)


def _gram_on_threads(left: Array, right: Array, weights: Array) -> Array:
    """Weighted product of dense matrices on threads, each of which sums blocks of rows."""
    import scipy.linalg  # noqa: F401  (whose BLAS the loop uses)

    mine, theirs = (np.ascontiguousarray(side.T, dtype=np.float64) for side in (left, right))
    out = np.empty((mine.shape[0], theirs.shape[0]))
    blocks = max(min(mine.shape[1] // MIN_BLOCK_ROWS, PARTS, MAX_PARTS_BYTES // out.nbytes), 1)
    with one_thread():
        parts = _room(blocks * out.size, out.dtype).reshape(blocks, *out.shape)
        gram.gram(mine, theirs, weights, parts, out)
    return out


def _sparse_gram(left: Matrix, right: Matrix, weights: Array) -> Array:
    """Weighted product of sparse matrices, row by row.

    scipy would first store the scaled matrix and a sparse product.
    """
    out = np.empty((left.shape[1], right.shape[1]))
    a = canonical(left.tocsr())
    given: tuple[AnyArray, ...] = a.indptr, a.indices, a.data
    if left is not right:
        b = canonical(right.tocsr())
        given = *given, b.indptr, b.indices, b.data
    work = left.nnz * (right.nnz / max(left.shape[0], 1)) * GATHER_COST
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
    """Number of partial sums of `size` entries for a product of that much work; 1 for no parts."""
    if work < MIN_CHUNKED_LENGTH:
        return 1
    return int(min(PARTS, MAX_PARTS_BYTES // (8 * size), work // (MIN_ENTRIES_PER_SUM * size)))


def canonical(matrix: Matrix) -> Matrix:
    """Compressed matrix without duplicate entries; a copy where the caller's has some."""
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix
