"""`frankwolfe fit` on covtype beside scikit-learn: loading and fitting in one process, by turns.

    python benchmarks/studies/fit_covtype.py --data FOLDER [--rounds 3] [--classes 2|7]

FOLDER holds covtype.data or covtype.data.xz (581,012 rows, 54 features, the class last). Each
contestant is a process of its own, from the start of Python to the model in memory or on disk:

- scikit-learn: pandas.read_csv or load_svmlight_file, StandardScaler, LogisticRegression with
  C = 1 (its constraint's radius is the norm of what it finds);
- ours: `frankwolfe fit --standardize --radius R` with that radius, from the same file.

Both are judged on the same data by the mean loss of what they wrote.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from common import parser
from problems import covtype

THEIRS = """
import json, sys
import numpy as np
path, kind, most = sys.argv[1], sys.argv[2], int(sys.argv[3])
if kind == "libsvm":
    from sklearn.datasets import load_svmlight_file
    X, y = load_svmlight_file(path)
else:
    import pandas
    table = pandas.read_csv(path, header=None)
    X, y = table.iloc[:, :-1].to_numpy(float), table.iloc[:, -1].to_numpy()
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
scaler = StandardScaler(with_mean=kind != "libsvm", copy=False)
X = scaler.fit_transform(X)
model = LogisticRegression(C=1.0, max_iter=most).fit(X, y)
own = model.coef_ / scaler.scale_
shift = own @ scaler.mean_ if kind != "libsvm" else 0.0
print(json.dumps({
    "coefficients": own.tolist(),
    "intercept": (model.intercept_ - shift).tolist(),
    "norm": float(np.linalg.norm(model.coef_)),
    "iterations": int(model.n_iter_.max()),
}))
"""


def main() -> None:
    """Run the contest and print the medians."""
    line = parser(__doc__, "covtype.data or covtype.data.xz")
    line.add_argument("--rounds", type=int, default=3)
    line.add_argument("--classes", type=int, choices=(2, 7), default=2, help="2: class 2 or not")
    line.add_argument("--rows", type=int, help="only so many, to try the script out")
    line.add_argument("--max-iter", type=int, default=1000, help="scikit-learn's")
    options = line.parse_args()
    if options.data is None:
        line.error("name the folder of covtype.data or covtype.data.xz with --data")
    X, y = covtype(options.data, options.rows)
    y = (y == 2).astype(np.int64) if options.classes == 2 else y
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("csv", "libsvm"):
            _contest(kind, _write(kind, X, y, Path(folder)), X, y, options)


def _write(kind: str, X: np.ndarray, y: np.ndarray, folder: Path) -> Path:
    path = folder / f"covtype.{'csv' if kind == 'csv' else 'svm'}"
    with path.open("w") as file:
        for row, target in zip(X.tolist(), y.tolist(), strict=True):
            if kind == "csv":
                file.write(",".join(map(str, row)) + f",{target}\n")
            else:
                pairs = " ".join(f"{j + 1}:{v}" for j, v in enumerate(row) if v)
                file.write(f"{target} {pairs}\n")
    return path


def _contest(
    kind: str, path: Path, X: np.ndarray, y: np.ndarray, options: argparse.Namespace
) -> None:
    size = path.stat().st_size / 1e6
    print(f"{kind}: {len(y):,} rows, {size:.0f} MB, {options.classes} classes")
    times: dict[str, list[tuple[float, float]]] = {"scikit-learn": [], "frankwolfe": []}
    models: dict[str, dict] = {}
    for _ in range(options.rounds):
        models["scikit-learn"], spent = _timed(
            [sys.executable, "-c", THEIRS, str(path), kind, str(options.max_iter)]
        )
        times["scikit-learn"].append(spent)
        radius = models["scikit-learn"]["norm"]
        command = [sys.executable, "-m", "frankwolfe", "fit", str(path), "--loss"]
        command += ["logistic", "--standardize", "--radius", repr(radius), "-o", "-"]
        models["frankwolfe"], spent = _timed(command)
        times["frankwolfe"].append(spent)
    for name, spent in times.items():
        wall, cpu = (statistics.median(column) for column in zip(*spent, strict=True))
        loss = _loss(models[name], X, y)
        print(f"  {name:13} {wall:7.2f} s  ({cpu:.2f} s of processor)  mean loss {loss:.9f}")
    print(f"  first progress on a terminal after {_first_sign(path):.2f} s")
    ours = models["frankwolfe"]["result"]
    print(
        f"  ours: {ours['method']}, {ours['iterations']} iterations, gap {ours['gap']:.1e}; ",
        end="",
    )
    print(f"reading {ours['seconds reading']} s, fitting {ours['seconds fitting']} s")
    print(f"  theirs: {models['scikit-learn']['iterations']} iterations")


def _timed(command: list[str]) -> tuple[dict, tuple[float, float]]:
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ, check=False)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if not done.stdout:
        raise SystemExit(done.stderr)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(done.stdout), (wall, cpu)


def _first_sign(path: Path) -> float:
    """Seconds until a terminal sees something of `frankwolfe fit`."""
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "frankwolfe", "fit", str(path), "-o", os.devnull]
    began = time.perf_counter()
    process = subprocess.Popen(command, stderr=theirs, stdout=subprocess.DEVNULL)
    os.read(ours, 1)
    seen = time.perf_counter() - began
    process.kill()
    process.wait()
    os.close(ours)
    os.close(theirs)
    return seen


def _loss(model: dict, X: np.ndarray, y: np.ndarray) -> float:
    from scipy.special import logsumexp

    z = X @ np.array(model["coefficients"]).T + np.array(model["intercept"])
    if z.shape[1] == 1:
        z = np.column_stack([np.zeros(len(y)), z[:, 0]])
    codes = np.unique(y, return_inverse=True)[1]
    return float(np.mean(logsumexp(z, axis=1) - z[np.arange(len(y)), codes]))


if __name__ == "__main__":
    main()
