"""Points as columns of a sparse matrix, and products of few columns with one another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from frankwolfe.numerics.arrays import Array, Indices, Matrix
from frankwolfe.numerics.atoms import Atom, Vertex, entries
from frankwolfe.numerics.checks import is_sparse
from frankwolfe.numerics.kernels import sparse

__all__ = ["as_columns", "canonical", "vertices", "weighted_gram"]


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


def weighted_gram(left: Matrix, right: Matrix, weights: Array) -> Array:
    """B' diag(weights) C."""
    if is_sparse(left):
        return _sparse_gram(left, right, weights)
    if left is right:  # one side of the symmetric product is enough
        scaled = left * np.sqrt(weights)[:, None]
        return np.asarray(scaled.T @ scaled, dtype=np.float64)
    return np.asarray(left.T @ (right * weights[:, None]), dtype=np.float64)


def _sparse_gram(left: Any, right: Any, weights: Array) -> Array:
    """The same row by row: scipy would store the scaled matrix and a sparse product first."""
    out = np.empty((left.shape[1], right.shape[1]))
    a = canonical(left.tocsr())
    if left is right:
        sparse.gram(a.indptr, a.indices, a.data, weights, out)
        return out
    b = canonical(right.tocsr())
    sparse.cross_gram(a.indptr, a.indices, a.data, b.indptr, b.indices, b.data, weights, out)
    return out


def canonical(matrix: Any) -> Any:
    """The compressed matrix without duplicate entries; the caller's is left as it was."""
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix
