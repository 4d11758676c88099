"""Command `frankwolfe cite`: BibTeX entries to cite."""

from __future__ import annotations

import argparse

from frankwolfe.cli.arguments import Subparsers, add_command
from frankwolfe.cli.screen import print_json

__all__ = ["add", "run"]

EXAMPLES = """\
  frankwolfe cite                          the library
  frankwolfe cite jacobi pairwise          the papers of two methods
  frankwolfe cite working_set >> my.bib
"""
LIBRARY = """\
@software{{frankwolfe,
  author  = {{{{The frankwolfe developers}}}},
  title   = {{frankwolfe: projection-free constrained optimization with true certificates}},
  version = {{{version}}},
  note    = {{BSD-3-Clause}}
}}"""


def add(subparsers: Subparsers) -> None:
    """Define the command and its options."""
    parser = add_command(
        subparsers,
        "cite",
        help="print BibTeX for the library or for methods",
        description="Print BibTeX: of the library, or of the papers that methods come from.",
        examples=EXAMPLES,
    )
    parser.add_argument("methods", nargs="*", metavar="METHOD", help="see frankwolfe methods")
    parser.add_argument("--json", action="store_true", help="print JSON: method to BibTeX")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the entries as BibTeX or JSON, each once."""
    from frankwolfe import __version__
    from frankwolfe.methods.default import named

    entries = {name: getattr(named(name), "reference", "") for name in options.methods}
    if not entries:
        entries = {"frankwolfe": LIBRARY.format(version=__version__)}
    if options.json:
        print_json(entries)
    else:
        print("\n\n".join(dict.fromkeys(entries.values())))
    return 0
