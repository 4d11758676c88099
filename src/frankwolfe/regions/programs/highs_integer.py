"""Mixed-integer linear programs by HiGHS's branch and bound, within a number of nodes."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.regions.programs.highs import (
    BRIEF,
    FREELY,
    SHARP,
    Constraints,
    choose,
    highs_module,
    loaded,
)

__all__ = ["Branched", "branch"]


class Branched(NamedTuple):
    """The best point found, None where there is none; HiGHS's bound; and whether it is done."""

    x: Array | None
    bound: float
    status: str


def branch(
    given: Constraints, whole: Any, cost: Array, nodes: int, known: Array | None = None,
    seconds: float = math.inf,
) -> Branched:  # fmt: skip
    """Minimize the cost where the variables `whole` are integers, from a point that is known.

    The same arguments give the same answer: the budget is a number of nodes, and a time only
    where the run around has no more.
    """
    highspy = highs_module()
    solver = loaded(given)
    choose(solver, {**FREELY, "simplex_scale_strategy": 2})
    choose(solver, {"mip_rel_gap": 0.0, "mip_abs_gap": 0.0, "mip_max_nodes": nodes})
    # not "threads": HiGHS refuses another number than the first that anybody in the process chose
    choose(solver, {"mip_feasibility_tolerance": SHARP, "parallel": "off"})
    if seconds < math.inf:
        choose(solver, {"time_limit": max(seconds, BRIEF)})
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
