"""Data of commands: read from a file, checked, and made ready for an estimator or a race."""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from frankwolfe.base.arrays import AnyArray, Floats, Matrix
from frankwolfe.base.budget import Budget
from frankwolfe.base.errors import InvalidInput, MissingExtra
from frankwolfe.cli.arguments import index_base
from frankwolfe.cli.live import READING, loading
from frankwolfe.cli.screen import Screen
from frankwolfe.core.problem import Problem
from frankwolfe.objectives import LOSSES, Objective
from frankwolfe.regions import REGION_NAMES

if TYPE_CHECKING:
    import os

    from frankwolfe.cli.prepare import ColumnScaling
    from frankwolfe.datasets.readers import Table

__all__ = ["FitData", "Given", "given_problem", "loss_for", "read_data", "read_with_targets"]

PAPER = {"breast_cancer": ("logistic", 50.0), "pima": ("huber", 35.0)}
"""Losses and radii of the paper, by data set that ships with the package."""


class FitData(NamedTuple):
    """Data ready for an estimator: the table read, features, targets, the loss for them.

    `fill` are the values put in for missing ones, `scales` is how columns were standardized; each
    is None where that was not asked for. X and y are Dask arrays where workers read the files.
    """

    table: Table
    X: Matrix
    y: AnyArray
    loss: str
    fill: Floats | None
    scales: ColumnScaling | None


def read_data(options: argparse.Namespace, screen: Screen) -> FitData:
    """Data of the file that the options name, if a model can be fitted to them."""
    screen.say(f"reading {Path(options.file).name}")  # before anything slow is loaded
    with loading(*READING):
        from frankwolfe.cli import prepare
        from frankwolfe.datasets.readers import one_hot

    more = {"target_file": options.target_file, "encode": options.encode}
    table, y = read_with_targets(options, screen, options.file, ("--encode", "--drop"), **more)
    loss = loss_for(options.loss, y, options.file)
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


def loss_for(asked: str | None, y: AnyArray, path: str) -> str:
    """Loss that was asked for, or logistic for classes and squared for numbers; checked."""
    from frankwolfe.cli.prepare import is_classes

    loss = asked or ("logistic" if is_classes(y) else "squared")
    if y.dtype.kind not in "iuf" and loss not in ("logistic", "multinomial"):
        from frankwolfe.base.files import number_of

        word = next((word for word in map(str, y) if number_of(word) is None), str(y[0]))
        raise InvalidInput(
            f"{path}: the target holds words such as {word!r}; the loss {loss} needs "
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


@dataclass(frozen=True, eq=False)
class Given:
    """Problem, and the data, loss, region and radius that it was made of."""

    problem: Problem
    data: str
    loss: str
    region: str
    radius: float
    sha256: str


def given_problem(options: argparse.Namespace, screen: Screen) -> Given:
    """Problem that the options describe."""
    from frankwolfe.datasets import DATASETS

    if options.data in DATASETS:
        table = DATASETS[options.data]()
        A, b = table.paper()
        loss, radius = PAPER[options.data]
        digest, words = table.sha256, b
    else:
        A, words, digest = _read(options, screen)
        loss, radius = loss_for(options.loss, words, options.data), None
        if not options.loss and loss == "logistic" and np.unique(words).size > 2:
            loss = "multinomial"
    loss = options.loss or loss
    objective = _objective(options, loss, A, words)
    size = options.radius if options.radius is not None else radius
    if size is None:
        size = _thumb(objective, options.region)
    region = REGION_NAMES[options.region].of_radius(size)
    return Given(
        Problem(objective, region), options.data, loss, options.region, float(size), digest
    )


def _read(options: argparse.Namespace, screen: Screen) -> tuple[Matrix, AnyArray, str]:
    """Features, targets and SHA-256 of a file."""
    from frankwolfe.cli.prepare import fill_missing, refuse_large, scale
    from frankwolfe.datasets.readers.source import checked

    path = checked(options.data, Budget.of(options.max_memory))
    table, y = read_with_targets(options, screen, path, ("--drop",))
    fill_missing(table, options.data, None, fill=False, options=("--drop",))
    refuse_large(table, options.data)
    if options.standardize:
        scale(table.X, center=True)
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return table.X, y, digest


def _objective(options: argparse.Namespace, loss: str, A: Matrix, y: AnyArray) -> Objective:
    """Mean loss of the data, with the options of the command."""
    if loss in ("logistic", "multinomial"):
        y = np.unique(y, return_inverse=True)[1]
    more = {"delta": options.delta} if options.delta is not None else {}
    if loss == "huber" and options.data == "pima" and not more:
        more = {"delta": 0.5}  # the paper's
    if more and loss not in ("huber", "quantile"):
        raise InvalidInput(f"--delta goes with the losses huber and quantile, not with {loss}.")
    make: Callable[..., Objective] = LOSSES[loss]
    return make(A, y, **more)


def _thumb(objective: Objective, name: str) -> float:
    """Radius by the estimators' rule of thumb, which needs scikit-learn."""
    try:
        from frankwolfe.sklearn.radii import find_radius
        from frankwolfe.sklearn.task import Settings, Task
    except MissingExtra:
        raise MissingExtra(
            "Finding a radius (give one by --radius)", "scikit-learn", "cli"
        ) from None
    return find_radius(
        Task(objective, 1.0, REGION_NAMES[name].of_radius), Settings(1e-3, 1000, None)
    )
