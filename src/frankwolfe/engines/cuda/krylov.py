"""Steps of the Lanczos method on a device."""

from __future__ import annotations

import math
from typing import Any

import cupy
import numpy as np

from frankwolfe.engines.cuda.cells_source import KRYLOV
from frankwolfe.engines.cuda.source import compiled

__all__ = ["Krylov"]


class Krylov:
    """Steps of the Lanczos method, as `frankwolfe.numerics.kernels.krylov` has them."""

    def __init__(self, place: Any) -> None:
        self._place = place

    def orthogonalize(self, basis: Any, k: int, w: Any) -> tuple[float, float]:
        """Take the parts along basis[0..k] out of w, twice; return <basis[k], w> and |w|."""
        n, count = np.int64(w.size), k + 1
        numbers = cupy.empty(2 * count + 1, np.float64)
        products, subtract = (compiled(KRYLOV, name) for name in ("products", "subtract"))
        blocks = (-(-w.size // 256),)
        for parts in (numbers[:count], numbers[count:-1]):
            products((count,), (1024,), (basis, w, n, parts))
            subtract(blocks, (256,), (basis, parts, np.int32(count), n, w))
        products((1,), (1024,), (w, w, n, numbers[-1:]))
        found = self._place.get(numbers)
        return float(found[k]), math.sqrt(float(found[-1]))
