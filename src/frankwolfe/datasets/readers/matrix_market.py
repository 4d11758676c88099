"""Matrix Market files; the targets are in a file of their own."""

from __future__ import annotations

import numpy as np

from frankwolfe.datasets.readers.source import opened, reading
from frankwolfe.datasets.readers.table import Request, Table
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
            matrix = mmread(file)
    except (ValueError, OverflowError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(f"{path} is not a Matrix Market file: {error}.") from None
    if np.iscomplexobj(matrix):
        raise InvalidInput(f"{path} holds complex numbers; features must be real.")
    if not all(matrix.shape):
        raise InvalidInput(f"{path} has no {'features' if matrix.shape[0] else 'rows'}.")
    request.say(size, size)
    X = csr_matrix(matrix, dtype=np.float64) if issparse(matrix) else matrix.astype(np.float64)
    return Table(X=X, y=None, format="mtx")
