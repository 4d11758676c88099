"""Mixed-integer linear programs by HiGHS's branch and bound, within a number of nodes."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array, Flags
from frankwolfe.regions.programs.highs import (
    FREELY,
    MIN_SECONDS,
    MIN_TOLERANCE,
    Constraints,
    choose,
    highs_module,
    loaded,
)

__all__ = ["Branched", "branch"]


class Branched(NamedTuple):
    """Best point found (or None), HiGHS's lower bound on the cost, and the status."""

    x: Array | None
    bound: float
    status: str


def branch(
    given: Constraints, whole: Flags, cost: Array, nodes: int, known: Array | None = None,
    seconds: float = math.inf,
) -> Branched:  # fmt: skip
    """Minimize the cost where the variables `whole` are integers, from the point `known`.

    The budget is a number of nodes, so that equal arguments give equal answers; a time limit
    counts only where the run around has little left.
    """
    highspy = highs_module()
    solver = loaded(given)
    choose(solver, {**FREELY, "simplex_scale_strategy": 2})
    choose(solver, {"mip_rel_gap": 0.0, "mip_abs_gap": 0.0, "mip_max_nodes": nodes})
    # not "threads": HiGHS refuses another number than the first that anybody in the process chose
    choose(solver, {"mip_feasibility_tolerance": MIN_TOLERANCE, "parallel": "off"})
    if seconds < math.inf:
        choose(solver, {"time_limit": max(seconds, MIN_SECONDS)})
    n = cost.size
    places = np.arange(n, dtype=np.int32)
    kinds = np.where(whole, int(highspy.HighsVarType.kInteger), 0).astype(np.uint8)
    solver.changeColsIntegrality(n, places, kinds)
    solver.changeColsCost(n, places, np.asarray(cost, dtype=np.float64))
    if known is not None:
        start = highspy.HighsSolution()
        start.col_value = known.tolist()
        solver.setSolution(start)
    solver.run()
    kind, info = solver.getModelStatus(), solver.getInfo()
    names = highspy.HighsModelStatus
    if kind == names.kInfeasible:
        return Branched(None, np.inf, "infeasible")
    x = np.array(solver.getSolution().col_value)
    found = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    status = "optimal" if kind == names.kOptimal else "stopped"
    return Branched(x if found and x.size == n else None, float(info.mip_dual_bound), status)
