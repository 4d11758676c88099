"""Points of either kind, as arrays for a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from frankwolfe.numerics.arrays import Array
from frankwolfe.numerics.low_rank import FactoredMatrix

__all__ = ["pack_point", "unpack_point"]


def pack_point(x: Any) -> dict[str, Array]:
    """A vector, or a factored matrix, as named arrays."""
    return x.pack() if isinstance(x, FactoredMatrix) else {"vector": x}


def unpack_point(arrays: Mapping[str, Array]) -> Any:
    """The point that `pack_point` took apart; None where there was none."""
    if "left" in arrays:
        return FactoredMatrix.unpack(arrays)
    return arrays["vector"].copy() if "vector" in arrays else None
