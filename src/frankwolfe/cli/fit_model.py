"""Result of `frankwolfe fit`: the model, its origin, and a summary."""

from __future__ import annotations

import argparse
import math
import platform
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from frankwolfe import __version__
from frankwolfe.base.arrays import Array
from frankwolfe.base.budget import size_in_words
from frankwolfe.base.errors import Unproven
from frankwolfe.cli.data import FitData
from frankwolfe.cli.live import Live
from frankwolfe.cli.model import Facts, LinearModel
from frankwolfe.objectives import Profiled
from frankwolfe.solver.result import Result
from frankwolfe.visual.report import versions

if TYPE_CHECKING:
    from frankwolfe.sklearn.linear import ConstrainedLinear

__all__ = ["Fitted", "about_fit", "model_of", "print_summary", "proof_of"]


@dataclass(frozen=True, eq=False)
class Fitted:
    """Fitted model, its score on its own data, and how the run ended."""

    model: LinearModel
    score: float
    interrupted: bool
    converged: bool


def about_fit(
    options: argparse.Namespace, data: FitData, estimator: ConstrainedLinear, live: Live
) -> Facts:
    """Facts on the origin of a model, for its file: loss, region, certificate, data, versions."""
    assert live.result is not None
    base = data.table.base
    about: Facts = {
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
            "rows": _rows(data, live.result),
            "features": np.atleast_2d(estimator.coef_).shape[1],
            **({} if base is None else {"index base": base}),
        },
        "versions": {
            "frankwolfe": __version__,
            "python": platform.python_version(),
            **versions(("numpy", "scipy", "numba", "scikit-learn")),
        },
        "command": shlex.join(["frankwolfe", "fit", *options.words]),
    }
    if live.result.traffic is not None:
        rounds, size = live.result.traffic
        about["result"] |= {"rounds": rounds, "bytes": size}
    if options.radius == "cv":
        about["cross-validation"] = {
            "radii": estimator.radii_,
            "mean scores": estimator.cv_scores_.mean(axis=0),
            "best score": estimator.best_score_,
        }
    return about


def _rows(data: FitData, result: Result) -> int:
    """Number of rows of the data; where workers hold them, their loss has counted them."""
    rows = data.X.shape[0]
    if not math.isnan(rows):  # a Dask array does not know its rows before they are read
        return int(rows)
    assert result.problem is not None
    objective = result.problem.objective
    loss: Any = objective.objective if isinstance(objective, Profiled) else objective
    return int(loss.observations)


def proof_of(result: Result) -> Facts:
    """Proven bounds on the mean loss and on its minimum over the region, or why there are none."""
    try:
        proof = result.verify()
    except Unproven as error:
        return {"none": str(error)}
    if result.problem is not None:
        proof = proof.times(1 / result.problem.objective.scale)
    said = {"remark": proof.remark} if proof.remark else {}
    return {"upper": proof.upper, "lower": proof.lower, "gap": proof.gap, **said}


def model_of(
    options: argparse.Namespace, data: FitData, estimator: ConstrainedLinear, about: Facts
) -> LinearModel:
    """Model in the features' own units, from an estimator fitted to standardized ones."""
    table = data.table
    coefficients = np.atleast_2d(estimator.coef_)
    intercept: Array = np.atleast_1d(estimator.intercept_).astype(np.float64)
    if data.scales is not None:
        coefficients, intercept = data.scales.undo(coefficients, intercept)
    classes = getattr(estimator, "classes_", None)
    return LinearModel(
        coefficients,
        intercept,
        None if classes is None else classes.tolist(),
        list(table.names),
        table.target if table.names or table.left_out else options.target,
        list(table.left_out),
        data.fill,
        about,
        dict(table.encoded),
    )


def print_summary(options: argparse.Namespace, fitted: Fitted) -> None:
    """Print the data, model, gap and score of a fit, a line each."""
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
        **({"proof": _proved(result["proof"])} if "proof" in result else {}),
        **({"rounds": _rounds(result)} if "rounds" in result else {}),
        "training": f"{measure} {fitted.score:.4f}",
        "features": f"{used:,} of {model.width:,} have a coefficient other than 0",
        "time": f"{result['seconds reading']:.1f} s reading, "
        f"{result['seconds fitting']:.1f} s fitting",
        "written": options.out,
    }
    if model.encoded:
        count = sum(map(len, model.encoded.values()))
        several = "s" if len(model.encoded) > 1 else ""
        lines["features"] += f"; {count:,} are words of {len(model.encoded)} column{several}"
    if "cross-validation" in about:
        best = about["cross-validation"]["best score"]
        lines["model"] += f" (by {options.folds} folds: {measure} {best:.4f})"
    for name, text in lines.items():
        print(f"{name:10}{text}")


def _rounds(result: Facts) -> str:
    """Sentence on the traffic between client and workers."""
    return f"{result['rounds']:,} to the workers and back, {size_in_words(result['bytes'])} in all"


def _proved(proof: Facts) -> str:
    """Sentence on what is proved, or why nothing is."""
    if "none" in proof:
        return str(proof["none"])
    said = f" ({proof['remark']})" if "remark" in proof else ""
    return (
        f"the loss is {proof['upper']:.12g} at most, and no model of the region has less than "
        f"{proof['lower']:.12g}{said}"
    )
