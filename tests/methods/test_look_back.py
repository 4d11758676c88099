"""Steps read off the last gradient: what they cost, what they promise, and how they go on."""

from __future__ import annotations

import math
from itertools import islice

import numpy as np
import pytest

import frankwolfe as fw
from frankwolfe.methods.parts import look_back_numbers as rule
from frankwolfe.methods.parts.combinations import Jacobi
from frankwolfe.solver import fast_path

BEST = {50.0: 0.38555909424527, 1.0: 0.40207123242861}  # experiment (a), by radius
BEST_B = 0.17041382121


def _fit(loss, rng, *, m=60, n=12, scale=0.0):
    A = rng.standard_normal((m, n)) * 10.0 ** rng.uniform(-scale, scale, n)
    b = A @ (rng.standard_normal(n) / np.linalg.norm(A, axis=0)) + 0.1 * rng.standard_normal(m)
    return getattr(fw.objectives, loss)(A, np.sign(b) if loss == "Logistic" else b)


def _errors(problem, method, steps, best):
    values = fw.solve(problem, method, fw.Iterations(steps)).history.value
    return (values - best) / best


# The paper's experiments


@pytest.mark.parametrize(
    "method", [fw.frank_wolfe(fw.steps.LookBack()), fw.jacobi("auto")], ids=str
)
def test_it_beats_jfw_by_hand_on_the_papers_experiments(method, breast_cancer, pima):
    limits = {50.0: (breast_cancer, BEST[50.0], 1e-5), 1.0: (breast_cancer, BEST[1.0], 2e-4)}
    for radius, (f, best, limit) in {**limits, 35.0: (pima, BEST_B, 5e-2)}.items():
        errors = _errors(fw.Problem(f, fw.L2Ball(radius)), method, 1000, best)
        assert errors[-2:].max() <= limit, radius


def test_the_course_hangs_less_on_rounding_than_jfws(breast_cancer):
    """Starts that differ by 1e-15 lead to the same value, where those of JFW do not."""

    def ends(method):
        values = []
        for seed in range(5):
            x0 = 1e-15 * np.random.default_rng(seed).standard_normal(9)
            result = fw.minimize(
                breast_cancer, fw.L2Ball(50.0), method=method, x0=x0, max_iter=1000, tol=0.0
            )
            values.append(result.history.value[-1])
        return np.ptp(values)

    assert ends(fw.jacobi("auto")) < 1e-9 < ends(fw.jacobi())


# What it costs


def _counted(A, b):
    """Least squares as a function that counts its values and gradients."""
    calls = {"value": 0, "gradient": 0}

    def value(x):
        calls["value"] += 1
        return 0.5 * float((A @ x - b) @ (A @ x - b))

    def gradient(x):
        calls["gradient"] += 1
        return A.T @ (A @ x - b)

    f = fw.Function(value, gradient, n=A.shape[1], check_gradient=False)  # which asks for more
    return f, calls


@pytest.mark.parametrize("region", [fw.L2Ball(2.0), fw.L1Ball(2.0), fw.Simplex()], ids=repr)
def test_no_value_and_no_gradient_beyond_those_of_frank_wolfe(region, rng):
    A, b = rng.standard_normal((20, 6)), rng.standard_normal(20)
    counts = []
    for step in (fw.steps.OpenLoop(), fw.steps.LookBack()):
        f, calls = _counted(A, b)
        fw.minimize(f, region, method=fw.frank_wolfe(step), max_iter=50, tol=0.0)
        counts.append(dict(calls))
    assert counts[0] == counts[1]


def test_the_state_counts_no_value(breast_cancer):
    problem = fw.Problem(breast_cancer, fw.L2Ball(50.0))
    state = next(islice(fw.states(problem, fw.frank_wolfe(fw.steps.LookBack())), 40, None))
    assert (state.value_calls, state.gradient_calls, state.oracle_calls) == (0, 41, 41)


# What it does


@pytest.mark.parametrize("region", [fw.L2Ball(0.5), fw.L2Ball(30.0), fw.LpBall(1.5, 9.0)], ids=repr)
def test_on_a_quadratic_it_is_an_exact_line_search_but_for_its_guards(region, rng):
    problem = fw.Problem(_fit("SquaredError", rng), region)
    method, exact = fw.frank_wolfe(fw.steps.LookBack()), 0
    state = method.init(problem)
    for _ in range(30):
        method.direction.aim(state, state.memory.direction)
        best = state.line_search(state.direction_image(), 1.0)
        book, k = state.memory.step.numbers, state.k
        known = book[rule.CURVATURE] > 0.0
        guarded = book[rule.BOUND] > rule.BEHIND * book[rule.TOP] / (k + 2)
        method.advance(state)
        if known and not guarded:
            assert state.step == pytest.approx(min(best, math.sqrt(2 / (k + 2))), rel=1e-4)
            exact += 1
    assert exact > 10


@pytest.mark.parametrize("gamma", [0.3, 1.0])
@pytest.mark.parametrize("region", [fw.L1Ball(2.0), fw.L2Ball(2.0)], ids=repr)
def test_the_slope_behind_is_that_of_f_along_the_last_direction(region, gamma, rng):
    problem = fw.Problem(_fit("Logistic", rng), region)
    method = fw.frank_wolfe(fw.steps.Constant(gamma))
    state = method.init(problem)
    before, atom = state.x, state.atom.dense(12).copy()
    method.advance(state)
    slope = float(problem.objective.grad(state.x) @ (atom - before))
    assert state.slope_behind() == pytest.approx(slope, rel=1e-9, abs=1e-12)


def test_the_slope_behind_a_pairwise_step(rng):
    problem = fw.Problem(_fit("SquaredError", rng), fw.Simplex())
    method = fw.pairwise()
    state = method.init(problem)
    for _ in range(5):
        before = state.x
        method.advance(state)
        along = (state.x - before) / state.step
        slope = float(problem.objective.grad(state.x) @ along)
        assert state.slope_behind() == pytest.approx(slope, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("recipe", [fw.methods.away_step, fw.pairwise, fw.blended_pairwise])
def test_it_goes_with_directions_of_active_sets(recipe, rng):
    problem = fw.Problem(_fit("Huber", rng), fw.L1Ball(1.0))
    result = fw.solve(problem, recipe(fw.steps.LookBack()), fw.Gap(1e-6) | fw.Iterations(2000))
    assert result.success


def test_matrices():
    rng = np.random.default_rng(2)
    rows, columns = np.nonzero(rng.random((30, 20)) < 0.5)
    truth = np.outer(rng.standard_normal(30), rng.standard_normal(20))
    f = fw.Completion((rows, columns, truth[rows, columns]), shape=(30, 20))
    region = fw.NuclearBall(5.0 * float(np.linalg.norm(truth, "nuc")))
    ours, plain = (
        fw.minimize(f, region, method=m, max_iter=150, tol=0.0)
        for m in (fw.jacobi("auto"), fw.frank_wolfe())
    )
    assert ours.fun < 0.1 * plain.fun
    assert ours.certified


def test_flat_faces_do_not_hold_it_up(rng):
    """Over a tight simplex short steps alone zigzag; with the watch it keeps up with 2/(k+2)."""
    problem = fw.Problem(_fit("SquaredError", rng, m=100, n=40), fw.Simplex())
    best = fw.minimize(problem.objective, problem.region, tol=1e-12).fun
    plain, ours = (
        _errors(problem, fw.frank_wolfe(step), 600, best)[1:].min()
        for step in (fw.steps.OpenLoop(), fw.steps.LookBack())
    )
    assert ours <= 3.0 * plain


# What it promises


PROBLEMS = [
    (loss, region, scale)
    for loss in ("SquaredError", "Logistic", "Huber", "Quantile")
    for region in (fw.L2Ball(0.3), fw.L2Ball(300.0), fw.L1Ball(1.0), fw.Simplex(), fw.Box(-1, 1))
    for scale in (0.0, 1.5)
]


@pytest.mark.parametrize(("loss", "region", "scale"), PROBLEMS, ids=str)
def test_theorem(loss, region, scale, rng):
    """f(x_k) - min f <= 4LD^2/(k+1), and each of the facts from which that is proved."""
    problem = fw.Problem(_fit(loss, rng, scale=scale), region)
    scale = problem.smoothness * problem.diameter**2
    best = fw.minimize(problem.objective, region, max_iter=2000, tol=1e-9).fun
    bound, top = math.inf, 0.0
    for k, state in enumerate(islice(fw.states(problem, fw.frank_wolfe(fw.steps.LookBack())), 120)):
        error, book = state.value - best, state.memory.step.numbers
        noise = 1e-9 * (1.0 + abs(state.value))
        if k:
            assert error <= 4.0 * scale / (k + 1.0) + noise
            assert error <= book[rule.BOUND] + noise
            assert book[rule.TOP] <= scale * (1 + 1e-9) + noise
            behind = bound > rule.BEHIND * top / (k + 1.0)
            largest = 2.0 / (k + 1.0) if behind else math.sqrt(2.0 / (k + 1.0))
            assert state.step <= largest * (1 + 1e-12)
            assert not behind or state.step == pytest.approx(largest)
        bound, top = book[rule.BOUND], book[rule.TOP]


def test_wrong_curvature_cannot_break_the_theorem(rng):
    """An estimate spoilt at every step leaves the rate as it is."""
    problem = fw.Problem(_fit("SquaredError", rng), fw.L2Ball(1.0))
    scale = problem.smoothness * problem.diameter**2
    best = fw.minimize(problem.objective, problem.region, tol=1e-12).fun
    for spoil in (1e-6, 1e6):
        states = fw.states(problem, fw.frank_wolfe(fw.steps.LookBack()))
        for k, state in enumerate(islice(states, 300)):
            assert k == 0 or state.value - best <= 4.0 * scale / (k + 1.0)
            book = state.memory.step.numbers
            book[rule.CURVATURE] = min(max(book[rule.CURVATURE] * spoil, 1e-100), 1e100)


# Paths and pauses


@pytest.mark.parametrize("region", [fw.L2Ball(0.9), fw.L1Ball(2.0), fw.Box(-0.5, 0.5)], ids=repr)
@pytest.mark.parametrize("loss", ["Logistic", "SquaredError", "Huber"])
def test_the_fast_path_takes_the_same_steps(loss, region, rng, monkeypatch):
    """Until rounding, which every step multiplies, has grown."""
    problem = fw.Problem(_fit(loss, rng), region)
    method = fw.frank_wolfe(fw.steps.LookBack())
    assert fast_path.fast_path_for(method, problem) is not None
    courses = []
    for first in (10**9, 3):
        monkeypatch.setattr(fast_path, "PLAIN_STEPS", first)
        courses.append(fw.solve(problem, method, fw.Iterations(25)))
    for name in ("value", "gap", "step"):
        one, other = (course.history[name] for course in courses)
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-9)
    assert courses[0].nfev == courses[1].nfev


@pytest.mark.parametrize("every", [1, 7, 50])
def test_blocks_of_the_fast_path_are_the_same_bits(every, rng):
    problem = fw.Problem(_fit("Logistic", rng), fw.L1Ball(2.0))
    method = fw.frank_wolfe(fw.steps.LookBack())
    whole = fw.solve(problem, method, fw.Iterations(300))

    class Often(fw.callbacks.Callback):
        def next_step(self, k):
            return k + every

        def on_step(self, run):
            return None

    cut = fw.solve(problem, method, fw.Iterations(300), callback=Often())
    np.testing.assert_array_equal(whole.history.step, cut.history.step)
    np.testing.assert_array_equal(whole.x, cut.x)


@pytest.mark.parametrize("region", [fw.L2Ball(2.0), fw.L1Ball(1.0)], ids=repr)
def test_a_resumed_run_goes_on_bit_for_bit(region, rng, tmp_path):
    f, method, file = _fit("Huber", rng), fw.jacobi("auto"), tmp_path / "run.npz"
    whole = fw.minimize(f, region, method=method, stop=fw.Iterations(120))
    keep = fw.Checkpoint(file, every=47)
    fw.minimize(f, region, method=method, stop=fw.Iterations(47), callback=keep)
    rest = fw.minimize(f, region, method=method, stop=fw.Iterations(120), resume=file)
    np.testing.assert_array_equal(whole.history.step, rest.history.step)
    np.testing.assert_array_equal(whole.x, rest.x)


# The history, and words


def test_the_history_has_the_gamma_of_algorithm_2(breast_cancer):
    """Algorithm 2 with alpha = beta = -1/2 and these gamma_k makes the same steps."""
    problem = fw.Problem(breast_cancer, fw.L2Ball(50.0))
    history = fw.solve(problem, fw.jacobi("auto"), fw.Iterations(60)).history
    gammas = history.jacobi_gamma[1:]
    assert (gammas >= -1e-12).all()
    assert (gammas <= 1.0).all()
    state = fw.frank_wolfe().init(problem)
    gammas[0] = 0.0  # a_0 is 1, not 2
    for k, gamma in enumerate(gammas[:20]):
        printed = Jacobi(-0.5, -0.5, min(max(float(gamma), 0.0), 1.0))
        fw.FrankWolfe(combination=printed).advance(state)
        assert state.value == pytest.approx(history.value[k + 1], rel=1e-9)


def test_models_that_are_no_tangent_are_refused():
    with pytest.raises(fw.InvalidInput, match="needs slopes of f"):
        fw.methods.heavy_ball(step=fw.steps.LookBack())


def test_combinations_that_leave_the_direction_are_refused():
    with pytest.raises(fw.InvalidInput, match="looks back along the direction"):
        fw.methods.partan(fw.steps.LookBack())
    with pytest.raises(fw.InvalidInput, match="looks back along the direction"):
        fw.methods.partan(fw.steps.Monotone(fw.steps.LookBack()))


def test_a_limit_below_frank_wolfes_own_step_is_refused():
    with pytest.raises(fw.InvalidInput, match="limit must be"):
        fw.steps.LookBack(limit=1.0)
