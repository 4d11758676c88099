"""Option `frankwolfe fit --engine dask`: files read by workers, on a cluster for the fit."""

from __future__ import annotations

import argparse
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from frankwolfe.base.arrays import AnyArray, Floats, Matrix
from frankwolfe.base.checks import at_least_one, is_sparse
from frankwolfe.base.errors import InvalidInput
from frankwolfe.cli.arguments import index_base
from frankwolfe.cli.data import FitData, loss_for
from frankwolfe.cli.live import READING, loading
from frankwolfe.cli.screen import Screen
from frankwolfe.solver.result import Result

if TYPE_CHECKING:
    from frankwolfe.cli.prepare import ColumnScaling
    from frankwolfe.datasets.readers import Table
    from frankwolfe.datasets.readers.parts import Parts
    from frankwolfe.sklearn.linear import ConstrainedLinear

__all__ = [
    "add_engine_options",
    "check_engine_options",
    "engine_running",
    "read_parts_data",
    "training_score",
]

WAYS = ("--drop", "--missing")  # options that an error about missing values may suggest

DaskArray: TypeAlias = Any
"""A Dask array with a block for each file or row group: Dask ships no types."""


def add_engine_options(parser: argparse.ArgumentParser) -> None:
    """Add the options on where the work is done."""
    group = parser.add_argument_group("data that outgrow one machine")
    group.add_argument(
        "--engine",
        choices=("dask",),
        help="spread the rows over Dask workers, which read the files; by default one file is "
        "read here",
    )
    place = group.add_mutually_exclusive_group()
    place.add_argument(
        "--workers", type=int, metavar="N", help="so many processes here; default: one a core"
    )
    place.add_argument(
        "--scheduler", metavar="ADDRESS", help="a cluster that runs, as in tcp://10.0.0.1:8786"
    )


def check_engine_options(options: argparse.Namespace) -> None:
    """Raise InvalidInput if options exclude each other, before anything is read."""
    options.file = options.files[0]
    if options.engine is None:
        if options.workers is not None or options.scheduler is not None:
            name = "--workers" if options.workers is not None else "--scheduler"
            raise InvalidInput(f"{name} goes with --engine dask: add it.")
        if len(options.files) > 1:
            raise InvalidInput(
                f"{len(options.files)} files were given, and one is read: add --engine dask to "
                "fit a model to all of them."
            )
        return
    if options.workers is not None:
        at_least_one("--workers", options.workers)
    if options.radius == "cv":
        raise InvalidInput(
            "--radius cv is not done with --engine dask: give a number, or auto, which looks at "
            "every so many rows."
        )
    if options.encode:
        raise InvalidInput(
            "--encode is not done with --engine dask, for words differ from file to file: encode "
            "the columns in the files, or leave them out with --drop."
        )
    if options.target_file is not None:
        raise InvalidInput(
            "--target-file is not read with --engine dask: put the targets into the files, and "
            "name them with --target."
        )
    options.file = " ".join(options.files)


@contextmanager
def engine_running(options: argparse.Namespace, screen: Screen) -> Iterator[None]:
    """Context with a cluster, if one is asked for, that is closed at its end in any case."""
    if options.engine is None:
        yield
        return
    from frankwolfe.engines import dask

    logging.getLogger("frankwolfe").addHandler(logging.NullHandler())  # the screen says it
    workers = options.workers
    if options.scheduler is None:
        workers = workers or os.cpu_count() or 1
        screen.say(f"starting {workers} workers")
    else:
        screen.say(f"looking for {options.scheduler}")
    with dask.running(workers, options.scheduler):
        yield


def read_parts_data(options: argparse.Namespace, screen: Screen) -> FitData:
    """Data of the files as blocks of rows that workers will read, check and scale."""
    screen.say(f"reading {Path(options.files[0]).name}")
    with loading(*READING):
        from frankwolfe.cli import prepare
        from frankwolfe.datasets.readers import read_parts

    mean = options.missing == "mean"
    with prepare.only_numbers(("--drop",)):
        parts = read_parts(
            options.files,
            options.target,
            drop=options.drop,
            header=options.header,
            format=options.format,
            base=index_base(options),
            max_memory=options.max_memory,
            ready=partial(_ready, mean),
        )
    loss = loss_for(options.loss, parts.first, options.file)
    X, fill, scales = parts.X, None, None
    if mean or options.standardize:
        screen.say(f"reading {len(parts.files):,} files for the means of their columns")
        X, fill, scales = _adjusted(parts, options)
    screen.say(f"reading {len(parts.files):,} files")
    assert parts.y is not None
    return FitData(parts, X, parts.y, loss, fill, scales)


def _ready(may_miss: bool, table: Table, path: str) -> AnyArray:
    """Targets of a table that a worker has read, once the table is checked."""
    from frankwolfe.cli import prepare

    y = prepare.targets(table, path)
    prepare.refuse_bad(table, path, may_miss, WAYS)
    prepare.refuse_large(table, path)
    return y


def _adjusted(
    parts: Parts, options: argparse.Namespace
) -> tuple[DaskArray, Floats | None, ColumnScaling | None]:
    """X filled and scaled as the options ask, the fill values, the scaling: a pass over files."""
    from frankwolfe.cli import prepare
    from frankwolfe.engines import dask

    of = dask.moments(parts.X)
    if not of.weight.all():
        raise prepare.without_values(parts, options.file, of.weight)
    mean = of.mean.astype(np.float64)
    fill = mean if (of.weight < of.rows).any() else None
    scales = None
    if options.standardize:
        spread = prepare.usable(np.sqrt(of.squares / of.rows), mean)
        center = not (options.no_intercept or parts.sparse)  # as on one machine
        scales = prepare.ColumnScaling(mean if center else np.zeros_like(mean), spread)
    return dask.rowwise(partial(_changed, fill, scales), parts.X, mean.size), fill, scales


def _changed(fill: Floats | None, scales: ColumnScaling | None, X: Matrix) -> Matrix:
    """Block of rows with its missing values filled and its columns scaled."""
    if is_sparse(X):
        if scales is None:
            return X
        return type(X)((X.data / scales.spread[X.indices], X.indices, X.indptr), shape=X.shape)
    X = X if fill is None else np.where(np.isnan(X), fill, X)
    return X if scales is None else (X - scales.mean) / scales.spread


def training_score(result: Result, estimator: ConstrainedLinear) -> float:
    """Score of a model on the rows that it was fitted to, which workers hold."""
    from frankwolfe.engines import dask

    assert result.problem is not None
    x = np.atleast_2d(estimator.coef_).T.ravel()
    return dask.training_score(result.problem.objective, x, np.atleast_1d(estimator.intercept_))
