"""Command `frankwolfe race`: methods against each other on one problem."""

from __future__ import annotations

import argparse
import shlex
from typing import TYPE_CHECKING

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
from frankwolfe.cli.live import READING, load
from frankwolfe.cli.screen import Screen, interrupted, print_json, print_table

if TYPE_CHECKING:
    from frankwolfe.cli.data import Given
    from frankwolfe.cli.live import Board
    from frankwolfe.core.problem import Problem
    from frankwolfe.solver.result import Result

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
        load(*READING, "numba")
        from frankwolfe.cli.data import given_problem
        from frankwolfe.cli.live import Board

        given = given_problem(options, screen)
    names = _names(options)
    with Board(names, quiet=options.quiet) as board:
        results, left_out, ended = _race(options, given, names, board)
    if not results:
        if ended:
            raise KeyboardInterrupt
        raise InvalidInput(f"no method can run here: {'; '.join(left_out.values())}")
    if not options.no_report:
        write_report(options, given, results, left_out)
    if options.csv is not None:
        _write_curves(options.csv, results)
    _print(options, results, left_out)
    if ended:
        return interrupted("this is what was done until then.")
    return 0 if any(result.success for result in results.values()) else 1


def _names(options: argparse.Namespace) -> list[str]:
    """Names of the methods to run, checked, each once."""
    from frankwolfe.methods import METHODS

    names = options.methods or DEFAULT_METHODS
    if "all" in names:
        names = ["default", *METHODS]
    for name in names:
        if name != "default" and name not in METHODS:
            raise InvalidInput(
                f"--methods must be among default, all, {', '.join(METHODS)}; got {name!r}."
            )
    return list(dict.fromkeys(names))


def _race(
    options: argparse.Namespace, given: Given, names: list[str], board: Board
) -> tuple[dict[str, Result], dict[str, str], bool]:
    """Results by name, methods left out and why, and whether Ctrl-C ended the race."""
    from frankwolfe.solver.entry import minimize
    from frankwolfe.solver.result import Status
    from frankwolfe.solver.stopping import Iterations, RelativeGap, Seconds

    stop = RelativeGap(options.tol) | Seconds(options.seconds) | Iterations(options.max_iter)
    results: dict[str, Result] = {}
    left_out: dict[str, str] = {}
    problem = given.problem
    for name in names:
        method = None if name == "default" else name
        try:
            board.begin(name)
            _warm_up(problem, method)
            result = minimize(
                problem.objective,
                problem.region,
                method=method,
                stop=stop,
                callback=board.callback(name),
            )
        except InvalidInput as error:
            left_out[name] = str(error)
            board.leave(name)
            continue
        except KeyboardInterrupt:
            return results, left_out, True
        results[name] = result
        board.finish(name, result)
        if result.status is Status.INTERRUPTED:
            return results, left_out, True
    return results, left_out, False


def _warm_up(problem: Problem, method: str | None) -> None:
    """Run a method for a few steps, so that its time has no compilation in it."""
    from frankwolfe.solver.entry import minimize
    from frankwolfe.solver.fast_path import PLAIN_STEPS
    from frankwolfe.solver.loop import uninterrupted
    from frankwolfe.solver.stopping import Iterations, Seconds

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


def _rows(results: dict[str, Result]) -> list[tuple[object, ...]]:
    """Rows of the table, the best method first."""
    return [
        (name, *(_cell(column, getattr(result, TABLE[column])) for column in TABLE))
        for name, result in _ranked(results)
    ]


def _cell(column: str, value: float | bool) -> object:
    """Value as a cell of the table: words for truth values, three digits for seconds and gaps."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return float(f"{value:.3g}") if column in ("seconds", "gap") else value


def _print(
    options: argparse.Namespace, results: dict[str, Result], left_out: dict[str, str]
) -> None:
    if options.json:
        rows = [
            {"method": name, **{key: getattr(result, JSON[key]) for key in JSON}}
            for name, result in _ranked(results)
        ]
        report = None if options.no_report else str(options.out)
        print_json({"results": rows, "left out": left_out, "report": report})
        return
    print_table(("method", *TABLE), _rows(results), title=f"Race on {options.data}")
    for name, why in left_out.items():
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


def write_report(
    options: argparse.Namespace,
    given: Given,
    results: dict[str, Result],
    left_out: dict[str, str],
) -> None:
    """Write the race as one HTML file."""
    from frankwolfe.visual.report import Report, runs

    objective, region = given.problem.objective, given.problem.region
    report = Report(
        f"Race on {options.data}",
        lead=f"{len(results)} methods on {objective!r} over {region!r}.",
    )
    report.add_heading("Curves")
    report.add_curves(
        "Gap",
        runs(results),
        y="gap",
        log_x=True,
        caption="Where a method is certified, its gap bounds f(x) - min f.",
    )
    report.add_heading("Results")
    marks = {"yes": "good", "no": "bad"}
    report.add_table("Where they ended", ("method", *TABLE), _rows(results), marks=marks)
    if left_out:
        report.add_table("Left out", ("method", "why"), list(left_out.items()))
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
