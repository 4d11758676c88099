"""Data made ready for a fit: missing values, classes, scales."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frankwolfe.checks import all_finite, is_sparse
from frankwolfe.errors import InvalidInput
from frankwolfe.readers import Table

__all__ = ["Scales", "compressed", "fill_missing", "is_classes", "scale", "targets"]

Floats = NDArray[np.float64]
LARGE, SPARSE = 1_000_000, 0.25  # cells, and the share that is not zero, for compressed rows


@dataclass(frozen=True, eq=False)
class Scales:
    """What was taken off each column, and by what it was divided."""

    mean: Floats
    spread: Floats

    def undo(self, coefficients: Floats, intercept: Floats) -> tuple[Floats, Floats]:
        """Coefficients and intercept for the columns as they were."""
        own = coefficients / self.spread
        return own, intercept - own @ self.mean


def fill_missing(table: Table, path: str, means: Floats | None, fill: bool) -> Floats | None:
    """Put means where values are missing, in place; the means, or None where nothing is missing.

    `means` are those of a fit, `fill` says whether missing values may be filled at all.
    """
    X = table.X
    values = X.data if is_sparse(X) else X
    if all_finite(values):
        return means
    if is_sparse(X) or np.isinf(values).any() or not (fill or means is not None):
        row, column = _first_missing(X)
        name = table.names[column] if table.names else str(column + 1)
        kind = "infinite" if np.isinf(values).any() else "missing"
        raise InvalidInput(
            f"{path}: row {row + 1}, feature {name} is {kind}; correct the file, leave the column "
            "out (--drop), or fill missing values with their column's mean (--missing mean)."
        )
    missing = np.isnan(X)
    if means is None:
        counts = (~missing).sum(axis=0)
        if not counts.all():
            empty = int(np.flatnonzero(counts == 0)[0])
            name = table.names[empty] if table.names else str(empty + 1)
            raise InvalidInput(
                f"{path}: feature {name} has no value at all; leave it out (--drop)."
            )
        means = np.nansum(X, axis=0) / counts
    X[missing] = np.broadcast_to(means, X.shape)[missing]
    return means


def compressed(X: Any) -> Any:
    """X in compressed rows where most of its cells are zero and it is large, else as it is."""
    if is_sparse(X) or X.size < LARGE or np.count_nonzero(X) > SPARSE * X.size:
        return X
    from scipy.sparse import csr_matrix

    return csr_matrix(X)


def _first_missing(X: Any) -> tuple[int, int]:
    if is_sparse(X):
        place = int(np.flatnonzero(~np.isfinite(X.data))[0])
        row = int(np.searchsorted(X.indptr, place, side="right")) - 1
        return row, int(X.indices[place])
    row, column = np.argwhere(~np.isfinite(X))[0]
    return int(row), int(column)


def targets(table: Table, path: str) -> NDArray[Any]:
    """The targets: whole numbers where they all are, else numbers, or words."""
    y = np.asarray(table.y)
    if y.dtype.kind != "f":
        return y
    if not all_finite(y):
        row = int(np.flatnonzero(~np.isfinite(y))[0])
        raise InvalidInput(f"{path}: the target of row {row + 1} is missing or infinite.")
    return y.astype(np.int64) if (y == np.rint(y)).all() and np.abs(y).max() < 2**53 else y


def is_classes(y: NDArray[Any]) -> bool:
    """Whether targets look like classes: words, or two different numbers."""
    return y.dtype.kind not in "iuf" or np.unique(y[:1000]).size <= 2 >= np.unique(y).size


def scale(X: Any, center: bool) -> Scales:
    """Divide the columns by their spread, in place, and take off their means where asked.

    A sparse matrix stays one: with a free intercept its means change nothing but that.
    """
    rows, columns = X.shape
    if is_sparse(X):
        mean = np.bincount(X.indices, X.data, minlength=columns) / rows
        squares = np.bincount(X.indices, X.data**2, minlength=columns) / rows
        spread = np.sqrt(np.maximum(squares - mean**2, 0.0))
        spread[spread <= 1e-12 * np.abs(mean)] = 1.0
        spread[spread == 0.0] = 1.0
        X.data /= spread[X.indices]
        return Scales(np.zeros(columns), spread)
    mean, spread = X.mean(axis=0), X.std(axis=0)
    spread[spread <= 1e-12 * np.abs(mean)] = 1.0
    spread[spread == 0.0] = 1.0
    if center:
        X -= mean
    X /= spread
    return Scales(mean if center else np.zeros(columns), spread)
