"""frankwolfe reproduce: the paper's experiments, its figure, its claims."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from frankwolfe.cli.arguments import add_command
from frankwolfe.numerics.errors import MissingExtra

if TYPE_CHECKING:
    from frankwolfe.cli.paper.claims import Claim

__all__ = ["add", "run"]

EXAMPLES = """\
  frankwolfe reproduce                 all experiments and the audit, into ./results
  frankwolfe reproduce a --out fig     experiment (a) only
  frankwolfe reproduce --quick         a short run, to see that all is well
"""


def add(subparsers: Any) -> None:
    """Define the options."""
    parser = add_command(
        subparsers,
        "reproduce",
        help="reproduce the paper: curves, figure, claims",
        description="Reproduce 'Faster Rates for the Frank-Wolfe Algorithm Using Jacobi "
        "Polynomials': run FW, AFW and JFW with its parameters, draw its figure, and check "
        "each of its claims.",
        examples=EXAMPLES,
    )
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help="a, b, c, audit; all of them by default"
    )
    parser.add_argument("--out", default="results", metavar="DIR", help="default: ./results")
    parser.add_argument("--quick", action="store_true", help="200 steps instead of 1000")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Reproduce, and print the claims."""
    from frankwolfe.cli.paper.reproduce import PARTS, reproduce

    with _status() as say:
        done = reproduce(options.parts or PARTS, options.out, quick=options.quick, say=say)
    _print_claims(done.claims)
    for note in done.notes:
        print(f"note: {note}")
    print(f"written to {options.out}: {', '.join(path.name for path in done.files)}")
    return 0


@contextmanager
def _status() -> Iterator[Callable[[str], None]]:
    """A live line on a terminal; elsewhere one line a message."""
    try:
        from rich.console import Console
    except ImportError:
        raise MissingExtra("The command line", "rich", "paper") from None
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda message: print(message, file=sys.stderr, flush=True)
        return
    with console.status("starting") as status:
        yield status.update


def _print_claims(claims: Sequence[Claim]) -> None:
    from rich.console import Console
    from rich.table import Table

    colors = {"holds": "green", "does not hold": "red", "holds in part": "yellow"}
    table = Table(title="What the paper says, and what was measured", show_lines=True)
    for column in ("where", "the paper says", "measured", "verdict"):
        table.add_column(column, overflow="fold")
    for claim in claims:
        color = colors[claim.verdict]
        verdict = f"[{color}]{claim.verdict}[/{color}]"
        table.add_row(claim.where, claim.claim, claim.measured.replace("[", "\\["), verdict)
    console = Console()
    console.print(table)
