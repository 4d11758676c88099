"""Multinomial logistic regression over a Euclidean ball, against scikit-learn's L-BFGS.

Each problem is solved by LogisticRegression at several tolerances, and by the estimator in the
ball of the same norm, in turns. A solver's accuracy is its excess over the least value of what
it minimizes, over the loss of a constant prediction; ours is bounded by its certificate.

    python benchmarks/studies/multinomial.py [--rows 60000] [--repeat 5] [--cpu]
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


def problems(rows):
    """Scaled digits, and classes of correlated features on very different scales of influence."""
    X, y = load_digits(return_X_y=True)
    yield "digits 1797 x 64 x 10", StandardScaler().fit_transform(X), y
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, 54)) @ rng.standard_normal((54, 54)) * np.geomspace(3, 0.01, 54)
    X[:, 10:] = X[:, 10:] > 0.5 * X[:, 10:].std(axis=0)
    scores = X @ rng.standard_normal((54, 7)) + [2.0, 3.0, 0.0, -2.0, -1.0, -0.5, 0.0]
    y = (scores + 2.0 * rng.gumbel(size=scores.shape)).argmax(axis=1)
    yield f"classes {rows} x 54 x 7", StandardScaler().fit_transform(X), y


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


def main():
    """Print a line for each problem and penalty."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=60_000)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--cpu", action="store_true", help="processor time, for a busy machine")
    options = parser.parse_args()
    clock = time.process_time if options.cpu else time.perf_counter
    warnings.simplefilter("ignore")
    print("| problem | C | solver | s | excess |\n|---|---|---|---|---|")
    for name, X, y in problems(options.rows):
        shares = np.unique(y, return_counts=True)[1] / y.size
        null = -float(shares @ np.log(shares))
        for C in (0.01, 1.0, 100.0):
            fits = {
                f"scikit-learn {tol:g}": lambda tol=tol, C=C, X=X, y=y: LogisticRegression(
                    C=C, tol=tol, max_iter=100_000
                ).fit(X, y)
                for tol in TOLERANCES
            }
            exact = LogisticRegression(C=C, tol=1e-8, max_iter=100_000).fit(X, y)
            radius = float(np.linalg.norm(exact.coef_))
            fits["quasi_newton"] = lambda X=X, y=y, radius=radius: ConstrainedLogisticRegression(
                "l2", radius
            ).fit(X, y)
            fits["quasi_newton"]()  # compiled before

            def value(model, C=C, X=X, y=y):
                penalty = 0.5 / (C * y.size) * float(np.square(model.coef_).sum())
                return log_loss(y, model.predict_proba(X)) + penalty

            least = value(exact)
            models, best = timed(fits, options.repeat, clock)
            for solver, model in models.items():
                excess = (value(model) - least) / null
                bound = getattr(model, "dual_gap_", np.nan) / null
                told = f"{excess:.0e}" if np.isnan(bound) else f"{excess:.0e} (bound {bound:.0e})"
                print(f"| {name} | {C:g} | {solver} | {best[solver]:.3f} | {told} |", flush=True)


if __name__ == "__main__":
    main()
