"""Regions of matrices, by their definitions: decompositions in doubles, the rest exact."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from .cases import Part
from .rational import Exact, exact

__all__ = ["inner_matrix", "outside_matrix"]

SAFE = 1e-12  # of a norm, more than a decomposition of a small matrix errs


def _full(x: Any) -> Any:
    left, right = np.asarray(x.left, dtype=np.float64), np.asarray(x.right, dtype=np.float64)
    return (left.T * np.asarray(x.weights, dtype=np.float64)) @ right


def outside_matrix(part: Part, x: Any, tol: float) -> float:
    """How far a factored matrix is outside, in units of what is allowed."""
    full = _full(x)
    if part.name == "NuclearBall":
        norm = float(np.linalg.svd(full, compute_uv=False).sum())
        return (norm / part.options["radius"] - 1.0) / tol
    trace = part.options["trace"]
    eigenvalues = np.linalg.eigvalsh(0.5 * (full + full.T))
    excess = float(eigenvalues.sum()) - trace
    excess = max(excess, 0.0) if part.options["at_most"] else abs(excess)
    skew = float(np.abs(full - full.T).max())
    return max(skew, -float(eigenvalues[0]), excess) / trace / tol


def inner_matrix(part: Part, x: Any) -> Exact:
    """A matrix of the region that is x up to rounding, exactly."""
    full = _full(x)
    if part.name == "NuclearBall":
        norm = float(np.linalg.svd(full, compute_uv=False).sum()) * (1.0 + SAFE)
        most = Fraction(part.options["radius"])
        point = exact(full)
        return Exact(point.whole, point.unit * min(Fraction(1), most / Fraction(norm or 1.0)))
    values, vectors = np.linalg.eigh(0.5 * (full + full.T))
    left = exact(vectors)
    weights = exact(np.maximum(values, 0.0))
    made = Exact(left.whole * weights.whole, left.unit * weights.unit) @ Exact(
        left.whole.T, left.unit
    )
    trace = Fraction(int(np.trace(made.whole))) * made.unit
    wanted = Fraction(part.options["trace"])
    if trace == 0 or (part.options["at_most"] and trace <= wanted):
        return made
    return Exact(made.whole, made.unit * wanted / trace)
