"""frankwolfe methods: which there are."""

from __future__ import annotations

import argparse
from typing import Any

from frankwolfe.cli.arguments import add_command
from frankwolfe.cli.screen import print_json, print_table
from frankwolfe.cli.words import first_sentence, reference

__all__ = ["add", "run"]

EXAMPLES = """\
  frankwolfe methods               a table: name, what it is, where it comes from
  frankwolfe methods --json        the same for programs
"""


def add(subparsers: Any) -> None:
    """Say what the command takes."""
    parser = add_command(
        subparsers,
        "methods",
        help="list the methods",
        description="List the methods: their names for --methods and method=, what each is, and "
        "where it comes from.",
        examples=EXAMPLES,
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the table."""
    from frankwolfe.methods import METHODS

    rows = [(name, first_sentence(make), reference(make)) for name, make in METHODS.items()]
    if options.json:
        print_json([dict(zip(("name", "what", "reference"), row, strict=True)) for row in rows])
    else:
        print_table(("method", "what it is", "reference"), rows)
    return 0
