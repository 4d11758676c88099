"""npz files: arrays X and y, or a matrix that scipy saved."""

from __future__ import annotations

import zipfile
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frankwolfe.datasets.readers.source import reading
from frankwolfe.datasets.readers.table import Request, Table, not_empty
from frankwolfe.numerics.errors import InvalidInput

__all__ = ["read"]


def read(request: Request) -> Table:
    """Read X and, where it is there, y."""
    path = request.path
    size = path.stat().st_size
    request.say(0, size)
    try:
        with reading(path), open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            X, y = _arrays(request, archive)
    except (ValueError, KeyError, zipfile.BadZipFile, zlib.error) as error:
        if isinstance(error, InvalidInput):
            raise
        if "allow_pickle" in str(error):
            raise InvalidInput(f"{path} holds Python objects: save arrays of numbers.") from None
        raise InvalidInput(f"{path} is not a whole npz file: {error}.") from None
    request.say(size, size)
    return Table(X=not_empty(path, X), y=y, target="" if y is None else "y", format="npz")


def _arrays(request: Request, archive: Any) -> tuple[Any, Any]:
    path, names = request.path, set(archive.files)
    if {"format", "shape", "data"} <= names:
        from scipy.sparse import csr_matrix, load_npz

        matrix = load_npz(path)
        if matrix.dtype.kind not in "biuf":
            raise InvalidInput(f"{path} must hold a matrix of numbers, got {matrix.dtype}.")
        return csr_matrix(matrix, dtype=np.float64), None
    if "X" not in names:
        raise InvalidInput(
            f"{path} must hold arrays X and y, or a scipy sparse matrix; it holds "
            f"{', '.join(sorted(names)) or 'nothing'}."
        )
    X = archive["X"]
    y = archive["y"] if "y" in names and request.wants_target else None
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise InvalidInput(
            f"{path}: X must be a matrix of numbers, got shape {X.shape} of {X.dtype}."
        )
    if y is not None and y.shape != X.shape[:1]:
        raise InvalidInput(
            f"{path}: y must have {X.shape[0]:,} entries, got an array of shape {y.shape}."
        )
    kept = X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)
    return kept, None if y is None else _targets(request, y)


def _targets(request: Request, y: NDArray[Any]) -> NDArray[Any]:
    """Numbers or words; words in bytes are UTF-8."""
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
    return y
