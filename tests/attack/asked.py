"""How small a gap a relative tolerance asks for, from what a result says of its run."""

from __future__ import annotations

import math
from typing import Any

__all__ = ["asked"]


def asked(result: Any, tol: float) -> float:
    """tol * max(min(|f(x)|, R), 1e-3 F): f, what it changes by over the region, how far it fell.

    F counts from the region's own start, or from phi(0) where that is less; where f is but rounding
    there and at x, from phi(0) or a point far away; of a function that is called at the points of a
    run alone, from the first of these. Twelve digits are enough.
    """
    problem, history = result.problem, result.history
    eps = 2.0 ** (-23 if problem.objective.dtype.itemsize == 4 else -52)
    value, first_gap = abs(result.fun), history["gap"][0]
    start, null = problem.start_value, problem.null_value
    start = history["value"][0] if math.isnan(start) else start
    if max(value, abs(start)) <= eps * null < math.inf:
        start = null
    if max(value, abs(start)) <= eps * eps * problem.far_value < math.inf:
        start = problem.far_value
    changes = max(first_gap, start - result.fun)
    from_null = eps * start < null < start
    fallen = (null if from_null else start) - result.fun
    return max(tol * max(min(value, changes), 1e-3 * fallen), min(tol, 4096.0 * eps) * value)
