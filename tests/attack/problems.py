"""A random problem from one integer: objective, region, data and method."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import frankwolfe as fw
from frankwolfe.methods import METHODS

from .cases import Case, Part
from .cut import classes_of, keep_columns, variables_of
from .data import Labels, Rng, matrix, real, sizes, solution, stored
from .shapes import MATRIX_SHAPES, POSITIVE, SHAPES, shape

__all__ = ["MAKERS", "UNDER_ROWS", "problem"]

UNDER_ROWS = {"TraceProduct"}  # objectives that are attacked under linear constraints alone

Data = tuple[Any, Any, Any, Labels]  # A, targets, coefficients near the best, labels


def _regression(rng: Rng, m: int, n: int) -> Data:
    """Data and real targets."""
    if rng.random() < 0.08:
        A, b, labels = real(rng)
        return A, b, solution(rng, A) * float(np.abs(b).mean()), labels
    A, labels = matrix(rng, m, n)
    x = solution(rng, A)
    b = A @ x + rng.choice([0.0, 0.3, 3.0]) * rng.standard_normal(m)
    labels["target"] = "plain"
    if rng.random() < 0.2:
        factor = 10.0 ** rng.uniform(-8, 8)
        b, x, labels["target"] = b * factor, x * factor, "tiny" if factor < 1.0 else "huge"
    return A, b, x, labels


def _weights(rng: Rng, m: int) -> dict[str, Any]:
    options: dict[str, Any] = {"reduction": str(rng.choice(["mean", "sum"]))}
    if rng.random() < 0.12:
        options["sample_weight"] = rng.exponential(size=m) * (rng.random(m) < 0.8)
        options["sample_weight"][0] = 1.0
    return options


def _radius(rng: Rng, x: Any, labels: Labels) -> float:
    draw, norm = rng.random(), float(np.abs(x).sum())
    if draw < 0.4 and norm > 0.0:
        labels["radius"] = "near"
        return norm * float(rng.uniform(0.1, 1.5)) / (1.0 if draw < 0.2 else x.size)
    if draw < 0.75:
        labels["radius"] = "plain"
        return 10.0 ** float(rng.uniform(-1, 1))
    exponent = float(rng.uniform(-10, 10))
    labels["radius"] = "tiny" if exponent < -1 else "huge" if exponent > 1 else "plain"
    return 10.0**exponent


def _loss(name: str, more: Callable[[Rng, Any], dict[str, Any]]) -> Callable[..., Any]:
    def make(rng: Rng, m: int, n: int) -> tuple[Part, Any, Labels]:
        A, b, x, labels = _regression(rng, m, n)
        options = {**_weights(rng, A.shape[0]), **more(rng, b)}
        return Part(name, {"A": stored(rng, A, labels), "b": b, **options}), x, labels

    return make


def _nothing(rng: Rng, b: Any) -> dict[str, Any]:
    return {}


def _delta(rng: Rng, b: Any) -> dict[str, Any]:
    return {"delta": max(float(np.abs(b).mean()), 1e-6) * 10.0 ** float(rng.uniform(-2, 1))}


def _quantile(rng: Rng, b: Any) -> dict[str, Any]:
    return {**_delta(rng, b), "quantile": float(rng.choice([0.05, 0.3, 0.5, 0.9]))}


def _classes(name: str, key: str, most: int) -> Callable[..., Any]:
    def make(rng: Rng, m: int, n: int) -> tuple[Part, Any, Labels]:
        A, b, x, labels = _regression(rng, max(m, 2), n)
        count = int(rng.integers(2, most + 1))
        ranks = np.argsort(np.argsort(b + 0.1 * float(b.std()) * rng.standard_normal(b.size)))
        codes = ranks * count // b.size
        codes[np.argmin(ranks)], codes[np.argmax(ranks)] = 0, count - 1  # at least two classes
        options = {"A": stored(rng, A, labels), key: codes, **_weights(rng, b.size)}
        return Part(name, options), 3.0 * x / max(float(np.abs(A @ x).max()), 1e-300), labels

    return make


def _distance(rng: Rng, m: int, n: int) -> tuple[Part, Any, Labels]:
    p = rng.standard_normal(n) * 10.0 ** float(rng.uniform(-3, 3))
    p = p.astype(np.float32) if rng.random() < 0.15 else p
    return Part("squared_distance", {"p": p}), p, {"base": "normal", "scaling": "plain"}


def _quadratic(rng: Rng, m: int, n: int) -> tuple[Part, Any, Labels]:
    n = min(n, 60)
    A, labels = matrix(rng, m, n)
    Q, c = A.T @ A / max(m, 1), rng.standard_normal(n) * 10.0 ** float(rng.uniform(-2, 2))
    draw = rng.random()
    if draw < 0.3:
        Q, labels["scaling"] = np.diag(10.0 ** rng.uniform(-8, 8, n)), "diagonal"
    elif draw < 0.6:
        ridge = max(float(np.trace(Q)) / n, 1e-12)
        Q, labels["structure"] = Q + np.eye(n) * ridge, "definite"
    if 0.5 < draw < 0.7:  # one direction goes down
        Q, labels["structure"] = Q.copy(), "indefinite"
        Q[0, 0] -= float(np.abs(Q).max()) * 10.0 ** float(rng.uniform(-12, 0))
    kept = Q.astype(np.float32) if rng.random() < 0.1 else Q
    x = np.linalg.lstsq(Q, -c, rcond=1e-9)[0] if np.isfinite(Q).all() else np.zeros(n)
    return Part("Quadratic", {"Q": 0.5 * (kept + kept.T), "c": c}), x, labels


def _positive(name: str, key: str) -> Callable[..., Any]:
    def make(rng: Rng, m: int, n: int) -> tuple[Part, Any, Labels]:
        A, labels = matrix(rng, m, n)
        A = np.abs(A) + 1e-3 * (float(np.abs(A).max()) or 1.0)
        x = np.abs(solution(rng, A))
        options: dict[str, Any] = {key: stored(rng, A, labels)}
        if name == "Poisson":
            options["b"] = rng.poisson(np.minimum(3.0 * A @ x, 1e6)).astype(float)
        return Part(name, {**options, **_weights(rng, m)}), x, labels

    return make


def _design(rng: Rng, m: int, n: int) -> tuple[Part, Any, Labels]:
    n = min(n, 60)
    A, labels = matrix(rng, n, max(1, min(n // 3, 6)))
    while np.linalg.matrix_rank(A) < A.shape[1]:
        A = A[:, :-1] if A.shape[1] > 1 else np.ones((n, 1))
    return Part("DOptimal", {"A": A}), np.ones(n) / n, labels


def _root(rng: Rng, m: int, n: int) -> tuple[Part, Any, Labels]:
    target = rng.standard_normal(n) * 10.0 ** float(rng.uniform(-3, 3))
    return Part("Function", {"target": target}), target, {"base": "normal", "scaling": "plain"}


def _logs(rng: Rng, m: int, n: int) -> tuple[Part, Any, Labels]:
    weights = rng.exponential(size=n) * 10.0 ** rng.uniform(-2, 2, n)
    return (
        Part("Function_logs", {"weights": weights}),
        weights,
        {"base": "normal", "scaling": "plain"},
    )


def _completion(rng: Rng, m: int, n: int) -> tuple[Part, Any, Labels]:
    m, n = min(m + 1, 40), min(n + 1, 30)
    rank = int(rng.integers(1, 4))
    full = rng.standard_normal((m, rank)) @ rng.standard_normal((rank, n))
    full = full * 10.0 ** float(rng.uniform(-3, 3)) + rng.choice([0.0, 1e3])
    seen = rng.random((m, n)) < rng.uniform(0.2, 1.0)
    seen[0, 0] = seen[-1, -1] = True
    rows, columns = np.nonzero(seen)
    values = full[seen].astype(np.float32 if rng.random() < 0.2 else float)
    options = {"loss": str(rng.choice(["huber", "squared", "logistic"])), "shape": (m, n)}
    if options["loss"] == "logistic":
        values = (values > np.median(values)).astype(float)
        values[0], values[-1] = 0.0, 1.0
    elif options["loss"] == "huber":
        options["delta"] = float(np.abs(values).mean()) * 10.0 ** float(rng.uniform(-2, 1)) + 1e-9
    part = Part("Completion", {"rows": rows, "columns": columns, "values": values, **options})
    return part, np.linalg.svd(full)[1], {"base": "low rank", "scaling": "plain"}


MAKERS: dict[str, Callable[[Rng, int, int], tuple[Part, Any, Labels]]] = {
    "SquaredError": _loss("SquaredError", _nothing),
    "Huber": _loss("Huber", _delta),
    "Quantile": _loss("Quantile", _quantile),
    "Logistic": _classes("Logistic", "b", 2),
    "Multinomial": _classes("Multinomial", "labels", 4),
    "Profiled.SquaredError": _loss("Profiled.SquaredError", _nothing),
    "Profiled.Huber": _loss("Profiled.Huber", _delta),
    "Profiled.Quantile": _loss("Profiled.Quantile", _quantile),
    "Profiled.Logistic": _classes("Profiled.Logistic", "b", 2),
    "Profiled.Multinomial": _classes("Profiled.Multinomial", "labels", 3),
    "SquaredError.gram": _loss("SquaredError.gram", _nothing),
    "squared_distance": _distance,
    "Quadratic": _quadratic,
    "Poisson": _positive("Poisson", "A"),
    "LogPortfolio": _positive("LogPortfolio", "R"),
    "DOptimal": _design,
    "Function": _root,
    "Function_logs": _logs,
    "Completion": _completion,
}
"""Objectives: how a random one is made."""
OFTEN = {"SquaredError": 4, "Huber": 3, "Quantile": 3, "Logistic": 3, "Quadratic": 2}
LOGARITHMS = ("Poisson", "LogPortfolio", "DOptimal", "Function_logs")


def problem(seed: int) -> Case:
    """The case of a seed, whatever the machine."""
    with np.errstate(all="ignore"):
        return _problem(np.random.default_rng(seed), seed)


def _problem(rng: Rng, seed: int) -> Case:
    share = np.array([float(OFTEN.get(name, 1)) for name in MAKERS])
    name = str(rng.choice(list(MAKERS), p=share / share.sum()))
    positive = name in LOGARITHMS
    regions = MATRIX_SHAPES if name == "Completion" else POSITIVE if positive else SHAPES
    region = str(rng.choice(list(regions)))
    m, n, size = sizes(rng)
    if region == "Spectraplex":
        m = n = min(m, n, 20)
    if region in ("Birkhoff", "ConvexHull", "Product"):
        m, n = min(m, 200), min(n, 40)
    objective, x, labels = MAKERS[name](rng, m, n)
    radius = _radius(rng, x, labels)
    if region == "Birkhoff":
        objective, x = _square(objective, x)
    n = variables_of(objective)
    part = shape(rng, region, n, radius, positive=positive)
    labels["size"] = size
    case = Case(seed, objective, part, labels)
    vertex = int(rng.integers(2**31)) if rng.random() < 0.1 and not positive else None
    method = _method(rng, case) if rng.random() < 1 / 3 else None
    return Case(seed, objective, part, labels, method, vertex)


def _square(part: Part, x: Any) -> tuple[Part, Any]:
    """The objective cut to a square number of variables."""
    classes = classes_of(part)
    n = variables_of(part) // classes
    side = max(k for k in range(1, 8) if k * k <= n * classes)
    if classes > 1 and (side * side) % classes:
        side = classes if classes**2 <= n * classes else 0
    if side == 0:
        return Part("squared_distance", {"p": np.ones(1)}), np.ones(1)
    kept = np.arange(side * side // classes)
    return keep_columns(part, kept), x[: kept.size]


def _method(rng: Rng, case: Case) -> str | None:
    """A random method that accepts the problem."""
    try:
        made = fw.Problem(*case.build())
    except fw.InvalidInput:
        return None
    for name in rng.permutation(sorted(METHODS)):
        if METHODS[str(name)]().accepts(made) is None:
            return str(name)
    return None
