"""radius="auto" on real data, against cross-validated radii and scikit-learn's CV estimators.

Each data set is divided at random, half for training, five times; features are scaled by the
training half. Printed are means over the divisions of the test AUC (two classes), accuracy (more)
or R^2, and the seconds of the fits.

    python benchmarks/studies/radius_auto.py [--data FOLDER] [--region l2] [--splits 5]
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.base import is_classifier
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_digits,
    load_iris,
    load_wine,
    make_classification,
    make_regression,
)
from sklearn.linear_model import LassoCV, LogisticRegressionCV, RidgeCV
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from frankwolfe.sklearn import (
    ConstrainedLogisticRegression,
    ConstrainedLogisticRegressionCV,
    ConstrainedRegressor,
    ConstrainedRegressorCV,
)


def data_sets(folder):
    """Name, features, target and whether it is a number."""
    yield "breast cancer", *load_breast_cancer(return_X_y=True), False
    X, y = load_digits(return_X_y=True)
    yield "digits", X, y, False
    yield "digits, odd or even", X, y % 2, False
    yield "wine", *load_wine(return_X_y=True), False
    yield "iris", *load_iris(return_X_y=True), False
    yield "diabetes", *load_diabetes(return_X_y=True), True
    pima = folder / "pima-indians-diabetes.csv"
    if pima.exists():
        table = np.loadtxt(pima, delimiter=",")
        yield "pima", table[:, :-1], table[:, -1], False
    X, y = make_classification(400, 60, n_informative=8, flip_y=0.05, random_state=0)
    yield "400 x 60, 8 matter", X, y, False
    X, y = make_classification(200, 500, n_informative=20, flip_y=0.0, random_state=1)
    yield "200 x 500, 20 matter", X, y, False
    X, y = make_regression(300, 100, n_informative=10, noise=60.0, random_state=0)
    yield "300 x 100 numbers, 10 matter", X, y, True
    X, y = make_regression(150, 40, n_informative=40, noise=300.0, random_state=2)
    yield "150 x 40 numbers, much noise", X, y, True


def contestants(number, region):
    """Estimators by name."""
    if number:
        theirs = RidgeCV(alphas=np.geomspace(1e-3, 1e5, 30)) if region == "l2" else LassoCV()
        ours = ConstrainedRegressor(region), ConstrainedRegressorCV(region)
    else:
        penalty = {"penalty": "l2"} if region == "l2" else {"penalty": "l1", "solver": "saga"}
        theirs = LogisticRegressionCV(Cs=10, max_iter=2000, scoring="neg_log_loss", **penalty)
        ours = (
            ConstrainedLogisticRegression(region),
            ConstrainedLogisticRegressionCV(region, scoring="neg_log_loss"),
        )
    return {"auto": ours[0], "ours, CV": ours[1], "scikit-learn, CV": theirs}


def score(model, X, y):
    """AUC, accuracy or R^2."""
    if is_classifier(model) and np.unique(y).size == 2:
        return roc_auc_score(y, model.predict_proba(X)[:, 1])
    return model.score(X, y)


def main():
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("shared/data"))
    parser.add_argument("--region", default="l2")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--only", nargs="*", default=None, help="of auto, ours, scikit-learn")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| data | estimator | test score | s |\n|---|---|---|---|")
    for name, X, y, number in data_sets(options.data):
        for who, model in contestants(number, options.region).items():
            if options.only and who.split(",")[0] not in options.only:
                continue
            scores, seconds = [], []
            for seed in range(options.splits):
                train, test, y_train, y_test = train_test_split(
                    X, y, test_size=0.5, random_state=seed, stratify=None if number else y
                )
                pipeline = make_pipeline(StandardScaler(), model)
                start = time.perf_counter()
                pipeline.fit(train, y_train)
                seconds.append(time.perf_counter() - start)
                scores.append(score(pipeline, test, y_test))
            line = f"{np.mean(scores):.4f} | {np.median(seconds):.2f}"
            print(f"| {name} | {who} | {line} |", flush=True)


if __name__ == "__main__":
    main()
