"""Command `frankwolfe race`: methods against each other on one problem."""

from __future__ import annotations

import argparse
import shlex
from dataclasses import dataclass, field

from frankwolfe.base.errors import InvalidInput
from frankwolfe.cli.arguments import (
    LOSSES,
    SHAPES,
    Subparsers,
    add_command,
    add_file_options,
    columns,
)
from frankwolfe.cli.commands.predict import rows_to
from frankwolfe.cli.data import Given, given_problem
from frankwolfe.cli.live import READING, Board, loading
from frankwolfe.cli.screen import Screen, interrupted, print_json, print_table
from frankwolfe.core import Problem
from frankwolfe.methods import METHODS
from frankwolfe.solver import (
    Iterations,
    RelativeGap,
    Result,
    Seconds,
    Status,
    minimize,
    uninterrupted,
)
from frankwolfe.solver.fast_path import PLAIN_STEPS

__all__ = ["add", "run"]

EXAMPLES = """\
  frankwolfe race breast_cancer                                   writes race.html
  frankwolfe race pima --methods default,jacobi,afw --seconds 2
  frankwolfe race a9a.svm --region l1 --radius 30 --methods all -o a9a.html
  frankwolfe race data.csv --target price --csv curves.csv --json
"""
DEFAULT_METHODS = ["default", "frank_wolfe", "jacobi", "afw", "partan"]
DEFAULT_METHODS += ["away_step", "pairwise", "blended_pairwise"]
WARM_UP_STEPS = 10  # on the compiled path, which begins after a few others, so that it compiles


def add(subparsers: Subparsers) -> None:
    """Define the command and its options."""
    parser = add_command(
        subparsers,
        "race",
        help="run methods against each other",
        description="Run methods one after another on a data set (see frankwolfe datasets) or a "
        "file, and write a report with their curves. There is no intercept. A method that needs "
        "something the problem does not have is left out.",
        examples=EXAMPLES,
    )
    parser.add_argument("data", help="a data set's name, or a file")
    parser.add_argument(
        "--methods",
        type=columns,
        metavar="NAMES",
        help=f"names between commas, or all; default: {','.join(DEFAULT_METHODS)}",
    )
    parser.add_argument("--target", metavar="COLUMN", help="default: the last not dropped")
    parser.add_argument(
        "--drop", type=columns, default=[], metavar="COLUMNS", help="columns to leave out"
    )
    parser.add_argument("--loss", choices=LOSSES, help="default: the paper's, or by the target")
    parser.add_argument("--region", choices=SHAPES, default="l2", help="default: l2")
    parser.add_argument("--radius", type=float, help="default: the paper's, or a rule of thumb")
    parser.add_argument("--delta", type=float, help="threshold of huber, smoothing of quantile")
    parser.add_argument("--standardize", action="store_true", help="scale features first")
    parser.add_argument("--tol", type=float, default=1e-6, help="relative gap; default: 1e-6")
    parser.add_argument(
        "--seconds", type=float, default=10.0, help="most for a method; default: 10"
    )
    parser.add_argument("--max-iter", type=int, default=100_000, metavar="N", help="most steps")
    parser.add_argument(
        "-o", "--out", default="race.html", metavar="FILE", help="report; default: race.html"
    )
    parser.add_argument("--no-report", action="store_true", help="write no report")
    parser.add_argument("--csv", metavar="FILE", help="write all curves")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    parser.add_argument("-q", "--quiet", action="store_true", help="show no progress")
    add_file_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the methods, print the table of results, and write the files."""
    with Screen(options.quiet) as screen:
        screen.say(f"reading {options.data}")
        with loading(*READING, "numba"):
            from frankwolfe.datasets import readers  # noqa: F401  (which a file would load)
        given = given_problem(options, screen)
    names = _names(options)
    with Board(names, quiet=options.quiet) as board:
        race = _raced(options, given, names, board)
    if not race.results:
        if race.ended:
            raise KeyboardInterrupt
        raise InvalidInput(f"no method can run here: {'; '.join(race.left_out.values())}")
    if not options.no_report:
        _write_report(options, given, race)
    if options.csv is not None:
        _write_curves(options.csv, race.results)
    _print(options, race)
    if race.ended:
        return interrupted("this is what was done until then.")
    return 0 if any(result.success for result in race.results.values()) else 1


def _names(options: argparse.Namespace) -> list[str]:
    """Names of the methods to run, checked, each once."""
    names = options.methods or DEFAULT_METHODS
    if "all" in names:
        names = ["default", *METHODS]
    for name in names:
        if name != "default" and name not in METHODS:
            raise InvalidInput(
                f"--methods must be among default, all, {', '.join(METHODS)}; got {name!r}."
            )
    return list(dict.fromkeys(names))


@dataclass
class Race:
    """Results by method, why methods were left out, and whether Ctrl-C ended the race."""

    results: dict[str, Result] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    ended: bool = False


def _raced(options: argparse.Namespace, given: Given, names: list[str], board: Board) -> Race:
    """Run the methods one after another."""
    stop = RelativeGap(options.tol) | Seconds(options.seconds) | Iterations(options.max_iter)
    race, f, region = Race(), given.problem.objective, given.problem.region
    for name in names:
        method, callback = None if name == "default" else name, board.callback(name)
        try:
            board.begin(name)
            _warm_up(given.problem, method)
            result = minimize(f, region, method=method, stop=stop, callback=callback)
        except InvalidInput as error:
            race.left_out[name] = str(error)
            board.leave(name)
            continue
        except KeyboardInterrupt:
            race.ended = True
            return race
        race.results[name] = result
        board.finish(name, result)
        if result.status is Status.INTERRUPTED:
            race.ended = True
            return race
    return race


def _warm_up(problem: Problem, method: str | None) -> None:
    """Run a method for a few steps, so that its time has no compilation in it."""
    stop = Iterations(PLAIN_STEPS + WARM_UP_STEPS) | Seconds(0.5)
    uninterrupted(minimize(problem.objective, problem.region, method=method, stop=stop))


def _ranked(results: dict[str, Result]) -> list[tuple[str, Result]]:
    """Results in order: those that reached the tolerance by time, then the others by gap."""
    return sorted(
        results.items(),
        key=lambda item: (not item[1].success, item[1].seconds if item[1].success else item[1].gap),
    )


TABLE = {"reached": "success", "seconds": "seconds", "iterations": "nit", "f": "fun", "gap": "gap"}
TABLE |= {"certified": "certified", "gradients": "njev", "LMOs": "nlmo"}
JSON = {"title": "method", "converged": "success", "seconds": "seconds", "iterations": "nit"}
JSON |= {"value": "fun", "gap": "gap", "certified": "certified", "gradients": "njev"}
JSON |= {"oracle calls": "nlmo", "message": "message"}
"""Attributes of a result, by the names of the columns of the table and of JSON."""


def _rows(race: Race) -> list[tuple[object, ...]]:
    """Rows of the table, the best method first."""
    return [
        (name, *(_cell(column, getattr(result, TABLE[column])) for column in TABLE))
        for name, result in _ranked(race.results)
    ]


def _cell(column: str, value: float | bool) -> object:
    """Value as a cell of the table: words for truth values, three digits for seconds and gaps."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return float(f"{value:.3g}") if column in ("seconds", "gap") else value


def _print(options: argparse.Namespace, race: Race) -> None:
    if options.json:
        rows = [
            {"method": name, **{key: getattr(result, JSON[key]) for key in JSON}}
            for name, result in _ranked(race.results)
        ]
        report = None if options.no_report else str(options.out)
        print_json({"results": rows, "left out": race.left_out, "report": report})
        return
    print_table(("method", *TABLE), _rows(race), title=f"Race on {options.data}")
    for name, why in race.left_out.items():
        print(f"left out: {name}: {why}")
    if not options.no_report:
        print(f"report: {options.out}")


def _write_curves(path: str, results: dict[str, Result]) -> None:
    names = ("iteration", "seconds", "value", "gap", "lower_bound", "step")
    rows = (
        (name, int(k), *rest)
        for name, result in results.items()
        for k, *rest in zip(*(result.history[column].tolist() for column in names), strict=True)
    )
    rows_to(path, ("method", *names), rows, as_json=False)


def _write_report(options: argparse.Namespace, given: Given, race: Race) -> None:
    """Write the race as one HTML file."""
    from frankwolfe.visual.report import Report, runs

    objective, region = given.problem.objective, given.problem.region
    lead = f"{len(race.results)} methods on {objective!r} over {region!r}."
    report = Report(f"Race on {options.data}", lead=lead)
    report.add_heading("Curves")
    report.add_curves(
        "Gap",
        runs(race.results),
        y="gap",
        log_x=True,
        caption="Where a method is certified, its gap bounds f(x) - min f.",
    )
    report.add_heading("Results")
    marks = {"yes": "good", "no": "bad"}
    report.add_table("Where they ended", ("method", *TABLE), _rows(race), marks=marks)
    if race.left_out:
        report.add_table("Left out", ("method", "why"), list(race.left_out.items()))
    report.add_heading("Set-up")
    report.add_setup(
        data=given.data,
        data_sha256=given.sha256,
        problem=f"{given.loss} loss, {given.region} region of radius {given.radius:.6g}",
        tolerance=options.tol,
        seconds_for_a_method=options.seconds,
    )
    report.add_commands(shlex.join(["frankwolfe", "race", *options.words]))
    report.write(options.out)
