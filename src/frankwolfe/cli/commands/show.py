"""Command `frankwolfe show`: methods at work in the plane."""

from __future__ import annotations

import argparse

from frankwolfe.cli.arguments import Subparsers, add_command
from frankwolfe.cli.screen import Screen

__all__ = ["add", "run"]

EXAMPLES = """\
  frankwolfe show                                 a polygon and a disc, into ./results
  frankwolfe show polygon --steps 40              the polygon only, for 40 steps
  frankwolfe show --methods JFW pairwise partan   other methods (see frankwolfe.methods.METHODS)
"""


def add(subparsers: Subparsers) -> None:
    """Define the command and its options."""
    parser = add_command(
        subparsers,
        "show",
        help="methods at work in the plane: an animation and a page to step through",
        description="Run FW, JFW, away steps and blended pairwise on a polygon and on a disc, and "
        "write geometry.gif and geometry.html: the points that the oracle answers, the path, and "
        "where it zig-zags.",
        examples=EXAMPLES,
    )
    parser.add_argument(
        "scenes", nargs="*", metavar="REGION", help="polygon, disc; both by default"
    )
    parser.add_argument("--methods", nargs="+", default=(), metavar="NAME", help="which to show")
    parser.add_argument("--steps", type=int, default=24, metavar="N", help="default: 24")
    parser.add_argument("--out", default="results", metavar="DIR", help="default: ./results")
    parser.add_argument("-q", "--quiet", action="store_true", help="show no progress")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write the animation and the page, and print their names."""
    from frankwolfe.visual.animation import show

    with Screen(options.quiet) as screen:
        files = show(
            options.out,
            scenes=options.scenes,
            methods=options.methods,
            steps=options.steps,
            say=screen.say,
        )
    print(f"written to {options.out}: {', '.join(sorted(path.name for path in files))}")
    return 0
