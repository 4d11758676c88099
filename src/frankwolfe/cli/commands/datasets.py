"""frankwolfe datasets: which there are."""

from __future__ import annotations

import argparse
from typing import Any

from frankwolfe.cli.arguments import add_command
from frankwolfe.cli.screen import print_json, print_table
from frankwolfe.cli.words import first_sentence

__all__ = ["add", "run"]

EXAMPLES = """\
  frankwolfe datasets              a table: name, what it is, size, licence
  frankwolfe race breast_cancer    use one
"""


def add(subparsers: Any) -> None:
    """Say what the command takes."""
    parser = add_command(
        subparsers,
        "datasets",
        help="list the data sets",
        description="List the data sets that ship with the package, and MovieLens, which is "
        "fetched when first used.",
        examples=EXAMPLES,
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the table."""
    from frankwolfe.datasets import DATASETS
    from frankwolfe.datasets.movielens import LICENCE, RELEASES, SOURCE

    header = ("name", "what", "size", "source", "licence")
    rows: list[tuple[str | None, ...]] = []
    for name, load in DATASETS.items():
        table = load()
        size = f"{table.data.shape[0]} x {table.data.shape[1]}"
        rows.append((name, first_sentence(load), size, table.source, table.licence))
    for version, release in RELEASES.items():
        what = f"MovieLens {version.upper()}: ratings, for completion"
        rows.append((f"movielens-{version}", what, None, SOURCE + release.archive, LICENCE))
    if options.json:
        print_json([dict(zip(header, row, strict=True)) for row in rows])
    else:
        print_table(header, rows)
    return 0
