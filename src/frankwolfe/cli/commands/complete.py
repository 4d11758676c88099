"""Command `frankwolfe complete`: predict missing ratings."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from frankwolfe.base.arrays import AnyArray, Ints
from frankwolfe.base.errors import InvalidInput
from frankwolfe.cli.arguments import (
    MAX_MAGNITUDE,
    Subparsers,
    add_command,
    add_memory_option,
    columns,
)
from frankwolfe.cli.commands.predict import rows_to
from frankwolfe.cli.live import READING, Live, loading
from frankwolfe.cli.screen import Screen, interrupted
from frankwolfe.solver import callback_context

if TYPE_CHECKING:
    from frankwolfe.datasets.readers import RatingsTable
    from frankwolfe.sklearn import MatrixCompletion

__all__ = ["add", "run"]

Limits: TypeAlias = tuple[float, float] | None
"""Least and largest prediction to write; None to write predictions as they are."""
Prediction: TypeAlias = tuple[object, object, float]
"""A line to write: user, item and predicted rating."""

EXAMPLES = """\
  frankwolfe complete ratings.csv --pairs wanted.csv -o predicted.csv
  frankwolfe complete u.data --top 5                      five unseen items for every user
  frankwolfe complete sales.csv --columns buyer,good,grade --top 3
  frankwolfe complete ratings.dat --pairs wanted.csv --radius 200 --json
"""


def add(subparsers: Subparsers) -> None:
    """Define the command and its options."""
    parser = add_command(
        subparsers,
        "complete",
        help="predict missing ratings",
        description="Complete a matrix of ratings: reads a user, an item and a rating a line "
        "(MovieLens' u.data and ratings.dat, CSV, TSV, also compressed), and predicts pairs, or "
        "the best unseen items of every user. A user or item without ratings gets the mean and "
        "what is known of the other.",
        examples=EXAMPLES,
    )
    parser.add_argument("file", help="the ratings")
    parser.add_argument(
        "--columns",
        type=columns,
        metavar="USER,ITEM,RATING",
        help="names or numbers of the columns; default: by their names, or the first three",
    )
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--pairs", metavar="FILE", help="a user and an item a line, to predict")
    which.add_argument("--top", type=int, metavar="N", help="N best unseen items of every user")
    parser.add_argument(
        "--radius", default="auto", help="nuclear norm; default: auto, by a part held out"
    )
    parser.add_argument("--loss", choices=("squared", "huber"), default="squared")
    parser.add_argument("--max-rank", type=int, default=40, metavar="N", help="default: 40")
    parser.add_argument("--clip", action="store_true", help="keep predictions within the ratings")
    parser.add_argument("-o", "--out", metavar="FILE", help="default: standard output")
    parser.add_argument("--json", action="store_true", help="JSON instead of CSV")
    parser.add_argument("-q", "--quiet", action="store_true", help="show no progress")
    add_memory_option(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Read ratings, complete them, and write predictions."""
    if options.top is not None and options.top < 1:
        raise InvalidInput(f"--top must be at least 1, got {options.top}.")
    with Screen(options.quiet) as screen:
        progress = screen.reading(Path(options.file).name)
        with loading(*READING, "numba"):
            from frankwolfe.datasets.readers import read_pairs, read_ratings
            from frankwolfe.sklearn import MatrixCompletion
        most = {"max_memory": options.max_memory}
        ratings = read_ratings(options.file, columns=options.columns, progress=progress, **most)
        _refuse_large(options.file, ratings)
        names = (options.columns or [])[:2]
        pairs = None if options.pairs is None else read_pairs(options.pairs, names=names, **most)
        radius = _radius(options.radius)
        model = MatrixCompletion(radius, loss=options.loss, max_rank=options.max_rank)
        live = Live(screen, "completing", keep=radius != "auto")
        with callback_context(live):
            cells = np.column_stack([ratings.rows, ratings.columns])
            model.fit_cells(cells, ratings.values, shape=(ratings.users.size, ratings.items.size))
        screen.say("predicting")
        clip = (ratings.values.min(), ratings.values.max()) if options.clip else None
        rows = (
            _pairs(model, ratings, pairs, clip)
            if pairs is not None
            else _best(model, ratings, options.top, clip)
        )
        rows_to(options.out, ("user", "item", "prediction"), rows, as_json=options.json)
    return interrupted("these are the best predictions so far.") if live.interrupted else 0


def _refuse_large(path: str, ratings: RatingsTable) -> None:
    """Raise InvalidInput, with the place of a rating, if its powers may overflow."""
    if np.abs(ratings.values).max() > MAX_MAGNITUDE:
        place = int(np.argmax(np.abs(ratings.values) > MAX_MAGNITUDE))
        raise InvalidInput(
            f"{path}: rating {place + 1:,} is {ratings.values[place]:.3g}, but ratings must not be "
            f"beyond {MAX_MAGNITUDE:.0e}."
        )


def _radius(text: str) -> float | str:
    if text == "auto":
        return text
    try:
        return float(text)
    except ValueError:
        raise InvalidInput(f"--radius must be a number or auto, got {text!r}.") from None


def _pairs(
    model: MatrixCompletion,
    ratings: RatingsTable,
    pairs: tuple[AnyArray, AnyArray],
    clip: Limits,
) -> Iterator[Prediction]:
    """Yield predictions of pairs; one who is not in the ratings has an effect of zero."""
    users, items = pairs
    rows, places = _places(ratings.users, users), _places(ratings.items, items)
    effects = model.effects_
    values = np.full(rows.size, effects.mean)
    values += np.where(rows >= 0, effects.row[np.maximum(rows, 0)], 0.0)
    values += np.where(places >= 0, effects.column[np.maximum(places, 0)], 0.0)
    known = (rows >= 0) & (places >= 0)
    values[known] += model.matrix_.predict(rows[known], places[known])
    values = values if clip is None else np.clip(values, *clip)
    yield from zip(users.tolist(), items.tolist(), values.tolist(), strict=True)


def _places(names: AnyArray, wanted: AnyArray) -> Ints:
    """Index of each wanted name among the sorted names; -1 where it is not there."""
    if names.dtype.kind != wanted.dtype.kind:  # numbers in one file, words in the other
        names, wanted = names.astype(str), wanted.astype(str)
        order = np.argsort(names)
    else:
        order = np.arange(names.size)
    place = np.minimum(np.searchsorted(names, wanted, sorter=order), names.size - 1)
    found = order[place]
    return np.where(names[found] == wanted, found, -1)


def _best(
    model: MatrixCompletion, ratings: RatingsTable, top: int, clip: Limits
) -> Iterator[Prediction]:
    """Yield the best unseen items of every user, at most `top` each."""
    best = model.recommend(np.arange(ratings.users.size), top)
    values = best.scores if clip is None else np.clip(best.scores, *clip)
    for user, name in enumerate(ratings.users.tolist()):
        there = best.items[user] >= 0
        items = ratings.items[best.items[user, there]].tolist()
        for item, value in zip(items, values[user, there].tolist(), strict=True):
            yield name, item, value
