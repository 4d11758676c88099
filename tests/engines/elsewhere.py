"""A stand-in for a device: NumPy's arrays behind a wall, with the CPU's loops.

As with CuPy's, nothing becomes a NumPy array by itself and the two kinds do not mix: what works
here asks the seam (`frankwolfe.core.place`) and nothing else. The maps are those of
`frankwolfe.engines`. This module is an engine, too: `frankwolfe.base.foreign`.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from scipy import sparse

from frankwolfe.base.kernels import losses, vectors
from frankwolfe.core.kernels import krylov, logs, multinomial
from frankwolfe.core.place import unit_noise
from frankwolfe.core.products import weighted_gram
from frankwolfe.engines import ENGINES
from frankwolfe.engines.maps import DeviceDense
from frankwolfe.engines.sparse import DeviceSparse, SparseImages

ENGINES["elsewhere"] = lambda: sys.modules[__name__]  # type: ignore[assignment]
lazy = False

PLAIN = ("shape", "dtype", "size", "ndim", "itemsize", "nbytes", "flags", "strides")


class Far(NDArrayOperatorsMixin):
    """An array that is not here."""

    __slots__ = ("_array",)

    def __init__(self, array: Any) -> None:
        self._array = np.asarray(array)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        found = getattr(ufunc, method)(*_inside(inputs), **_inside(options))
        return options["out"][0] if options.get("out") else _outside(found)

    def __array_function__(self, function: Any, _types: Any, args: Any, kwargs: Any) -> Any:
        return _outside(function(*_inside(args), **_inside(kwargs)))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self._array, name)
        if name in PLAIN:
            return found
        if not callable(found):
            return _outside(found)

        def method(*args: Any, **kwargs: Any) -> Any:
            if "initial" in kwargs:
                raise TypeError("initial is not known elsewhere")
            return _outside(found(*_inside(args), **_inside(kwargs)))

        return method

    def __getitem__(self, key: Any) -> Far:
        return Far(self._array[_inside(key)])

    def __setitem__(self, key: Any, value: Any) -> None:
        self._array[_inside(key)] = _inside(value)

    def __iter__(self) -> Any:
        return map(Far, self._array)

    def __len__(self) -> int:
        return len(self._array)

    def __float__(self) -> float:
        return float(self._array)

    def __bool__(self) -> bool:
        return bool(self._array)

    def __index__(self) -> int:
        return int(self._array)


def _inside(value: Any) -> Any:
    """The NumPy arrays within; one that is here already does not mix with them."""
    if isinstance(value, Far):
        return value._array
    if isinstance(value, np.ndarray) and value.ndim:
        raise TypeError(f"Unsupported type {type(value)}")
    if isinstance(value, tuple | list):
        return type(value)(_inside(each) for each in value)
    if isinstance(value, dict):
        return {name: _inside(each) for name, each in value.items()}
    return value


def _outside(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return Far(value)
    if isinstance(value, tuple):  # named ones, too
        return tuple(_outside(each) for each in value)
    if isinstance(value, list):
        return [_outside(each) for each in value]
    return value


class FarMatrix:
    """A scipy matrix that is not here; its arrays are `Far`."""

    ndim = 2

    def __init__(self, matrix: Any) -> None:
        self.matrix = matrix
        self.shape, self.dtype, self.format = matrix.shape, matrix.dtype, matrix.format
        self.nnz = matrix.nnz
        self.indptr, self.indices = Far(matrix.indptr), Far(matrix.indices)
        self.data = Far(matrix.data)

    def astype(self, dtype: Any) -> FarMatrix:
        return FarMatrix(self.matrix.astype(dtype))


class _Loops:
    """Compiled loops that take arrays from there alone."""

    def __init__(self, module: Any) -> None:
        self._module = module

    def linearize_later(self, *args: Any) -> Any:
        """What another kind of array computes while others go on."""
        pair = self.linearize(*args)
        return lambda: pair

    def __getattr__(self, name: str) -> Any:
        loop = getattr(self._module, name)

        def called(*args: Any) -> Any:
            small = [a._array if isinstance(a, Far) else a for a in args]
            for before, after in zip(args, small, strict=True):
                if isinstance(before, np.ndarray) and before.size > 16:
                    raise TypeError(f"{name} got an array that is here: {after.shape}")
            return loop(*small)

        return called


class Elsewhere:
    """The place: as `frankwolfe.engines.cuda.device.Device`, on NumPy's arrays."""

    here = leaping = False
    krylov, logs, multinomial = _Loops(krylov), _Loops(logs), _Loops(multinomial)
    _vectors, _losses = _Loops(vectors), _Loops(losses)

    def __init__(self) -> None:
        self.rounds = self.bytes = 0

    @property
    def moved(self) -> tuple[int, int]:
        return self.rounds, self.bytes

    def empty(self, size: int, dtype: Any) -> Far:
        return Far(np.empty(size, dtype=dtype))

    def columns(self, rows: int, count: int, dtype: Any) -> Far:
        return Far(np.empty((rows, count), dtype=dtype, order="F"))

    def contiguous(self, array: Far) -> Far:
        return Far(np.ascontiguousarray(array._array))

    def put(self, array: Any) -> Far:
        if isinstance(array, Far):
            return array
        self.bytes += array.nbytes
        return Far(np.array(array))

    def get(self, array: Any) -> Any:
        if not isinstance(array, Far):
            return np.asarray(array)
        self.bytes += array.nbytes
        self.rounds += 1
        return array._array.copy()

    def to_device(self, array: Any, dtype: Any) -> Far:
        array = array if isinstance(array, Far) else self.put(np.asarray(array, dtype=dtype))
        return Far(np.ascontiguousarray(array._array, dtype=dtype))

    def deliver(self, array: Far, out: Any) -> None:
        if isinstance(out, Far):
            out[...] = array
        else:
            out[...] = self.get(array)

    def roomy(self, size: int) -> bool:
        return True

    def noise(self, seed: Any, size: int) -> Far:
        return self.put(unit_noise(seed, size))

    def norm(self, x: Far) -> float:
        return float(np.linalg.norm(x._array))

    def vectors(self, size: int) -> Any:
        return self._vectors

    def losses(self, size: int) -> Any:
        return self._losses

    def weighted_square(self, weights: Far, x: Far) -> float:
        return float(self._vectors.weighted_square(weights, x))

    def rows_dot(self, A: Far, x: Far | None, out: Far) -> None:
        a = A._array
        out._array[...] = (a.astype(float) ** 2).sum(axis=1) if x is None else np.dot(a, x._array)

    def rows_sum(self, A: Far, y: Far | None, out: Far) -> None:
        a = A._array
        out._array[...] = (a.astype(float) ** 2).sum(axis=0) if y is None else np.dot(a.T, y._array)

    def matrix_product(self, A: Far, x: Far, out: Far) -> None:
        out._array[...] = A._array @ x._array

    def take(self, A: Far, places: Far, values: Far, out: Far, *, together: bool) -> None:
        found = A._array[:, places._array] * values._array.astype(A.dtype)
        out._array[...] = found.sum(axis=1) if together else found

    def one_pass(self, matrix: Far) -> Any:
        """As the device's, where it is asked for: `leaping` says so in a test."""
        if not self.leaping:
            return None

        def leap(terms: Any, s: Far, z: Far, gamma: float, ahead: Far, slope: Far, out: Far) -> Any:
            code, delta, b, w = terms
            image = self.empty(matrix.shape[0], matrix.dtype)
            self.rows_dot(matrix, s, image)
            self._vectors.blend(ahead, z, gamma, image)
            pair = self._losses.linearize(code, delta, ahead, b, w, slope)
            self.rows_sum(matrix, slope, out)
            return pair

        return leap

    def long(self, ends: Any) -> None:
        return None

    def sparse_dot(self, matrix: FarMatrix, long: None, x: Far | None, out: Far) -> None:
        rows = matrix.matrix if matrix.format == "csr" else matrix.matrix.T
        out._array[...] = (rows**2).sum(axis=1) if x is None else rows @ x._array

    def scatter(self, matrix: FarMatrix, low: int, high: int, scale: float, out: Far) -> None:
        places = matrix.indices._array[low:high]
        out._array[places] += scale * matrix.data._array[low:high]

    def distinct(self, places: Far) -> tuple[Far, Far]:
        found, where = np.unique(places._array, return_inverse=True)
        return Far(found), Far(where)

    def pieces(self, matrix: FarMatrix) -> Any:
        rows = matrix.matrix if matrix.format == "csr" else matrix.matrix.T
        yield slice(0, rows.shape[0]), Far(rows.toarray())

    def sparse_map(self, parts: Any, by_rows: bool, shape: Any) -> DeviceSparse:
        ends, places, data = parts
        kind = sparse.csr_array if by_rows else sparse.csc_array
        return _sparse_map(self, kind((data, places, ends), shape=shape))

    def beside(self, images: Any, more: Any) -> Any:
        if isinstance(images, SparseImages) and isinstance(more, SparseImages):
            ends = np.concatenate([images.ends, images.ends[-1] + more.ends[1:]])
            pairs = (images.places, more.places), (images.values, more.values)
            joined = (Far(np.concatenate(_inside(pair))) for pair in pairs)
            return SparseImages(self, images.shape[0], ends, *joined)
        both = [part.full() if isinstance(part, SparseImages) else part for part in (images, more)]
        return Far(np.asfortranarray(np.hstack(_inside(both))))

    def select(self, images: Any, keep: Any) -> Any:
        if isinstance(images, SparseImages):
            return images.select(keep)
        return Far(np.asfortranarray(images._array[:, keep]))

    def reached(self, images: Any, *, apart: bool) -> tuple[Any, Any]:
        if not isinstance(images, SparseImages):
            return None, images
        few = apart and 0 < images.nnz < images.shape[0] // 4
        return images.apart if few else (None, images.full())

    def combination(self, images: Any, weights: Any, dtype: Any) -> Far:
        if isinstance(images, SparseImages):
            out = Far(np.zeros(images.shape[0], dtype=dtype))
            places, part = images.apart
            out[places] = self.combination(part, weights, dtype)
            return out
        self.bytes += weights.nbytes
        return Far(np.asarray(images._array @ weights, dtype=dtype))

    def dots(self, images: Any, y: Far) -> Any:
        self.rounds += 1
        if isinstance(images, SparseImages):
            places, part = images.apart
            return self.dots(part, y[places])
        return np.asarray(images._array.T @ y._array, dtype=np.float64)

    def gram(self, left: Far, right: Far, weights: Far | None) -> Any:
        factors = np.ones(left.shape[0]) if weights is None else weights._array
        self.rounds += 1
        if left is right:
            return weighted_gram(left._array, left._array, factors)
        return weighted_gram(left._array, right._array, factors)


def _sparse_map(place: Elsewhere, matrix: Any) -> DeviceSparse:
    return DeviceSparse(place, FarMatrix(matrix.tocsr()), FarMatrix(matrix.tocsc()))


def far(data: Any) -> Far | FarMatrix:
    """NumPy's or scipy's data, put away."""
    return FarMatrix(data.tocsr()) if sparse.issparse(data) else Far(data)


def takes(array: Any) -> bool:
    return isinstance(array, Far | FarMatrix)


def class_for(kind: type) -> type:
    return kind


def as_map(name: str, matrix: Any) -> Any:
    if isinstance(matrix, FarMatrix):
        return _sparse_map(Elsewhere(), matrix.matrix)
    return DeviceDense(Elsewhere(), matrix)


def to_host(array: Any) -> Any:
    return array.matrix if isinstance(array, FarMatrix) else array._array.copy()


def like(sample: Far, array: Any) -> Far:
    return Far(array.copy())


def triples(ratings: Any) -> Any:
    if isinstance(ratings, FarMatrix):
        coo = ratings.matrix.tocoo()
        return Far(coo.row), Far(coo.col), Far(coo.data)
    return tuple(part if isinstance(part, Far) else Far(part) for part in ratings)


def as_cells(rows: Far, columns: Far, shape: Any, dtype: Any) -> Any:
    from far_cells import FarCells

    order = np.argsort(rows._array, kind="stable")
    return FarCells(rows._array[order], columns._array[order], shape), Far(order)
