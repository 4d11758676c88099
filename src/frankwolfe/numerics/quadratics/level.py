"""The nearest point with bounds on its entries and a given sum."""

from __future__ import annotations

import numpy as np

from frankwolfe.numerics.arrays import Array
from frankwolfe.numerics.kernels import level

__all__ = ["nearest_with_sum"]


def nearest_with_sum(p: Array, low: float, high: float, total: float) -> Array:
    """The point nearest to p with entries between two bounds and that sum.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.numerics.quadratics.level import nearest_with_sum
    >>> nearest_with_sum(np.array([0.6, 0.3, -0.4]), 0.0, np.inf, 1.0)
    array([0.65, 0.35, 0.  ])
    """
    wide = p.astype(np.float64, copy=False)
    x = np.empty_like(wide)
    level.cut(wide, low, high, total, (float(wide.sum()) - total) / p.size, x)
    return x.astype(p.dtype, copy=False)
