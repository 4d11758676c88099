"""Problem of a race, from a data set or a file."""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from frankwolfe.base.arrays import AnyArray, Matrix
from frankwolfe.base.budget import Budget
from frankwolfe.base.errors import InvalidInput, MissingExtra
from frankwolfe.cli.fit_data import read_with_targets
from frankwolfe.cli.screen import Screen
from frankwolfe.core.problem import Problem
from frankwolfe.objectives import LOSSES, Objective
from frankwolfe.regions import REGION_NAMES

__all__ = ["Given", "given_problem"]

PAPER = {"breast_cancer": ("logistic", 50.0), "pima": ("huber", 35.0)}
"""Losses and radii of the paper, by data set that ships with the package."""


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
        loss, radius = _loss_for(words), None
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


def _loss_for(y: AnyArray) -> str:
    """Loss that suits the targets, by its name."""
    from frankwolfe.cli.prepare import is_classes

    if not is_classes(y):
        return "squared"
    return "logistic" if np.unique(y).size == 2 else "multinomial"


def _objective(options: argparse.Namespace, loss: str, A: Matrix, y: AnyArray) -> Objective:
    """Mean loss of the data, with the options of the command."""
    if loss in ("logistic", "multinomial"):
        y = np.unique(y, return_inverse=True)[1]
    elif y.dtype.kind not in "iuf":
        raise InvalidInput(
            f"{options.data}: the target holds words; the loss {loss} needs numbers."
        )
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
