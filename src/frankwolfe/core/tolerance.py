"""The gap at which a run ends: what a relative tolerance is relative to.

A plain function of numbers, without Numba: the state calls it, and the fast path compiles the same
one (`solver/kernels/fast_path.py`).
"""

from __future__ import annotations

import math

__all__ = ["EXACT", "FALL", "enough", "reference"]

FALL = 1e-3
"""Share of the fall of f that counts where f itself is next to zero.

A sum of squares that can be made zero has no size of its own: at 1e-3 a `tolerance` of 1e-6 asks
for residuals of 3e-5 of those at the start.
"""
EXACT = 4096.0
"""Number of roundings of f that are no error: about twelve digits in double precision."""


def enough(
    tolerance: float, value: float, start: float, null: float, first_gap: float, eps: float
) -> float:
    r"""The gap at which a relative tolerance is met, in the units of f.

    .. math:: \text{tolerance} \cdot \max(\min(|f(x)|, R),\ 10^{-3} F)

    with R, what f changes by over the region: the larger of the first gap and of f(start) - f(x);
    and F, how far f has fallen from its `reference`. A multiple of f has the same multiple of this
    number; a constant that is added to f does not loosen it beyond R. Twelve digits of f are always
    enough.

    Parameters
    ----------
    tolerance : float
        The relative tolerance.
    value : float
        f(x).
    start : float
        f at the region's own start.
    null : float
        :math:`\varphi(0)`, from which F is counted where it is below `start` and more than its
        rounding: a start far out in a large region says little of f. Infinite where 0 means
        nothing.
    first_gap : float
        The gap at the first point of the run.
    eps : float
        Machine epsilon of x and its image.

    Examples
    --------
    >>> from math import inf
    >>> from frankwolfe.core.tolerance import enough
    >>> enough(1e-6, 2.0, 5.0, inf, 8.0, 2.0**-52)
    2e-06
    >>> enough(1e-6, 1e9 + 2.0, 1e9 + 5.0, inf, 8.0, 2.0**-52) < 1e-3
    True
    """
    size, span = abs(value), max(first_gap, start - value)
    top = null if eps * start < null < start else start
    unit = min(size, span) if span >= 0.0 else size
    if top - value > 0.0:
        unit = max(unit, FALL * (top - value))
    return max(tolerance * unit, min(tolerance, EXACT * eps) * size)


def reference(value: float, start: float, null: float, far: float, eps: float) -> float:
    r"""Value of f from which its fall is counted, also where f is nothing but rounding.

    A run that begins and ends at an f of zero, or of its rounding, has fallen from nothing: it is
    compared with the model that predicts nothing, and where that is as good, with a point far from
    the start.

    Parameters
    ----------
    value, start, null, far : float
        f(x), f at the region's own start, :math:`\varphi(0)`, and f on the other side of the
        region; not finite where unknown.
    eps : float
        Machine epsilon of x and its image.

    Examples
    --------
    >>> from math import inf
    >>> from frankwolfe.core.tolerance import reference
    >>> [reference(0.0, start, 0.5, 2.0, 2.0**-52) for start in (1.0, 1e-32, 0.0)]
    [1.0, 0.5, 0.5]
    >>> [reference(value, 0.0, inf, 2.0, 2.0**-52) for value in (0.0, -1e-9)]
    [2.0, 0.0]
    """
    size = max(abs(value), abs(start))
    top = null if size <= eps * null < math.inf else start
    return far if max(abs(value), abs(top)) <= eps * eps * far < math.inf else top
