"""Every status is reached, and rules combine."""

from __future__ import annotations

import numpy as np
import pytest
from attack.asked import asked

import frankwolfe as fw
from frankwolfe import Status
from frankwolfe.solver import History
from frankwolfe.solver.stopping import StoppingRule


@pytest.fixture
def f(rng):
    return fw.SquaredError(rng.standard_normal((30, 5)), 3 * rng.standard_normal(30))


BALL = fw.L2Ball(0.4)
TARGET = np.array([2.0, 1.0])


def _run(f, stop, **options):
    return fw.minimize(f, BALL, stop=stop, method=options.pop("method", "frank_wolfe"), **options)


@pytest.mark.parametrize(
    ("stop", "status", "success"),
    [
        (fw.Gap(1e-3), Status.CONVERGED, True),
        (fw.RelativeGap(1e-3), Status.CONVERGED, True),
        (fw.Iterations(7), Status.MAX_ITERATIONS, False),
        (fw.Gap(0.0) | fw.Seconds(1e-3), Status.MAX_TIME, False),
        (fw.stopping.Target(10.0), Status.TARGET_REACHED, True),
        (fw.stopping.Stalled(patience=5), Status.STALLED, False),
        (fw.stopping.Settled(1e-3), Status.SETTLED, False),
    ],
    ids=repr,
)
@pytest.mark.parametrize("quiet", [True, False])
def test_each_rule_ends_the_run_with_its_status(f, stop, status, success, quiet, tmp_path):
    callback = [] if quiet else [fw.Progress(), fw.Checkpoint(tmp_path / "run.npz", every=1000)]
    method = (
        fw.frank_wolfe(fw.steps.ExactLineSearch()) if status is Status.STALLED else "frank_wolfe"
    )
    result = _run(f, stop, method=method, callback=callback)
    assert result.status is status
    assert result.success is success
    assert result.message.startswith(status.message)


def test_gap_rules_mean_what_they_say(f):
    assert _run(f, fw.Gap(1e-4)).gap <= 1e-4
    result = _run(f, fw.RelativeGap(1e-4))
    assert result.gap <= 1e-4 * max(1, abs(result.fun))
    # scaled by a million, the absolute rule asks for more than the relative one
    big = fw.Quadratic(1e6 * np.eye(5), 1e6 * np.ones(5))
    relative = fw.minimize(big, BALL, method="frank_wolfe", stop=fw.RelativeGap(1e-3))
    absolute = fw.minimize(big, BALL, method="frank_wolfe", stop=fw.Gap(1e-3) | fw.Iterations(5000))
    assert relative.nit <= absolute.nit


def test_either_stops_at_the_first(f):
    result = _run(f, fw.Gap(1e-12) | fw.Iterations(5))
    assert (result.nit, result.status) == (5, Status.MAX_ITERATIONS)
    assert _run(f, fw.Iterations(5) | fw.Gap(1e9)).nit == 0


def test_both_wait_for_the_second_and_count_as_convergence_if_one_does(f):
    result = _run(f, fw.Iterations(40) & fw.Gap(1e9))
    assert result.nit == 40
    assert result.success
    assert result.status is Status.CONVERGED
    assert "and" in result.message


def test_tolerance_and_limit_join_a_rule_only_when_given(f):
    assert _run(f, fw.Iterations(30)).nit == 30
    assert _run(f, fw.Iterations(30), max_iter=10).nit == 10
    assert _run(f, fw.Iterations(30), tol=1e9).nit == 0


def test_a_time_out_is_never_called_optimal(f):
    # a defect elsewhere: a quiet run that times out reports optimal
    result = _run(f, fw.Gap(0.0) | fw.Seconds(1e-4))
    assert result.status is Status.MAX_TIME
    assert not result.success


def test_the_tolerance_is_honoured_with_the_constraint_active(breast_cancer):
    # a defect elsewhere: stopping on the gradient's norm, which cannot fire here
    assert fw.minimize(breast_cancer, fw.L2Ball(1.0), tol=1e-9).success


@pytest.mark.parametrize("when", [1, 2, 5])
@pytest.mark.parametrize("what", [np.nan, np.inf, -np.inf])
def test_a_value_that_is_not_finite_gives_the_last_good_point(when, what):
    calls = []

    def fun(x):
        calls.append(x)
        value = float((x - TARGET) @ (x - TARGET))
        return (what if len(calls) > when else value), 2 * (x - TARGET)

    options = {"method": "frank_wolfe", "check_gradient": False}  # which calls it too
    result = fw.minimize(fun, fw.L1Ball(2.0), jac=True, x0=np.zeros(2), **options)
    assert result.status is Status.NOT_FINITE
    assert not result.success
    assert np.isfinite(result.fun)
    assert np.isfinite(result.x).all()
    assert result.fun == float((result.x - TARGET) @ (result.x - TARGET))
    assert result.fun == result.history["value"][:when].min()
    assert result.gap == pytest.approx(result.fun - result.lower_bound)


def test_a_gradient_that_is_not_finite_is_noticed():
    result = fw.minimize(
        lambda x: float(x @ x),
        fw.Simplex(),
        jac=lambda x: np.array([np.nan, 1.0]),
        x0=[0.5, 0.5],
    )
    assert result.status is Status.NOT_FINITE
    np.testing.assert_array_equal(result.x, [0.5, 0.5])


def test_every_status_has_a_message():
    for status in Status:
        assert status.message.endswith(".")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: fw.Gap(-1.0), "tolerance must be"),
        (lambda: fw.RelativeGap(np.nan), "tolerance must be"),
        (lambda: fw.Iterations(0), "limit must be a whole number >= 1"),
        (lambda: fw.Iterations(2.5), "limit must be a whole number >= 1"),
        (lambda: fw.Seconds(0), "limit must be"),
        (lambda: fw.stopping.Target(np.inf), "value must be"),
        (lambda: fw.stopping.Stalled(0), "patience must be"),
        (lambda: fw.stopping.Settled(-1.0), "tolerance must be"),
    ],
)
def test_bad_rules_say_what_is_wrong(make, words):
    with pytest.raises(fw.InvalidInput, match=words):
        make()


def test_rules_show_what_they_are():
    rule: StoppingRule = (fw.Gap(1.0) | fw.Iterations(3)) & fw.Seconds(1.0)
    assert "Gap(tolerance=1.0)" in repr(rule)


class Vague(fw.Simplex):
    """An oracle that is never sure."""

    def inexact_lmo(self, g, memory, wanted):
        atom, value, _ = super().inexact_lmo(g, memory, wanted)
        return atom, value, 1e-3


def test_a_run_that_stands_still_ends():
    """A vertex is stationary, but the oracle's error is above the tolerance for ever."""
    target = np.array([3.0, -1.0, -2.0])
    f = fw.Function(lambda x: -target @ np.cos(x), lambda x: target * np.sin(x), convex=False)
    result = fw.minimize(f.bound(3), Vague(), x0=[0.0, 1.0, 0.0])
    assert result.status is Status.STALLED
    assert result.nit < 1000


LIMITS = {
    "seconds": (fw.Seconds(2.0), 2.0),
    "either": (fw.Gap(1e-3) | fw.Seconds(3.0) | fw.Seconds(2.0), 2.0),
    "both": (fw.Seconds(3.0) & fw.Seconds(2.0), 3.0),
    "with a gap": (fw.Gap(1e-3) & fw.Seconds(2.0), np.inf),
    "none": (fw.Iterations(3), np.inf),
}


@pytest.mark.parametrize("name", LIMITS)
def test_after_its_time_limit_a_rule_ends_every_run(f, name):
    rule, limit = LIMITS[name]
    assert rule.time_limit == limit
    state = fw.frank_wolfe().init(fw.Problem(f, BALL))
    state.seconds, state.gap = min(limit, 1e9), 1.0
    assert (rule.check(state, History()) is not None) == (limit < np.inf)


@pytest.mark.parametrize("left", [True, False])
def test_both_wait_for_the_one_that_is_not_met(f, left):
    """As long as one is met, nothing need be looked at until the other may be."""
    state = fw.frank_wolfe().init(fw.Problem(f, BALL))
    met, waiting = (
        fw.Gap(1e9),
        [fw.Iterations(9), fw.Seconds(5.0), fw.Gap(1e-9), fw.stopping.Target(-1.0)],
    )
    for rule in waiting:
        both = met & rule if left else rule & met
        assert both.alarm(state, History()) == rule.alarm(state, History())


@pytest.mark.parametrize("limit", [fw.Seconds(1e-9), fw.Iterations(1), fw.stopping.Stalled(1)])
def test_a_tolerance_that_is_met_comes_before_any_limit(f, limit):
    for stop in (limit | fw.Gap(1e9), fw.Gap(1e9) | limit):
        result = _run(f, stop)
        assert (result.status, result.nit) == (Status.CONVERGED, 0)
    assert _run(f, limit, tol=1e9).status is Status.CONVERGED


def test_a_limit_of_time_alone_leaves_the_tolerance(f):
    for stop in (fw.Seconds(60.0), fw.Seconds(60.0) | fw.Seconds(90.0)):
        result = fw.minimize(f, BALL, stop=stop)
        assert result.status is Status.CONVERGED
        assert result.seconds < 30.0
    assert fw.minimize(f, BALL, method="frank_wolfe", stop=fw.Iterations(30)).nit == 30


@pytest.mark.parametrize("method", [None, *sorted(fw.methods.METHODS)])
def test_who_has_the_tolerance_has_converged(f, method):
    """Whatever ended the run: no other status goes with a gap that is small enough."""
    for region in (BALL, fw.L1Ball(0.4), fw.Box(-0.1, 0.1)):
        problem, seen = fw.Problem(f, region), 0
        chosen = None if method is None else fw.methods.METHODS[method]()
        if chosen is not None and chosen.accepts(problem) is not None:
            continue
        best = fw.minimize(f, region, tol=1e-9).fun
        for steps in (1, 2, 5, 12, 30):
            for tol in (1e-1, 1e-3):
                result = fw.minimize(f, region, method=chosen, tol=tol, max_iter=steps)
                met = result.gap <= asked(result, tol)
                assert (result.status is Status.CONVERGED) == met
                assert result.gap >= result.fun - best - 1e-9
                seen += 1
        assert seen
