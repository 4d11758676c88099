"""Matrix Market files; the targets are in a file of their own."""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np

from frankwolfe.datasets.readers.source import opened, reading
from frankwolfe.datasets.readers.table import Request, Table, not_empty
from frankwolfe.numerics.errors import InvalidInput

__all__ = ["read"]


def read(request: Request) -> Table:
    """Read a matrix, dense or in compressed rows."""
    from scipy.io import mmread
    from scipy.sparse import csr_matrix, issparse

    path = request.path
    size = path.stat().st_size
    request.say(0, size)
    try:
        with reading(path), opened(path) as (file, _):
            matrix = mmread(file, **_as_array(mmread))
    except (ValueError, OverflowError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(f"{path} is not a Matrix Market file: {error}.") from None
    if np.iscomplexobj(matrix):
        raise InvalidInput(f"{path} holds complex numbers; features must be real.")
    request.say(size, size)
    X = csr_matrix(matrix, dtype=np.float64) if issparse(matrix) else matrix.astype(np.float64)
    return Table(X=not_empty(path, X), y=None, format="mtx")


def _as_array(mmread: Any) -> dict[str, bool]:
    """The option for a sparse array, where this version of SciPy has it."""
    return {"spmatrix": False} if "spmatrix" in signature(mmread).parameters else {}
