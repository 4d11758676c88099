"""Data on a GPU: rates, one step, certified solutions beside peers, and from which size it pays.

    python benchmarks/gpu.py [--quick] [--only dense sparse ...] [--into gpu.json]

Each section is caught and has its own time; what is measured so far is written after each.
Times are of the fastest of a few calls, data resident, with the device synchronized.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import traceback
from functools import partial
from pathlib import Path
from typing import Any

import cupy
import numpy as np

import frankwolfe as fw

TOLERANCE = 1e-6
BUDGET = 8.0  # seconds for a peer on one problem
LONG = 2.0  # seconds of a run that is not repeated
LIMIT = 60.0  # seconds of a section, after which it begins no other problem


def timed(call: Any, count: int = 5) -> float:
    """Seconds of the fastest call, after one that warms up."""
    best = float("inf")
    for k in range(count + 1):
        cupy.cuda.Device().synchronize()
        began = time.perf_counter()
        call()
        cupy.cuda.Device().synchronize()
        best = min(best, time.perf_counter() - began) if k else best
    return best


def normal(rng: Any, rows: int, columns: int, dtype: Any) -> Any:
    """A matrix of normal numbers, made on the device a piece at a time."""
    A = cupy.empty((rows, columns), dtype=dtype)
    each = max(1, 2**28 // columns)
    for first in range(0, rows, each):
        count = min(each, rows - first)
        A[first : first + count] = rng.standard_normal((count, columns), dtype=np.float32)
    return A


def rates(quick: bool) -> dict[str, float]:
    """Bytes a second of a copy (read and written) and of a sum (read)."""
    a = cupy.zeros((2 if quick else 40) * 10**8, dtype=np.float32)
    b = cupy.empty_like(a)
    copied = 2 * a.nbytes / timed(lambda: cupy.copyto(b, a))
    return {"copy": copied, "read": a.nbytes / timed(a.sum)}


def per_step(f: fw.Objective, region: fw.Region, method: Any, steps: int = 20) -> float:
    """Seconds of one step of `minimize`: of two runs of different length, the difference."""
    seconds = []
    for count in (5, 5 + steps):
        best = float("inf")
        for _ in range(2):
            began = time.perf_counter()
            fw.minimize(f, region, method=method, stop=fw.Iterations(count))
            best = min(best, time.perf_counter() - began)
        seconds.append(best)
    return (seconds[1] - seconds[0]) / steps


def dense(quick: bool) -> dict[str, Any]:
    """A step of Frank-Wolfe, logistic loss over a Euclidean ball, beside reading A."""
    rows, columns = (10**5, 10**3) if quick else (10**6, 10**4)
    rng = cupy.random.default_rng(0)
    A = normal(rng, rows, columns, np.float32)
    b = cupy.sign(A[:, :5].sum(axis=1) + rng.standard_normal(rows, dtype=np.float32))
    f = fw.Logistic(A, b)
    x = cupy.asarray(rng.standard_normal(columns, dtype=np.float32))
    slope, z = cupy.empty(rows, np.float32), cupy.empty(rows, np.float32)
    out = cupy.empty(columns, np.float32)
    found: dict[str, Any] = {
        "rows": rows,
        "columns": columns,
        "bytes": A.nbytes,
        "ours A x": timed(lambda: f.linear.apply(x, z)),
        "cupy A x": timed(lambda: cupy.dot(A, x, out=z)),
        "ours A' y": timed(lambda: f.linear.adjoint(slope, out)),
        "cupy A' y": timed(lambda: cupy.dot(A.T, slope, out=out)),
        "step, 2/(k+2)": per_step(f, fw.L2Ball(5.0), fw.frank_wolfe()),
        "step, line search": per_step(
            f, fw.L2Ball(5.0), fw.frank_wolfe(fw.steps.ExactLineSearch())
        ),
        "step, two passes": _two_passes(f),
    }
    before = f.traffic.bytes
    fw.minimize(f, fw.L2Ball(5.0), method=fw.frank_wolfe(), stop=fw.Iterations(50))
    found["numbers moved a step, over n"] = (f.traffic.bytes - before) / 4 / 50 / columns
    found["l1 to 1e-4"] = ours(f, fw.L1Ball(5.0), 1e-4)  # less is rounding in single precision
    return found


def _two_passes(f: fw.Objective) -> float:
    """A step of the plain path, where image and gradient are products of their own."""
    steps = fw.states(fw.Problem(f, fw.L2Ball(5.0)), fw.frank_wolfe())
    for _ in range(3):
        next(steps)
    return timed(lambda: [next(steps) for _ in range(10)], 2) / 10


def sparse(quick: bool) -> dict[str, Any]:
    """A step on a sparse matrix beside one product pair of CuPy's."""
    from cupyx.scipy.sparse import csr_matrix

    rows, columns, each = (10**5, 10**4, 20) if quick else (10**6, 10**5, 100)
    rng = cupy.random.default_rng(1)
    places = rng.integers(0, columns, size=(rows, each), dtype=np.int32)
    places.sort(axis=1)
    ends = cupy.arange(0, rows * each + 1, each, dtype=np.int32)
    values = rng.standard_normal(rows * each, dtype=np.float32)
    A = csr_matrix((values, places.ravel(), ends), shape=(rows, columns))
    A.sum_duplicates()
    y = rng.standard_normal(rows, dtype=np.float32)
    f = fw.Logistic(A, cupy.sign(y))
    x = rng.standard_normal(columns, dtype=np.float32)
    z, out = cupy.empty(rows, np.float32), cupy.empty(columns, np.float32)
    transposed = A.T
    return {
        "entries": A.nnz,
        "ours A x": timed(lambda: f.linear.apply(x, z)),
        "cupy A x": timed(lambda: A @ x),
        "ours A' y": timed(lambda: f.linear.adjoint(y, out)),
        "cupy A' y": timed(lambda: transposed @ y),
        "step, 2/(k+2)": per_step(f, fw.L2Ball(5.0), fw.frank_wolfe(), 50),
        "step, l1": per_step(f, fw.L1Ball(5.0), fw.frank_wolfe(), 50),
    }


# peers: on the device, in CuPy alone, until the same certificate holds


class Loss:
    """The logistic loss or half the mean square, and its gradient, in CuPy."""

    def __init__(self, kind: str, A: Any, b: Any) -> None:
        self.kind, self.A, self.b, self.m = kind, A, b, A.shape[0]
        self.passes = 0

    def __call__(self, x: Any) -> tuple[float, Any]:
        z = self.A @ x
        self.passes += 1
        if self.kind == "lasso":
            rest = z - self.b
            return 0.5 * float(rest @ rest) / self.m, self.A.T @ rest / self.m
        t = -self.b * z
        value = float(cupy.logaddexp(0.0, t).mean())
        return value, self.A.T @ (-self.b / (1.0 + cupy.exp(-t))) / self.m

    def smoothness(self) -> float:
        """L, by twenty steps of the power method and a margin."""
        v = cupy.ones(self.A.shape[1], dtype=self.A.dtype)
        size = 1.0
        for _ in range(20):
            v = self.A.T @ (self.A @ v)
            size = float(cupy.linalg.norm(v))
            v /= size
        return 1.05 * size / self.m * (1.0 if self.kind == "lasso" else 0.25)


def gap_of(x: Any, g: Any, radius: float) -> float:
    """The Frank-Wolfe gap over the l1 ball, which certifies the peers as it does us."""
    return float(g @ x) + radius * float(abs(g).max())


def project(x: Any, radius: float) -> Any:
    """The nearest point of the l1 ball."""
    sizes = abs(x)
    if float(sizes.sum()) <= radius:
        return x
    falling = cupy.sort(sizes)[::-1]
    levels = (cupy.cumsum(falling) - radius) / cupy.arange(1, x.size + 1)
    level = levels[int((falling > levels).sum()) - 1]
    return cupy.sign(x) * cupy.maximum(sizes - level, 0.0)


def projected_gradient(loss: Loss, radius: float) -> dict[str, float]:
    """FISTA with restarts, a projection a step."""
    began, L = time.perf_counter(), loss.smoothness()
    x = y = cupy.zeros(loss.A.shape[1], dtype=loss.A.dtype)
    t, gap, value = 1.0, float("inf"), float("inf")
    while time.perf_counter() - began < BUDGET:
        value, g = loss(y)
        gap = gap_of(y, g, radius)
        if gap <= TOLERANCE * max(1.0, abs(value)) and float(abs(y).sum()) <= radius * (1 + 1e-9):
            x = y
            break
        ahead = project(y - g / L, radius)
        if float((y - ahead) @ (ahead - x)) > 0.0:
            t = 1.0
        later = 0.5 * (1.0 + (1.0 + 4.0 * t * t) ** 0.5)
        y = project(ahead + ((t - 1.0) / later) * (ahead - x), radius)
        x, t = ahead, later
    return {"seconds": time.perf_counter() - began, "value": value, "gap": gap}


def lbfgs(loss: Loss, radius: float) -> dict[str, float]:
    """L-BFGS on x = r (u^2 - v^2) / (|u|^2 + |v|^2), which is the whole ball, without bounds."""
    began, n = time.perf_counter(), loss.A.shape[1]
    gap = float("inf")

    def at(w: Any) -> tuple[float, Any, float]:
        u, v = w[:n], w[n:]
        size = float(w @ w)
        x = radius * (u * u - v * v) / size
        value, g = loss(x)
        inner = float(g @ x)
        slope = cupy.concatenate([u * (radius * g - inner), -v * (radius * g + inner)])
        return value, 2.0 * slope / size, inner + radius * float(abs(g).max())

    rng = cupy.random.default_rng(0)
    w = 1.0 + 0.1 * rng.random(2 * n)
    value, g, gap = at(w)
    pairs: list[Any] = []
    while time.perf_counter() - began < BUDGET and gap > TOLERANCE * max(1.0, abs(value)):
        d, shares = g.copy(), []
        for s, y, rho in reversed(pairs):
            shares.append(rho * float(s @ d))
            d -= shares[-1] * y
        if pairs:
            s, y, rho = pairs[-1]
            d /= rho * float(y @ y)
        for (s, y, rho), share in zip(pairs, reversed(shares), strict=True):
            d += (share - rho * float(y @ d)) * s
        slope, t = -float(g @ d), 1.0 if pairs else 1.0 / max(float(cupy.linalg.norm(g)), 1e-300)
        for _ in range(30):
            there = at(w - t * d)
            if there[0] <= value + 1e-4 * t * slope:
                break
            t *= 0.5
        else:
            break
        s, y = -t * d, there[1] - g
        if float(s @ y) > 1e-14 * float(cupy.linalg.norm(s) * cupy.linalg.norm(y)):
            pairs = [*pairs[-9:], (s, y, 1.0 / float(s @ y))]
        w = w + s
        value, g, gap = there
    return {"seconds": time.perf_counter() - began, "value": value, "gap": gap}


def ours(f: fw.Objective, region: fw.Region, tol: float = TOLERANCE) -> dict[str, Any]:
    """The default method to the tolerance, the fastest of a few runs; of one where it is long."""
    best = float("inf")
    for k in range(4):
        began = time.perf_counter()
        result = fw.minimize(f, region, tol=tol)
        best = min(best, time.perf_counter() - began)
        if best > LONG and (k or best > 5 * LONG):  # the first may have had to compile
            break
    numbers = {"value": result.fun, "gap": result.gap, "steps": result.nit}
    return {"seconds": best, **numbers, "success": result.success, "method": result.method}


def problem(kind: str, rows: int, columns: int, dtype: Any = np.float64) -> tuple[Any, Any, float]:
    """A, b and a radius: a tenth of the columns have a part in b, and some are correlated."""
    rng = cupy.random.default_rng(2)
    A = normal(rng, rows, columns, dtype)
    A[:, 1::2] += 0.5 * A[:, ::2][:, : A[:, 1::2].shape[1]]
    truth = cupy.zeros(columns, dtype=dtype)
    truth[:: max(columns // 50, 1)] = rng.standard_normal(truth[:: max(columns // 50, 1)].size)
    z = A @ truth + rng.standard_normal(rows)
    b = cupy.sign(z) if kind == "logistic" else z
    return A, b.astype(dtype), 0.5 * float(abs(truth).sum())


def certified(quick: bool) -> dict[str, Any]:
    """l1 logistic and lasso to a certified 1e-6: ours, projected gradient, L-BFGS."""
    found: dict[str, Any] = {}
    sizes = [(20_000, 500)] if quick else [(200_000, 2000), (20_000, 10_000)]
    for rows, columns in sizes:
        for kind in ("logistic", "lasso"):
            A, b, radius = problem(kind, rows, columns)
            loss = fw.Logistic if kind == "logistic" else fw.SquaredError
            peers = {"projected gradient": projected_gradient, "L-BFGS": lbfgs}
            row: dict[str, Any] = {"ours": ours(loss(A, b), fw.L1Ball(radius))}
            for name, peer in peers.items():
                row[name] = peer(Loss(kind, A, b), radius)
                if row[name]["seconds"] < LONG:
                    row[name] = min(row[name], peer(Loss(kind, A, b), radius), key=_seconds)
            found[f"{kind} {rows} x {columns}"] = row
    return found


def _seconds(row: dict[str, float]) -> float:
    return row["seconds"]


def scikit(quick: bool) -> dict[str, Any]:
    """scikit-learn's LogisticRegression on device arrays, beside ours over the ball it found."""
    import sklearn
    from sklearn.linear_model import LogisticRegression

    os.environ["SCIPY_ARRAY_API"] = "1"
    found: dict[str, Any] = {"version": sklearn.__version__}
    sizes = [(20_000, 200)] if quick else [(200_000, 1000), (1_000_000, 100)]
    for rows, columns in sizes:
        A, b, _ = problem("logistic", rows, columns)
        labels = (b > 0).astype(np.float64)
        model = LogisticRegression(C=100.0 / rows, fit_intercept=False, tol=1e-7, max_iter=1000)
        row: dict[str, Any] = {}
        for library in ("cupy", "torch"):
            try:
                X, y = (A, labels) if library == "cupy" else _torch(A, labels)
                with sklearn.config_context(array_api_dispatch=True):
                    seconds = timed(partial(model.fit, X, y), 2)
                    row[library] = {"seconds": seconds}
                    w = cupy.asarray(model.coef_).ravel()
                row[library]["value"] = Loss("logistic", A, b)(w)[0]
            except Exception as error:
                row[library] = {"error": f"{type(error).__name__}: {str(error)[:200]}"}
        fitted = [each for each in row.values() if "value" in each]
        if fitted:
            row["ours"] = ours(fw.Logistic(A, b), fw.L2Ball(float(cupy.linalg.norm(w))))
        found[f"{rows} x {columns}"] = row
    return found


def _torch(*arrays: Any) -> tuple[Any, ...]:
    import torch

    return tuple(torch.from_dlpack(array) for array in arrays)


def cpu(quick: bool) -> dict[str, Any]:
    """The same calls with the data in memory: from which size on a GPU pays."""
    sizes = [(1000, 50), (5000, 200)]
    if not quick:
        sizes = [(1000, 100), (10_000, 100), (30_000, 300), (100_000, 1000), (300_000, 1500)]
    found: dict[str, Any] = {"threads": len(os.sched_getaffinity(0))}
    regions = {"l1": fw.L1Ball, "l2": fw.L2Ball}
    began = time.perf_counter()
    for rows, columns in sizes:
        for kind in ("logistic", "lasso"):
            A, b, radius = problem(kind, rows, columns)
            near, target = cupy.asnumpy(A), cupy.asnumpy(b)
            loss = fw.Logistic if kind == "logistic" else fw.SquaredError
            for norm, region in regions.items():
                size = radius if norm == "l1" else radius / 5.0
                if time.perf_counter() - began > LIMIT:
                    return found
                there = ours(loss(A, b), region(size))
                here = ours(loss(near, target), region(size))
                found[f"{kind} {norm} {rows} x {columns}"] = {
                    "gpu": there,
                    "cpu": here,
                    "ratio": here["seconds"] / there["seconds"],
                    "apart": abs(there["value"] - here["value"]),
                }
    return found


def same(quick: bool) -> dict[str, Any]:
    """Whether two runs are the same bits, and how far float64 is from the CPU's."""
    A, b, radius = problem("logistic", 20_000, 300)
    found = {}
    for name, region in {"l1": fw.L1Ball(radius), "l2": fw.L2Ball(radius / 5)}.items():
        f = fw.Logistic(A, b)
        one, two = (fw.minimize(f, region, tol=1e-12, max_iter=300) for _ in range(2))
        near = fw.minimize(fw.Logistic(A.get(), b.get()), region, tol=1e-12, max_iter=300)
        found[name] = {
            "same bits": bool((one.x == two.x).all()),
            "apart": float(np.abs(one.x - near.x).max()),
            "gap": one.gap,
        }
    return found


SECTIONS = {
    "rates": rates,
    "same": same,
    "dense": dense,
    "sparse": sparse,
    "certified": certified,
    "scikit": scikit,
    "cpu": cpu,
}


def main() -> None:
    """Run the sections that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, to try it out")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=list(SECTIONS))
    parser.add_argument("--into", type=Path, default=Path("gpu.json"))
    options = parser.parse_args()
    device = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    found: dict[str, Any] = {"device": device, "cupy": cupy.__version__}
    for name in options.only:
        began = time.perf_counter()
        try:
            found[name] = SECTIONS[name](options.quick)
        except Exception:
            found[name] = {"error": traceback.format_exc()}
        found[name]["took"] = time.perf_counter() - began
        cupy.get_default_memory_pool().free_all_blocks()
        print(name, json.dumps(found[name], indent=1, default=str), flush=True)
        options.into.write_text(json.dumps(found, indent=1, default=str))


if __name__ == "__main__":
    main()
