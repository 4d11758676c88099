"""Preparation of data for a fit: missing values, classes, scales."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from frankwolfe.base.arrays import AnyArray, Array, Flags, Floats, Matrix
from frankwolfe.base.checks import all_finite, is_sparse
from frankwolfe.base.errors import InvalidInput
from frankwolfe.cli.arguments import MAX_MAGNITUDE
from frankwolfe.datasets.readers import Table
from frankwolfe.datasets.readers.table import NotNumbers

__all__ = [
    "ColumnScaling",
    "compressed",
    "drop",
    "fill_missing",
    "is_classes",
    "only_numbers",
    "refuse_bad",
    "refuse_large",
    "scale",
    "targets",
    "usable",
    "without_values",
]

COMPRESSED_CELLS = 1_000_000  # of an array; a smaller one is not worth compressing
COMPRESSED_DENSITY = 0.25  # share of cells other than zero; above, dense products are as fast


@dataclass(frozen=True, eq=False)
class ColumnScaling:
    """Standardization of columns: the mean taken off each, and the spread it was divided by."""

    mean: Floats
    spread: Floats

    def undo(self, coefficients: Array, intercept: Array) -> tuple[Array, Array]:
        """Coefficients and intercept for the columns before standardization."""
        own = coefficients / self.spread
        return own, intercept - own @ self.mean


def fill_missing(
    table: Table, path: str, means: Floats | None, fill: bool, options: Sequence[str] = ()
) -> Floats | None:
    """Put column means where values are missing, in place; return them, or None if none is missing.

    `means` are those of a fit, if given; `fill` allows to compute them here; `options` are the
    options of the command that an error may suggest.
    """
    X = table.X
    if not refuse_bad(table, path, fill or means is not None, options):
        return means
    missing = np.isnan(X)
    if means is None:
        counts = (~missing).sum(axis=0)
        if not counts.all():
            raise without_values(table, path, counts)
        means = np.nansum(X, axis=0) / counts
        means[list(table.encoded)] = -1.0  # a missing word is none of the words
    X[missing] = np.broadcast_to(means, X.shape)[missing]
    return means


def without_values(table: Table, path: str, counts: AnyArray) -> InvalidInput:
    """Error that names the first column of which no value counts."""
    name = table.name_of(int(np.flatnonzero(counts == 0)[0]))
    return InvalidInput(
        f"{path}: feature {name} has no value at all; leave it out ({drop([name])})."
    )


def refuse_bad(table: Table, path: str, may_miss: bool, options: Sequence[str] = ()) -> bool:
    """True if values are missing and may be; raise InvalidInput if not, or if any is infinite."""
    X = table.X
    values = X.data if is_sparse(X) else X
    if all_finite(values):
        return False
    if np.isinf(values).any():
        _refuse(table, path, "infinite", np.isinf, options)
    if is_sparse(X) or not may_miss:
        _refuse(table, path, "missing", np.isnan, options)
    return True


def _refuse(
    table: Table,
    path: str,
    kind: str,
    is_bad: Callable[[Floats], Flags],
    options: Sequence[str],
) -> NoReturn:
    """Raise InvalidInput with the place of the first bad value, and the ways out."""
    row, column = _first(table.X, is_bad)
    name, ways = table.name_of(column), ["correct the file"]
    if "--drop" in options and table.left_out:
        ways.append(f"leave the column out ({drop([name])})")
    if "--missing" in options and kind == "missing" and not is_sparse(table.X):
        known = "count missing words as none of the column's"
        means = "fill missing values with their column's mean"
        ways.append(f"{known if column in table.encoded else means} (--missing mean)")
    advice = " or ".join(filter(None, [", ".join(ways[:-1]), ways[-1]]))
    raise InvalidInput(f"{path}: {table.where(row)}, feature {name} is {kind}; {advice}.")


def refuse_large(table: Table, path: str) -> None:
    """Raise InvalidInput, with the place of a value, if its powers may overflow."""
    X = table.X
    values = X.data if is_sparse(X) else X
    flat = values.ravel()
    # fmax and fmin pass over NaN, and no array of sizes is made
    if max(np.fmax.reduce(flat, initial=0.0), -np.fmin.reduce(flat, initial=0.0)) > MAX_MAGNITUDE:
        row, column = _first(X, lambda part: np.abs(part) > MAX_MAGNITUDE)
        raise InvalidInput(
            f"{path}: {table.where(row)}, feature {table.name_of(column)} is {X[row, column]:.3g}, "
            f"but values must not be beyond {MAX_MAGNITUDE:.0e}; give the column in another unit."
        )


@contextlib.contextmanager
def only_numbers(options: Sequence[str] = ("--drop",)) -> Iterator[None]:
    """Context in which an error about columns of words suggests these options of the command."""
    try:
        yield
    except NotNumbers as error:
        ways = {
            "--encode": f"encode {error.them} with {option('--encode', error.columns)}",
            "--drop": f"leave {error.them} out with {option('--drop', error.columns)}",
        }
        advice = " or ".join(ways[name] for name in options)
        raise InvalidInput(error.message(advice or "correct the file")) from None


def option(name: str, columns: Sequence[str]) -> str:
    """Option with names of columns, as it is typed in a shell."""
    if any("," in column for column in columns):
        return f"{name} and the columns' numbers"
    return f"{name} {shlex.quote(','.join(columns))}"


def drop(names: Sequence[str]) -> str:
    """Option --drop with names of columns, as it is typed in a shell."""
    return option("--drop", names)


def compressed(X: Matrix) -> Matrix:
    """Matrix X in compressed rows if it is large and mostly zero, else X itself."""
    if (
        is_sparse(X)
        or X.size < COMPRESSED_CELLS
        or np.count_nonzero(X) > COMPRESSED_DENSITY * X.size
    ):
        return X
    from scipy.sparse import csr_matrix

    return csr_matrix(X)


def _first(X: Matrix, is_bad: Callable[[Floats], Flags]) -> tuple[int, int]:
    """Row and column of the first value for which `is_bad` is true."""
    if is_sparse(X):
        place = int(np.flatnonzero(is_bad(X.data))[0])
        row = int(np.searchsorted(X.indptr, place, side="right")) - 1
        return row, int(X.indices[place])
    row, column = np.argwhere(is_bad(X))[0]
    return int(row), int(column)


def targets(table: Table, path: str) -> AnyArray:
    """Targets of a table, checked: integers if all are whole numbers, else floats, or words."""
    y = np.asarray(table.y)
    if y.dtype.kind != "f":
        return y
    size = np.abs(y)
    if not size.max() <= MAX_MAGNITUDE:
        row = int(np.flatnonzero(~(size <= MAX_MAGNITUDE))[0])
        kind = (
            "missing"
            if np.isnan(y[row])
            else f"{y[row]:.3g}, and must not be beyond {MAX_MAGNITUDE:.0e}"
        )
        kind = "infinite" if np.isinf(y[row]) else kind
        raise InvalidInput(f"{path}: the target of {table.where(row)} is {kind}.")
    # beyond 2^53 not every whole number is a float: nothing says that these are counts
    return y.astype(np.int64) if (y == np.rint(y)).all() and size.max() < 2**53 else y


def is_classes(y: AnyArray) -> bool:
    """True if targets look like classes: words, or at most two different numbers."""
    # the first thousand tell of most regressions, without sorting all
    return y.dtype.kind not in "iuf" or np.unique(y[:1000]).size <= 2 >= np.unique(y).size


def scale(X: Matrix, center: bool) -> ColumnScaling:
    """Divide the columns by their standard deviation, in place, after taking off means if asked.

    Means of a sparse matrix stay, so that it remains sparse: with a free intercept they would
    change the intercept alone.
    """
    rows, columns = X.shape
    if is_sparse(X):
        mean = np.bincount(X.indices, X.data, minlength=columns) / rows
        squares = np.bincount(X.indices, X.data**2, minlength=columns) / rows
        spread = usable(np.sqrt(np.maximum(squares - mean**2, 0.0)), mean)
        X.data /= spread[X.indices]
        return ColumnScaling(np.zeros(columns), spread)
    mean, spread = X.mean(axis=0), X.std(axis=0)
    if center:
        X -= mean
    spread = usable(spread, mean)
    X /= spread
    return ColumnScaling(mean if center else np.zeros(columns), spread)


def usable(spread: Floats, mean: Floats) -> Floats:
    """Spreads to divide by: 1 for a column that is constant up to rounding."""
    return np.where(spread <= 1e-12 * np.abs(mean), 1.0, spread)
