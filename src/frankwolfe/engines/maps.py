"""The data matrix A on a device, and where it is dense.

Nothing here names CuPy: `place` has the arrays and the products with them, and a test may put
another in its stead.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from frankwolfe.base.arrays import Array, Indices, Matrix
from frankwolfe.core.atoms import Atom, Vertex
from frankwolfe.core.centring import MIN_MEAN_OVER_SPREAD
from frankwolfe.core.maps import DenseMap
from frankwolfe.core.products import vertices

__all__ = ["DeviceDense", "DeviceMap"]


class DeviceMap:
    """What both kinds share: vectors come from NumPy or the device, and go where `out` is."""

    shape: tuple[int, int]
    dtype: np.dtype[Any]
    sparse: bool

    def __init__(self, place: Any) -> None:
        self.place = place

    @property
    def sums_in_double(self) -> bool:
        """Whether the entries are in single precision: sums are in double."""
        return bool(self.dtype == np.float32)

    def __getstate__(self) -> dict[str, Any]:
        return {name: part for name, part in self.__dict__.items() if name != "_one_pass"}

    def _product(self, x: Any, out: Any) -> None:
        raise NotImplementedError

    def _transposed(self, y: Any, out: Any) -> None:
        raise NotImplementedError

    def apply(self, x: Array, out: Array) -> None:
        """out = A x, for a vector or a few side by side."""
        x = self.place.there(x, self.dtype)
        if x.ndim == 2:
            self._products(x, out)
        else:
            self._product(x, out)

    def _products(self, x: Any, out: Any) -> None:
        """out = A X, column by column."""
        for k in range(x.shape[1]):
            column = self.place.empty(self.shape[0], self.dtype)
            self._product(self.place.contiguous(x[:, k]), column)
            out[:, k] = column

    def adjoint(self, y: Array, out: Array) -> None:
        """out = A' y, for a vector or a few side by side; `out` is NumPy's or there."""
        if y.ndim == 2:
            self._adjoints(self.place.there(y, self.dtype), out)
            return
        room = self.place.empty(self.shape[1], self.dtype)
        self._transposed(self.place.there(y, self.dtype), room)
        self.place.deliver(room, out)

    def _adjoints(self, y: Any, out: Any) -> None:
        """out = A' Y, column by column."""
        for k in range(y.shape[1]):
            column = np.empty(self.shape[1], dtype=self.dtype)
            self.adjoint(self.place.contiguous(y[:, k]), column)
            out[:, k] = column

    @property
    def norm(self) -> float:
        """The Frobenius norm."""
        return float(np.linalg.norm(self.column_norms))

    @cached_property
    def column_norms(self) -> Array:
        """The 2-norm of each column."""
        raise NotImplementedError

    @cached_property
    def _sums(self) -> Array:
        """The sum of each column, in double."""
        out = np.empty(self.shape[1], dtype=np.float64)
        ones = self.place.empty(self.shape[0], self.dtype)
        ones[:] = 1.0
        room = self.place.empty(self.shape[1], np.dtype(np.float64))
        self._transposed(ones, room)
        self.place.deliver(room, out)
        return out

    def _far(self) -> Array:
        """Which columns have a mean far from zero, and these means; zero for the others."""
        rows = self.shape[0]
        with np.errstate(over="ignore", invalid="ignore"):
            means = self._sums / rows
            far = MIN_MEAN_OVER_SPREAD**2 * (self.column_norms**2 / rows - means**2) < means**2
        return np.where(far, means, 0.0).astype(self.dtype)

    def gram(self, side: str) -> Array:
        """A' A for `side` "columns", A A' for "rows"."""
        raise NotImplementedError

    @property
    def leaps(self) -> bool:
        """Whether `leap` is there: for rows that one pass reads faster than two."""
        return False


class DeviceDense(DeviceMap):
    """A dense matrix; kept as it is when contiguous, in either order."""

    sparse = False

    def __init__(self, place: Any, matrix: Any) -> None:
        super().__init__(place)
        if not (matrix.flags.c_contiguous or matrix.flags.f_contiguous):
            matrix = place.contiguous(matrix)
        self.matrix = matrix
        self.by_rows = bool(matrix.flags.c_contiguous)
        self.shape = (int(matrix.shape[0]), int(matrix.shape[1]))
        self.dtype = matrix.dtype

    def _multiply(self, matrix: Any, x: Any, out: Any) -> None:
        if self.by_rows:
            self.place.rows_dot(matrix, x, out)
        else:
            self.place.rows_sum(matrix.T, x, out)

    def _multiply_transposed(self, matrix: Any, y: Any, out: Any) -> None:
        if self.by_rows:
            self.place.rows_sum(matrix, y, out)
        else:
            self.place.rows_dot(matrix.T, y, out)

    def _product(self, x: Any, out: Any) -> None:
        self._multiply(self.matrix, x, out)

    def _transposed(self, y: Any, out: Any) -> None:
        self._multiply_transposed(self.matrix, y, out)

    def _products(self, x: Any, out: Any) -> None:
        self.place.matrix_product(self.matrix, x, out)

    def _adjoints(self, y: Any, out: Any) -> None:
        out[...] = self.place.gram(self.matrix, y, None)

    @cached_property
    def _one_pass(self) -> Any:
        return self.place.one_pass(self.matrix)

    @property
    def leaps(self) -> bool:
        return self._one_pass is not None

    def leap(
        self, terms: Any, s: Array, z: Array, gamma: float, ahead: Array, slope: Array, out: Array
    ) -> tuple[float, float]:
        """ahead = (1 - gamma) z + gamma A s, phi' there and A' phi'; return phi and <phi', z>."""
        room, atom = self.place.empty(self.shape[1], self.dtype), self.place.there(s, self.dtype)
        pair: tuple[float, float] = self._one_pass(terms, atom, z, gamma, ahead, slope, room)
        self.place.deliver(room, out)
        return pair

    def column(self, index: int, scale: float, out: Array) -> None:
        """out = scale times column `index`."""
        self.columns(np.array([index]), np.array([scale]), out)

    def columns(self, indices: Indices, values: Array, out: Array) -> None:
        """out = the sum of `values` times columns `indices`."""
        self._take(indices, values, out, together=True)

    def _take(self, indices: Indices, values: Array, out: Any, *, together: bool) -> None:
        places = self.place.there(np.asarray(indices, dtype=np.int64), np.dtype(np.int64))
        weights = self.place.there(np.asarray(values, dtype=np.float64), np.dtype(np.float64))
        self.place.take(self.matrix, places, weights, out, together=together)

    def apply_block(self, v: Array, block: slice, out: Array) -> None:
        """out = the columns of `block` times v."""
        self._multiply(self.matrix[:, block], self.place.there(v, self.dtype), out)

    def adjoint_block(self, y: Array, block: slice, out: Array) -> None:
        """out = the entries `block` of A' y; only those columns are read."""
        part = self.matrix[:, block]
        room = self.place.empty(part.shape[1], self.dtype)
        self._multiply_transposed(part, self.place.there(y, self.dtype), room)
        self.place.deliver(room, out)

    def images(self, atoms: Sequence[Atom]) -> Matrix:
        """A times each of the atoms, as columns."""
        out = self.place.columns(self.shape[0], len(atoms), self.dtype)
        if all(isinstance(atom, Vertex) for atom in atoms):
            self._take(*vertices(atoms), out, together=False)
            return out
        for k, atom in enumerate(atoms):
            atom.image(self, out[:, k])
        return out

    @cached_property
    def column_norms(self) -> Array:
        """The 2-norm of each column."""
        room = self.place.empty(self.shape[1], np.dtype(np.float64))
        out = np.empty(self.shape[1])
        if self.by_rows:
            self.place.rows_sum(self.matrix, None, room)
        else:
            self.place.rows_dot(self.matrix.T, None, room)
        self.place.deliver(room, out)
        return np.asarray(np.sqrt(out))

    def weighted_gram(self, weights: Array) -> Array:
        """A' diag(weights) A."""
        weights = self.place.there(weights, np.dtype(np.float64))
        return np.asarray(self.place.gram(self.matrix, self.matrix, weights))

    def gram(self, side: str) -> Array:
        matrix = self.matrix if side == "columns" else self.matrix.T
        return np.asarray(self.place.gram(matrix, matrix, None))

    def centred(self) -> tuple[DeviceDense, Array] | None:
        """A - 1 m' and m, the means of columns far from zero; None where no column is."""
        shift = self._far()
        if not shift.any() or not self.place.roomy(self.matrix.nbytes):
            return None
        moved = DeviceDense(self.place, self.matrix - self.place.put(shift))
        rest = moved._sums / self.shape[0]  # once more from there: a constant column becomes zero
        shift = np.where(shift != 0.0, shift + rest, 0.0).astype(self.dtype)
        return DeviceDense(self.place, self.matrix - self.place.put(shift)), shift

    def parts(self) -> list[Any]:
        """The arrays that hold the entries (fingerprints)."""
        return [self.matrix]

    def in_double(self) -> DeviceDense:
        """The same map with entries in double precision."""
        return DeviceDense(self.place, self.matrix.astype(np.float64))

    def here(self) -> DenseMap:
        """The same map in memory."""
        return DenseMap(self.place.get(self.matrix))
