"""Defects that were measured in other libraries, each as a test that it is none of ours."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import method_examples, refused, skip_if_refused

import frankwolfe as fw
from frankwolfe.core.state import SearchDirection
from frankwolfe.methods import METHODS

EXAMPLES = method_examples()
ACTIVE = [fw.methods.away_step, fw.pairwise, fw.blended_pairwise]


def _least_squares(rng, n=12, m=40, noise=0.3):
    A = rng.standard_normal((m, n))
    return fw.SquaredError(A, A @ rng.dirichlet(np.ones(n)) + noise * rng.standard_normal(m))


# oracles


def test_simplex_oracle_takes_the_smallest_entry_whatever_the_signs(rng):
    for g in (-np.array([3.0, 1.0, 2.0]), np.array([3.0, 1.0, 2.0]), np.array([-1.0, 5.0, -2.0])):
        atom = fw.Simplex().lmo(g)
        assert atom.dot(g) == g.min()
        assert atom.dense(3).sum() == 1.0
    f = fw.Function(lambda x: float(-x @ [3.0, 1.0, 2.0]), lambda x: -np.array([3.0, 1.0, 2.0]))
    result = fw.minimize(f, fw.Simplex(), x0=np.full(3, 1 / 3), method="frank_wolfe")
    np.testing.assert_allclose(result.x, [1.0, 0.0, 0.0], atol=1e-12)


@pytest.mark.parametrize("scale", [1e-300, 1e-8, 1.0, 4882.0, 1e150, 1e300])
def test_l2_oracle_stays_in_the_ball_at_any_scale_of_the_gradient(scale, rng):
    g = rng.standard_normal(7)
    s = fw.L2Ball(1.0).lmo(scale * g).dense(7)
    assert np.linalg.norm(s) == pytest.approx(1.0, rel=1e-12)
    np.testing.assert_allclose(s, -g / np.linalg.norm(g), rtol=1e-10)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_nuclear_oracle_is_not_scaled_by_the_singular_value(scale, rng):
    g = rng.standard_normal((6, 4))
    atom = fw.NuclearBall(2.5).lmo(scale * g)
    u, _, vt = np.linalg.svd(g)
    expected = -2.5 * np.outer(u[:, 0], vt[0])
    np.testing.assert_allclose(atom.scale * np.outer(atom.u, atom.v), expected, atol=1e-8)


@pytest.mark.parametrize("shape", [(5, 1), (1, 5), (1, 1)])
def test_a_nuclear_ball_of_one_row_or_column_is_an_l2_ball(shape, rng):
    b = rng.standard_normal(shape)
    b *= 3.0 / np.linalg.norm(b)
    rows, columns = np.indices(shape).reshape(2, -1)
    f = fw.Completion((rows, columns, b.ravel()), shape=shape, loss="squared")
    result = fw.minimize(f, fw.NuclearBall(1.0), tol=1e-8)
    assert result.success
    np.testing.assert_allclose(result.x.toarray(), b / np.linalg.norm(b), atol=1e-3)


def test_an_oracle_returns_a_point_and_minimizes(rng):
    # not s - x, and not a maximizer
    for region in (fw.L1Ball(2.0), fw.L2Ball(2.0), fw.Simplex(), fw.Box(-1.0, 1.0)):
        g = rng.standard_normal(5)
        s = region.lmo(g)
        assert region.contains(s.dense(5))
        assert s.dot(g) <= -region.lmo(-g).dot(-g)
        assert s.dot(g) <= region.start(5) @ g


# steps and active sets


@pytest.mark.parametrize("recipe", ACTIVE)
@pytest.mark.parametrize("region", [fw.L1Ball(0.9), fw.Simplex()], ids=repr)
def test_a_dropped_vertex_does_not_come_back_with_weight_zero(recipe, region, rng):
    f = _least_squares(rng)
    before = dropped = stuck = 0
    x0 = np.full(12, 1 / 12) if isinstance(region, fw.Simplex) else None
    for state in fw.states(fw.Problem(f, region), recipe(), x0):
        active = state.active_set
        assert (active.weights > 0).all()
        assert active.weights.sum() == pytest.approx(1.0, abs=1e-12)
        dropped += len(active) < before
        before = len(active)
        stuck += state.k > 0 and state.step == 0.0
        if state.gap <= 1e-10 or state.k == 500:
            break
    assert state.gap <= 1e-10
    assert dropped > 0
    assert stuck == 0


def test_an_atom_keeps_the_weight_that_it_would_lose_to_itself(rng):
    """By rounding the worst active atom and the oracle's may look apart and be the same."""
    problem, method = fw.Problem(_least_squares(rng), fw.Simplex()), fw.pairwise()
    state = method.init(problem)
    for _ in range(5):
        method.advance(state)
    active = state.active_set
    before, atom = active.weights.copy(), active.atom(0)
    assert before.size > 1
    share = float(before[0])
    state.direction = SearchDirection(0.0, ((1.0, atom), (-1.0, atom)), -1e-17, share, loses=0)
    method.direction.moved(state, share, active)
    np.testing.assert_array_equal(active.weights, before)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_step_is_never_zero_while_the_gap_is_large(name, pima):
    f = _least_squares(np.random.default_rng(4))
    for g, region in ((f, fw.L1Ball(0.9)), (f, fw.Simplex()), (pima, fw.L2Ball(35.0))):
        if refused(EXAMPLES[name], fw.Problem(g, region)):
            continue
        run = fw.minimize(g, region, method=EXAMPLES[name], max_iter=200, tol=1e-5)
        column = run.history
        large = column["gap"][:-1] > 1e-4 * np.maximum(1.0, abs(column["value"][:-1]))
        # JFW's printed steps may be cut to zero at the very start, and say so in `cuts`
        allowed = 3 if name.startswith("jacobi") else 0
        assert (column["step"][1:][large] == 0.0).sum() <= allowed


POSITIVE = [fw.Simplex(), fw.UnitSimplex(1.5), fw.Box(0.0, 0.4), fw.Hypersimplex(3, 0.4)]


def _no_negative_entries(n):
    """A projection onto the region that refuses a point with a negative entry."""
    target = np.linspace(-0.3, 0.5, n)

    def fun(x):
        if (x < 0).any():
            raise AssertionError(f"evaluated at an entry of {x.min()}")
        return float((x - target) @ (x - target) / 2), x - target

    return fw.Function(fun, True, n=n, smoothness=1.0)


@pytest.mark.parametrize("region", [*POSITIVE, fw.Birkhoff(3)], ids=repr)
@pytest.mark.parametrize("name", METHODS)
def test_f_is_not_evaluated_at_minus_rounding(name, region):
    f = _no_negative_entries(9)
    skip_if_refused(METHODS[name](), fw.Problem(f, region))
    for state in fw.states(fw.Problem(f, region), METHODS[name]()):
        assert state.x.min() >= 0.0
        f.fun(state.x)
        if state.k == 300:
            break
    result = fw.minimize(f, region, method=name, max_iter=50)
    assert result.fun == pytest.approx(f(result.x), rel=1e-12)


@pytest.mark.parametrize("recipe", ACTIVE)
@pytest.mark.parametrize(
    "step",
    [
        *(
            fw.steps.ExactLineSearch(),
            fw.steps.Secant(),
            fw.steps.GoldenRatio(),
            fw.steps.Backtracking(),
            fw.steps.Adaptive(),
        ),
        *(
            fw.steps.Backtracking(alpha=0.5),
            fw.steps.ShortStep(),
            fw.steps.OpenLoop(),
            fw.steps.Monotone(),
        ),
    ],
    ids=lambda step: type(step).__name__,
)
def test_active_sets_do_not_evaluate_f_at_minus_rounding(recipe, step):
    f = _no_negative_entries(30)
    for region in POSITIVE:
        x0 = np.random.default_rng(0).permutation(region.middle(30))
        for start in (None, x0):
            fw.minimize(f, region, method=recipe(step), x0=start, tol=0.0, max_iter=150)


@pytest.mark.parametrize("recipe", ACTIVE)
def test_the_start_of_an_active_set_need_not_be_a_vertex(recipe, rng):
    f = _least_squares(rng)
    best = fw.minimize(f, fw.Simplex(), method="pairwise", tol=1e-11).fun
    regions = (fw.Simplex(), fw.L1Ball(1.0), fw.UnitSimplex(), fw.Box(0.0, 1.0))
    for region in regions:
        x0 = rng.dirichlet(np.ones(12))
        state = recipe().init(fw.Problem(f, region), x0)
        np.testing.assert_allclose(state.x, x0, atol=1e-15)
        result = fw.minimize(f, region, x0=x0, method=recipe(), tol=1e-6, max_iter=3000)
        assert result.success
        if isinstance(region, fw.Simplex) and not isinstance(region, fw.UnitSimplex):
            assert result.fun == pytest.approx(best, abs=1e-6)


def test_a_trajectory_is_that_of_the_textbook(rng):
    # elsewhere a patch release changed it
    f, region = _least_squares(rng), fw.L2Ball(0.7)
    x = np.zeros(12)
    for state in fw.states(fw.Problem(f, region), fw.frank_wolfe()):
        np.testing.assert_allclose(state.x, x, atol=1e-13)
        g = f.grad(x)
        x = x + 2 / (state.k + 2) * (-0.7 * g / np.linalg.norm(g) - x)
        if state.k == 100:
            break


# what a run reads, writes and says


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_start_and_the_data_are_not_overwritten(name, rng):
    A, b = rng.standard_normal((20, 5)), rng.standard_normal(20)
    x0 = rng.dirichlet(np.ones(5))
    copies = A.copy(), b.copy(), x0.copy()
    skip_if_refused(EXAMPLES[name], fw.Problem(fw.SquaredError(A, b), fw.Simplex()))
    result = fw.minimize(
        fw.SquaredError(A, b), fw.Simplex(), x0=x0, method=EXAMPLES[name], max_iter=50
    )
    assert result.nit > 0
    assert not np.shares_memory(result.x, x0)
    for now, before in zip((A, b, x0), copies, strict=True):
        np.testing.assert_array_equal(now, before)


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("region", [fw.L1Ball(1.0), fw.Simplex(), fw.L2Ball(1.0)], ids=repr)
@pytest.mark.parametrize("after", [0, 7])
def test_a_gradient_of_nan_gives_a_status(name, region, after):
    calls = []

    def jac(x):
        calls.append(1)
        return np.full(4, np.nan) if len(calls) > after else 4 * weights * (x - 2) ** 3

    weights = np.array([1.0, 2.0, 3.0, 4.0])
    f = fw.Function(lambda x: float(weights @ (x - 2) ** 4), jac, n=4, smoothness=432.0)
    skip_if_refused(EXAMPLES[name], fw.Problem(f, region))
    calls.clear()
    with np.errstate(invalid="ignore"):
        result = fw.minimize(f, region, method=EXAMPLES[name], tol=0.0, max_iter=100)
    assert result.status is fw.Status.NOT_FINITE
    assert not result.success
    assert np.isfinite(result.x).all()
    assert region.contains(result.x)


@pytest.mark.parametrize("name", METHODS)
def test_nothing_is_printed(name, rng, capfd, recwarn):
    skip_if_refused(METHODS[name](), fw.Problem(_least_squares(rng), fw.L1Ball(0.5)))
    fw.minimize(_least_squares(rng), fw.L1Ball(0.5), method=name, max_iter=30)
    fw.minimize(_least_squares(rng), fw.L1Ball(0.5), method=name, stop=fw.Seconds(1e-9))
    assert capfd.readouterr() == ("", "")
    assert not recwarn.list


@pytest.mark.parametrize("name", METHODS)
def test_a_run_that_times_out_does_not_say_success(name, rng):
    skip_if_refused(METHODS[name](), fw.Problem(_least_squares(rng), fw.L1Ball(0.5)))
    stop = fw.Gap(1e-300) | fw.Seconds(1e-6)
    result = fw.minimize(_least_squares(rng), fw.L1Ball(0.5), method=name, stop=stop)
    assert not result.success
    assert result.status is fw.Status.MAX_TIME
    assert "time limit" in result.message


@pytest.mark.parametrize("name", METHODS)
def test_a_run_stops_though_the_constraint_is_active(name, rng):
    # elsewhere the norm of the gradient is the test, which is far from zero here
    f = _least_squares(rng)
    curved = METHODS[name]().accepts(fw.Problem(f, fw.L2Ball(0.1))) is None
    region = fw.L2Ball(0.1) if curved and "pairwise" not in name else fw.L1Ball(0.1)
    region = fw.L1Ball(0.1) if name.endswith(("step", "gradients")) else region
    skip_if_refused(METHODS[name](), fw.Problem(f, region))
    result = fw.minimize(f, region, method=name, tol=fw.Gap(1e-4))
    assert result.success
    assert np.linalg.norm(f.grad(result.x)) > 0.1


def test_a_small_change_of_the_loss_does_not_end_a_run(rng):
    # with tiny steps f hardly changes, far from the optimum; the gap says how far
    f, method = _least_squares(rng), fw.frank_wolfe(fw.steps.Constant(1e-8))
    result = fw.minimize(f, fw.L1Ball(1.0), method=method, tol=1e-6, max_iter=100)
    assert abs(np.diff(result.history["value"])).max() < 1e-7
    assert result.nit == 100
    assert not result.success
    assert result.gap > 1e-2


@pytest.mark.parametrize("tol", [1e-2, 1e-4, 1e-6])
def test_the_tolerance_is_honoured_and_the_history_is_there(tol, rng):
    f = _least_squares(rng)
    result = fw.minimize(f, fw.L1Ball(0.5), method="pairwise", tol=fw.Gap(tol))
    best = fw.minimize(f, fw.L1Ball(0.5), method="pairwise", tol=1e-12).fun
    assert result.success
    assert result.fun - best <= result.gap <= tol
    assert len(result.history["gap"]) == result.nit + 1
    assert (result.history["gap"][:-1] > tol).all()


@pytest.mark.parametrize("name", ["afw", "jacobi", "jacobi_momentum"])
def test_the_gap_of_momentum_is_a_bound(name, pima):
    best = fw.minimize(pima, fw.L2Ball(35.0), tol=1e-9).fun
    for state in fw.states(fw.Problem(pima, fw.L2Ball(35.0)), EXAMPLES[name]):
        assert state.gap >= state.value - best - 1e-9
        if state.k == 200:
            break
    assert state.gap > 1.0  # and it is far from the optimum here


@pytest.mark.parametrize("name", EXAMPLES)
def test_float32_is_kept(name, rng):
    A, b = (rng.standard_normal(s).astype(np.float32) for s in ((30, 6), 30))
    skip_if_refused(EXAMPLES[name], fw.Problem(fw.SquaredError(A, b), fw.L1Ball(0.5)))
    result = fw.minimize(fw.SquaredError(A, b), fw.L1Ball(0.5), method=EXAMPLES[name], max_iter=40)
    assert result.x.dtype == np.float32
    assert result.certified


def test_a_line_search_costs_no_gradient(rng):
    # elsewhere three gradients and three values a step
    f = _least_squares(rng)
    for step in (
        fw.steps.ExactLineSearch(),
        fw.steps.Secant(),
        fw.steps.GoldenRatio(),
        fw.steps.Backtracking(),
    ):
        result = fw.minimize(f, fw.L1Ball(0.5), method=fw.pairwise(step), tol=1e-8)
        assert result.njev == result.nit + 1


def test_a_completed_matrix_is_not_dense(rng):
    rows, columns = rng.integers(0, 300, 500), rng.integers(0, 200, 500)
    pairs = np.unique(np.column_stack([rows, columns]), axis=0)
    f = fw.Completion((pairs[:, 0], pairs[:, 1], rng.standard_normal(len(pairs))), shape=(300, 200))
    result = fw.minimize(f, fw.NuclearBall(10.0), method="frank_wolfe", max_iter=15, tol=0.0)
    assert isinstance(result.x, fw.FactoredMatrix)
    assert result.x.left.size + result.x.right.size <= 16 * 500
