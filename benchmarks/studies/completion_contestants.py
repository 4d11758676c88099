"""Who takes part in completion_quality.py, at which settings; see completion_recipe.py."""

from __future__ import annotations

import inspect
import subprocess
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory

import numpy as np
from completion_recipe import (
    Candidates,
    Floats,
    Ints,
    Outcome,
    Predictor,
    Sample,
    Seconds,
    now,
    search_and_fit,
)
from scipy.sparse import csr_array
from scipy.sparse.linalg import svds

from frankwolfe.sklearn import MatrixCompletion

RANK = 100  # the most for fancyimpute; more is slower and, in 30 iterations, no better
RANK_R = 200  # the most for R's softImpute; 100 costs 0.002 on MovieLens 1M
FRACTIONS = tuple(0.8**k for k in range(2, 11))  # penalties over the top singular value
R_SCRIPT = Path(__file__).with_name("soft_impute.R")


def effects(train: Sample) -> Outcome:
    """Mean, row and column effects."""
    began = now()
    predict, _ = train.without_effects()
    seconds = now() - began
    return Outcome(predict, None, seconds, seconds)


def completion(train: Sample) -> Outcome:
    """The library's estimator; it searches by itself, so the fit alone is a second one."""
    began = now()
    model = MatrixCompletion().fit_cells(train.cells, train.y, shape=train.shape)
    whole = now() - began
    began = now()
    MatrixCompletion(model.radius_).fit_cells(train.cells, train.y, shape=train.shape)
    return Outcome(model.predict, model.radius_, whole, now() - began)


def als(train: Sample) -> Outcome:
    """Alternating least squares with biases, of cmfrec."""
    import pandas
    from cmfrec import CMF

    def fit(sample: Sample, penalty: float) -> Predictor:
        columns = {"UserId": sample.cells[:, 1], "ItemId": sample.cells[:, 0], "Rating": sample.y}
        model = CMF(k=40, lambda_=penalty, method="als", use_cg=False, verbose=False, nthreads=2)
        model.fit(pandas.DataFrame(columns))
        mean = float(sample.y.mean())  # where neither user nor movie was seen
        return lambda cells: np.nan_to_num(model.predict(cells[:, 1], cells[:, 0]), nan=mean)

    def candidates(kept: Sample) -> Candidates:
        return ((penalty, fit(kept, penalty)) for penalty in (35.0, 20.0, 10.0, 5.0))

    return search_and_fit(train, candidates, fit)


def als_absent() -> str:
    """Why ALS cannot take part, if so."""
    return "" if find_spec("cmfrec") else "cmfrec is not installed."


class _Filled:
    """A dense matrix of what effects leave, and fancyimpute's solver on it, in place."""

    def __init__(self, sample: Sample) -> None:
        self.effects, rest = sample.without_effects()
        rows, columns = sample.cells.T
        self.matrix = np.zeros(sample.shape, np.float32)
        self.matrix[rows, columns] = rest
        self.missing = np.ones(sample.shape, bool)
        self.missing[rows, columns] = False
        self.penalties = _penalties(sample, rest)

    def solve(self, penalty: float, iterations: int) -> Predictor:
        """From what is filled in so far; one power iteration, as the package has it."""
        from fancyimpute import SoftImpute

        np.random.seed(0)  # noqa: NPY002 (its random SVD takes no other)
        solver = SoftImpute(
            shrinkage_value=penalty, max_rank=RANK, max_iters=iterations, verbose=False
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            self.matrix = solver.solve(self.matrix, self.missing)
        return lambda cells: self.effects(cells) + self.matrix[cells[:, 0], cells[:, 1]]


def _penalties(sample: Sample, rest: Floats) -> list[float]:
    """The path; from the top singular value on, the solution is zero."""
    matrix = csr_array((rest, tuple(sample.cells.T)), shape=sample.shape)
    start = np.random.default_rng(0).standard_normal(min(sample.shape))
    top = float(svds(matrix, k=1, v0=start, return_singular_vectors=False)[0])
    return [top * fraction for fraction in FRACTIONS]


def soft_impute(train: Sample) -> Outcome:
    """Soft-impute on what effects leave, of fancyimpute: dense, with a random truncated SVD.

    The noise of that SVD keeps the package's stopping rule from being met. 30 iterations from
    zero are within 0.0005 of the test error after 80; on the path, 15 from the last solution.
    """

    def candidates(kept: Sample) -> Candidates:
        filled = _Filled(kept)
        return ((penalty, filled.solve(penalty, 15)) for penalty in filled.penalties)

    def fit(sample: Sample, penalty: float) -> Predictor:
        return _Filled(sample).solve(penalty, 30)

    return search_and_fit(train, candidates, fit)


def soft_impute_absent() -> str:
    """Why fancyimpute cannot take part, if so."""
    if not find_spec("fancyimpute"):
        return "fancyimpute is not installed."
    from sklearn.utils import check_array

    if "force_all_finite" in inspect.signature(check_array).parameters:
        return ""
    return "fancyimpute calls scikit-learn in a way that ended with version 1.8."


def soft_impute_r(train: Sample) -> Outcome:
    """Soft-impute by alternating least squares, of R's softImpute: sparse; timed inside R."""
    began = now()
    kept, held = train.divided()
    effects, rest = kept.without_effects()
    penalties = _penalties(kept, rest)
    searched = now() - began
    began = now()
    effects_of_all, rest_of_all = train.without_effects()
    fitted = now() - began
    rows, columns = train.shape
    with TemporaryDirectory() as folder:
        _write(Path(folder, "kept"), kept.cells, rest)
        _write(Path(folder, "held"), held.cells, held.y - effects(held.cells))
        _write(Path(folder, "all"), train.cells, rest_of_all)
        np.array(penalties).tofile(Path(folder, "penalties"))
        command = ["Rscript", str(R_SCRIPT), folder, str(rows), str(columns), str(RANK_R)]
        subprocess.run(command, check=True)
        result = np.fromfile(Path(folder, "result"))
    penalty, search, fit = float(result[0]), Seconds(*result[1:3]), Seconds(*result[3:5])
    u, v = np.split(result[5:].reshape(-1, rows + columns), [rows], axis=1)

    def predict(cells: Ints) -> Floats:
        low_rank = np.einsum("ki,ki->i", u[:, cells[:, 0]], v[:, cells[:, 1]])
        return np.asarray(effects_of_all(cells) + low_rank)

    return Outcome(predict, penalty, searched + search + fitted + fit, fitted + fit)


def _write(file: Path, cells: Ints, values: Floats) -> None:
    """Rows and columns from one, and values, one after the other."""
    np.concatenate([cells[:, 0] + 1.0, cells[:, 1] + 1.0, values]).tofile(file)


def soft_impute_r_absent() -> str:
    """Why R cannot take part, if so."""
    test = ["Rscript", "-e", "library(softImpute)"]
    if which("Rscript") and subprocess.run(test, capture_output=True, check=False).returncode == 0:
        return ""
    return "R's softImpute is not installed."


@dataclass(frozen=True)
class Contestant:
    """What it does, and a sentence where it cannot."""

    run: Callable[[Sample], Outcome]
    absent: Callable[[], str] = lambda: ""


CONTESTANTS = {
    "effects": Contestant(effects),
    "completion": Contestant(completion),
    "ALS (cmfrec)": Contestant(als, als_absent),
    "soft-impute (fancyimpute)": Contestant(soft_impute, soft_impute_absent),
    "soft-impute (R)": Contestant(soft_impute_r, soft_impute_r_absent),
}
