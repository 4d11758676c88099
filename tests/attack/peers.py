"""Points that other solvers find, where they are installed: Clarabel by CVXPY, scipy's L-BFGS-B."""

from __future__ import annotations

import importlib.util
import math
import warnings
from typing import Any

import numpy as np

from .cases import Case, Part
from .truth import dense

__all__ = ["peer_points"]

MOST = 60, 200  # variables and rows up to which they are asked


def peer_points(case: Case, objective: Any) -> list[Any]:
    """What the others find; nothing where they fail or are not there."""
    found: list[Any] = []
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for solver in (_clarabel, _lbfgsb):
            try:
                x = solver(case, objective)
            except Exception:  # their failures are not ours
                continue
            if x is not None and np.isfinite(x).all():
                found.append(np.asarray(x, dtype=np.float64))
    return found


def _lbfgsb(case: Case, objective: Any) -> Any:
    from scipy.optimize import minimize

    if case.region.name != "Box" or not objective.everywhere:
        return None
    sides = [np.broadcast_to(case.region.options[k], (objective.n,)) for k in ("lower", "upper")]

    def both(x: Any) -> tuple[float, Any]:
        return objective(x), objective.grad(x).astype(float)

    start = 0.5 * (sides[0] + sides[1])
    options = {"ftol": 0.0, "gtol": 0.0, "maxiter": 500}
    bounds = list(zip(*sides, strict=True))
    return minimize(both, start, jac=True, bounds=bounds, options=options).x


def _clarabel(case: Case, objective: Any) -> Any:
    if importlib.util.find_spec("cvxpy") is None or objective.matrix:
        return None
    import cvxpy as cp

    if objective.n > MOST[0] or not objective.convex or not objective.everywhere:
        return None
    x = cp.Variable(objective.n)
    cost = _cost(cp, case.objective, x)
    if cost is None:
        return None
    problem = cp.Problem(cp.Minimize(cost), _within(cp, case.region, x))
    problem.solve(solver=cp.CLARABEL, time_limit=2.0)
    return x.value


def _cost(cp: Any, part: Part, x: Any) -> Any:
    options, inner = part.options, part.name.rpartition(".")[2]
    if part.name in FORMS:
        return FORMS[part.name](cp, x, **options)
    if inner not in LOSSES or options["A"].shape[0] > MOST[1]:
        return None
    A = dense(options["A"]).astype(float)
    weights = np.asarray(options.get("sample_weight", np.ones(len(A))), dtype=float)
    z = A @ x + (cp.Variable() if part.name.startswith("Profiled") else 0.0)
    return LOSSES[inner](cp, z, weights, options)


def _form(cp: Any, x: Any, Q: Any, c: Any) -> Any:
    return 0.5 * cp.quad_form(x, cp.psd_wrap(np.asarray(Q, dtype=float))) + c @ x


def _distance(cp: Any, x: Any, p: Any) -> Any:
    return 0.5 * cp.sum_squares(x - np.asarray(p, dtype=float))


def _logistic(cp: Any, z: Any, weights: Any, options: dict[str, Any]) -> Any:
    signs = np.where(options["b"] == np.max(options["b"]), 1.0, -1.0)
    return weights @ cp.logistic(cp.multiply(-signs, z))


def _squared(cp: Any, z: Any, weights: Any, options: dict[str, Any]) -> Any:
    return 0.5 * cp.sum_squares(cp.multiply(np.sqrt(weights), options["b"] - z))


def _huber(cp: Any, z: Any, weights: Any, options: dict[str, Any]) -> Any:
    return weights @ cp.huber(options["b"] - z, options["delta"])


def _quantile(cp: Any, z: Any, weights: Any, options: dict[str, Any]) -> Any:
    q, u = options["quantile"], cp.Variable(weights.size)
    smooth = cp.square(options["b"] - z - u) / (2 * options["delta"])
    return weights @ (cp.maximum(q * u, (q - 1) * u) + smooth)


FORMS: dict[str, Any] = {"Quadratic": _form, "squared_distance": _distance}
LOSSES: dict[str, Any] = {
    "Logistic": _logistic,
    "SquaredError": _squared,
    "Huber": _huber,
    "Quantile": _quantile,
}


def _within(cp: Any, part: Part, x: Any) -> list[Any]:
    rules: list[Any] = RULES[part.name](cp, x, part.options)
    return rules


def _ball(order: Any) -> Any:
    def rules(cp: Any, x: Any, o: dict[str, Any]) -> list[Any]:
        away = x - o["center"] if o.get("center") is not None else x
        p = o["p"] if order is None else order
        return [cp.pnorm(away, "inf" if p == math.inf else p) <= o["radius"]]

    return rules


def _sparse(cp: Any, x: Any, o: dict[str, Any]) -> list[Any]:
    return [cp.norm(x, "inf") <= o["radius"], cp.norm(x, 1) <= o["k"] * o["radius"]]


def _groups(cp: Any, x: Any, o: dict[str, Any]) -> list[Any]:
    groups = [np.flatnonzero(o["groups"] == g) for g in np.unique(o["groups"])]
    return [sum(cp.norm(x[g], 2) for g in groups) <= o["radius"]]


def _box(cp: Any, x: Any, o: dict[str, Any]) -> list[Any]:
    return [x >= o["lower"], x <= o["upper"]]


def _birkhoff(cp: Any, x: Any, o: dict[str, Any]) -> list[Any]:
    X = cp.reshape(x, (o["n"], o["n"]), order="C")
    return [x >= 0, cp.sum(X, axis=0) == 1, cp.sum(X, axis=1) == 1]


def _hull(cp: Any, x: Any, o: dict[str, Any]) -> list[Any]:
    w = cp.Variable(len(o["points"]), nonneg=True)
    return [cp.sum(w) == 1, x == np.asarray(o["points"], dtype=float).T @ w]


def _product(cp: Any, x: Any, o: dict[str, Any]) -> list[Any]:
    rules, start = [], 0
    for block, size in o["blocks"]:
        rules += _within(cp, block, x[start : start + size])
        start += size
    return rules


def _sum(*, at_most: bool, capped: bool) -> Any:
    def rules(cp: Any, x: Any, o: dict[str, Any]) -> list[Any]:
        total = o.get("k", 1) * o["scale"]
        held = cp.sum(x) <= total if at_most else cp.sum(x) == total
        return [x >= 0, held, *([x <= o["scale"]] if capped else [])]

    return rules


RULES: dict[str, Any] = {
    "L1Ball": _ball(1),
    "L2Ball": _ball(2),
    "OracleRegion_ball": _ball(2),
    "LInfBall": _ball(math.inf),
    "LpBall": _ball(None),
    "KSparse": _sparse,
    "GroupBall": _groups,
    "Box": _box,
    "Birkhoff": _birkhoff,
    "ConvexHull": _hull,
    "Product": _product,
    "Simplex": _sum(at_most=False, capped=False),
    "OracleRegion_simplex": _sum(at_most=False, capped=False),
    "UnitSimplex": _sum(at_most=True, capped=False),
    "Hypersimplex": _sum(at_most=False, capped=True),
    "UnitHypersimplex": _sum(at_most=True, capped=True),
}
