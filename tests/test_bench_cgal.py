"""CGAL as the studies run it: the printed steps, its sketch, and the same answers in the end."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import frankwolfe as fw

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks" / "studies"))

from maxcut_cgal import Sketch, cgal


def printed(f, oracle, diameter, norms, rows, x, first, steps):
    """The iterates of the published method, dense, with rows A of the norm one."""
    A, lower, upper = rows
    curvature, y, k, bound = f.smoothness, np.zeros(len(A)), 0, -np.inf
    value = np.inf
    for k in range(1, steps + 1):
        eta, penalty = 2.0 / (k + 1), first * np.sqrt(k + 1)
        w = A @ x.ravel()
        off = w + y / penalty - np.clip(w + y / penalty, lower, upper)
        g = f.grad(x) + penalty * (A.T @ off).reshape(x.shape)
        s = oracle(g)
        lagrangian = f(x) + 0.5 * penalty * off @ off - 0.5 * y @ y / penalty
        bound = max(bound, lagrangian + np.sum(g * (s - x)))
        x = (1.0 - eta) * x + eta * s
        value, w, later = f(x), A @ x.ravel(), first * np.sqrt(k + 2)
        away = w - np.clip(w + y / later, lower, upper)  # from the point nearest to w + y/lambda
        most = 0.5 * eta**2 * (curvature + later * norms) * diameter**2
        y = y + min(first, most / max(away @ away, 1e-300)) * away
        yield {"x": x, "y": y, "value": value, "bound": bound, "eta": eta}


def in_units(A, lower, upper):
    norms = np.linalg.norm(A, axis=1)
    return A / norms[:, None], lower / norms, upper / norms


@pytest.mark.parametrize("penalty", [1e-3, 0.3, 20.0])
@pytest.mark.parametrize("kind", ["equal", "between", "mixed"])
@pytest.mark.parametrize("region", [fw.Simplex(), fw.L2Ball(2.0), fw.Box(-1.0, 2.0)], ids=repr)
def test_cgal_makes_the_printed_steps(region, kind, penalty, rng):
    n, steps = 6, 23
    f = fw.SquaredError(rng.standard_normal((9, n)), rng.standard_normal(9))
    A = rng.standard_normal((3, n)) * [[2.0], [0.1], [1.0]]
    middle = A @ region.lmo(rng.standard_normal(n)).dense(n)
    wide = {"equal": 0.0, "between": 0.05, "mixed": np.array([0.0, np.inf, 0.1])}[kind]
    rows = in_units(A, middle, middle + wide)
    norm = np.linalg.norm(rows[0], 2) ** 2
    x0 = region.start(n)
    constraints = fw.Affine(A, middle, middle + wide)
    result = cgal(f, region, constraints, penalty=penalty, x0=x0, tol=0.0, max_iter=steps)
    diameter = region.diameter(n)
    own = list(
        printed(f, lambda g: region.lmo(g).dense(n), diameter, norm, rows, x0, penalty, steps)
    )
    np.testing.assert_allclose(result.x, own[-1]["x"], atol=1e-7)
    scale = np.linalg.norm(A, axis=1)
    np.testing.assert_allclose(result.multipliers * scale, own[-1]["y"], rtol=1e-4, atol=1e-8)
    history = result.history
    assert history["iteration"].tolist() == list(range(1, steps + 1))
    np.testing.assert_allclose(history["step"], [row["eta"] for row in own])
    np.testing.assert_allclose(history["value"], [row["value"] for row in own], atol=1e-7)
    bounds = np.array([row["bound"] for row in own])
    np.testing.assert_allclose(history["lower_bound"], bounds, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(history["gap"], history["value"] - history["lower_bound"])
    assert result.nit == steps
    assert result.status is fw.Status.MAX_ITERATIONS
    assert (np.diff(history["seconds"]) >= 0.0).all()
    assert 0.0 < history["seconds"][0] <= history["seconds"][-1] <= result.seconds < 10.0


@pytest.mark.parametrize("sketch", [5, 8])
def test_cgal_with_a_full_sketch_makes_the_printed_steps(sketch, rng):
    n, steps, trace, penalty = 5, 15, 3.0, 0.4
    C = rng.standard_normal((n, n))
    f, region = fw.objectives.TraceProduct(C + C.T), fw.Spectraplex(trace)
    A = np.array([np.outer(v, v).ravel() for v in rng.standard_normal((2, n))])
    b = A @ np.eye(n).ravel() * (trace / n)
    rows = in_units(A, b, b)

    def oracle(g):
        v = np.linalg.eigh(0.5 * (g + g.T))[1][:, 0]
        return trace * np.outer(v, v)

    class Linear:
        smoothness = f.smoothness

        def grad(self, x):
            return C + C.T

        def __call__(self, x):
            return np.sum((C + C.T) * x)

    linear = Linear()
    start = region.start((n, n))
    x0 = start.toarray() if hasattr(start, "toarray") else np.asarray(start)
    options = {"penalty": penalty, "sketch": sketch, "tol": 0.0, "max_iter": steps}
    result = cgal(f, region, fw.Affine(A, b), **options)
    own = list(printed(linear, oracle, region.diameter((n, n)), 2.0, rows, x0, penalty, steps))
    np.testing.assert_allclose(result.x.toarray(), own[-1]["x"], atol=1e-5)
    np.testing.assert_allclose(
        result.multipliers * np.linalg.norm(A, axis=1), own[-1]["y"], rtol=1e-5
    )
    np.testing.assert_allclose(result.history["value"], [row["value"] for row in own], atol=1e-7)
    assert np.trace(result.x.toarray()) == pytest.approx(trace, rel=1e-12)


@pytest.mark.parametrize("at_most", [True, False])
def test_a_narrow_sketch_keeps_the_trace(at_most, rng):
    n = 9
    C = rng.standard_normal((n, n))
    rows = fw.Affine(rng.standard_normal((1, n * n)), 0.0)
    region = fw.Spectraplex(2.0, at_most=at_most)
    result = cgal(fw.objectives.TraceProduct(C + C.T), region, rows, sketch=2, max_iter=60)
    X = result.x.toarray()
    assert np.linalg.eigvalsh(X)[0] >= -1e-9
    assert np.trace(X) <= 2.0 * (1.0 + 1e-12)
    assert at_most or np.trace(X) == pytest.approx(2.0, rel=1e-12)
    assert result.fun == pytest.approx(np.sum((C + C.T) * X))


def test_a_trace_that_need_not_be_filled_is_not(rng):
    """Where zero is best, a sketch that has lost something is left below its most."""
    V = rng.standard_normal((6, 6))
    rows = fw.Affine(np.eye(6).ravel()[None], -np.inf, 1.0)
    region = fw.Spectraplex(4.0, at_most=True)
    result = cgal(
        fw.objectives.TraceProduct(V @ V.T + np.eye(6)), region, rows, sketch=2, max_iter=60
    )
    assert np.trace(result.x.toarray()) < 2.0


def test_cgal_comes_to_the_same_as_rounds(rng):
    f = fw.squared_distance(rng.standard_normal(6))
    rows = fw.Affine(rng.standard_normal((1, 6)), 0.0)
    fast = fw.minimize(f, fw.L2Ball(1.0), subject_to=rows)
    slow = cgal(f, fw.L2Ball(1.0), rows, tol=0.5)
    assert slow.success
    assert slow.lower_bound <= fast.fun + 1e-9
    assert slow.fun == pytest.approx(fast.fun, rel=2e-2)
    assert len(slow.history) == slow.nit


def test_cgal_solves_maxcut_of_an_odd_cycle_with_a_sketch():
    n = 9
    ring = np.eye(n, k=1) + np.eye(n, k=1 - n)
    C = -0.25 * (2.0 * np.eye(n) - ring - ring.T)
    rows, truth = fw.Affine(fw.diagonal(n), 1.0), -0.5 * n * (1.0 + np.cos(np.pi / n))
    result = cgal(fw.objectives.TraceProduct(C), fw.Spectraplex(float(n)), rows, tol=2e-2)
    assert result.success
    assert result.lower_bound <= truth + 1e-9
    assert result.fun == pytest.approx(truth, rel=5e-2)
    with pytest.raises(ValueError, match="Spectraplex"):
        cgal(fw.objectives.TraceProduct(C), fw.NuclearBall(9.0), rows)


def test_a_sketch_knows_matrices_of_low_rank(rng):
    sketch = Sketch(30, 8)
    X = np.zeros((30, 30))
    for step in (1.0, 0.5, 0.2, 0.3):
        u = rng.standard_normal(30)
        u /= np.linalg.norm(u)
        sketch.move(step, 3.0, u)
        X = (1 - step) * X + step * 3.0 * np.outer(u, u)
    np.testing.assert_allclose(sketch.matrix().toarray(), X, atol=1e-6)
    assert Sketch(4, 2).matrix().terms == 0
