"""frankwolfe regions: which there are."""

from __future__ import annotations

import argparse
from typing import Any

from frankwolfe.cli.arguments import add_command
from frankwolfe.cli.screen import print_json, print_table
from frankwolfe.cli.words import first_sentence

__all__ = ["SHORT", "add", "run"]

EXAMPLES = """\
  frankwolfe regions               a table: class, name for --region, what it is
  frankwolfe regions --json        the same for programs
"""
SHORT = {
    "l1_ball": "l1",
    "l2_ball": "l2",
    "linf_ball": "linf",
    "group_ball": "group",
    "simplex": "simplex",
    "unit_simplex": "unit_simplex",
}
"""What `fit --region` calls those that need nothing but a radius."""


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
        (kind.__name__, SHORT.get(name), first_sentence(kind))
        for name, kind in {**REGIONS, **MATRIX_REGIONS}.items()
    ]
    if options.json:
        print_json([dict(zip(("class", "name", "what"), row, strict=True)) for row in rows])
    else:
        print_table(("class", "--region", "what it is"), rows)
    return 0
