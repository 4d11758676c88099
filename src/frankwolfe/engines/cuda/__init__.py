"""Data on a GPU: CuPy arrays and sparse matrices, and others that are handed over by DLPack.

The only room that names CuPy, which is loaded with it: when an array of CuPy's is first met.
"""

from __future__ import annotations

from typing import Any

from frankwolfe.engines.cuda.cells import cells, triples
from frankwolfe.engines.cuda.intake import as_map, here, like, takes

__all__ = ["as_map", "cells", "here", "like", "pose", "takes", "triples"]


def pose(kind: type, data: Any, *rest: Any, **options: Any) -> Any:
    """A bare instance: the class is the one for NumPy's data, and its map says where they are."""
    return object.__new__(kind)
