"""Multinomial logistic regression over a Euclidean ball, against scikit-learn's L-BFGS.

Each problem is solved by LogisticRegression at several tolerances, and by the estimator in the
ball of the same norm, in turns. A solver's accuracy is its excess over the least value of what
it minimizes, over the loss of a constant prediction; ours is bounded by its certificate. The last
column is our time over that of the fastest fit by scikit-learn that is as accurate, or of the most
accurate one where none is.

    python benchmarks/studies/multinomial.py [--rows 60000] [--repeat 5] [--cpu] [--covtype FILE]

`--covtype` adds rows of the forest cover types (covtype.data, or compressed as .gz or .xz). Set
OMP_NUM_THREADS and OPENBLAS_NUM_THREADS for a number of threads.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.preprocessing import StandardScaler

from frankwolfe.sklearn import ConstrainedLogisticRegression

TOLERANCES = (1e-4, 1e-5, 1e-6)


def problems(rows, covtype):
    """Scaled digits, independent features, features on very different scales, forest covers."""
    X, y = load_digits(return_X_y=True)
    yield "digits 1797 x 64 x 10", StandardScaler().fit_transform(X), y
    rng = np.random.default_rng(1)
    X = rng.standard_normal((rows, 54))
    scores = X @ rng.standard_normal((54, 7)) * (2.0 / np.sqrt(54))
    yield f"independent {rows} x 54 x 7", X, (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, 54)) @ rng.standard_normal((54, 54)) * np.geomspace(3, 0.01, 54)
    X[:, 10:] = X[:, 10:] > 0.5 * X[:, 10:].std(axis=0)
    scores = X @ rng.standard_normal((54, 7)) + [2.0, 3.0, 0.0, -2.0, -1.0, -0.5, 0.0]
    y = (scores + 2.0 * rng.gumbel(size=scores.shape)).argmax(axis=1)
    yield f"correlated {rows} x 54 x 7", StandardScaler().fit_transform(X), y
    if covtype:
        whole = np.loadtxt(covtype, delimiter=",", dtype=np.int32)
        some = rng.permutation(whole)[:rows].astype(np.float64)
        X = some[:, :-1][:, some[:, :-1].std(axis=0) > 0.0]
        yield f"covtype {len(X)} x {X.shape[1]} x 7", StandardScaler().fit_transform(X), some[:, -1]


def timed(fit, repeat, clock):
    """The fitted models and their least times, the fits in turns."""
    best = dict.fromkeys(fit, np.inf)
    models = {}
    for _ in range(repeat):
        for name, one in fit.items():
            start = clock()
            models[name] = one()
            best[name] = min(best[name], clock() - start)
    return models, best


def study(name, X, y, C, repeat, clock):
    """Print a line for each solver of a problem with a penalty."""
    shares = np.unique(y, return_counts=True)[1] / y.size
    null = -float(shares @ np.log(shares))

    def value(model):
        penalty = 0.5 / (C * y.size) * float(np.square(model.coef_).sum())
        return log_loss(y, model.predict_proba(X)) + penalty

    def theirs(tol):
        return lambda: LogisticRegression(C=C, tol=tol, max_iter=2000).fit(X, y)

    exact = theirs(1e-8)()
    radius = float(np.linalg.norm(exact.coef_))
    fits = {f"scikit-learn {tol:g}": theirs(tol) for tol in TOLERANCES}
    fits["quasi_newton"] = lambda: ConstrainedLogisticRegression("l2", radius).fit(X, y)
    fits["quasi_newton"]()  # compiled before
    models, best = timed(fits, repeat, clock)
    values = {solver: value(model) for solver, model in models.items()}
    least = min(value(exact), *values.values())
    ours = values.pop("quasi_newton")
    as_good = [best[solver] for solver in values if values[solver] <= ours + 1e-15 * abs(ours)]
    peer = min(as_good) if as_good else best[min(values, key=values.__getitem__)]
    for solver, model in models.items():
        excess = ((ours if solver == "quasi_newton" else values[solver]) - least) / null
        bound, ratio = "", ""
        if solver == "quasi_newton":
            bound, ratio = f" (bound {model.dual_gap_ / null:.0e})", f"{best[solver] / peer:.2f}"
        print(
            f"| {name} | {C:g} | {solver} | {best[solver]:.3f} | {excess:.0e}{bound} | {ratio} |",
            flush=True,
        )


def main():
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=60_000)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--cpu", action="store_true", help="processor time, for a busy machine")
    parser.add_argument("--covtype", help="file with the forest cover types")
    options = parser.parse_args()
    clock = time.process_time if options.cpu else time.perf_counter
    warnings.simplefilter("ignore")
    print("| problem | C | solver | s | excess | ratio |\n|---|---|---|---|---|---|")
    for name, X, y in problems(options.rows, options.covtype):
        for C in (0.01, 1.0, 100.0):
            study(name, X, y, C, options.repeat, clock)


if __name__ == "__main__":
    main()
