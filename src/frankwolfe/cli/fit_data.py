"""Data of `frankwolfe fit`: read, checked and made ready for an estimator."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from frankwolfe.base.arrays import AnyArray, Matrix
from frankwolfe.base.errors import InvalidInput
from frankwolfe.cli.arguments import index_base
from frankwolfe.cli.loading import READING, load
from frankwolfe.cli.screen import Screen

if TYPE_CHECKING:
    import os

    from frankwolfe.cli.prepare import ColumnScaling
    from frankwolfe.datasets.readers import Table

__all__ = ["FitData", "loss_for", "read_data", "read_with_targets"]


class FitData(NamedTuple):
    """Data ready for an estimator: the table read, features, targets, the loss for them.

    `fill` are the values put in for missing ones, `scales` is how columns were standardized; each
    is None where that was not asked for. X and y are Dask arrays where workers read the files.
    """

    table: Table
    X: Matrix
    y: AnyArray
    loss: str
    fill: NDArray[np.float64] | None
    scales: ColumnScaling | None


def read_data(options: argparse.Namespace, screen: Screen) -> FitData:
    """Data of the file that the options name, if a model can be fitted to them."""
    screen.say(f"reading {Path(options.file).name}")  # before anything slow is loaded
    load(*READING)
    from frankwolfe.cli import prepare
    from frankwolfe.datasets.readers import one_hot

    more = {"target_file": options.target_file, "encode": options.encode}
    table, y = read_with_targets(options, screen, options.file, ("--encode", "--drop"), **more)
    loss = loss_for(options, y)
    _check_size(options, y, loss)
    mean = options.missing == "mean"
    fill = prepare.fill_missing(table, options.file, None, mean, ("--drop", "--missing"))
    prepare.refuse_large(table, options.file)
    X = prepare.compressed(one_hot(table.X, table.encoded))
    scales = prepare.scale(X, not options.no_intercept) if options.standardize else None
    return FitData(table, X, y, loss, fill, scales)


def read_with_targets(
    options: argparse.Namespace,
    screen: Screen,
    path: str | os.PathLike[str],
    ways: Sequence[str],
    **more: Any,
) -> tuple[Table, AnyArray]:
    """Table of a file and its targets.

    `ways` are the options that an error about columns of words may suggest, `more` are passed on
    to `read_table`.
    """
    from frankwolfe.cli import prepare
    from frankwolfe.datasets.readers import read_table

    with prepare.only_numbers(ways):
        table = read_table(
            path,
            options.target,
            drop=options.drop,
            header=options.header,
            format=options.format,
            progress=screen.reading(Path(path).name),
            base=index_base(options),
            max_memory=options.max_memory,
            **more,
        )
    return table, prepare.targets(table, str(path))


def loss_for(options: argparse.Namespace, y: AnyArray) -> str:
    """Loss that was asked for, or logistic for classes and squared for numbers; checked."""
    from frankwolfe.cli.prepare import is_classes

    loss: str = options.loss or ("logistic" if is_classes(y) else "squared")
    if y.dtype.kind not in "iuf" and loss not in ("logistic", "multinomial"):
        from frankwolfe.datasets.readers.cells import as_number

        word = next((word for word in map(str, y) if as_number(word) is None), str(y[0]))
        raise InvalidInput(
            f"{options.file}: the target holds words such as {word!r}; the loss {loss} needs "
            "numbers, logistic takes words."
        )
    return loss


def _check_size(options: argparse.Namespace, y: AnyArray, loss: str) -> None:
    """Raise InvalidInput unless there are enough rows and classes, also for the folds."""
    if y.size < 2:
        raise InvalidInput(f"{options.file} has one row: a model needs two at least.")
    rows, what = y.size, "the file"
    if loss in ("logistic", "multinomial") and y.dtype.kind != "f":
        classes, counts = np.unique(y, return_counts=True)
        if classes.size < 2:
            raise InvalidInput(
                f"{options.file}: the target is {classes.tolist()[0]!r} in all rows; there must be "
                "two classes at least."
            )
        rows, what = int(counts.min()), f"the class {classes.tolist()[int(counts.argmin())]!r}"
    if options.radius == "cv" and rows < options.folds:
        fewer = f"take --folds {rows}, or give" if rows > 1 else "give"
        raise InvalidInput(
            f"{options.file}: {what} has {rows} row{'s' if rows > 1 else ''}, too few for "
            f"{options.folds} folds; {fewer} a --radius."
        )
