"""Transport plans: beside POT and assignments, budgets, masses of all kinds, projections."""

from __future__ import annotations

import importlib.util
import math

import numpy as np
import pytest
from scipy.spatial.distance import pdist

import frankwolfe as fw
from frankwolfe.base import MissingExtra
from frankwolfe.core.region_abilities import Accuracy
from frankwolfe.subproblems import transport_duals
from frankwolfe.subproblems.kernels import transport as kernels
from frankwolfe.subproblems.quadratics.transport import project_to_sums, with_sums

ot = pytest.importorskip("ot", reason="POT is not installed")
TIGHT = Accuracy(0.0, 0.0, 0.0, 0)


def masses(rows, columns, rng, total=1.0):
    return total * rng.dirichlet(np.ones(rows)), total * rng.dirichlet(np.ones(columns))


@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (5, 1), (3, 4), (20, 13)])
@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12, 1e300])
def test_the_oracle_is_exact_transport(shape, scale, rng):
    a, b = masses(*shape, rng)
    region = fw.Transport(a, b)
    cost = rng.standard_normal(shape) + rng.standard_normal((shape[0], 1))
    g = scale * cost.ravel()
    atom = region.lmo(g)
    assert atom.dot(g) == pytest.approx(scale * ot.emd2(a, b, cost), rel=1e-9)
    assert region.violation(atom.dense(g.size)) <= 1e-14
    assert atom.indices.size <= sum(shape) - 1
    assert (np.diff(atom.indices) > 0).all()
    assert atom.values.min() > 0.0
    memory = region.oracle_memory(g.size, g.dtype)
    for _ in range(2):  # cold, then from the potentials
        _, value, error = region.inexact_lmo(g, memory, TIGHT)
        assert value == pytest.approx(atom.dot(g), rel=1e-12)
        assert 0.0 <= error <= 1e-13 * scale


def test_with_masses_one_it_is_the_birkhoff_polytope(rng):
    one, other = fw.Transport(np.ones(5), np.ones(5)), fw.Birkhoff(5)
    assert one.diameter(25) == pytest.approx(other.diameter(25))
    for g in rng.standard_normal((20, 25)):
        np.testing.assert_allclose(one.lmo(g).dense(25), other.lmo(g).dense(25), atol=1e-14)
        np.testing.assert_allclose(one.project(g).x, other.project(g).x, atol=1e-12)
        assert one.contains(np.abs(g)) == other.contains(np.abs(g))
    x = one.middle(25)
    np.testing.assert_array_equal(x, other.middle(25))
    x = 0.5 * (np.eye(5) + np.eye(5)[[1, 0, 2, 4, 3]]).ravel()
    for g in rng.standard_normal((20, 25)):
        assert one.face_atom(g, x).dot(g) == pytest.approx(other.face_atom(g, x).dot(g))


def test_places_without_mass_get_none(rng):
    a, b = np.array([0.0, 2.0, 1.0, 0.0]), np.array([1.0, 0.0, 2.0])
    region, inner = fw.Transport(a, b), fw.Transport([2.0, 1.0], [1.0, 2.0])
    for g in rng.standard_normal((10, 4, 3)):
        part = g[1:3][:, [0, 2]].ravel()
        plan = region.lmo(g.ravel()).dense(12).reshape(4, 3)
        np.testing.assert_allclose(plan[1:3][:, [0, 2]].ravel(), inner.lmo(part).dense(4))
        assert plan.sum() == pytest.approx(3.0)
        memory = region.oracle_memory(12, g.dtype)
        assert region.inexact_lmo(g.ravel(), memory, TIGHT)[2] <= 1e-14
        nearest = region.project(g.ravel()).x.reshape(4, 3)
        np.testing.assert_allclose(
            nearest[1:3][:, [0, 2]].ravel(), inner.project(part).x, atol=1e-13
        )
        assert region.violation(nearest.ravel()) <= 1e-14
    assert region.diameter(12) == inner.diameter(4)
    f = fw.SquaredError(rng.standard_normal((20, 12)), rng.standard_normal(20))
    assert fw.minimize(f, region, tol=1e-8).success


def test_a_budget_of_pivots_leaves_a_true_bound(rng):
    a, b = masses(30, 40, rng)
    g = rng.standard_normal(1200)
    least = fw.Transport(a, b).lmo(g).dot(g)
    errors = []
    for pivots in (1, 10, 60, 10_000):
        region = fw.Transport(a, b, pivots=pivots)
        memory = region.oracle_memory(1200, g.dtype)
        atom, value, error = region.inexact_lmo(g, memory, TIGHT)
        assert region.violation(atom.dense(1200)) <= 1e-13
        assert atom.indices.size <= 69 + 70  # two forests
        assert value == pytest.approx(atom.dot(g), rel=1e-13)
        assert value - error <= least + 1e-13 <= value + 2e-13
        errors.append(error)
    assert errors[0] > 0.1
    assert errors[-1] <= 1e-13
    f = fw.squared_distance(g / 100)
    short = fw.minimize(f, fw.Transport(a, b, pivots=40), method="frank_wolfe", max_iter=20)
    best = fw.minimize(f, fw.Transport(a, b), tol=1e-10)
    assert short.certified
    assert short.lower_bound <= best.fun + 1e-12 <= short.fun + 2e-12


def test_what_was_asked_before_does_not_change_the_oracle(rng):
    region = fw.Transport(np.ones(6), np.full(4, 1.5))
    g = rng.integers(0, 3, 24).astype(float)  # ties
    before = region.lmo(g).dense(24)
    memory = region.oracle_memory(24, g.dtype)
    for other in rng.standard_normal((5, 24)):
        region.inexact_lmo(other, memory, TIGHT)
        region.lmo(other)
    np.testing.assert_array_equal(region.lmo(g).dense(24), before)


def test_without_warm_starts_it_finds_the_same(rng, monkeypatch):
    a, b = masses(8, 9, rng)
    region, g = fw.Transport(a, b), rng.standard_normal(72)
    expected = region.lmo(g).dot(g)
    monkeypatch.setattr(transport_duals, "takes_potentials", lambda: False)
    memory = region.oracle_memory(72, g.dtype)
    for _ in range(2):
        assert region.inexact_lmo(g, memory, TIGHT)[1] == pytest.approx(expected, rel=1e-13)


def test_without_pot_it_says_what_to_install(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "ot" else find(name, *rest)
    )
    with pytest.raises(
        MissingExtra, match=r'Transport needs POT, .*pip install "frankwolfe\[ot\]"'
    ):
        fw.Transport([1.0], [1.0])


@pytest.mark.parametrize(
    ("a", "b", "options", "words"),
    [
        ([], [1.0], {}, "a must be a non-empty vector"),
        ([1.0], [], {}, "b must be a non-empty vector"),
        ([[1.0]], [1.0], {}, "a must be a non-empty vector"),
        ([1.0, np.nan], [1.0], {}, "a must be finite"),
        ([1.0, 2.0], [4.0, -1.0], {}, "b must be >= 0, got -1 at entry 1"),
        ([0.0, 0.0], [0.0], {}, "a must have a finite sum > 0, got 0"),
        ([1e308, 1e308], [1.0], {}, "a must have a finite sum > 0, got inf"),
        ([0.5, 0.5], [0.5, 0.6], {}, "a and b must have the same sum, got 1 and 1.1"),
        ([1.0], [1.0 + 1e-6], {}, "same sum, got 1 and 1.000001"),
        (["x"], [1.0], {}, "a must be an array of real numbers"),
        ([1.0], [1.0], {"pivots": 0}, "pivots must be a whole number >= 1"),
    ],
)
def test_bad_masses_get_one_sentence(a, b, options, words):
    with pytest.raises(fw.InvalidInput, match=words) as caught:
        fw.Transport(a, b, **options)
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)


def test_totals_that_differ_by_rounding_are_equal(rng):
    a = np.full(7, 1.0 / 7)
    for b in (np.full(3, 1.0 / 3), np.array([0.3, 0.7 + 1e-10]), np.float32([0.3, 0.7])):
        region = fw.Transport(a, b)
        assert region.b.sum() == pytest.approx(1.0, rel=1e-15)
        g = rng.standard_normal(region.dimension)
        assert region.violation(region.lmo(g).dense(g.size)) <= 1e-15
    given = np.array([1.0, 3.0])
    fw.Transport([2.0, 2.0000000001], given)
    np.testing.assert_array_equal(given, [1.0, 3.0])
    assert fw.Transport([1, 2], [3]).mass == 3.0  # whole numbers


@pytest.mark.parametrize("total", [1e-9, 1.0, 1e9])
def test_masses_of_any_size(total, rng):
    a, b = masses(6, 7, rng, total)
    region = fw.Transport(a, b)
    g = rng.standard_normal(42)
    atom = region.lmo(g).dense(42)
    assert region.violation(atom) <= 1e-14
    assert atom @ g == pytest.approx(total * ot.emd2(a / total, b / total, g.reshape(6, 7)))
    assert region.contains(region.start(42), 1e-14)
    assert not region.contains(1.001 * atom)
    nearest = region.project(total * g).x
    assert region.violation(nearest) <= 1e-13


def test_masses_of_very_different_size(rng):
    a, b = 10.0 ** rng.uniform(-14, 0, 12), 10.0 ** rng.uniform(-14, 0, 15)
    b *= a.sum() / b.sum()
    region, g = fw.Transport(a, b), rng.standard_normal(180)
    assert region.violation(region.lmo(g).dense(180)) <= 1e-12
    _, _, error = region.inexact_lmo(g, region.oracle_memory(180, g.dtype), TIGHT)
    assert error <= 1e-10 * region.mass


@pytest.mark.parametrize("shape", [(2, 2), (2, 4), (3, 3), (2, 3)])
def test_the_diameter_of_few_cells_is_that_of_all_vertices(shape, rng):
    for a, b in (masses(*shape, rng), ([1.0] * shape[0], [shape[0] / shape[1]] * shape[1])):
        region = fw.Transport(a, b)
        n = region.dimension
        vertices = np.array([region.lmo(g).dense(n) for g in rng.standard_normal((600, n))])
        assert region.diameter(n) == pytest.approx(pdist(vertices).max(), rel=1e-10)


def test_the_diameter_of_many_cells_is_bounded(rng):
    for shape in ((4, 5), (7, 3), (2, 9)):
        a, b = masses(*shape, rng)
        region = fw.Transport(a, b)
        n = region.dimension
        vertices = np.array([region.lmo(g).dense(n) for g in rng.standard_normal((300, n))])
        farthest = pdist(vertices).max()
        assert farthest <= region.diameter(n) <= 3.0 * farthest
        assert transport_duals.farthest_bound(a, b) >= pdist(vertices).max()
    assert fw.Transport([1.0], rng.dirichlet(np.ones(30))).diameter(30) <= 1e-12
    assert fw.Transport(np.ones(20), np.ones(20)).diameter(400) == pytest.approx(math.sqrt(40))


@pytest.mark.parametrize("shape", [(1, 6), (12, 30), (30, 12), (40, 40)])
@pytest.mark.parametrize("scale", [0.0, 1e-3, 1.0, 100.0, 1e5])
def test_the_nearest_plan_is_certified(shape, scale, rng):
    a, b = masses(*shape, rng)
    region = fw.Transport(a, b)
    p = scale * rng.standard_normal(a.size * b.size)
    found = region.project(p)
    assert region.violation(found.x) <= 1e-13
    g = found.x - p
    gap = float(g @ found.x) - found.bound(g, 1.0)
    size = 1e-11 * max(1.0, scale)
    assert -size <= gap <= size
    assert abs(float(g @ found.x) - region.lmo(g).dot(g)) <= size
    if scale <= 100.0:  # farther away the path needs a guess
        path = project_to_sums(p.reshape(shape), a, b)[0]
        np.testing.assert_allclose(path.ravel(), found.x, atol=1e-9)


def test_the_nearest_plan_has_few_entries(rng):
    a, b = masses(50, 60, rng)
    x, y = rng.random((50, 2)), rng.random((60, 2))
    cost = ((x[:, None] - y) ** 2).sum(axis=2).ravel()
    nearest = fw.Transport(a, b).project(-cost / 1e-2).x
    assert 109 <= np.count_nonzero(nearest) < 400


def test_a_point_so_far_that_rounding_hides_the_sums(rng):
    a, b = masses(10, 11, rng)
    region = fw.Transport(a, b)
    p = 1e16 * rng.standard_normal(110)
    found = region.project(p)
    assert region.violation(found.x) <= 1e-13
    g = found.x - p
    assert found.bound(g, 1.0) <= region.lmo(g).dot(g) + 1e-12 * np.abs(g).max()


def test_sums_are_mended(rng):
    a, b = masses(5, 6, rng)
    for x in (np.zeros((5, 6)), rng.random((5, 6)), 1e-3 * rng.random((5, 6))):
        mended = with_sums(x.copy(), a, b)
        assert mended.min() >= 0.0
        np.testing.assert_allclose(mended.sum(axis=1), a, atol=1e-15)
        np.testing.assert_allclose(mended.sum(axis=0), b, atol=1e-15)


def test_cells_on_a_cycle_get_what_is_left():
    cells = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    a, b, values = np.array([2.0, 1.0]), np.array([1.5, 1.5]), np.zeros(4)
    kernels.spread(*cells, a, b, 1e-15, values)
    np.testing.assert_allclose(values.reshape(2, 2).sum(axis=1), [2.0, 1.0])
    np.testing.assert_allclose(values.reshape(2, 2).sum(axis=0), [1.5, 1.5])
    np.testing.assert_array_equal(np.concatenate([a, b]), np.zeros(4))


def test_an_entry_that_is_not_finite_is_seen_where_no_mass_can_be():
    region = fw.Transport([1.0, 0.0], [0.5, 0.5])
    for bad in (np.nan, np.inf, -np.inf):
        g = np.ones(4)
        g[3] = bad
        with np.errstate(invalid="ignore"):
            assert not math.isfinite(region.ask(g).dot(g))
            _, value, _ = region.inexact_lmo(g, region.oracle_memory(4, g.dtype), TIGHT)
        assert not math.isfinite(value)


@pytest.mark.parametrize(
    "method", ["interior_point", "blended_pairwise", "decomposition_invariant"]
)
def test_methods_agree_over_plans(method, rng):
    a, b = masses(5, 7, rng)
    region = fw.Transport(a, b)
    f = fw.Logistic(rng.standard_normal((60, 35)), np.sign(rng.standard_normal(60)))
    best = fw.minimize(f, region, tol=1e-9)
    other = fw.minimize(f, region, method=method, tol=1e-6, max_iter=3000)
    assert best.success
    assert other.success
    assert other.lower_bound <= best.fun + 1e-12
    assert best.lower_bound <= other.fun + 1e-12


def test_repr_and_fingerprint(rng):
    a, b = masses(3, 4, rng)
    region = fw.Transport(a, b)
    assert repr(region) == "Transport(3 x 4 plans of mass 1)"
    before = region.fingerprint()
    region.lmo(rng.standard_normal(12))
    region.diameter(12)
    assert region.fingerprint() == before != fw.Transport(a[::-1], b).fingerprint()
