"""frankwolfe regions: which there are."""

from __future__ import annotations

import argparse
from typing import Any

from frankwolfe.cli.arguments import add_command
from frankwolfe.cli.screen import print_json, print_table
from frankwolfe.cli.words import first_sentence

__all__ = ["add", "run"]

EXAMPLES = """\
  frankwolfe regions               a table: class, name for --region, what it is
  frankwolfe regions --json        the same for programs
"""


def add(subparsers: Any) -> None:
    """Say what the command takes."""
    parser = add_command(
        subparsers,
        "regions",
        help="list the regions",
        description="List the regions: the class in Python, the name for --region where it has "
        "one, and what it is.",
        examples=EXAMPLES,
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the table."""
    from frankwolfe.regions import MATRIX_REGIONS, REGIONS

    rows = [
        (kind.__name__, kind.short or None, first_sentence(kind))
        for kind in [*REGIONS.values(), *MATRIX_REGIONS.values()]
    ]
    if options.json:
        print_json([dict(zip(("class", "name", "what"), row, strict=True)) for row in rows])
    else:
        print_table(("class", "--region", "what it is"), rows)
    return 0
