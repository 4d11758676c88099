"""The data matrix A on a device, and where it is dense.

Nothing here names CuPy: `place` has the arrays and the products with them, and a test may put
another in its stead.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import DTypeLike

from frankwolfe.base.arrays import Array, Dtype, Indices, Matrix
from frankwolfe.core.atoms import Atom, Vertex
from frankwolfe.core.centring import MIN_MEAN_OVER_SPREAD
from frankwolfe.core.maps import DenseMap
from frankwolfe.core.place import Place
from frankwolfe.core.products import vertices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from frankwolfe.engines.sparse import DeviceSparse

__all__ = ["DeviceArray", "DeviceDense", "DeviceMap", "DeviceMatrix", "DevicePlace"]

DeviceArray: TypeAlias = Any
"""An array of the device, such as `cupy.ndarray`: CuPy ships no types."""

DeviceMatrix: TypeAlias = Any
"""A compressed matrix of the device (CSR or CSC), such as `cupyx.scipy.sparse.csr_matrix`."""

Product: TypeAlias = "Callable[[DeviceArray, DeviceArray | None, DeviceArray], None]"
"""A product of a matrix and a vector, written into the third array."""

Leap: TypeAlias = "Callable[..., tuple[float, float]]"
"""A step in one pass over A: `frankwolfe.engines.cuda.one_pass.OnePass.__call__`."""


class DevicePlace(Place, Protocol):
    """A device with the products that maps are made of; CuPy's is `engines.cuda.device.Device`."""

    @property
    def rows_dot(self) -> Product:
        """out = A x for contiguous rows; squared norms of the rows without x."""

    @property
    def rows_sum(self) -> Product:
        """out = A'y for contiguous rows; squared norms of the columns without y."""

    @property
    def take(self) -> Callable[..., None]:
        """out = columns of a matrix times values, side by side or summed."""

    def gram(self, left: DeviceArray, right: DeviceArray, weights: DeviceArray | None) -> Array:
        """Weighted product B' diag(weights) C in float64, as NumPy's; no weights are ones."""

    def contiguous(self, array: DeviceArray) -> DeviceArray:
        """The array in C order: itself where it is."""

    def to_device(self, array: Array | DeviceArray, dtype: DTypeLike) -> DeviceArray:
        """Contiguous array of type `dtype` on the device, from either side."""

    def deliver(self, array: DeviceArray, out: Array | DeviceArray) -> None:
        """out = array, for an `out` on either side."""

    def roomy(self, size: int) -> bool:
        """True if 2 × size bytes of the device's memory are free."""

    def matrix_product(self, A: DeviceArray, x: DeviceArray, out: DeviceArray) -> None:
        """out = A X for a matrix X of a few columns."""

    def one_pass(self, matrix: DeviceArray) -> Leap | None:
        """Step of known size in one pass over the matrix; None where no kernel is made for it."""

    def distinct(self, places: DeviceArray) -> tuple[DeviceArray, DeviceArray]:
        """Sorted distinct entries, and the position of each entry among them."""

    def long(self, ends: Indices) -> object:
        """Plan of the work on rows of these lengths, which `sparse_dot` takes."""

    def sparse_dot(
        self, matrix: DeviceMatrix, long: Any, x: DeviceArray | None, out: DeviceArray
    ) -> None:
        """out = compressed rows (or columns) times x; their squared norms without x."""

    def scatter(
        self, matrix: DeviceMatrix, low: int, high: int, scale: float, out: DeviceArray
    ) -> None:
        """Add scale times the stored entries low, ..., high - 1 to out."""

    def pieces(self, matrix: DeviceMatrix) -> Iterator[tuple[slice, DeviceArray]]:
        """Compressed rows as dense blocks, each with its range of rows."""

    def sparse_map(self, parts: list[Array], by_rows: bool, shape: tuple[int, int]) -> DeviceSparse:
        """Map of a compressed matrix that NumPy's arrays hold."""


class DeviceMap:
    """Linear map on a device: vectors come from either side, results go where `out` is."""

    shape: tuple[int, int]
    dtype: Dtype
    sparse: bool

    def __init__(self, place: DevicePlace) -> None:
        self.place = place

    @property
    def sums_in_double(self) -> bool:
        """True if the entries are float32, whose sums are taken in float64."""
        return bool(self.dtype == np.float32)

    def __getstate__(self) -> dict[str, object]:
        # a compiled kernel does not travel to another process
        return {name: part for name, part in self.__dict__.items() if name != "_one_pass"}

    def _product(self, x: DeviceArray, out: DeviceArray) -> None:
        raise NotImplementedError

    def _transposed(self, y: DeviceArray, out: DeviceArray) -> None:
        raise NotImplementedError

    def apply(self, x: Array, out: Array) -> None:
        """out = A x, for a vector x or a matrix of a few columns."""
        x = self.place.to_device(x, self.dtype)
        if x.ndim == 2:
            self._products(x, out)
        else:
            self._product(x, out)

    def _products(self, x: DeviceArray, out: DeviceArray) -> None:
        """out = A X, one column of X after the other."""
        for k in range(x.shape[1]):
            column = self.place.empty(self.shape[0], self.dtype)
            self._product(self.place.contiguous(x[:, k]), column)
            out[:, k] = column

    def adjoint(self, y: Array, out: Array) -> None:
        """out = A'y, for a vector y or a few columns; `out` is NumPy's or the device's."""
        if y.ndim == 2:
            self._adjoints(self.place.to_device(y, self.dtype), out)
            return
        room = self.place.empty(self.shape[1], self.dtype)
        self._transposed(self.place.to_device(y, self.dtype), room)
        self.place.deliver(room, out)

    def _adjoints(self, y: DeviceArray, out: DeviceArray) -> None:
        """out = A'Y, one column of Y after the other."""
        for k in range(y.shape[1]):
            column = np.empty(self.shape[1], dtype=self.dtype)
            self.adjoint(self.place.contiguous(y[:, k]), column)
            out[:, k] = column

    @property
    def norm(self) -> float:
        """Frobenius norm of A."""
        return float(np.linalg.norm(self.column_norms))

    @cached_property
    def column_norms(self) -> Array:
        """2-norms of the columns of A."""
        raise NotImplementedError

    @cached_property
    def _sums(self) -> Array:
        """Sums of the columns of A, in float64."""
        out = np.empty(self.shape[1], dtype=np.float64)
        ones = self.place.empty(self.shape[0], self.dtype)
        ones[:] = 1.0
        room = self.place.empty(self.shape[1], np.dtype(np.float64))
        self._transposed(ones, room)
        self.place.deliver(room, out)
        return out

    def _far(self) -> Array:
        """Means of the columns whose mean is far from zero, relative to their spread; else 0."""
        rows = self.shape[0]
        # columns whose squares overflow compare as not far: centring would not help them
        with np.errstate(over="ignore", invalid="ignore"):
            means = self._sums / rows
            far = MIN_MEAN_OVER_SPREAD**2 * (self.column_norms**2 / rows - means**2) < means**2
        return np.where(far, means, 0.0).astype(self.dtype)

    def gram(self, side: str) -> Array:
        """Gram matrix: A'A for `side` "columns", AA' for "rows"."""
        raise NotImplementedError

    @property
    def leaps(self) -> bool:
        """True if `leap` is available: one pass over A instead of two."""
        return False


class DeviceDense(DeviceMap):
    """Dense matrix on a device; kept without a copy when contiguous, in either order."""

    sparse = False

    def __init__(self, place: DevicePlace, matrix: DeviceArray) -> None:
        super().__init__(place)
        if not (matrix.flags.c_contiguous or matrix.flags.f_contiguous):
            matrix = place.contiguous(matrix)
        self.matrix = matrix
        self.by_rows = bool(matrix.flags.c_contiguous)
        self.shape = (int(matrix.shape[0]), int(matrix.shape[1]))
        self.dtype = matrix.dtype

    def _multiply(self, matrix: DeviceArray, x: DeviceArray, out: DeviceArray) -> None:
        if self.by_rows:
            self.place.rows_dot(matrix, x, out)
        else:
            self.place.rows_sum(matrix.T, x, out)

    def _multiply_transposed(self, matrix: DeviceArray, y: DeviceArray, out: DeviceArray) -> None:
        if self.by_rows:
            self.place.rows_sum(matrix, y, out)
        else:
            self.place.rows_dot(matrix.T, y, out)

    def _product(self, x: DeviceArray, out: DeviceArray) -> None:
        self._multiply(self.matrix, x, out)

    def _transposed(self, y: DeviceArray, out: DeviceArray) -> None:
        self._multiply_transposed(self.matrix, y, out)

    def _products(self, x: DeviceArray, out: DeviceArray) -> None:
        self.place.matrix_product(self.matrix, x, out)

    def _adjoints(self, y: DeviceArray, out: DeviceArray) -> None:
        out[...] = self.place.gram(self.matrix, y, None)

    @cached_property
    def _one_pass(self) -> Leap | None:
        return self.place.one_pass(self.matrix)

    @property
    def leaps(self) -> bool:
        return self._one_pass is not None

    def leap(
        self,
        terms: object,
        s: Array,
        z: Array,
        gamma: float,
        ahead: Array,
        slope: Array,
        out: Array,
    ) -> tuple[float, float]:
        """ahead = (1 - γ)z + γAs, slope = phi'(ahead), out = A'slope; return phi, <slope, ahead>"""
        room, atom = (
            self.place.empty(self.shape[1], self.dtype),
            self.place.to_device(s, self.dtype),
        )
        assert self._one_pass is not None  # `leaps` says so
        pair = self._one_pass(terms, atom, z, gamma, ahead, slope, room)
        self.place.deliver(room, out)
        return pair

    def column(self, index: int, scale: float, out: Array) -> None:
        """out = scale A[:, index]."""
        self.columns(np.array([index]), np.array([scale]), out)

    def columns(self, indices: Indices, values: Array, out: Array) -> None:
        """out = Σ_k values_k A[:, indices_k]."""
        self._take(indices, values, out, together=True)

    def _take(self, indices: Indices, values: Array, out: DeviceArray, *, together: bool) -> None:
        places = self.place.to_device(np.asarray(indices, dtype=np.int64), np.dtype(np.int64))
        weights = self.place.to_device(np.asarray(values, dtype=np.float64), np.dtype(np.float64))
        self.place.take(self.matrix, places, weights, out, together=together)

    def apply_block(self, v: Array, block: slice, out: Array) -> None:
        """out = A[:, block] v."""
        self._multiply(self.matrix[:, block], self.place.to_device(v, self.dtype), out)

    def adjoint_block(self, y: Array, block: slice, out: Array) -> None:
        """out = A[:, block]'y; no other columns are read."""
        part = self.matrix[:, block]
        room = self.place.empty(part.shape[1], self.dtype)
        self._multiply_transposed(part, self.place.to_device(y, self.dtype), room)
        self.place.deliver(room, out)

    def images(self, atoms: Sequence[Atom]) -> Matrix:
        """Images A s of the atoms s, as columns of a dense matrix."""
        out = self.place.columns(self.shape[0], len(atoms), self.dtype)
        if all(isinstance(atom, Vertex) for atom in atoms):
            self._take(*vertices(atoms), out, together=False)
            return out
        for k, atom in enumerate(atoms):
            atom.image(self, out[:, k])
        return out

    @cached_property
    def column_norms(self) -> Array:
        """2-norms of the columns of A."""
        room = self.place.empty(self.shape[1], np.dtype(np.float64))
        out = np.empty(self.shape[1])
        if self.by_rows:
            self.place.rows_sum(self.matrix, None, room)
        else:
            self.place.rows_dot(self.matrix.T, None, room)
        self.place.deliver(room, out)
        return np.asarray(np.sqrt(out))

    def weighted_gram(self, weights: Array) -> Array:
        """Weighted Gram matrix A' diag(weights) A."""
        weights = self.place.to_device(weights, np.dtype(np.float64))
        return np.asarray(self.place.gram(self.matrix, self.matrix, weights))

    def gram(self, side: str) -> Array:
        matrix = self.matrix if side == "columns" else self.matrix.T
        return np.asarray(self.place.gram(matrix, matrix, None))

    def centred(self) -> tuple[DeviceDense, Array] | None:
        """Centred matrix A - 1m' and m, the means far from zero; None if m = 0 or memory lacks."""
        shift = self._far()
        if not shift.any() or not self.place.roomy(self.matrix.nbytes):
            return None
        moved = DeviceDense(self.place, self.matrix - self.place.put(shift))
        rest = moved._sums / self.shape[0]  # what rounding left of it: constant columns become 0
        shift = np.where(shift != 0.0, shift + rest, 0.0).astype(self.dtype)
        return DeviceDense(self.place, self.matrix - self.place.put(shift)), shift

    def parts(self) -> list[DeviceArray]:
        """Arrays that hold the entries, for fingerprints."""
        return [self.matrix]

    def in_double(self) -> DeviceDense:
        """Copy of the map with entries in float64."""
        return DeviceDense(self.place, self.matrix.astype(np.float64))

    def here(self) -> DenseMap:
        """Copy of the map in this process's memory."""
        return DenseMap(self.place.get(self.matrix))
