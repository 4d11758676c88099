"""frankwolfe fit: a model from a file."""

from __future__ import annotations

import argparse
import shlex
import sys
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from frankwolfe.cli.arguments import (
    LOSSES,
    REGIONS,
    add_command,
    add_file_options,
    columns,
    index_base,
)
from frankwolfe.cli.live import Live
from frankwolfe.cli.model import Model
from frankwolfe.cli.screen import Screen, print_json
from frankwolfe.numerics.checks import number
from frankwolfe.numerics.errors import InvalidInput, MissingExtra

__all__ = ["add", "run"]

EXAMPLES = """\
  frankwolfe fit data.csv                             last column is the target; writes model.json
  frankwolfe fit data.csv --target price --region l1 --radius cv
  frankwolfe fit a9a.svm --loss logistic --region l1 --radius 30 -o a9a.json
  frankwolfe fit table.parquet --target kind --drop id,name --standardize
  frankwolfe fit matrix.mtx --target-file labels.txt --json
"""


def add(subparsers: Any) -> None:
    """Say what the command takes."""
    parser = add_command(
        subparsers,
        "fit",
        help="fit a linear model to a file",
        description="Fit a linear model whose coefficients lie in a region, and write it with its "
        "certificate. Reads CSV, TSV, LIBSVM (each also .gz, .bz2, .xz), Parquet, npz and Matrix "
        "Market.",
        examples=EXAMPLES,
    )
    parser.add_argument("file", help="the data")
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
    _add_solver(parser)
    parser.add_argument(
        "-o", "--out", default="model.json", metavar="FILE", help="default: model.json; - prints it"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.add_argument("-q", "--quiet", action="store_true", help="show no progress")
    add_file_options(parser)
    parser.set_defaults(run=run)


def _add_solver(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("the fit")
    group.add_argument(
        "--tol", type=float, default=1e-6, help="gap over the loss of a constant; default: 1e-6"
    )
    group.add_argument("--max-iter", type=int, default=10_000, metavar="N", help="most steps")
    group.add_argument("--method", help="see frankwolfe methods; default: what suits the problem")
    group.add_argument("--delta", type=float, help="threshold of huber, smoothing of quantile")
    group.add_argument("--quantile", type=float, default=0.5, help="default: 0.5, the median")
    group.add_argument("--folds", type=int, default=5, metavar="N", help="of --radius cv")


def _radius(text: str) -> float | str:
    if text in ("auto", "cv"):
        return text
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number, cv or auto, got {text!r}") from None


@dataclass(frozen=True, eq=False)
class _Fitted:
    """A model, how well it does on its own data, and how the run ended."""

    model: Model
    score: float
    interrupted: bool
    converged: bool


def run(options: argparse.Namespace) -> int:
    """Read, fit, write."""
    if isinstance(options.radius, float):  # before a large file is read
        number("radius", options.radius, above=0.0)
    with Screen(options.quiet) as screen:
        fitted = _fit(options, screen)
    model, about = fitted.model, fitted.model.about
    if options.out == "-":
        sys.stdout.write(model.json())
    else:
        model.write(options.out)
        if options.json:
            print_json({**about, "written": options.out})
        else:
            _print_summary(options, fitted)
    if fitted.interrupted:
        where = "" if options.out == "-" else f" is in {options.out}"
        print(
            f"frankwolfe: interrupted; the best point so far{where}, at a gap of "
            f"{about['result']['gap']:.2e}.",
            file=sys.stderr,
        )
        return 130
    return 0 if fitted.converged else 1


def _fit(options: argparse.Namespace, screen: Screen) -> _Fitted:
    began = time.perf_counter()
    data = _read(options, screen)
    read = time.perf_counter()
    screen.say("fitting")
    estimator = _estimator(options, data.loss)
    live = Live(screen, "fitting", keep=isinstance(options.radius, float))
    _solve(estimator, data.X, data.y, live)
    assert live.result is not None
    score = float(estimator.score(data.X, data.y))
    about = _about(options, data, estimator, live)
    about["result"] |= {
        "training score": score,
        "seconds reading": round(read - began, 3),
        "seconds fitting": round(time.perf_counter() - read, 3),
    }
    model = _model(options, data, estimator, about)
    return _Fitted(model, score, live.interrupted, live.result.success)


class _Data(NamedTuple):
    """What was read, ready for an estimator."""

    table: Any
    X: Any
    y: NDArray[Any]
    loss: str
    fill: NDArray[np.float64] | None
    scales: Any


def _read(options: argparse.Namespace, screen: Screen) -> _Data:
    progress = screen.reading(Path(options.file).name)  # before anything slow is loaded
    from frankwolfe.cli import prepare
    from frankwolfe.datasets.readers import read_table

    with prepare.only_numbers():
        table = read_table(
            options.file,
            options.target,
            drop=options.drop,
            header=options.header,
            format=options.format,
            target_file=options.target_file,
            progress=progress,
            base=index_base(options),
        )
    y = prepare.targets(table, options.file)
    loss = _loss(options, y)
    _check_size(options, y, loss)
    mean = options.missing == "mean"
    fill = prepare.fill_missing(table, options.file, None, mean, ("--drop", "--missing"))
    prepare.refuse_large(table, options.file)
    X = prepare.compressed(table.X)
    scales = prepare.scale(X, not options.no_intercept) if options.standardize else None
    return _Data(table, X, y, loss, fill, scales)


def _about(options: argparse.Namespace, data: _Data, estimator: Any, live: Live) -> dict[str, Any]:
    """Where a model comes from, for its file."""
    assert live.result is not None
    base = data.table.base
    about: dict[str, Any] = {
        "loss": data.loss,
        "region": options.region,
        "radius": estimator.radius_,
        "standardized": options.standardize,
        "result": {
            "gap": estimator.dual_gap_,
            "certified": estimator.certified_,
            "converged": live.result.success,
            "interrupted": live.interrupted,
            "iterations": estimator.n_iter_,
            "method": live.result.method,
            "message": live.result.message,
        },
        "data": {
            "file": str(options.file),
            "format": data.table.format,
            "rows": data.X.shape[0],
            "features": data.X.shape[1],
            **({} if base is None else {"index base": base}),
        },
        "versions": _versions(),
        "command": shlex.join(["frankwolfe", "fit", *options.words]),
    }
    if options.radius == "cv":
        about["cross-validation"] = {
            "radii": estimator.radii_,
            "mean scores": estimator.cv_scores_.mean(axis=0),
            "best score": estimator.best_score_,
        }
    return about


def _model(
    options: argparse.Namespace, data: _Data, estimator: Any, about: dict[str, Any]
) -> Model:
    """The model, in the features' own units."""
    table = data.table
    coefficients = np.atleast_2d(estimator.coef_)
    intercept = np.atleast_1d(estimator.intercept_).astype(np.float64)
    if data.scales is not None:
        coefficients, intercept = data.scales.undo(coefficients, intercept)
    classes = getattr(estimator, "classes_", None)
    return Model(
        coefficients,
        intercept,
        None if classes is None else classes.tolist(),
        list(table.names),
        table.target if table.names or table.left_out else options.target,
        list(table.left_out),
        data.fill,
        about,
    )


def _loss(options: argparse.Namespace, y: NDArray[Any]) -> str:
    from frankwolfe.cli.prepare import is_classes

    loss: str = options.loss or ("logistic" if is_classes(y) else "squared")
    if y.dtype.kind not in "iuf" and loss not in ("logistic", "multinomial"):
        from frankwolfe.datasets.readers.cells import as_number

        word = next((word for word in map(str, y) if as_number(word) is None), str(y[0]))
        raise InvalidInput(
            f"{options.file}: the target holds words such as {word!r}; the loss {loss} needs "
            "numbers, logistic takes words."
        )
    return loss


def _check_size(options: argparse.Namespace, y: NDArray[Any], loss: str) -> None:
    """Whether there are rows, classes, and enough of them for the folds."""
    if y.size < 2:
        raise InvalidInput(f"{options.file} has one row: a model needs two at least.")
    rows, what = y.size, "the file"
    if loss in ("logistic", "multinomial") and y.dtype.kind != "f":
        classes, counts = np.unique(y, return_counts=True)
        if classes.size < 2:
            raise InvalidInput(
                f"{options.file}: the target is {classes.tolist()[0]!r} in all rows; there must be "
                "two classes at least."
            )
        rows, what = int(counts.min()), f"the class {classes.tolist()[int(counts.argmin())]!r}"
    if options.radius == "cv" and rows < options.folds:
        fewer = f"take --folds {rows}, or give" if rows > 1 else "give"
        raise InvalidInput(
            f"{options.file}: {what} has {rows} row{'s' if rows > 1 else ''}, too few for "
            f"{options.folds} folds; {fewer} a --radius."
        )


def _estimator(options: argparse.Namespace, loss: str) -> Any:
    try:
        from frankwolfe import sklearn as estimators
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
        kind: Any = estimators.ConstrainedLogisticRegression
        kind = estimators.ConstrainedLogisticRegressionCV if by_folds else kind
    else:
        kind = estimators.ConstrainedRegressorCV if by_folds else estimators.ConstrainedRegressor
        common |= {"loss": loss, "delta": options.delta, "quantile": options.quantile}
    return kind(options.region, **common)


def _solve(estimator: Any, X: Any, y: NDArray[Any], live: Live) -> None:
    """Fit; what scikit-learn complains of becomes one sentence."""
    from sklearn.exceptions import ConvergenceWarning

    from frankwolfe.solver.callbacks import callback_context

    with callback_context(live), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the exit code says it
        try:
            estimator.fit(X, y)
        except InvalidInput:
            raise
        except ValueError as error:
            words = " ".join(str(error).split())
            raise InvalidInput(words if words.endswith(".") else f"{words}.") from None


def _versions() -> dict[str, str]:
    import platform
    from importlib.metadata import version

    packages = ("numpy", "scipy", "numba", "scikit-learn")
    from frankwolfe import __version__

    own = {"frankwolfe": __version__, "python": platform.python_version()}
    return own | {name: version(name) for name in packages}


def _print_summary(options: argparse.Namespace, fitted: _Fitted) -> None:
    model, about = fitted.model, fitted.model.about
    result, data = about["result"], about["data"]
    kinds = "" if model.classes is None else f", {len(model.classes)} classes"
    used = int(np.count_nonzero(np.abs(model.coefficients).max(axis=0)))
    measure = "R^2" if model.classes is None else "accuracy"
    sure = "certified" if result["certified"] else "not certified"
    ended = "" if fitted.converged else ", above the tolerance"
    lines = {
        "data": f"{data['file']}: {data['rows']:,} rows x {data['features']:,} features "
        f"({data['format']}){kinds}",
        "model": f"{about['loss']} loss, {about['region']} region of radius {about['radius']:.6g}",
        "gap": f"{result['gap']:.2e} ({sure}{ended}) after {result['iterations']:,} iterations",
        "training": f"{measure} {fitted.score:.4f}",
        "features": f"{used:,} of {model.width:,} have a coefficient other than 0",
        "time": f"{result['seconds reading']:.1f} s reading, "
        f"{result['seconds fitting']:.1f} s fitting",
        "written": options.out,
    }
    if "cross-validation" in about:
        best = about["cross-validation"]["best score"]
        lines["model"] += f" (by {options.folds} folds: {measure} {best:.4f})"
    for name, text in lines.items():
        print(f"{name:10}{text}")
