"""Data made ready for a fit: missing values, classes, scales."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from frankwolfe.base.checks import all_finite, is_sparse
from frankwolfe.base.errors import InvalidInput
from frankwolfe.cli.arguments import MOST
from frankwolfe.datasets.readers import Table
from frankwolfe.datasets.readers.table import NotNumbers

__all__ = [
    "Scales",
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
]

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


def fill_missing(
    table: Table, path: str, means: Floats | None, fill: bool, options: Sequence[str] = ()
) -> Floats | None:
    """Put means where values are missing, in place; the means, or None where nothing is missing.

    `means` are those of a fit, `fill` says whether missing values may be filled at all, `options`
    are those of the command that could help.
    """
    X = table.X
    if not refuse_bad(table, path, fill or means is not None, options):
        return means
    missing = np.isnan(X)
    if means is None:
        counts = (~missing).sum(axis=0)
        if not counts.all():
            name = table.name_of(int(np.flatnonzero(counts == 0)[0]))
            raise InvalidInput(
                f"{path}: feature {name} has no value at all; leave it out ({drop([name])})."
            )
        means = np.nansum(X, axis=0) / counts
        means[list(table.encoded)] = -1.0  # a missing word is none of the words
    X[missing] = np.broadcast_to(means, X.shape)[missing]
    return means


def refuse_bad(table: Table, path: str, may_miss: bool, options: Sequence[str] = ()) -> bool:
    """Whether values are missing, which they may; raises where they must not, or are infinite."""
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
    is_bad: Callable[[Any], NDArray[np.bool_]],
    options: Sequence[str],
) -> NoReturn:
    """Say where the first bad value is, and what would help."""
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
    """Say where a value is whose powers are no numbers any more."""
    X = table.X
    values = X.data if is_sparse(X) else X
    flat = values.ravel()
    if max(np.fmax.reduce(flat, initial=0.0), -np.fmin.reduce(flat, initial=0.0)) > MOST:
        row, column = _first(X, lambda part: np.abs(part) > MOST)
        raise InvalidInput(
            f"{path}: {table.where(row)}, feature {table.name_of(column)} is {X[row, column]:.3g}, "
            f"but values must not be beyond {MOST:.0e}; give the column in another unit."
        )


@contextlib.contextmanager
def only_numbers(options: Sequence[str] = ("--drop",)) -> Iterator[None]:
    """Columns that hold no numbers get a sentence with the options of the command that help."""
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
    """An option with columns as they are written for it."""
    if any("," in column for column in columns):
        return f"{name} and the columns' numbers"
    return f"{name} {shlex.quote(','.join(columns))}"


def drop(names: Sequence[str]) -> str:
    """The option that leaves columns out."""
    return option("--drop", names)


def compressed(X: Any) -> Any:
    """X in compressed rows where most of its cells are zero and it is large, else as it is."""
    if is_sparse(X) or X.size < LARGE or np.count_nonzero(X) > SPARSE * X.size:
        return X
    from scipy.sparse import csr_matrix

    return csr_matrix(X)


def _first(X: Any, is_bad: Callable[[Any], NDArray[np.bool_]]) -> tuple[int, int]:
    """Row and column of the first bad value."""
    if is_sparse(X):
        place = int(np.flatnonzero(is_bad(X.data))[0])
        row = int(np.searchsorted(X.indptr, place, side="right")) - 1
        return row, int(X.indices[place])
    row, column = np.argwhere(is_bad(X))[0]
    return int(row), int(column)


def targets(table: Table, path: str) -> NDArray[Any]:
    """The targets: whole numbers where they all are, else numbers, or words."""
    y = np.asarray(table.y)
    if y.dtype.kind != "f":
        return y
    size = np.abs(y)
    if not size.max() <= MOST:
        row = int(np.flatnonzero(~(size <= MOST))[0])
        kind = "missing" if np.isnan(y[row]) else f"{y[row]:.3g}, and must not be beyond {MOST:.0e}"
        kind = "infinite" if np.isinf(y[row]) else kind
        raise InvalidInput(f"{path}: the target of {table.where(row)} is {kind}.")
    return y.astype(np.int64) if (y == np.rint(y)).all() and size.max() < 2**53 else y


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
        spread = usable(np.sqrt(np.maximum(squares - mean**2, 0.0)), mean)
        X.data /= spread[X.indices]
        return Scales(np.zeros(columns), spread)
    mean, spread = X.mean(axis=0), X.std(axis=0)
    if center:
        X -= mean
    spread = usable(spread, mean)
    X /= spread
    return Scales(mean if center else np.zeros(columns), spread)


def usable(spread: Floats, mean: Floats) -> Floats:
    """Spreads by which to divide: one where a column is constant, up to rounding."""
    return np.where(spread <= 1e-12 * np.abs(mean), 1.0, spread)
