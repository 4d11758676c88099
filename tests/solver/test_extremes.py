"""Whatever is passed: an answer or one sentence, and no warning."""

import datetime
from unittest.mock import Mock

import numpy as np
import pytest

import frankwolfe as fw
from frankwolfe.methods import METHODS
from frankwolfe.solver.run import Run

SCALES = (1e-300, 1e-160, 1e-80, 1e-8, 1.0, 1.0, 1e8, 1e80, 1e160, 1e300)
CASES = 10  # for each method


def an_objective(rng):
    m, n = int(rng.choice([1, 2, 12])), int(rng.choice([1, 2, 5]))
    A, b = rng.standard_normal((m, n)) * rng.choice(SCALES), rng.standard_normal(m)
    b *= rng.choice(SCALES)
    if rng.random() < 0.2:
        A[:] = A[:, :1] * rng.integers(0, 2)  # all columns the same, or zero
    if rng.random() < 0.2:
        with np.errstate(over="ignore"):
            A, b = np.clip(A, -3e38, 3e38).astype(np.float32), np.clip(b, -3e38, 3e38)
    weight = rng.random(m) * rng.choice(SCALES) + 1e-300
    signs = np.where(np.arange(m) % 2, 1, -1)
    make = {
        "squared": lambda: fw.SquaredError(A, b),
        "weighted": lambda: fw.SquaredError(A, b, sample_weight=weight),
        "summed": lambda: fw.Huber(A, b, delta=rng.choice(SCALES), reduction="sum"),
        "logistic": lambda: fw.Logistic(A, signs),
        "quantile": lambda: fw.Quantile(A, b),
        "softmax": lambda: fw.Multinomial(A, np.arange(m) % 3),
        "profiled": lambda: fw.Profiled(fw.SquaredError(A, b)),
        "poisson": lambda: fw.Poisson(np.abs(A), np.abs(b)),
        "design": lambda: fw.DOptimal(A),
    }
    return make[rng.choice(list(make))], n


def a_region(rng, n):
    r, c = float(rng.choice(SCALES)), rng.standard_normal(n) * rng.choice(SCALES)
    make = {
        "l1": lambda: fw.L1Ball(r),
        "l2": lambda: fw.L2Ball(r),
        "linf": lambda: fw.LInfBall(r, center=c),
        "lp": lambda: fw.LpBall(3.0, r),
        "simplex": lambda: fw.Simplex(r),
        "unit": lambda: fw.UnitSimplex(r),
        "box": lambda: fw.Box(-r, 2.0 * r),
        "group": lambda: fw.GroupBall(np.arange(n) // 2, r),
        "ksparse": lambda: fw.KSparse(2, r),
        "hypersimplex": lambda: fw.Hypersimplex(1, r),
        "hull": lambda: fw.ConvexHull(r * rng.standard_normal((5, n))),
    }
    return make[rng.choice(list(make))]


@pytest.mark.parametrize("name", [None, *METHODS])
def test_extremes_get_an_answer_or_a_sentence(name):
    for case in range(CASES):
        rng = np.random.default_rng((len(name or ""), case))
        make, n = an_objective(rng)
        region = a_region(rng, n)
        try:
            region = region()
            result = fw.minimize(make(), region, method=name, max_iter=20)
        except fw.InvalidInput:
            continue
        assert np.isfinite(result.x).all()
        assert region.violation(np.asarray(result.x, float)) <= 1e-3
        assert result.gap >= 0.0


@pytest.mark.parametrize("name", [None, *METHODS])
def test_one_variable(name):
    regions = (fw.UnitSimplex(), fw.Simplex(), fw.L1Ball(), fw.Box(), fw.KSparse(1), fw.LpBall(3.0))
    for region in regions:
        f = fw.SquaredError([[1.0]], [0.3])
        try:
            result = fw.minimize(f, region, method=name, tol=1e-8)
        except fw.InvalidInput:
            continue
        assert result.x.shape == (1,)
        assert region.contains(result.x)


def test_weights_whose_sum_is_infinite_are_weights(rng):
    A, b = rng.standard_normal((9, 3)), rng.standard_normal(9)
    huge = fw.minimize(fw.SquaredError(A, b, sample_weight=np.full(9, 1e308)), fw.L2Ball(0.5))
    plain = fw.minimize(fw.SquaredError(A, b), fw.L2Ball(0.5))
    assert huge.fun == pytest.approx(plain.fun, rel=1e-9)


DAY = np.datetime64("2026-01-01")
NOT_NUMBERS = {
    "dates": np.array([DAY, DAY]),
    "durations": np.array([3, 4], dtype="timedelta64[s]"),
    "objects that are dates": np.array([DAY, DAY], dtype=object),
    "dates of Python": np.array([datetime.date.today()] * 2, dtype=object),
    "text": ["1", "2"],
    "bytes": [b"1", b"2"],
    "objects that are text": np.array([1.0, "2"], dtype=object),
    "complex": [1j, 2.0],
    "records": np.zeros(2, dtype=[("a", float)]),
    "nothing": [None, 1.0],
    "masked": np.ma.array([1.0, 2.0], mask=[True, False]),
    "too long": [10**400, 1],
    "empty": [],
    "ragged": [[1.0], [1.0, 2.0]],
}
TAKERS = {
    "A": lambda v: fw.SquaredError(np.stack([v, v]) if isinstance(v, np.ndarray) else [v, v], v),
    "b": lambda v: fw.SquaredError([[1.0], [2.0]], v),
    "weight": lambda v: fw.SquaredError([[1.0], [2.0]], [1.0, 2.0], sample_weight=v),
    "center": lambda v: fw.L2Ball(1.0, center=v),
    "upper": lambda v: fw.Box(0.0, v),
    "radius": fw.L2Ball,
    "x0": lambda v: fw.minimize(fw.SquaredError(np.eye(2), [1.0, 2.0]), fw.L2Ball(), x0=v),
    "tol": lambda v: fw.minimize(fw.SquaredError(np.eye(2), [1.0, 2.0]), fw.L2Ball(), tol=v),
}


@pytest.mark.parametrize("what", NOT_NUMBERS)
@pytest.mark.parametrize("where", TAKERS)
def test_what_is_no_number_is_refused(what, where):
    with pytest.raises(fw.InvalidInput):
        TAKERS[where](NOT_NUMBERS[what])


def test_masked_labels_are_refused():
    labels = np.ma.array([0, 1, 0], mask=[True, False, False])
    for take in (lambda: fw.Logistic(np.ones((3, 1)), labels), lambda: fw.GroupBall(labels)):
        with pytest.raises(fw.InvalidInput, match="masked"):
            take()


class _NotEntered(fw.callbacks.Callback):
    __enter__ = None


class _Alike:
    def on_step(self, run):
        pass


@pytest.mark.parametrize(
    "callback", [_NotEntered(), _Alike(), fw.callbacks.Trace, "text", 3, [None]]
)
def test_what_is_no_callback_is_refused(callback):
    f = fw.SquaredError(np.eye(2), [1.0, 2.0])
    with pytest.raises(fw.InvalidInput, match="callback must be"):
        fw.minimize(f, fw.L2Ball(), callback=callback)


def test_an_object_that_only_says_it_is_a_callback_is_called():
    mock = Mock(spec=fw.callbacks.Callback)
    result = fw.minimize(fw.SquaredError(np.eye(2), [1.0, 2.0]), fw.L2Ball(), callback=mock)
    assert mock.call_count >= 1
    assert result.success


def test_errors_of_the_callers_function_are_the_callers():
    def fun(x):
        return 1.0 / 0

    with pytest.raises(ZeroDivisionError):
        fw.minimize(fun, fw.L2Ball(), jac=lambda x: x, x0=np.zeros(2))


def test_a_step_that_breaks_down_leaves_the_best_point(rng):
    f = fw.SquaredError(rng.standard_normal((20, 4)), rng.standard_normal(20))
    problem, method = fw.Problem(f, fw.L2Ball(0.5)), fw.frank_wolfe()
    run = Run(method, method.init(problem))
    run.record()
    method.advance(run.state)
    run.give_up()
    assert not np.isfinite(run.state.value)
    assert run.best.value == pytest.approx(f(run.best.x), rel=1e-12)
    assert problem.region.contains(run.best.x)
