"""Command `frankwolfe fit`: fit a linear model to a file."""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from typing import TYPE_CHECKING

from frankwolfe.base.arrays import AnyArray, Matrix
from frankwolfe.base.checks import number
from frankwolfe.base.errors import InvalidInput, MissingExtra
from frankwolfe.cli.arguments import (
    LOSSES,
    MAX_MAGNITUDE,
    REGIONS,
    Subparsers,
    add_command,
    add_file_options,
    columns,
    columns_to_encode,
)
from frankwolfe.cli.data import read_data
from frankwolfe.cli.fit_engine import (
    add_engine_options,
    check_engine_options,
    engine_running,
    read_parts_data,
    training_score,
)
from frankwolfe.cli.fit_model import Fitted, about_fit, model_of, print_summary, proof_of
from frankwolfe.cli.live import Live
from frankwolfe.cli.screen import Screen, interrupted, print_json
from frankwolfe.solver import callback_context

if TYPE_CHECKING:
    from collections.abc import Callable

    from frankwolfe.sklearn.linear import ConstrainedLinear

__all__ = ["add", "run"]

EXAMPLES = """\
  frankwolfe fit data.csv                             last column is the target; writes model.json
  frankwolfe fit data.csv --target price --region l1 --radius cv
  frankwolfe fit a9a.svm --loss logistic --region l1 --radius 30 -o a9a.json
  frankwolfe fit table.parquet --target kind --drop id,name --standardize
  frankwolfe fit houses.csv --target price --encode   columns of words become features
  frankwolfe fit matrix.mtx --target-file labels.txt --json
  frankwolfe fit 'part-*.parquet' --target y --radius 5 --engine dask --workers 8
"""


def add(subparsers: Subparsers) -> None:
    """Define the command and its options."""
    parser = add_command(
        subparsers,
        "fit",
        help="fit a linear model to a file",
        description="Fit a linear model whose coefficients lie in a region, and write it with its "
        "certificate. Reads CSV, TSV, LIBSVM (each also .gz, .bz2, .xz), Parquet, npz and Matrix "
        "Market.",
        examples=EXAMPLES,
    )
    parser.add_argument("files", nargs="+", metavar="file", help="the data; several for --engine")
    _add_columns(parser)
    _add_model(parser)
    _add_solver(parser)
    add_engine_options(parser)
    parser.add_argument(
        "-o", "--out", default="model.json", metavar="FILE", help="default: model.json; - prints it"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.add_argument("-q", "--quiet", action="store_true", help="show no progress")
    add_file_options(parser)
    parser.set_defaults(run=run)


def _add_columns(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--target",
        metavar="COLUMN",
        help="name or number (from 1) of the target; default: the last not dropped",
    )
    parser.add_argument("--target-file", metavar="FILE", help="one target a line, for npz and mtx")
    parser.add_argument(
        "--drop", type=columns, default=[], metavar="COLUMNS", help="names or numbers to leave out"
    )
    parser.add_argument(
        "--encode",
        type=columns_to_encode,
        nargs="?",
        const=True,
        default=False,
        metavar="COLUMNS",
        help="make a feature of each word in these columns; alone: in all columns of words",
    )


def _add_model(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--loss",
        choices=LOSSES,
        help="default: logistic for words or two values, squared for other numbers",
    )
    parser.add_argument("--region", choices=REGIONS, default="l2", help="default: l2")
    parser.add_argument(
        "--radius",
        type=_radius,
        default="auto",
        help="a number, cv (cross-validated), or auto (a rule of thumb; the default)",
    )
    parser.add_argument("--no-intercept", action="store_true", help="leave the intercept out")
    parser.add_argument(
        "--standardize",
        action="store_true",
        help="scale features first; coefficients are written in the features' own units",
    )
    parser.add_argument(
        "--missing",
        choices=("refuse", "mean"),
        default="refuse",
        help="what to do with missing values; default: refuse",
    )


def _add_solver(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("the fit")
    group.add_argument(
        "--tol", type=float, default=1e-6, help="gap over the loss of a constant; default: 1e-6"
    )
    group.add_argument("--max-iter", type=int, default=10_000, metavar="N", help="most steps")
    group.add_argument("--method", help="see frankwolfe methods; default: what suits the problem")
    group.add_argument("--delta", type=float, help="threshold of huber, smoothing of quantile")
    group.add_argument("--quantile", type=float, default=0.5, help="default: 0.5, the median")
    group.add_argument(
        "--verify",
        action="store_true",
        help="prove the gap: bounds that hold in floating point, from the data and the model alone",
    )
    group.add_argument("--folds", type=int, default=5, metavar="N", help="of --radius cv")


def _radius(text: str) -> float | str:
    if text in ("auto", "cv"):
        return text
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number, cv or auto, got {text!r}") from None


def run(options: argparse.Namespace) -> int:
    """Read a file, fit a model to it, and write the model with its certificate."""
    if isinstance(options.radius, float):  # before a large file is read
        number("radius", options.radius, above=0.0, high=MAX_MAGNITUDE)
    check_engine_options(options)
    with Screen(options.quiet) as screen, engine_running(options, screen):
        fitted = _fit(options, screen)
    model, about = fitted.model, fitted.model.about
    if options.out == "-":
        sys.stdout.write(model.json())
    else:
        model.write(options.out)
        if options.json:
            print_json({**about, "written": options.out})
        else:
            print_summary(options, fitted)
    if fitted.interrupted:
        where = "" if options.out == "-" else f" is in {options.out}"
        gap = about["result"]["gap"]
        return interrupted(f"the best point so far{where}, at a gap of {gap:.2e}.")
    return 0 if fitted.converged else 1


def _fit(options: argparse.Namespace, screen: Screen) -> Fitted:
    """Fit a model to the data, and measure how well it does on them."""
    began = time.perf_counter()
    data = read_parts_data(options, screen) if options.engine else read_data(options, screen)
    read = time.perf_counter()
    screen.say("fitting")
    live = Live(screen, "fitting", keep=isinstance(options.radius, float))
    with live.holding():
        estimator = _estimator(options, data.loss)
        _solve(estimator, data.X, data.y, live)
    assert live.result is not None
    if options.engine:
        score = training_score(live.result, estimator)
    else:
        score = float(estimator.score(data.X, data.y))
    about = about_fit(options, data, estimator, live)
    if options.verify:
        screen.say("proving")
        about["result"]["proof"] = proof_of(live.result)
    about["result"] |= {
        "training score": score,
        "seconds reading": round(read - began, 3),
        "seconds fitting": round(time.perf_counter() - read, 3),
    }
    model = model_of(options, data, estimator, about)
    return Fitted(model, score, live.interrupted, live.result.success)


def _estimator(options: argparse.Namespace, loss: str) -> ConstrainedLinear:
    """Estimator for the options: of classes or numbers, with one radius or cross-validated."""
    try:
        from frankwolfe.sklearn import (
            ConstrainedLogisticRegression,
            ConstrainedLogisticRegressionCV,
            ConstrainedRegressor,
            ConstrainedRegressorCV,
        )
    except MissingExtra:
        raise MissingExtra("frankwolfe fit", "scikit-learn", "cli") from None
    common = {
        "fit_intercept": not options.no_intercept,
        "tol": options.tol,
        "max_iter": options.max_iter,
        "method": options.method,
    }
    by_folds = options.radius == "cv"
    if by_folds:
        common["cv"] = options.folds
    else:
        common["radius"] = options.radius
    if loss in ("logistic", "multinomial"):
        kind: Callable[..., ConstrainedLinear] = ConstrainedLogisticRegression
        kind = ConstrainedLogisticRegressionCV if by_folds else kind
    else:
        kind = ConstrainedRegressorCV if by_folds else ConstrainedRegressor
        common |= {"loss": loss, "delta": options.delta, "quantile": options.quantile}
    return kind(options.region, **common)


def _solve(estimator: ConstrainedLinear, X: Matrix, y: AnyArray, live: Live) -> None:
    """Fit the estimator; a complaint of scikit-learn becomes an InvalidInput of one sentence."""
    from sklearn.exceptions import ConvergenceWarning

    with callback_context(live), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the exit code says it
        try:
            estimator.fit(X, y)
        except InvalidInput:
            raise
        except ValueError as error:
            words = " ".join(str(error).split())
            raise InvalidInput(words if words.endswith(".") else f"{words}.") from None
