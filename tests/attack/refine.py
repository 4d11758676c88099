"""A better point: Newton's method on the face of a good one, with exact gradients.

The value of a certificate is in its last digits, and no method that computes in floats knows them.
Here the gradient is exact and rounded once, so that a step on the face on which the best point lies
comes to the optimum as near as doubles can say it; every point is moved into the region exactly.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .cases import Part
from .rational import Exact, decimal, exact, from_fractions

__all__ = ["refined"]

STEPS = 4
MOST = 300  # variables
NEAR = 1e-9  # of the region's size, how near to a bound a variable counts as on it


def refined(judge: Any, x: Exact, value: Any) -> Any:
    """The least value found on the face of x; that of x where none is less."""
    if judge.region is None or np.size(x.whole) > MOST or not judge.truth.smooth:
        return value
    for _ in range(STEPS):
        face = _face(judge.case.region, x.floats())
        if face is None or not face[0].any():
            return value
        d = _newton(judge.truth, x, *face)
        step = None if d is None else _best_along(judge, x, d, value)
        if step is None:
            return value
        x, value = step
    return value


def _best_along(judge: Any, x: Exact, d: Any, value: Any) -> tuple[Exact, Any] | None:
    start, way = x.fractions(), exact(d).fractions()
    for share in (1, 4, 64):
        moved = [v + w / share for v, w in zip(start, way, strict=True)]
        point = from_fractions(judge.region.inner(moved))
        here = judge.value(point)
        if decimal(here) < decimal(value):
            return point, here
    return None


def _newton(truth: Any, x: Exact, free: Any, normals: list[Any], bend: Any) -> Any:
    """The step of a quadratic model in the free variables, orthogonal to the normals."""
    with np.errstate(all="ignore"):
        try:
            g = truth.gradient(x)
        except OverflowError:
            return None
        H = truth.hessian(x) + np.diag(bend(g))
        scale = 1.0 / np.sqrt(np.maximum(np.diag(H)[free], 1e-300))  # columns of any scale
        C = np.array([normal[free] * scale for normal in normals]).reshape(-1, int(free.sum()))
        inner = H[np.ix_(free, free)] * scale[:, None] * scale
        size = max(float(np.abs(C).max()), 1e-300) if C.size else 1.0
        C = C / size
        K = np.block([[inner, C.T], [C, np.zeros((len(C), len(C)))]])
        right = np.concatenate([-g[free] * scale, np.zeros(len(C))])
        if not (np.isfinite(K).all() and np.isfinite(right).all()):
            return None
        found = np.linalg.lstsq(K, right, rcond=1e-15)[0][: int(free.sum())] * scale
    if not np.isfinite(found).all():
        return None
    d = np.zeros(g.size)
    d[free] = found
    return d


Face = tuple[Any, list[Any], Any]
"""Free variables, normals, and what a curved boundary adds to the curvature for a gradient."""


def _flat(g: Any) -> Any:
    return np.zeros(g.size)


def _face(part: Part, x: Any) -> Face | None:
    """The face of x, where the region is one whose faces are known here."""
    centred = part.options.get("center") is not None and part.name != "LInfBall"
    kind = None if centred else FACES.get(part.name)
    return None if kind is None else kind(x, part)


def _box_face(x: Any, part: Part) -> Face:
    o = part.options
    if part.name == "Box":
        low, high = o["lower"], o["upper"]
    else:
        low, high = (o.get("center", 0.0) + sign * o["radius"] for sign in (-1.0, 1.0))
    near = NEAR * (np.asarray(high) - low)
    return (x > low + near) & (x < high - near), [], _flat


def _cross_face(x: Any, part: Part) -> Face:
    """Of the l1 ball, or that ball cut by a cube."""
    r, k = part.options["radius"], part.options.get("k", 1)
    tight = np.abs(x).sum() >= k * r * (1.0 - NEAR)
    free = np.abs(x) > NEAR * r if tight else np.ones(x.size, dtype=bool)
    if part.name == "KSparse":
        free &= np.abs(x) < r * (1.0 - NEAR)
    return free, [np.sign(x)] if tight else [], _flat


def _round_face(x: Any, part: Part) -> Face:
    r, free = part.options["radius"], np.ones(x.size, dtype=bool)
    if np.linalg.norm(x) < r * (1.0 - NEAR):
        return free, [], _flat
    return free, [x / r], lambda g: np.full(x.size, max(-float(g @ (x / r)) / r, 0.0))


def _sum_face(x: Any, part: Part) -> Face:
    scale, k = part.options["scale"], part.options.get("k", 1)
    free = x > NEAR * scale
    if "Hyper" in part.name:
        free &= x < scale * (1.0 - NEAR)
    tight = not part.name.startswith("Unit") or x.sum() >= k * scale * (1.0 - NEAR)
    return free, [np.ones(x.size)] if tight else [], _flat


FACES: dict[str, Any] = {
    "Box": _box_face,
    "LInfBall": _box_face,
    "L1Ball": _cross_face,
    "KSparse": _cross_face,
    "L2Ball": _round_face,
    "OracleRegion_ball": _round_face,
    "Simplex": _sum_face,
    "UnitSimplex": _sum_face,
    "Hypersimplex": _sum_face,
    "UnitHypersimplex": _sum_face,
    "OracleRegion_simplex": _sum_face,
}
