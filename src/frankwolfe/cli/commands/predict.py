"""Command `frankwolfe predict`: predictions of a model for a file."""

from __future__ import annotations

import argparse
import csv
import io
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import numpy as np

from frankwolfe.base.arrays import Floats
from frankwolfe.base.errors import InvalidInput
from frankwolfe.cli.arguments import Subparsers, add_command, add_file_options, index_base
from frankwolfe.cli.live import READING, loading
from frankwolfe.cli.screen import Screen, print_json

if TYPE_CHECKING:
    from frankwolfe.datasets.readers.table import Table, Unseen

__all__ = ["add", "rows_to", "run"]

EXAMPLES = """\
  frankwolfe predict model.json new.csv                   predictions on standard output
  frankwolfe predict model.json new.csv -o predictions.csv
  frankwolfe predict model.json new.svm --json
"""


def add(subparsers: Subparsers) -> None:
    """Define the command and its options."""
    parser = add_command(
        subparsers,
        "predict",
        help="predict with a model that fit wrote",
        description="Predict with a model that `frankwolfe fit` wrote: a number a row, or the "
        "likeliest class and the probability of every class. Features are found by their names "
        "where the file has names.",
        examples=EXAMPLES,
    )
    parser.add_argument("model", help="the model, as fit wrote it")
    parser.add_argument("file", help="the data, in any format that fit reads")
    parser.add_argument("-o", "--out", metavar="FILE", help="default: standard output")
    parser.add_argument("--json", action="store_true", help="JSON instead of CSV")
    parser.add_argument("-q", "--quiet", action="store_true", help="show no progress")
    add_file_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Read a model and data, and write predictions."""
    with Screen(options.quiet) as screen:
        progress = screen.reading(Path(options.file).name)
        with loading(*READING):
            from frankwolfe.cli.model import probabilities
            from frankwolfe.cli.prepare import fill_missing, only_numbers
            from frankwolfe.cli.stored_model import load_model
            from frankwolfe.datasets.readers import one_hot, read_features
        model = load_model(options.model, options.max_memory)
        with only_numbers(()):
            table = read_features(
                options.file,
                names=model.features,
                width=model.columns,
                target=model.target,
                drop=model.drop,
                header=options.header,
                format=options.format,
                progress=progress,
                base=index_base(options, model.base),
                categories=model.encoded,
                max_memory=options.max_memory,
            )
        fill_missing(table, options.file, model.fill, fill=False)
        X = one_hot(table.X, table.encoded)
        predicted = model.predict(X)
        _refuse_infinite(options, table, predicted)
        if model.classes is None:
            header, columns = ["prediction"], [predicted[:, 0].tolist()]
        else:
            shares = probabilities(predicted)
            chosen = [model.classes[k] for k in np.argmax(shares, axis=1).tolist()]
            header = ["prediction", *(f"probability of {name}" for name in model.classes)]
            columns = [chosen, *(shares[:, k].tolist() for k in range(shares.shape[1]))]
    for unseen in table.unseen:
        print(f"frankwolfe: {_unseen(options.file, unseen)}", file=sys.stderr)
    rows_to(options.out, header, zip(*columns, strict=True), as_json=options.json)
    return 0


def _refuse_infinite(options: argparse.Namespace, table: Table, predicted: Floats) -> None:
    """Raise InvalidInput, with the place of the first row, if a prediction overflowed."""
    if not np.isfinite(predicted).all():
        row = int(np.flatnonzero(~np.isfinite(predicted).all(axis=1))[0])
        raise InvalidInput(
            f"{options.file}: the prediction of {table.where(row)} is infinite; give its values, "
            "or the model's, in another unit."
        )


def _unseen(path: str, unseen: Unseen) -> str:
    """Sentence on words that the model has not seen."""
    rows = f"{unseen.rows:,} row{' has' if unseen.rows == 1 else 's have'}"
    listed = ", ".join(repr(word[:40]) for word in unseen.words[:3])
    listed += ", ..." if len(unseen.words) > 3 else ""
    return (
        f"{path}: {rows} a word in column {unseen.column} that the model has not seen ({listed}); "
        "it counts as none of the column's words."
    )


def rows_to(
    path: str | None, header: Sequence[str], rows: Iterable[Sequence[object]], *, as_json: bool
) -> None:
    """Write rows as CSV or JSON, to a file or to standard output."""
    from frankwolfe.base.files import atomic_write

    if as_json and path is None:
        print_json([dict(zip(header, row, strict=True)) for row in rows])
        return
    if path is None:
        _write(sys.stdout, header, rows)
        return
    with atomic_write(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        if as_json:
            import json

            json.dump([dict(zip(header, row, strict=True)) for row in rows], text)
        else:
            _write(text, header, rows)
        text.flush()
        text.detach()  # or the wrapper would close the file, which is still to be renamed


def _write(file: TextIO, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
