"""Sparse data matrix A on a device, compressed by rows and by columns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from frankwolfe.base.arrays import Array, Flags, Indices, Matrix
from frankwolfe.core.atoms import Atom, Vertex, stored_entries
from frankwolfe.core.centring import MIN_STORED_SHARE
from frankwolfe.core.products import vertices
from frankwolfe.core.sparse_map import SparseMap
from frankwolfe.engines.maps import DeviceMap

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from frankwolfe.base.arrays import AnyArray
    from frankwolfe.engines.maps import DeviceArray, DeviceMatrix, DevicePlace

__all__ = ["DeviceSparse", "SparseImages"]

MAX_SINGLE_COLUMNS = 32  # added one kernel each; of more, a product with all of A is faster


class ImagePlace(Protocol):
    """The part of a device that sparse images ask for."""

    def columns(self, rows: int, count: int, dtype: DTypeLike) -> DeviceArray:
        """New dense matrix, each column of which is contiguous."""

    def put(self, array: AnyArray) -> DeviceArray:
        """Copy of a NumPy array on the device."""

    def distinct(self, places: DeviceArray) -> tuple[DeviceArray, DeviceArray]:
        """Sorted distinct entries, and the position of each entry among them."""


class SparseImages:
    """A few sparse columns on a device, in the form of CSC: `ends`, `places` and `values`."""

    def __init__(
        self,
        place: ImagePlace,
        rows: int,
        ends: Indices,
        places: DeviceArray,
        values: DeviceArray,
    ) -> None:
        self.place, self.ends, self.places, self.values = place, ends, places, values
        self.shape = (rows, ends.size - 1)

    @property
    def nnz(self) -> int:
        """Number of stored entries."""
        return int(self.ends[-1])

    def full(self) -> DeviceArray:
        """Dense matrix of all rows."""
        return self._filled(self.places, self.shape[0])

    @cached_property
    def apart(self) -> tuple[DeviceArray, DeviceArray]:
        """Indices of the rows with a stored entry, and the dense matrix of these rows alone."""
        places, rows = self.place.distinct(self.places)
        return places, self._filled(rows, places.size)

    def _filled(self, rows: DeviceArray, count: int) -> DeviceArray:
        out = self.place.columns(count, self.shape[1], self.values.dtype)
        out[:] = 0.0
        columns = np.repeat(np.arange(self.shape[1]), np.diff(self.ends))
        out[rows, self.place.put(columns)] = self.values
        return out

    def select(self, keep: Flags) -> SparseImages:
        """Columns that are marked in `keep`."""
        sizes = np.diff(self.ends)
        entries = self.place.put(np.flatnonzero(np.repeat(keep, sizes)))
        ends = np.concatenate([[0], np.cumsum(sizes[keep])])
        return SparseImages(
            self.place, self.shape[0], ends, self.places[entries], self.values[entries]
        )


class DeviceSparse(DeviceMap):
    """Sparse matrix on a device: CSR for A x, CSC for A'y and single columns."""

    sparse = True

    def __init__(self, place: DevicePlace, by_rows: DeviceMatrix, by_columns: DeviceMatrix) -> None:
        super().__init__(place)
        self._rows, self._columns = by_rows, by_columns  # CSR and CSC, without duplicates
        self.shape = (int(by_rows.shape[0]), int(by_rows.shape[1]))
        self.dtype = by_rows.dtype
        self._row_ends = place.get(by_rows.indptr)
        self._ends = place.get(by_columns.indptr).astype(np.int64)
        self._long_rows, self._long_columns = place.long(self._row_ends), place.long(self._ends)

    def _product(self, x: DeviceArray, out: DeviceArray) -> None:
        self.place.sparse_dot(self._rows, self._long_rows, x, out)

    def _transposed(self, y: DeviceArray, out: DeviceArray) -> None:
        self.place.sparse_dot(self._columns, self._long_columns, y, out)

    def column(self, index: int, scale: float, out: Array) -> None:
        """out = scale A[:, index]."""
        out[:] = 0.0
        low, high = int(self._ends[index]), int(self._ends[index + 1])
        self.place.scatter(self._columns, low, high, float(scale), out)

    def columns(self, indices: Indices, values: Array, out: Array) -> None:
        """out = Σ_k values_k A[:, indices_k]."""
        if len(indices) > MAX_SINGLE_COLUMNS:
            x = np.zeros(self.shape[1], dtype=self.dtype)
            x[indices] = values
            self.apply(x, out)
            return
        out[:] = 0.0
        for index, value in zip(np.asarray(indices).tolist(), np.asarray(values), strict=True):
            low, high = int(self._ends[index]), int(self._ends[index + 1])
            self.place.scatter(self._columns, low, high, float(value), out)

    def apply_block(self, v: Array, block: slice, out: Array) -> None:
        """out = A[:, block] v."""
        x = np.zeros(self.shape[1], dtype=self.dtype)
        x[block] = v
        self.apply(x, out)

    def adjoint_block(self, y: Array, block: slice, out: Array) -> None:
        """out = A[:, block]'y."""
        whole = np.empty(self.shape[1], dtype=self.dtype)
        self.adjoint(y, whole)
        out[:] = whole[block]

    def images(self, atoms: Sequence[Atom]) -> Matrix:
        """Images A s of the atoms s as columns: sparse if all are vertices, else dense."""
        if not all(isinstance(atom, Vertex) for atom in atoms):
            out = self.place.columns(self.shape[0], len(atoms), self.dtype)
            for k, atom in enumerate(atoms):
                self.columns(*stored_entries(atom), out[:, k])
            return out
        indices, values = vertices(atoms)
        lows, highs = self._ends[indices], self._ends[indices + 1]
        ends = np.concatenate([[0], np.cumsum(highs - lows)])
        chosen = np.repeat(lows - ends[:-1], highs - lows) + np.arange(ends[-1])
        at = self.place.put(chosen)
        factors = self.place.put(np.repeat(values, highs - lows).astype(self.dtype))
        found = self._columns.data[at] * factors
        return SparseImages(self.place, self.shape[0], ends, self._columns.indices[at], found)

    @cached_property
    def column_norms(self) -> Array:
        """2-norms of the columns of A."""
        room = self.place.empty(self.shape[1], np.dtype(np.float64))
        out = np.empty(self.shape[1])
        self.place.sparse_dot(self._columns, self._long_columns, None, room)
        self.place.deliver(room, out)
        return np.asarray(np.sqrt(out))

    def weighted_gram(self, weights: Array) -> Array:
        """Weighted Gram matrix A' diag(weights) A, of dense pieces of rows."""
        weights = self.place.to_device(weights, np.dtype(np.float64))
        out = np.zeros((self.shape[1], self.shape[1]))
        for rows, part in self.place.pieces(self._rows):
            out += self.place.gram(part, part, weights[rows])
        return out

    def gram(self, side: str) -> Array:
        ones = self.place.put(np.ones(self.shape[0]))
        return self.weighted_gram(ones) if side == "columns" else self._outer()

    def _outer(self) -> Array:
        out = np.zeros((self.shape[0], self.shape[0]))
        for _, part in self.place.pieces(self._columns):  # its rows are the columns of A
            out += self.place.gram(part, part, None)
        return out

    def centred(self) -> tuple[DeviceSparse, Array] | None:
        """Centred matrix A - 1m' and m, if columns that store nearly all rows are far from zero."""
        rows = self.shape[0]
        full = np.diff(self._ends) >= MIN_STORED_SHARE * rows
        if not full.any() or not (np.where(full, self._far(), 0.0)).any():
            return None
        # rare, and asked once a run: the host knows how, and the device gets the result
        found = self.here().centred()
        if found is None:
            return None
        moved, shift = found
        return self.place.sparse_map(moved.parts(), moved.by_rows, self.shape), shift

    def parts(self) -> list[DeviceArray]:
        """Arrays that hold the entries, for fingerprints."""
        return [self._rows.indptr, self._rows.indices, self._rows.data]

    def in_double(self) -> DeviceSparse:
        """Copy of the map with entries in float64."""
        wide = np.dtype(np.float64)
        return DeviceSparse(self.place, self._rows.astype(wide), self._columns.astype(wide))

    def here(self) -> SparseMap:
        """Copy of the map in this process's memory."""
        from scipy.sparse import csr_array

        ends, places, data = (self.place.get(part) for part in self.parts())
        return SparseMap(csr_array((data, places, ends), shape=self.shape))
