"""Block-coordinate steps over products."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import objective_examples

import frankwolfe as fw

ORDERS = ("cyclic", "random", "gap")


def _problem(rng, blocks: int = 6, size: int = 4) -> fw.Problem:
    n = blocks * size
    A = rng.standard_normal((2 * n, n))
    region = fw.Product([(fw.Simplex(), size)] * blocks)
    return fw.Problem(fw.SquaredError(A, 2 * rng.standard_normal(2 * n)), region)


@pytest.mark.parametrize("j", range(5))
def test_blocks_of_an_objective_are_parts_of_the_whole(j, rng):
    f = objective_examples(6)[j]
    x, z, slope = rng.standard_normal(6), np.empty(f.m), np.empty(f.m)
    f.image(x, z)
    for block in (slice(0, 2), slice(2, 6), slice(3, 4), slice(0, 6)):
        g = np.empty(block.stop - block.start)
        f.block_gradient(z, block, slope, g)
        np.testing.assert_allclose(g, f.grad(x)[block], atol=1e-12)
        padded, expected, image = np.zeros(6), np.empty(f.m), np.empty(f.m)
        padded[block] = x[block]
        f.image(padded, expected)
        f.block_image(x[block], block, image)
        np.testing.assert_allclose(image, expected, atol=1e-12)


@pytest.mark.parametrize("make", [np.ascontiguousarray, np.asfortranarray, sp.csr_matrix])
def test_blocks_read_only_their_columns(make, rng):
    A = rng.standard_normal((9, 6)) * (rng.random((9, 6)) < 0.6)
    f, block = fw.SquaredError(make(A), rng.standard_normal(9)), slice(2, 5)
    y, v, g, image = rng.standard_normal(9), rng.standard_normal(3), np.empty(3), np.empty(9)
    f.linear.adjoint_block(y, block, g)
    f.linear.apply_block(v, block, image)
    np.testing.assert_allclose(g, A[:, block].T @ y, atol=1e-14)
    np.testing.assert_allclose(image, A[:, block] @ v, atol=1e-14)


def test_one_block_is_plain_frank_wolfe(rng):
    A, b = rng.standard_normal((30, 5)), rng.standard_normal(30)
    f = fw.Logistic(A, np.sign(b))
    one = fw.Problem(f, fw.Product([(fw.L2Ball(1.3), 5)]))
    pairs = [
        (fw.methods.block_coordinate("cyclic"), fw.frank_wolfe(fw.steps.ExactLineSearch())),
        (fw.methods.block_coordinate("cyclic", line_search=False), fw.frank_wolfe()),
    ]
    for ours, plain in pairs:
        runs = zip(fw.states(one, ours), fw.states(one, plain), strict=False)
        for mine, other in islice(runs, 20):
            np.testing.assert_allclose(mine.x, other.x, atol=1e-9)
            assert mine.value == pytest.approx(other.value, abs=1e-12)


@pytest.mark.parametrize("order", ORDERS)
def test_a_block_step_is_a_frank_wolfe_step_with_the_others_fixed(order, rng):
    # a sweep by hand: the block that moved is a line search away, the rest is where it was
    problem = _problem(rng, blocks=2)
    f, region = problem.objective, problem.region
    state = fw.methods.block_coordinate(order).init(problem)
    x = state.x
    fw.methods.block_coordinate(order).advance(state)

    def after(x, block, part):
        g = f.grad(x)
        s = x.copy()
        s[block] = part.lmo(g[block]).dense(block.stop - block.start)
        image, ahead = np.empty(f.m), np.empty(f.m)
        f.image(x, image)
        f.image(s, ahead)
        _, slope, curvature = f.along(image, ahead - image, 0.0)
        return x + min(1.0, -slope / curvature) * (s - x)

    ways = [(0, 1)] if order == "cyclic" else [(0, 0), (0, 1), (1, 0), (1, 1)]
    ends = []
    for way in ways:
        point = x
        for i in way:
            point = after(point, region.blocks[i], region.regions[i])
        ends.append(point)
    assert min(np.abs(state.x - end).max() for end in ends) < 1e-10


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("line_search", [True, False])
def test_every_order_converges_with_certificates(order, line_search, rng):
    problem = _problem(rng)
    best = fw.minimize(problem.objective, problem.region, method="pairwise", tol=1e-8).fun
    method = fw.methods.block_coordinate(order, line_search=line_search)
    for state in islice(fw.states(problem, method), 400):
        assert state.certified
        assert state.gap >= state.value - best - 1e-9
        assert problem.region.violation(state.x) <= 1e-10
        image = np.empty(problem.objective.m)
        problem.objective.image(state.x, image)
        np.testing.assert_allclose(state.iterate.image, image, atol=1e-10)
    assert state.value - best < 1e-2 * max(1.0, best)


def test_block_gaps_sum_up_to_the_gap_and_draw_the_worst_blocks(rng):
    # one block alone is far from its optimum: it is drawn far more often than the others
    size, far = 3, 4
    target = np.tile([1.0, 0.0, 0.0], 8)
    target[far * size : (far + 1) * size] = [0.3, 0.3, 0.4]
    region = fw.Product([(fw.Simplex(), size)] * 8)
    f = fw.SquaredError(np.eye(24), target, reduction="sum")
    x0 = np.tile([1.0, 0.0, 0.0], 8)
    method = fw.methods.block_coordinate("gap")
    state = method.init(fw.Problem(f, region), x0)
    gaps = state.memory.gaps
    assert gaps.sum() == pytest.approx(state.model_gap)
    np.testing.assert_array_equal(np.flatnonzero(gaps), [far])
    picks = [method._pick(np.random.default_rng(i), gaps) for i in range(50)]
    assert set(picks) == {far}
    method.advance(state)
    moved = np.flatnonzero(state.x != x0) // size
    assert set(moved) == {far}


@pytest.mark.parametrize("order", ORDERS)
def test_a_resumed_run_is_the_run_that_was_not_stopped(order, rng, tmp_path):
    problem, path = _problem(rng), tmp_path / "run.npz"
    f, region, method = (
        problem.objective,
        problem.region,
        fw.methods.block_coordinate(order, seed=5),
    )
    whole = fw.minimize(f, region, method=method, stop=fw.Iterations(300))
    callback = [fw.Checkpoint(path, every=130)]
    fw.minimize(f, region, method=method, stop=fw.Iterations(130), callback=callback)
    resumed = fw.minimize(f, region, method=method, stop=fw.Iterations(300), resume=path)
    np.testing.assert_array_equal(whole.x, resumed.x)
    np.testing.assert_array_equal(whole.history["gap"], resumed.history["gap"])
    assert (whole.njev, whole.nlmo, whole.nfev) == (resumed.njev, resumed.nlmo, resumed.nfev)


def test_gradients_of_a_plain_function_are_counted():
    calls = []
    f = fw.Function(lambda x: float((x - 2) @ (x - 2)), lambda x: calls.append(1) or 2 * (x - 2))
    region = fw.Product([(fw.Box(0.0, 1.0), 2), (fw.L2Ball(1.0), 2)])
    for line_search in (True, False):
        calls.clear()
        method = fw.methods.block_coordinate(line_search=line_search)
        result = fw.minimize(f, region, x0=np.zeros(4), method=method, max_iter=5, tol=0.0)
        assert result.njev == len(calls)


def test_bad_orders_are_named():
    with pytest.raises(fw.InvalidInput, match="order must be one of cyclic, random, gap"):
        fw.methods.block_coordinate("best")
