"""Reader of npz files: arrays X and y, or a sparse matrix that scipy saved."""

from __future__ import annotations

from collections.abc import Callable
from typing import IO

import numpy as np

from frankwolfe.base.arrays import AnyArray, Matrix
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.files import BrokenArchive, array_names, read_arrays, reading
from frankwolfe.core.structure import checked_structure
from frankwolfe.datasets.readers.table import Request, Table, not_empty

__all__ = ["read"]

LAYOUTS = {
    "csr": {"data", "indices", "indptr"},
    "csc": {"data", "indices", "indptr"},
    "bsr": {"data", "indices", "indptr"},
    "coo": {"data", "row", "col"},
    "dia": {"data", "offsets"},
}
"""Arrays that scipy saves besides format and shape, by its name of a sparse format."""


def read(request: Request) -> Table:
    """Read X and, where the file has it, y."""
    path = request.path
    size = path.stat().st_size
    request.say(0, size)
    try:
        with reading(path), open(path, "rb") as file:
            X, y = _arrays(request, file, set(array_names(file)))
    except BrokenArchive as error:
        raise InvalidInput(f"{path} is not a whole npz file: {error}.") from None
    request.say(size, size)
    return Table(X=not_empty(path, X), y=y, target="" if y is None else "y", format="npz")


def _arrays(request: Request, file: IO[bytes], names: set[str]) -> tuple[Matrix, AnyArray | None]:
    """X and y, checked; y is None where there is none or none is wanted."""
    path = request.path
    if {"format", "shape", "data"} <= names:
        return _sparse(request, file, names), None
    if "X" not in names:
        raise InvalidInput(
            f"{path} must hold arrays X and y, or a scipy sparse matrix; it holds "
            f"{', '.join(map(ascii, sorted(names)))[:200] or 'nothing'}."
        )
    wanted = {"X", "y"} & names if request.wants_target else {"X"}
    arrays = read_arrays(file, path, request.budget, wanted)
    X, y = arrays["X"], arrays.get("y")
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise InvalidInput(
            f"{path}: X must be a matrix of numbers, got shape {X.shape} of {X.dtype}."
        )
    if y is not None and y.shape != X.shape[:1]:
        raise InvalidInput(
            f"{path}: y must have {X.shape[0]:,} entries, got an array of shape {y.shape}."
        )
    with np.errstate(over="ignore"):  # of long doubles; infinite values are refused later
        kept = X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)
    return kept, None if y is None else _targets(request, y)


def _sparse(request: Request, file: IO[bytes], names: set[str]) -> Matrix:
    """Matrix as scipy saves it, checked first: scipy's compiled code trusts its indices."""
    import scipy.sparse

    path = request.path
    head = read_arrays(file, path, request.budget, {"format", "shape"})
    layout = _text(head["format"])
    if layout not in LAYOUTS or not LAYOUTS[layout] <= names:
        raise BrokenArchive(f"a sparse matrix in the format {layout[:20]!r} has not its arrays")
    parts = read_arrays(file, path, request.budget, LAYOUTS[layout])
    if parts["data"].dtype.kind not in "biuf":
        raise InvalidInput(f"{path} must hold a matrix of numbers, got {parts['data'].dtype}.")
    shape = _shape(head["shape"])
    request.budget.need(8 * (shape[0] + 1) + 12 * parts["data"].size, path)
    request.needs_features(shape[1])
    kind = getattr(scipy.sparse, f"{layout}_matrix")
    matrix = checked_structure(str(path), _filled(layout, kind, _whole(parts), shape))
    with np.errstate(over="ignore"):  # infinite values are refused later
        return scipy.sparse.csr_matrix(matrix, dtype=np.float64)


def _whole(parts: dict[str, AnyArray]) -> dict[str, AnyArray]:
    """Arrays with all but the data as vectors of whole numbers, of 32 bits where these do."""
    small = max(part.size for part in parts.values()) < 2**31
    for name in parts.keys() - {"data"}:
        part = parts[name]
        if part.dtype.kind not in "iu" or part.ndim != 1:
            raise BrokenArchive(f"{name} is not a vector of whole numbers")
        fits = part.size == 0 or (int(part.min()) >= -(2**31) and int(part.max()) < 2**31)
        parts[name] = part.astype(np.int32 if small and fits else np.int64)
    return parts


def _filled(
    layout: str, kind: Callable[..., Matrix], parts: dict[str, AnyArray], shape: tuple[int, int]
) -> Matrix:
    """Matrix of scipy's class `kind` with these arrays, whose indices are not checked yet."""
    if layout == "dia":
        _check_diagonals(parts)
        return kind((parts["data"], parts["offsets"]), shape=shape)
    if layout == "coo":
        return _of_coordinates(kind, parts, shape)
    if parts["data"].ndim != (3 if layout == "bsr" else 1):
        raise BrokenArchive(f"data has the shape {parts['data'].shape}")
    if layout == "bsr" and (0 in parts["data"].shape[1:] or _uneven(parts["data"], shape)):
        raise BrokenArchive(f"blocks of shape {parts['data'].shape[1:]} do not fill it")
    matrix = kind(shape, dtype=parts["data"].dtype)  # given the arrays it would compute with them
    for name, array in parts.items():
        setattr(matrix, name, array)
    return matrix


def _of_coordinates(
    kind: Callable[..., Matrix], parts: dict[str, AnyArray], shape: tuple[int, int]
) -> Matrix:
    """COO matrix from its arrays, checked."""
    for name, side in (("row", shape[0]), ("col", shape[1])):
        places = parts[name]  # checked here: scipy casts them to fewer bits without a word
        if places.shape != parts["data"].shape:
            raise BrokenArchive(f"{name} has not as many entries as data")
        if places.size and not 0 <= places.min() <= places.max() < side:
            raise BrokenArchive(f"{name} must lie between 0 and {side - 1}")
    return kind((parts["data"], (parts["row"], parts["col"])), shape=shape)


def _uneven(blocks: AnyArray, shape: tuple[int, int]) -> bool:
    """True if blocks of a BSR matrix do not fill its shape."""
    return any(size % block for size, block in zip(shape, blocks.shape[1:], strict=True))


def _check_diagonals(parts: dict[str, AnyArray]) -> None:
    """Raise unless a DIA matrix has a row of data for each of its different offsets."""
    offsets, data = parts["offsets"], parts["data"]
    if data.ndim != 2 or offsets.size != len(data) or np.unique(offsets).size != offsets.size:
        raise BrokenArchive(f"{offsets.size} offsets do not fit data of shape {data.shape}")


def _shape(array: AnyArray) -> tuple[int, int]:
    """Rows and columns of a saved matrix, checked."""
    if array.dtype.kind not in "iu" or array.shape != (2,) or array.min() < 0:
        raise BrokenArchive("its shape is not two whole numbers")
    if array.max() >= 2**31:
        raise BrokenArchive(f"its shape {tuple(array.tolist())} is too large")
    return int(array[0]), int(array[1])


def _text(array: AnyArray) -> str:
    """Text in an array of one; empty where there is none."""
    value = array.item() if array.size == 1 else ""
    return value.decode("ascii", "replace") if isinstance(value, bytes) else str(value)


def _targets(request: Request, y: AnyArray) -> AnyArray:
    """Targets as numbers or words, checked; words in bytes are UTF-8."""
    if y.dtype.kind == "S":
        try:
            return np.char.decode(y, "utf-8")
        except UnicodeDecodeError:
            raise InvalidInput(
                f"{request.path}: y holds bytes that are not UTF-8 text: save words as text."
            ) from None
    if y.dtype.kind not in "biufU":
        raise InvalidInput(
            f"{request.path}: y must hold real numbers or words, got an array of {y.dtype}."
        )
    if y.dtype.kind == "U" and not _is_text(y):
        raise InvalidInput(f"{request.path}: y holds words that are no text: save them again.")
    return y


def _is_text(words: AnyArray) -> bool:
    """True if words are made of Unicode characters, without halves of surrogate pairs."""
    letters = np.frombuffer(words.astype(words.dtype.newbyteorder("=")).tobytes(), np.uint32)
    halves = (letters >= 0xD800) & (letters < 0xE000)
    return not (letters > 0x10FFFF).any() and not halves.any()
