"""Command `frankwolfe reproduce`: the paper's experiments, its figure, its claims."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from frankwolfe.base.errors import MissingExtra
from frankwolfe.cli.arguments import Subparsers, add_command
from frankwolfe.cli.screen import Screen

if TYPE_CHECKING:
    from frankwolfe.apps.paper.claims import Claim

__all__ = ["add", "run"]

INCOMPLETE = 1
"""Exit status if an experiment had no data, and the others are written."""

EXAMPLES = """\
  frankwolfe reproduce                 all experiments and the audit, into ./results
  frankwolfe reproduce a --out fig     experiment (a) only
  frankwolfe reproduce --quick         a short run, to see that all is well
  frankwolfe reproduce --claims        and show each claim, what was measured and the verdict
"""


def add(subparsers: Subparsers) -> None:
    """Define the command and its options."""
    parser = add_command(
        subparsers,
        "reproduce",
        help="reproduce the paper: curves, figure, claims",
        description="Reproduce 'Faster Rates for the Frank-Wolfe Algorithm Using Jacobi "
        "Polynomials': run FW, AFW and JFW with its parameters, draw its figure, and check "
        "each of its claims. It ends with status 1 if an experiment had no data; the others are "
        "written all the same.",
        examples=EXAMPLES,
    )
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help="a, b, c, audit; all of them by default"
    )
    parser.add_argument("--out", default="results", metavar="DIR", help="default: ./results")
    parser.add_argument("--quick", action="store_true", help="200 steps instead of 1000")
    parser.add_argument("--claims", action="store_true", help="show the table of claims")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the experiments; print what was written and found, and what is missing."""
    from frankwolfe.apps.paper.claims import tally
    from frankwolfe.apps.paper.reproduce import PARTS, reproduce

    if options.claims and find_spec("rich") is None:
        raise MissingExtra("The command line", "rich", "paper")
    with Screen() as screen:  # without a terminal a line for each stage, for a log
        say = screen.say if screen.live else partial(print, file=sys.stderr, flush=True)
        done = reproduce(options.parts or PARTS, options.out, quick=options.quick, say=say)
    if options.claims:
        _print_claims(done.claims)
    print(f"written to {options.out}: {', '.join(path.name for path in done.files)}")
    where = "" if options.claims else f" (see {Path(options.out) / 'report.html'}, or --claims)"
    print(f"{tally(done.claims)}{where}", flush=True)
    for reason in done.missing:
        print(f"frankwolfe: {reason}", file=sys.stderr)
    return INCOMPLETE if done.missing else 0


def _print_claims(claims: Sequence[Claim]) -> None:
    from rich.console import Console
    from rich.table import Table

    from frankwolfe.apps.paper.claims import FAILS, HOLDS, PARTLY

    colors = {HOLDS: "green", FAILS: "red", PARTLY: "yellow"}
    table = Table(title="What the paper says, and what was measured", show_lines=True)
    for column in ("where", "the paper says", "measured", "verdict"):
        table.add_column(column, overflow="fold")
    for claim in claims:
        color = colors[claim.verdict]
        verdict = f"[{color}]{claim.verdict}[/{color}]"
        table.add_row(claim.where, claim.claim, claim.measured.replace("[", "\\["), verdict)
    Console().print(table)
