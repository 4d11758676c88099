"""Vector loops on all threads, with the results of `blocks` to the last bit."""

from __future__ import annotations

from frankwolfe.base.kernels import blocks
from frankwolfe.base.kernels.parallel_variants import variant

__all__ = [
    "add_scaled",
    "ahead",
    "along",
    "blend",
    "combine",
    "curvature",
    "dot",
    "extend",
    "linearize",
    "shifted",
    "subtract",
    "value",
]

add_scaled, ahead, blend, combine, extend, subtract = (
    variant(loop, "parallel", parallel=True)
    for loop in (
        *(blocks.add_scaled, blocks.ahead, blocks.blend),
        *(blocks.combine, blocks.extend, blocks.subtract),
    )
)
along, curvature, dot, linearize, shifted, value = (
    variant(loop, "parallel", parallel=True)
    for loop in (
        *(blocks.along, blocks.curvature, blocks.dot),
        *(blocks.linearize, blocks.shifted, blocks.value),
    )
)
