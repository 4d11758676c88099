"""Points of dual cones, and bounds below cone programs from them."""

from __future__ import annotations

import math

import numpy as np

from frankwolfe.base.arrays import Array, Indices, Matrix

__all__ = ["dual_point", "lower_bound"]

UNIT = 2.0**-53  # unit roundoff of double precision


def dual_point(kind: str, y: Array, size: int, upper: bool = False) -> Array | None:
    """A point near y that lies, despite rounding, in the dual of a product of equal cones.

    `kind` and `size` are those of each cone; None is returned where there is no rule for it.
    Matrices are stored as triangles, column after column, with entries off the diagonal times
    the root of two: the `upper` one, or the lower.
    """
    if kind == "Zero":
        return y
    if kind == "NonNeg":
        return np.maximum(y, 0.0)
    if kind == "SOC":
        parts = y.reshape(-1, size).copy()
        length = np.linalg.norm(parts[:, 1:], axis=1) * (1.0 + 4.0 * size * UNIT)
        parts[:, 0] = np.maximum(parts[:, 0], length)
        return parts.ravel()
    if kind == "ExpCone":
        return _exponential(y)
    return _semidefinite(y, size, upper) if kind == "PSD" else None


def _exponential(y: Array) -> Array:
    """Move triples into the dual exponential cone, by u, v and w in turn.

    It holds (u, v, w) with u < 0 and w >= -u exp(v/u - 1), or u = 0 and v, w >= 0.
    """
    u, v, w = (part.copy() for part in y.reshape(-1, 3).T)
    u = np.minimum(u, 0.0)
    v = np.where(u == 0.0, np.maximum(v, 0.0), v)
    with np.errstate(all="ignore"):
        least = np.where(u < 0.0, -u * np.exp(v / np.where(u < 0.0, u, -1.0) - 1.0), 0.0)
    if not np.isfinite(least).all():
        return np.zeros_like(y)
    return np.column_stack([u, v, np.maximum(w, least * (1.0 + 16.0 * UNIT))]).ravel()


def _triangle(side: int, upper: bool) -> tuple[Indices, Indices]:
    """Rows and columns of a triangle's entries, column after column."""
    rows, columns = np.tril_indices(side)
    return (columns, rows) if upper else (np.triu_indices(side)[1], np.triu_indices(side)[0])


def _semidefinite(y: Array, side: int, upper: bool) -> Array:
    """Add to each matrix as much of the identity as makes it positive semidefinite."""
    rows, columns = _triangle(side, upper)
    scale = np.where(rows == columns, 1.0, math.sqrt(0.5))
    out = []
    for part in y.reshape(-1, rows.size):
        matrix = np.zeros((side, side))
        matrix[rows, columns] = part * scale
        matrix[columns, rows] = part * scale
        least = float(np.linalg.eigvalsh(matrix)[0])
        rounding = 4.0 * side * UNIT * float(np.linalg.norm(matrix))
        out.append(part + np.where(rows == columns, max(rounding - least, 0.0), 0.0))
    return np.concatenate(out)


def lower_bound(c: Array, A: Matrix, b: Array, y: Array, box: tuple[Array, Array]) -> float:
    """Lower bound on <c, v> over v in a box with Av + b in a cone, for y in the dual cone.

    <c, v> = <y, Av + b> + <c - A'y, v> - <y, b>, whose first term is not negative.
    """
    rest = c - A.T @ y
    far = np.maximum(np.abs(box[0]), np.abs(box[1]))
    terms = A.shape[0] + A.shape[1] + 4
    rounding = (np.abs(c) + abs(A).T @ np.abs(y)) @ far + np.abs(y) @ np.abs(b)
    least = rest @ np.where(rest > 0.0, *box)
    return float(least - y @ b - 2.0 * terms * UNIT * rounding)
