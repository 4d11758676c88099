"""Low-rank matrices as a sum of few rank-one terms."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from frankwolfe.base.arrays import Array, Point
from frankwolfe.base.blas import one_thread
from frankwolfe.base.budget import Budget
from frankwolfe.base.checks import all_finite
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.files import BrokenArchive, read_arrays
from frankwolfe.base.foreign import engine_of, to_host, to_same_device
from frankwolfe.core.kernels import cells as loops
from frankwolfe.core.tall import thin_qr, times

__all__ = ["FactoredMatrix", "as_rows", "pack_point", "thin_svd", "unpack_point"]


@dataclass(frozen=True, eq=False)
class FactoredMatrix:
    r"""A matrix :math:`X = \sum_k s_k\, u_k v_k'`, never formed in full.

    Attributes
    ----------
    left, right : array of shape (terms, rows) and (terms, columns)
        One term a row. During a run on a device they live there (`here` brings them back).
    weights : array of shape (terms,)
        The numbers s_k.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe import FactoredMatrix
    >>> X = FactoredMatrix(np.array([[1.0, 2.0]]), np.array([3.0]), np.array([[1.0, 0.0, 1.0]]))
    >>> X.toarray()
    array([[3., 0., 3.],
           [6., 0., 6.]])
    >>> X.predict([1], [2])
    array([6.])
    """

    left: Array
    weights: Array
    right: Array

    def __post_init__(self) -> None:
        shapes = [np.shape(part) for part in (self.left, self.weights, self.right)]
        if [len(shape) for shape in shapes] != [2, 1, 2] or len({s[0] for s in shapes}) != 1:
            raise InvalidInput(
                "left, weights and right must have shapes (terms, rows), (terms,) and "
                f"(terms, columns), got {shapes}."
            )

    def here(self) -> FactoredMatrix:
        """The matrix in this process's memory: itself if it is there, else a copy."""
        if engine_of(self.left) is None and engine_of(self.right) is None:
            return self
        return FactoredMatrix(to_host(self.left), self.weights, to_host(self.right))

    def times(self, factor: float) -> FactoredMatrix:
        """`factor` times the matrix, with the same left and right sides."""
        return FactoredMatrix(self.left, factor * self.weights, self.right)

    @classmethod
    def zero(cls, shape: tuple[int, int], dtype: DTypeLike = np.float64) -> FactoredMatrix:
        """Zero matrix of a shape, without terms."""
        rows, columns = shape
        return cls(np.empty((0, rows), dtype), np.empty(0), np.empty((0, columns), dtype))

    @classmethod
    def from_array(cls, matrix: ArrayLike) -> FactoredMatrix:
        """Factored matrix from the singular value decomposition of a (small) dense one."""
        full = np.asarray(matrix, dtype=np.float64)
        if full.ndim != 2 or full.size == 0 or not all_finite(full):
            raise InvalidInput(
                f"a matrix must be two-dimensional, non-empty and finite, got shape {full.shape}."
            )
        u, s, vt = np.linalg.svd(full, full_matrices=False)
        keep = s > s[0] * 1e-15
        return cls(np.ascontiguousarray(u.T[keep]), s[keep], np.ascontiguousarray(vt[keep]))

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return self.left.shape[1], self.right.shape[1]

    @property
    def terms(self) -> int:
        """Number of rank-one terms, at least the rank."""
        return int(self.weights.size)

    def factors(self) -> tuple[Array, Array]:
        """Factors L and R with X = L R': a row for each row or column of X, the weights in L."""
        weighted = self.left * to_same_device(self.left, self.weights)[:, None]
        return as_rows(weighted.T, self.left.dtype), as_rows(self.right.T, self.right.dtype)

    def predict(self, rows: ArrayLike, columns: ArrayLike) -> NDArray[np.float64]:
        """Entries at the cells (rows[k], columns[k])."""
        i, j = _indices("rows", rows, self.shape[0]), _indices("columns", columns, self.shape[1])
        if i.shape != j.shape:
            raise InvalidInput(f"rows and columns must be as long, got {i.size} and {j.size}.")
        out = np.zeros(i.size)
        if self.terms and i.size:
            loops.predict(*self.here().factors(), i, j, out)
        return out

    def row(self, i: int) -> NDArray[np.float64]:
        """Row i in full."""
        i = int(_indices("i", [i], self.shape[0])[0])
        x = self.here()
        return np.asarray((x.weights * x.left[:, i]) @ x.right, dtype=np.float64)

    def top(self, i: int, k: int, exclude: ArrayLike = ()) -> NDArray[np.int64]:
        """Columns of the k largest entries of row i, largest first, without `exclude`."""
        scores = self.row(i)
        scores[_indices("exclude", exclude, self.shape[1])] = -np.inf
        k = min(max(int(k), 0), int(np.isfinite(scores).sum()))
        best = np.argpartition(-scores, range(k))[:k] if k else np.empty(0, dtype=np.int64)
        return np.asarray(best, dtype=np.int64)

    def toarray(self) -> NDArray[np.float64]:
        """The matrix in full; small ones only."""
        x = self.here()
        return np.asarray((x.left.T * x.weights) @ x.right, dtype=np.float64)

    def compressed(self, most: int | None = None) -> tuple[FactoredMatrix, bool]:
        """Singular value decomposition of the matrix, and whether `most` cut its rank.

        Terms below rounding are dropped; a rank cut to `most` makes the result an approximation.
        Two QR factorizations of the factors and a small decomposition: the matrix is not formed.
        """
        if not self.terms:
            return self, False
        with one_thread():
            ql, rl = thin_qr(self.left.T.astype(np.float64, order="C"))
            qr, rr = thin_qr(self.right.T.astype(np.float64, order="C"))
            u, s, vt = np.linalg.svd((to_host(rl) * self.weights) @ to_host(rr).T)
        eps = float(np.finfo(self.left.dtype).eps)
        rank = int((s > s[0] * eps).sum()) if s[0] > 0 else 0
        kept = rank if most is None else min(rank, most)
        dtype = self.left.dtype
        left = as_rows(times(ql, u[:, :kept], dtype).T, dtype)
        right = as_rows(times(qr, vt[:kept].T, dtype).T, dtype)
        return FactoredMatrix(left, s[:kept].copy(), right), kept < rank

    def singular_values(self) -> NDArray[np.float64]:
        """Non-zero singular values, largest first."""
        return np.asarray(self.compressed()[0].weights)

    def nuclear_norm(self) -> float:
        """Nuclear norm: the sum of the singular values."""
        return float(self.singular_values().sum())

    def copy(self) -> FactoredMatrix:
        """A copy that shares nothing."""
        return FactoredMatrix(self.left.copy(), self.weights.copy(), self.right.copy())

    def pack(self) -> dict[str, Array]:
        """Factors as named arrays, from which `unpack` makes the matrix again."""
        x = self.here()
        return {"left": x.left, "weights": x.weights, "right": x.right}

    @classmethod
    def unpack(cls, arrays: Mapping[str, Array]) -> FactoredMatrix:
        """Make a matrix from the arrays of its `pack`."""
        return cls(*(np.array(arrays[name]) for name in ("left", "weights", "right")))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the factors to an npz file."""
        with open(path, "wb") as file:
            np.savez(file, allow_pickle=False, **self.pack())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> FactoredMatrix:
        """Read a file that `save` wrote."""
        try:
            with open(path, "rb") as file:
                found = read_arrays(file, path, Budget.of(), ("left", "weights", "right"))
            if any(array.dtype.kind != "f" for array in found.values()):
                raise BrokenArchive("its arrays are no numbers")
            return cls.unpack(found)
        except FileNotFoundError:
            raise InvalidInput(f"there is no file {path}.") from None
        except (BrokenArchive, OSError):
            raise InvalidInput(f"{path} is not a factored matrix written by save.") from None

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"FactoredMatrix({rows} x {columns}, {self.terms} terms, {self.left.dtype})"


def as_rows(matrix: Array, dtype: DTypeLike) -> Array:
    """The matrix in C order and of type `dtype`, in its own memory; itself if it is so."""
    return matrix.astype(dtype, order="C", copy=False)


def thin_svd(matrix: Array) -> tuple[Array, Array, Array]:
    """Thin SVD of a tall matrix: left vectors where it lives, the rest as NumPy arrays."""
    q, r = thin_qr(matrix)  # from elsewhere a small matrix alone is brought back
    u, s, vt = np.linalg.svd(to_host(r), full_matrices=False)
    return times(q, u, q.dtype), s, vt


def _indices(name: str, values: ArrayLike, size: int) -> NDArray[np.int64]:
    array = np.atleast_1d(np.asarray(values))
    if array.ndim != 1 or (array.size and not np.issubdtype(array.dtype, np.integer)):
        raise InvalidInput(f"{name} must be a list of whole numbers.")
    if array.size and (array.min() < 0 or array.max() >= size):
        raise InvalidInput(
            f"{name} must lie between 0 and {size - 1}, got {array.min()} to {array.max()}."
        )
    return array.astype(np.int64)


def pack_point(x: Point) -> dict[str, Array]:
    """Named arrays of a vector or a factored matrix, for a checkpoint."""
    return x.pack() if isinstance(x, FactoredMatrix) else {"vector": x}


def unpack_point(arrays: Mapping[str, Array]) -> Point:
    """Make a point from the arrays of `pack_point`; None if there are none."""
    if "left" in arrays:
        return FactoredMatrix.unpack(arrays)
    return arrays["vector"].copy() if "vector" in arrays else None
