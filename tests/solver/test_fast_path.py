"""The fast path makes the steps of the plain path, and nobody outside can tell."""

from __future__ import annotations

import os
import signal
import threading
from itertools import islice

import numpy as np
import pytest
from conftest import N, nightly

import frankwolfe as fw
from frankwolfe.methods.parts.combinations import Jacobi
from frankwolfe.solver import fast_path
from frankwolfe.solver.run import Run

NEVER = 10**9
ROUNDING = {"float64": 1e-12, "float32": 2e-3}


def _data(kind="Logistic", order="C", dtype="float64"):
    rng = np.random.default_rng(3)
    A = np.array(rng.standard_normal((40, N)), dtype=dtype, order=order)
    b = A @ rng.standard_normal(N) + rng.standard_normal(40)
    options = {"sample_weight": rng.uniform(0.5, 1.0, 40)} if kind == "Huber" else {}
    return getattr(fw.objectives, kind)(A, np.sign(b) if kind == "Logistic" else b, **options)


CENTER = np.linspace(-0.3, 0.2, N)
REGIONS = [
    fw.L2Ball(0.9),
    fw.L2Ball(0.6, center=CENTER),
    fw.L1Ball(2.0),
    fw.L1Ball(1.5, center=CENTER),
    fw.LInfBall(0.7),
    fw.LInfBall(0.5, center=CENTER),
    fw.LpBall(1.0, 2.0),
    fw.LpBall(np.inf, 0.7),
    fw.Simplex(2.0),
    fw.UnitSimplex(1.5),
    fw.Box(-0.8, np.linspace(0.1, 0.9, N)),
    fw.Box(),
]
METHODS = [
    fw.frank_wolfe(),
    fw.frank_wolfe(fw.steps.OpenLoop(4.0, delay=1.0)),
    fw.frank_wolfe(fw.steps.LogAdaptive()),
    fw.frank_wolfe(fw.steps.Constant(0.05)),
    fw.frank_wolfe(fw.steps.NonConvexDecay()),
    fw.jacobi(),
    fw.jacobi(3.0, 0.5, 0.3),
    fw.jacobi(2.0, -0.5, 0.9),
    fw.jacobi(50.0, 1.0, 0.0),
]


@pytest.fixture
def plain(monkeypatch):
    """Solve on the plain path, then on the fast path from the third step on."""

    def both(problem, method, stop, **options):
        assert fast_path.fast_path_for(method, problem) is not None
        results = []
        for first in (NEVER, 3):
            monkeypatch.setattr(fast_path, "PLAIN_STEPS", first)
            results.append(fw.solve(problem, method, stop, **options))
        return results

    return both


def _assert_alike(one, other, tol, counts=("nfev", "njev", "nlmo")):
    np.testing.assert_allclose(one.x, other.x, rtol=tol, atol=tol)
    assert one.x.dtype == other.x.dtype
    np.testing.assert_array_equal(one.history.iteration, other.history.iteration)
    for name in ("value", "gap", "lower_bound", "step"):
        np.testing.assert_allclose(
            one.history[name], other.history[name], rtol=tol, atol=tol, err_msg=name
        )
    assert one.fun == pytest.approx(other.fun, rel=tol)
    assert one.gap == pytest.approx(other.gap, rel=tol, abs=tol)
    for name in ("nit", *counts, "status", "success", "certified", "method"):
        assert getattr(one, name) == getattr(other, name), name
    assert (np.diff(other.history.seconds) >= 0).all()
    assert other.history.seconds[-1] == other.seconds


@pytest.mark.parametrize("loss", ["Logistic", "SquaredError", "Huber", "Quantile"])
@pytest.mark.parametrize("region", REGIONS, ids=repr)
def test_every_loss_and_region(loss, region, plain):
    problem = fw.Problem(_data(loss), region)
    for method in (fw.frank_wolfe(), fw.jacobi()):
        _assert_alike(*plain(problem, method, fw.Iterations(400)), ROUNDING["float64"])


@pytest.mark.parametrize("method", METHODS, ids=str)
@pytest.mark.parametrize("region", [fw.L2Ball(0.9), fw.L1Ball(2.0)], ids=repr)
def test_every_method(method, region, plain):
    problem = fw.Problem(_data(), region)
    _assert_alike(*plain(problem, method, fw.Iterations(1203)), ROUNDING["float64"])


@pytest.mark.parametrize(
    ("method", "region"),
    [
        nightly(method, region, unless=(i + j) % 3 == 0)
        for i, method in enumerate(METHODS)
        for j, region in enumerate(r for r in REGIONS if not r.sparse_atoms)
    ],
    ids=str,
)
def test_large_data_in_one_pass(method, region, plain, monkeypatch):
    monkeypatch.setattr(fast_path, "MIN_ONE_PASS_ENTRIES", 1)
    for loss in ("Logistic", "Huber"):  # one compilation
        problem = fw.Problem(_data(loss), region)
        assert fast_path.fast_path_for(method, problem)._in_one_pass
        _assert_alike(*plain(problem, method, fw.Iterations(1203)), ROUNDING["float64"])


def test_one_pass_with_two_thresholds_in_single_precision(plain, monkeypatch):
    monkeypatch.setattr(fast_path, "MIN_ONE_PASS_ENTRIES", 1)
    problem = fw.Problem(_data("Quantile", "C", "float32"), fw.L2Ball(0.9))
    _assert_alike(*plain(problem, fw.frank_wolfe(), fw.Iterations(203)), ROUNDING["float32"])


def test_one_pass_is_the_same_bits_where_threads_are_not_allowed(monkeypatch):
    monkeypatch.setattr(fast_path, "MIN_ONE_PASS_ENTRIES", 1)
    problem, results = fw.Problem(_data("Logistic"), fw.L2Ball(0.9)), []
    for allowed in (True, False):
        monkeypatch.setattr(fast_path, "may_thread", lambda allowed=allowed: allowed)
        results.append(fw.solve(problem, fw.frank_wolfe(), fw.Iterations(150)))
    np.testing.assert_array_equal(results[0].history.value, results[1].history.value)
    np.testing.assert_array_equal(results[0].x, results[1].x)


def test_threads_are_for_the_process_and_thread_that_loaded_the_library(monkeypatch):
    from concurrent.futures import ThreadPoolExecutor

    from frankwolfe.base import kernels, threads

    assert kernels.may_thread()
    with ThreadPoolExecutor(1) as pool:
        assert not pool.submit(kernels.may_thread).result()
    monkeypatch.setattr(threads, "PROCESS", os.getpid() + 1)
    assert not kernels.may_thread()
    assert kernels.for_length(kernels.MIN_CHUNKED_LENGTH) is kernels.blocks


def test_one_pass_is_for_rows_known_steps_and_full_atoms(monkeypatch):
    monkeypatch.setattr(fast_path, "MIN_ONE_PASS_ENTRIES", 1)
    by_rows, by_columns = _data("Huber", "C"), _data("Huber", "F")
    ball, search = fw.L2Ball(1.0), fw.frank_wolfe(fw.steps.ExactLineSearch())
    for f, region, method, taken in [
        (by_rows, ball, fw.frank_wolfe(), True),
        (by_columns, ball, fw.frank_wolfe(), False),
        (by_rows, fw.L1Ball(1.0), fw.frank_wolfe(), False),
        (by_rows, ball, search, False),
    ]:
        assert fast_path.fast_path_for(method, fw.Problem(f, region))._in_one_pass is taken


@pytest.mark.parametrize("loss", ["Logistic", "SquaredError", "Huber", "Quantile"])
@pytest.mark.parametrize("region", REGIONS, ids=repr)
def test_line_searches(loss, region, plain):
    # the last trial of a search hangs on rounding, so that nfev may differ by a few
    problem, stop = fw.Problem(_data(loss), region), fw.RelativeGap(1e-6) | fw.Iterations(300)
    one, other = plain(problem, fw.frank_wolfe(fw.steps.ExactLineSearch()), stop)
    assert other.nfev == pytest.approx(one.nfev, rel=0.05)
    _assert_alike(one, other, 1e-8, counts=("njev", "nlmo"))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("region", REGIONS[:3], ids=repr)
def test_every_type_and_order_of_the_data(dtype, order, region, plain):
    problem = fw.Problem(_data("Huber", order, dtype), region)
    _assert_alike(*plain(problem, fw.frank_wolfe(), fw.Iterations(200)), ROUNDING[dtype])


def test_steps_that_would_leave_the_region_are_cut_and_counted(plain):
    method = fw.FrankWolfe(step=fw.steps.Constant(0.9), combination=Jacobi(30.0, -0.9, 0.0))
    one, other = plain(fw.Problem(_data(), fw.L2Ball(0.6)), method, fw.Iterations(60))
    assert "steps were cut" in one.message
    assert one.message == other.message
    np.testing.assert_array_equal(one.history.step, other.history.step)


@pytest.mark.parametrize(
    "method",
    [fw.frank_wolfe(), fw.jacobi(1450.0, 1450.0, 0.65), fw.frank_wolfe(fw.steps.ExactLineSearch())],
    ids=str,
)
@pytest.mark.parametrize("radius", [1.0, 50.0])
def test_each_step_where_rounding_grows(method, radius, breast_cancer):
    # on experiment (a) two runs part after some hundred steps: compare one step at a time
    problem = fw.Problem(breast_cancer, fw.L2Ball(radius))
    there = Run(method, method.init(problem))
    here = fast_path.fast_path_for(method, problem)
    searched = isinstance(method.step, fw.steps.ExactLineSearch)
    rounding = _Rounding(breast_cancer, radius)
    for state in islice(fw.states(problem, method), 1, 1100):
        if searched and state.model_gap < 1e-8:
            break  # beyond, the slopes of a search are rounding
        if state.k > 2:
            slopes = 1e-12 * (1.0 + there.state.value / there.state.model_gap)
            here.advance(there, fast_path.Alarm(step=state.k))
            exact = slopes if searched else 1e-14
            assert there.state.step == pytest.approx(state.step, rel=exact, abs=0.0)
            size = np.abs(state.x).max() + radius * state.step
            np.testing.assert_allclose(there.state.x, state.x, rtol=0, atol=exact * size)
            rounding.check(there.state, state)
        there.state.restore(state.pack())


class _Rounding:
    """How far value, gap and gradient of f = mean φ(a_i x) may be apart after one step.

    Both sides started from the same numbers. A sum of m terms, in whatever order, is off by
    m units of rounding of the sum of their sizes; an image by n units; |φ'| <= 1 and φ'' <= 1/4.
    What the points themselves differ by counts beside that, by the gradient and by φ''.
    """

    def __init__(self, f, radius):
        A = np.abs(f.linear.matrix)
        m, n = A.shape
        self.f, self.radius, self.n = f, radius, n
        self.A, eps = np.asarray(f.linear.matrix), np.finfo(float).eps
        self.sum = (m + 8) * eps
        self.image = (n + 8) * eps * radius * np.linalg.norm(A, axis=1)  # of each a_i x
        self.gradient = self.sum * A.mean(axis=0) + (A.T @ self.image) / (4 * m)

    def check(self, one, other):
        apart = np.abs(self.A @ (one.x - other.x))
        value = self.sum * other.value + (self.image + apart).mean()
        assert abs(one.value - other.value) <= value
        gradient = self.gradient + np.abs(self.A).T @ apart / (4 * len(self.A))
        assert (np.abs(one.gradient - other.gradient) <= gradient).all()
        moved = np.linalg.norm(one.x - other.x)
        gap = 2 * self.radius * np.linalg.norm(gradient) + np.linalg.norm(other.gradient) * moved
        gap += (self.n + 8) * np.finfo(float).eps * self.radius * np.linalg.norm(other.gradient)
        assert abs(one.model_gap - other.model_gap) <= gap


class _Everything(fw.callbacks.Callback):
    """A callback that says nothing of when to be called: it sees every step."""

    def __init__(self):
        self.seen = []

    def on_step(self, run):
        self.seen.append((run.state.k, run.state.value, run.state.gap, run.state.step))


@pytest.mark.parametrize("region", [fw.L2Ball(50.0), fw.L1Ball(5.0), fw.Box(-1, 1)], ids=repr)
@pytest.mark.parametrize(
    "method", [fw.frank_wolfe(), fw.jacobi(), fw.frank_wolfe(fw.steps.ExactLineSearch())], ids=str
)
def test_who_watches_does_not_change_the_run(region, method, breast_cancer, monkeypatch):
    problem, stop = fw.Problem(breast_cancer, region), fw.Iterations(2500)
    one = fw.solve(problem, method, stop)
    callback = _Everything()
    other = fw.solve(problem, method, stop, callback=callback)
    monkeypatch.setattr(fast_path, "MAX_BLOCK_STEPS", 7)
    monkeypatch.setattr(fast_path, "MIN_PLANNED_STEPS", 19)
    third = fw.solve(problem, method, stop)
    for run in (other, third):
        np.testing.assert_array_equal(one.x, run.x)
        for name in ("iteration", "value", "gap", "lower_bound", "step"):
            np.testing.assert_array_equal(one.history[name], run.history[name])
        assert (one.fun, one.gap, one.nlmo) == (run.fun, run.gap, run.nlmo)
        assert (one.nfev, one.njev) == (run.nfev, run.njev)
    seen = np.array(callback.seen)
    np.testing.assert_array_equal(seen[:, 0], np.arange(2501))
    np.testing.assert_array_equal(seen[:, 1], one.history.value)
    np.testing.assert_array_equal(seen[1:, 3], one.history.step[1:])


@pytest.mark.parametrize(
    "stop",
    [
        fw.Gap(3e-4),
        fw.RelativeGap(3e-4),
        fw.stopping.Target(0.72642),
        fw.Iterations(1234),
        fw.stopping.Stalled(patience=100, tolerance=1e-4),
        fw.stopping.Settled(1e-7),
        fw.Gap(3e-4) | fw.Iterations(400),
        fw.Gap(3e-4) & fw.Iterations(1500),
        fw.Iterations(400) & fw.Gap(3e-4),
        fw.Gap(1e-3) & fw.stopping.Target(0.72643) | fw.Seconds(60.0),
    ],
    ids=repr,
)
def test_every_rule_stops_at_the_same_step(stop, plain):
    problem = fw.Problem(_data("SquaredError"), fw.L1Ball(2.0))
    one, other = plain(problem, fw.frank_wolfe(), stop | fw.Iterations(4000))
    assert 20 < other.nit < 4000
    _assert_alike(one, other, ROUNDING["float64"])


def test_another_check_is_asked_after_every_step(plain):
    class Whim(fw.Gap):
        def check(self, state, history):
            return super().check(state, history) if state.k % 7 == 3 else None

    one, other = plain(fw.Problem(_data(), fw.L1Ball(2.0)), fw.frank_wolfe(), Whim(1e-3))
    assert one.nit == other.nit
    assert one.nit % 7 == 3


def test_the_best_point_is_kept_within_a_block(pima, plain):
    problem = fw.Problem(pima, fw.L2Ball(35.0))
    for method, steps in ((fw.frank_wolfe(), 50), (fw.jacobi(), 900), (fw.jacobi(4.5, 4.5), 2000)):
        one, other = plain(problem, method, fw.Iterations(steps))
        assert other.fun == other.history.value.min() == pytest.approx(pima(other.x), rel=1e-12)
        assert one.fun == pytest.approx(other.fun, rel=1e-3)
        assert other.gap == pytest.approx(other.fun - other.lower_bound)


@pytest.mark.parametrize("region", [fw.L2Ball(1.0), fw.L1Ball(2.0), fw.LInfBall(0.5)], ids=repr)
def test_a_resumed_run_is_the_run_that_was_not_stopped(region, breast_cancer, tmp_path):
    path, method = tmp_path / "run.npz", fw.jacobi()
    whole = fw.minimize(breast_cancer, region, method=method, stop=fw.Iterations(3003))
    for part, every in ((60, 7), (1111, 13), (2500, 1000)):
        stop, callback = fw.Iterations(part), fw.Checkpoint(path, every=every)
        resume = path if path.exists() else None
        options = {"method": method, "callback": callback, "resume": resume}
        fw.minimize(breast_cancer, region, stop=stop, **options)
    again = fw.minimize(breast_cancer, region, method=method, stop=fw.Iterations(3003), resume=path)
    np.testing.assert_array_equal(whole.x, again.x)
    for name in ("value", "gap", "lower_bound", "step"):
        np.testing.assert_array_equal(whole.history[name], again.history[name])
    assert (whole.fun, whole.njev, whole.nlmo) == (again.fun, again.njev, again.nlmo)


def test_numbers_that_are_not_finite_end_the_run_at_the_same_step(plain):
    f = fw.SquaredError(np.diag([1e150, 1.0]), [1.0, 2.0])
    one, other = plain(fw.Problem(f, fw.Box(0.0, 1e3)), fw.frank_wolfe(), fw.Iterations(100))
    assert one.status is other.status
    f = fw.SquaredError(np.diag([1e155, 1.0]), [1.0, 2.0])
    start = np.array([0.0, 1.0])
    box = fw.Box([0.0, 0.0], [1e-155, 1.0])
    one, other = plain(fw.Problem(f, box), fw.frank_wolfe(), fw.Iterations(50), x0=start)
    assert one.nit == other.nit
    assert one.status is other.status


class _Patient(_Everything):
    """A callback that is content with a call now and then."""

    def next_step(self, k):
        return np.inf


class _Presses(_Patient):
    """Ctrl-C, soon after its first call: the run is under way, whatever the machine's speed."""

    def on_step(self, run):
        if not self.seen:
            self.press = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
            self.press.start()
        super().on_step(run)


def test_time_limits_are_seen_between_blocks(breast_cancer):
    problem = fw.Problem(breast_cancer, fw.L2Ball(50.0))
    fw.solve(problem, fw.frank_wolfe(), fw.Iterations(300))  # compiled, or loaded
    for limit in (0.1, 1.0, 10.0, 100.0):  # until there was time for more than the first steps
        callback, stop = _Patient(), fw.Gap(0.0) | fw.Seconds(limit)
        result = fw.solve(problem, fw.frank_wolfe(), stop, callback=callback)
        assert result.status is fw.Status.MAX_TIME
        assert result.seconds >= limit
        if result.nit > 100 * fast_path.PLAIN_STEPS:
            break
    # the first ones, then blocks
    assert fast_path.PLAIN_STEPS + 1 < len(callback.seen) < result.nit


def test_ctrl_c_is_seen_between_blocks(breast_cancer):
    problem = fw.Problem(breast_cancer, fw.L2Ball(50.0))
    callback = _Presses()
    stop = fw.Gap(0.0) | fw.Seconds(600.0)
    result = fw.solve(problem, fw.frank_wolfe(), stop, callback=callback)
    callback.press.join()
    assert result.status is fw.Status.INTERRUPTED
    assert len(result.history) == result.nit + 1
    assert result.fun == pytest.approx(result.history.value.min(), rel=1e-12)


def test_what_differs_takes_the_plain_path():
    class Ball(fw.L2Ball):
        pass

    f, ball = _data(), fw.L2Ball(1.0)
    assert fast_path.fast_path_for(fw.frank_wolfe(), fw.Problem(f, ball)) is not None
    for problem, method in (
        (fw.Problem(f, Ball(1.0)), fw.frank_wolfe()),
        (fw.Problem(f, fw.LpBall(1.5)), fw.frank_wolfe()),
        (fw.Problem(f, fw.KSparse(2)), fw.frank_wolfe()),
        (fw.Problem(fw.Quadratic(np.eye(N)), ball), fw.frank_wolfe()),
        (fw.Problem(f, ball), fw.frank_wolfe(fw.steps.Backtracking())),
        (fw.Problem(f, ball), fw.afw()),
        (fw.Problem(f, ball), fw.methods.jacobi_momentum()),
    ):
        assert fast_path.fast_path_for(method, problem) is None
