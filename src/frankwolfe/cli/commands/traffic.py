"""Command `frankwolfe traffic`: assign trips to the roads of a network."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from frankwolfe.base.checks import at_least_one, number
from frankwolfe.base.errors import InvalidInput
from frankwolfe.cli.arguments import Subparsers, add_command
from frankwolfe.cli.live import Live, loading
from frankwolfe.cli.screen import Screen, interrupted, print_json
from frankwolfe.solver import Seconds

if TYPE_CHECKING:
    from frankwolfe.apps.traffic import Equilibrium
    from frankwolfe.solver.run import Run

__all__ = ["add", "run"]

EXAMPLES = """\
  frankwolfe traffic net.tntp trips.tntp                  flows on standard output
  frankwolfe traffic net.tntp trips.tntp --tol 1e-10 -o flows.csv --report
  frankwolfe traffic net.tntp trips.tntp --toll-factor 0.02 --distance-factor 0.04 -o flow.tntp
  frankwolfe traffic net.tntp trips.tntp --nodes node.tntp --report city.html -o flows.csv
  frankwolfe traffic net.tntp trips.tntp --system-optimum --json
"""
METHODS = ("bushes", "frank_wolfe", "conjugate_fw", "biconjugate_fw")


def add(subparsers: Subparsers) -> None:
    """Define the command and its options."""
    parser = add_command(
        subparsers,
        "traffic",
        help="assign trips to the roads of a network",
        description="Assign trips to a network until nobody has a cheaper way than the one taken "
        "(user equilibrium), or so that all together spend least (system optimum). Reads TNTP "
        "text files, also compressed; writes the flow and the cost of each link, in the order of "
        "the file, with a bound on how far the answer is from the optimum.",
        examples=EXAMPLES,
    )
    parser.add_argument("net", metavar="NET", help="the links")
    parser.add_argument("trips", metavar="TRIPS", help="the trips")
    parser.add_argument("--nodes", metavar="FILE", help="coordinates of the nodes, for the drawing")
    parser.add_argument(
        "--toll-factor", type=float, metavar="X", help="cost of a unit of toll; default: the file's"
    )
    parser.add_argument(
        "--distance-factor", type=float, metavar="X", help="of a unit of length; the same"
    )
    parser.add_argument(
        "--system-optimum", action="store_true", help="the least cost of all together instead"
    )
    _add_solver(parser)
    parser.add_argument(
        "-o", "--out", metavar="FILE", help="CSV, or .tntp; default: standard output"
    )
    parser.add_argument(
        "--skims", metavar="FILE", help="write what it takes between every two zones, as CSV"
    )
    parser.add_argument(
        "--report",
        nargs="?",
        const="traffic.html",
        metavar="FILE",
        help="write a page with the network drawn; alone: traffic.html",
    )
    parser.add_argument(
        "--json", action="store_true", help="print the figures as JSON, with the flows if no --out"
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="show no progress, no summary")
    parser.set_defaults(run=run)


def _add_solver(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("the assignment")
    group.add_argument(
        "--tol", type=float, default=1e-6, metavar="X", help="relative gap; default: 1e-6"
    )
    group.add_argument("--method", choices=METHODS, default="bushes", help="default: bushes")
    group.add_argument(
        "--max-iter", type=int, default=1000, metavar="N", help="most steps; default: 1000"
    )
    group.add_argument("--seconds", type=float, metavar="X", help="most time; no end by default")


class _Live(Live):
    """Callback that shows the relative gap (TSTT - SPTT) / TSTT, by which the field goes."""

    def on_step(self, run: Run) -> None:
        """Show iteration, objective and relative gap."""
        from frankwolfe.apps.traffic.excess import excess_share

        state = run.state
        self.screen.hint(
            lambda: (
                f"{self.label}  iteration {state.k:,}  objective {state.value:.10g}  "
                f"relative gap {excess_share(state):.2e}  {state.seconds:.1f} s"
            )
        )


def run(options: argparse.Namespace) -> int:
    """Read a network and trips, assign the trips, and write flows."""
    _check(options)
    with Screen(options.quiet) as screen:
        result, ended = _assigned(options, screen)
        screen.say("writing")
        _write(options, result)
    if not options.quiet and not options.json:
        _print_summary(options, result)
    if ended:
        gap = result.relative_gap
        return interrupted(f"these are the flows so far, at a relative gap of {gap:.2e}.")
    return 0 if result.success else 1


def _check(options: argparse.Namespace) -> None:
    """Raise InvalidInput for bad numbers and files that would be overwritten, before reading."""
    number("--tol", options.tol, low=0.0)
    at_least_one("--max-iter", options.max_iter)
    if options.seconds is not None:
        number("--seconds", options.seconds, above=0.0)
    for name in ("toll_factor", "distance_factor"):
        if getattr(options, name) is not None:
            number(f"--{name.replace('_', '-')}", getattr(options, name))
    taken = [options.net, options.trips, *([options.nodes] if options.nodes else [])]
    for flag in ("report", "skims", "out"):
        path = getattr(options, flag)
        if path is not None and any(_same(path, other) for other in taken):
            raise InvalidInput(f"--{flag} must be a file of its own, got {path}.")
        if path is not None and not Path(path).parent.is_dir():
            raise InvalidInput(f"--{flag} must be in a folder that exists, got {path}.")
        taken += [path] if path is not None else []


def _same(a: str, b: str) -> bool:
    """True if two paths lead to one file; devices such as /dev/null may be named twice."""
    return os.path.realpath(a) == os.path.realpath(b) and not os.path.realpath(a).startswith("/dev")


def _assigned(options: argparse.Namespace, screen: Screen) -> tuple[Equilibrium, bool]:
    """Equilibrium of the network and trips, and whether Ctrl-C ended the run."""
    screen.say(f"reading {Path(options.net).name}")
    with loading("scipy.sparse", "numba"):
        from frankwolfe.apps.traffic import equilibrium, read_tntp

    network, trips = read_tntp(
        options.net,
        options.trips,
        nodes=options.nodes,
        toll_factor=options.toll_factor,
        distance_factor=options.distance_factor,
    )
    screen.say("assigning")
    live = _Live(screen, "assigning", keep=True)
    with live.holding():
        result = equilibrium(
            network,
            trips,
            tol=options.tol,
            system_optimum=options.system_optimum,
            method=options.method,
            max_iter=options.max_iter,
            stop=None if options.seconds is None else Seconds(options.seconds),
            callback=live,
        )
    return result, live.interrupted


def _write(options: argparse.Namespace, result: Equilibrium) -> None:
    from frankwolfe.cli.traffic_output import COLUMNS, figures_of, rows_of, write_flows, write_skims

    if options.out is not None or not options.json:
        write_flows(result, options.out)
    if options.skims is not None:
        write_skims(result, options.skims)
    if options.report is not None:
        from frankwolfe.cli.traffic_output import write_page

        command = shlex.join(["frankwolfe", "traffic", *options.words])
        write_page(result, options.report, Path(options.net).name, command)
    if options.json:
        files = {"written": options.out, "skims": options.skims, "report": options.report}
        figures = {**figures_of(result), **files}
        if options.out is None:
            figures["links"] = [dict(zip(COLUMNS, row, strict=True)) for row in rows_of(result)]
        print_json(figures)


def _print_summary(options: argparse.Namespace, result: Equilibrium) -> None:
    from frankwolfe.cli.traffic_output import summary

    missed = "" if result.success else f"; the tolerance {options.tol:g} was not reached"
    print(f"frankwolfe: {summary(result)}{missed}", file=sys.stderr)
    written = [path for path in (options.out, options.skims, options.report) if path is not None]
    if written:
        print(f"frankwolfe: written to {', '.join(written)}", file=sys.stderr)
