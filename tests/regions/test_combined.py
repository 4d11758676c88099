"""Regions made of others: abilities that follow, errors that add up, and bad input."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import OBJECTS, region_examples
from hypothesis import given, settings
from hypothesis import strategies as st

import frankwolfe as fw
from frankwolfe.core.atoms import Dense, Sparse, Vertex
from frankwolfe.core.region_abilities import Accuracy
from frankwolfe.methods import METHODS
from frankwolfe.regions import Region
from frankwolfe.subproblems.nearest import nearest

USUAL = Accuracy(math.inf, math.inf, 1.0, 20)


class Rough(fw.L2Ball):
    """A ball whose oracle is off by a known amount, and says so."""

    def inexact_lmo(self, g, memory, wanted):
        atom, value, _ = super().inexact_lmo(g, memory, wanted)
        s = 0.9 * atom.dense(g.size)
        return Dense(s), float(s @ g), float(s @ g) - value


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: fw.regions.Scaled(3, 2.0), "region must be a region such as Simplex.*got int"),
        (lambda: fw.regions.Scaled(fw.Box(), 0.0), "factor must not be zero"),
        (lambda: fw.regions.Scaled(fw.Box(), np.inf), "factor must be a finite number, got inf"),
        (
            lambda: fw.regions.Scaled(fw.NuclearBall(), 2.0),
            "must be a region of vectors.*holds matrices",
        ),
        (lambda: fw.regions.Shifted(fw.Box(), [1.0, np.nan]), "offset must be finite"),
        (lambda: fw.regions.Shifted(fw.Box(), []), "offset must be a non-empty vector"),
        (lambda: fw.regions.Shifted(fw.Birkhoff(2), [1.0]), "offset must have 4 entries, got 1"),
        (
            lambda: fw.regions.Shifted(fw.Hypersimplex(3), [1.0]),
            "needs at least 3 variables, got 1",
        ),
        (lambda: fw.MinkowskiSum([]), "terms must be regions .* got none"),
        (lambda: fw.MinkowskiSum(fw.Box()), "terms must be regions .* got Box"),
        (lambda: fw.MinkowskiSum(3), "terms must be regions .* got int"),
        (lambda: fw.MinkowskiSum([fw.Box(), "x"]), "each of the terms must be a region"),
        (lambda: fw.MinkowskiSum([fw.Birkhoff(2), fw.Birkhoff(3)]), "one number .* got 4 and 9"),
        (lambda: fw.regions.LinearImage(np.ones(3), fw.Box()), "matrix must be a non-empty matrix"),
        (lambda: fw.regions.LinearImage([[np.nan]], fw.Box()), "matrix must be finite"),
        (
            lambda: fw.regions.LinearImage(np.ones((2, 3)), fw.Birkhoff(2)),
            "each of the 4 variables",
        ),
        (
            lambda: fw.regions.LinearImage(np.ones((2, 3)), fw.Hypersimplex(4)),
            "at least 4 variables",
        ),
        (lambda: fw.regions.LinearImage(np.ones((2, 3)), 7), "region must be a region"),
        (lambda: fw.regions.Cached(fw.Box(), 0), "size must be a whole number >= 1, got 0"),
        (lambda: fw.regions.Cached(fw.Spectraplex()), "must be a region of vectors"),
        (lambda: fw.regions.Counted(None), "region must be a region"),
    ],
)
def test_bad_combinations_say_what_is_wrong(make, words):
    with pytest.raises(fw.InvalidInput, match=words) as caught:
        make()
    assert str(caught.value).count("\n") == 0
    assert str(caught.value).endswith(".")


def test_sets_that_coincide(rng):
    points = rng.standard_normal((7, 4))
    away = rng.standard_normal(4)
    for one, other in (
        (fw.regions.Scaled(fw.L1Ball(1.5), -2.0), fw.L1Ball(3.0)),
        (fw.regions.Scaled(fw.Simplex(), 2.5), fw.Simplex(2.5)),
        (fw.regions.Scaled(fw.regions.Scaled(fw.Box(-1.0, 2.0), -1.0), 2.0), fw.Box(-4.0, 2.0)),
        (fw.regions.Shifted(fw.L2Ball(0.5), away), fw.L2Ball(0.5, center=away)),
        (fw.regions.Shifted(fw.Box(0.0, 1.0), away), fw.Box(away, away + 1.0)),
        (fw.MinkowskiSum([fw.Simplex(), fw.Simplex(2.0)]), fw.Simplex(3.0)),
        (fw.MinkowskiSum([fw.Box(0.0, 1.0), fw.LInfBall(0.5)]), fw.Box(-0.5, 1.5)),
        (fw.regions.LinearImage(points.T, fw.Simplex()), fw.ConvexHull(points)),
        (fw.regions.LinearImage(sp.csr_array(points.T), fw.Simplex()), fw.ConvexHull(points)),
        (fw.regions.LinearImage(2.0 * np.eye(4), fw.L2Ball()), fw.L2Ball(2.0)),
        (fw.regions.Cached(fw.KSparse(2)), fw.KSparse(2)),
        (fw.regions.Counted(fw.Hypersimplex(2)), fw.Hypersimplex(2)),
    ):
        assert one.polytope == other.polytope
        for x in rng.standard_normal((20, 4)):
            np.testing.assert_allclose(one.lmo(x).dense(4), other.lmo(x).dense(4), atol=1e-13)
            assert one.contains(x) == other.contains(x), (one, x)
            inside = other.lmo(x).dense(4) * 0.5 + other.start(4) * 0.5
            assert one.contains(inside, 1e-9)


@pytest.mark.parametrize(
    ("inner", "kind"),
    [
        (fw.L1Ball(1.5), Vertex),
        (fw.Hypersimplex(2), Sparse),
        (fw.Birkhoff(2), Sparse),
        (fw.LInfBall(0.5), Dense),
    ],
    ids=repr,
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_multiple_of_an_atom_has_as_few_entries(inner, kind, dtype, rng):
    g = rng.standard_normal(4).astype(dtype)
    atom = fw.regions.Scaled(inner, -1.7).lmo(g)
    assert isinstance(atom, kind)
    np.testing.assert_allclose(atom.dense(4), -1.7 * inner.lmo(-g).dense(4), rtol=1e-6)


FACED = [fw.L1Ball(1.3), fw.Simplex(), fw.Box(-1.0, 0.5), fw.Hypersimplex(2), fw.KSparse(2, 1.5)]
AROUND = [
    lambda inner: fw.regions.Scaled(inner, -1.5),
    lambda inner: fw.regions.Shifted(inner, np.linspace(-1.0, 2.0, 6)),
    fw.regions.Counted,
    fw.regions.Cached,
]


@pytest.mark.parametrize("inner", FACED, ids=repr)
@pytest.mark.parametrize("around", range(len(AROUND)))
def test_every_method_runs_around_a_region_as_over_it(inner, around, rng):
    region = AROUND[around](inner)
    A, b = rng.standard_normal((20, 6)), rng.standard_normal(20)
    f = fw.SquaredError(A, b, reduction="sum")
    best = fw.minimize(f, region, tol=1e-10)
    assert best.success
    for name, recipe in METHODS.items():
        if recipe().accepts(fw.Problem(f, region)) is not None:
            continue
        result = fw.minimize(f, region, method=name, tol=1e-6, max_iter=60)
        assert region.violation(result.x) <= 1e-10, name
        assert result.lower_bound <= best.fun + 1e-9, name
        assert result.fun >= best.lower_bound - 1e-9, name


@pytest.mark.parametrize("inner", [*FACED, fw.L2Ball(0.7), fw.GroupBall([0, 0, 1, 1, 2, 2])])
def test_what_the_inner_region_offers_is_offered(inner):
    for around in AROUND:
        region = around(inner)
        for name in OBJECTS:
            assert (getattr(region, name) is None) == (getattr(inner, name) is None)
        assert region.strongly_convex == inner.strongly_convex
    assert fw.regions.Scaled(fw.LpBall(3.0), 2.0).projection is None


def test_proofs_go_through(rng):
    f = fw.SquaredError(rng.standard_normal((12, 4)), rng.standard_normal(12))
    away = rng.standard_normal(4)
    for region in (
        fw.regions.Scaled(fw.Simplex(), -1.5),
        fw.regions.Shifted(fw.L1Ball(0.5), away),
        fw.MinkowskiSum([fw.Simplex(), fw.L2Ball(0.3)]),
        fw.regions.Counted(fw.Box()),
        fw.regions.Cached(fw.L2Ball(0.5)),
    ):
        result = fw.minimize(f, region, tol=1e-8)
        proof = fw.prove(fw.Problem(f, region), result.x)
        assert proof.lower <= result.fun <= proof.lower + 1e-4
        assert proof.gap >= result.fun - fw.minimize(f, region, tol=1e-10).fun


def test_errors_of_inexact_oracles_add_up(rng):
    rough, exact = Rough(0.5), fw.L2Ball(0.5)
    M = rng.standard_normal((3, 4))
    for one, true, n in (
        (fw.Product([(rough, 2), (fw.Simplex(), 2), (rough, 3)]), None, 7),
        (fw.Product([(exact, 2), (fw.Simplex(), 2), (exact, 3)]), None, 7),
        (fw.MinkowskiSum([rough, fw.Simplex(), rough]), None, 4),
        (fw.regions.Scaled(rough, -3.0), fw.regions.Scaled(exact, -3.0), 4),
        (fw.regions.Shifted(rough, np.ones(4)), fw.regions.Shifted(exact, np.ones(4)), 4),
        (fw.regions.LinearImage(M, rough), fw.regions.LinearImage(M, exact), 3),
        (fw.regions.Cached(rough), fw.regions.Cached(exact), 4),
        (fw.regions.Counted(rough), fw.regions.Counted(exact), 4),
    ):
        memory = one.oracle_memory(n, np.dtype(float))
        for g in rng.standard_normal((5, n)):
            atom, value, error = one.inexact_lmo(g, memory, Accuracy(1.0, 1.0, 0.5, 0))
            least = one.lmo(g).dot(g) if true is None else true.lmo(g).dot(g)
            assert value == pytest.approx(atom.dot(g), abs=1e-12)
            assert value - least <= error + 1e-12
            assert error <= value - least + 1e-9
            assert one.violation(atom.dense(n)) <= 1e-9


def test_a_product_of_exact_parts_is_asked_as_before(rng):
    product = fw.Product([(fw.L2Ball(), 2), (fw.Simplex(), 3)])
    assert product.exact_oracle
    memory, g = product.oracle_memory(5, np.dtype(float)), rng.standard_normal(5)
    atom, value, error = product.inexact_lmo(g, memory, USUAL)
    assert (value, error) == (product.lmo(g).dot(g), 0.0)
    np.testing.assert_array_equal(atom.dense(5), product.lmo(g).dense(5))
    points = rng.standard_normal((6, 2))
    hull = fw.Product([(fw.ConvexHull(points), 2), (fw.Simplex(), 3)])
    assert not hull.exact_oracle
    assert hull.inexact_lmo(g, hull.oracle_memory(5, np.dtype(float)), USUAL)[2] > 0.0


def test_certificates_hold_over_rough_parts(rng):
    A, b = rng.standard_normal((20, 6)), 3.0 * rng.standard_normal(20)
    f = fw.SquaredError(A, b)
    for rough, exact in (
        (
            fw.Product([(Rough(), 3), (fw.Simplex(), 3)]),
            fw.Product([(fw.L2Ball(), 3), (fw.Simplex(), 3)]),
        ),
        (fw.MinkowskiSum([Rough(), fw.Simplex()]), fw.MinkowskiSum([fw.L2Ball(), fw.Simplex()])),
    ):
        best = fw.minimize(f, exact, tol=1e-9)
        loose = fw.minimize(f, rough, method="frank_wolfe", max_iter=60)
        assert loose.lower_bound <= best.fun + 1e-12
        assert loose.gap >= loose.fun - best.fun - 1e-12


class TestCached:
    def problem(self, seed=0):
        M = np.random.default_rng(seed).random(36) / 6
        return fw.SquaredError(np.eye(36), M, reduction="sum")

    @pytest.mark.parametrize(
        "method",
        [
            fw.frank_wolfe(fw.steps.ExactLineSearch()),
            fw.methods.away_step(),
            fw.blended_pairwise(),
            fw.methods.partan(),
        ],
        ids=lambda method: method.name,
    )
    def test_fewer_calls_and_a_certificate_that_holds(self, method):
        f, inner = self.problem(), fw.regions.Counted(fw.Birkhoff(6))
        best = fw.minimize(f, fw.Birkhoff(6), tol=1e-10).fun
        result = fw.minimize(f, fw.regions.Cached(inner), method=method, tol=1e-4, max_iter=5000)
        assert result.success
        assert result.lower_bound <= best + 1e-12
        assert result.gap >= result.fun - best - 1e-12
        assert inner.calls < 0.6 * result.nlmo

    def test_the_oldest_atoms_leave(self, rng):
        region = fw.regions.Cached(fw.Birkhoff(3), size=2)
        memory = region.oracle_memory(9, np.dtype(float))
        for g in rng.standard_normal((30, 9)):
            region.inexact_lmo(g, memory, USUAL)
            assert len(memory.atoms) <= 2

    def test_it_does_not_answer_twice_where_it_led_nowhere(self):
        inner = fw.regions.Counted(fw.Simplex())
        region = fw.regions.Cached(inner)
        memory = region.oracle_memory(3, np.dtype(float))
        g = np.array([1.0, 2.0, 3.0])
        wanted = Accuracy(10.0, 1.0, 1.0, 20)
        errors = [region.inexact_lmo(g, memory, wanted)[2] for _ in range(4)]
        assert errors == [0.0, math.inf, 0.0, math.inf]
        assert inner.calls == 2

    def test_plain_calls_remember_nothing(self, rng):
        inner = fw.regions.Counted(fw.Birkhoff(3))
        region, g = fw.regions.Cached(inner), rng.standard_normal(9)
        first = region.lmo(g).dense(9)
        region.lmo(-g)
        np.testing.assert_array_equal(region.lmo(g).dense(9), first)
        assert inner.calls == 3


def test_counts_and_times():
    region = fw.regions.Counted(fw.NuclearBall(2.0))
    rng = np.random.default_rng(0)
    rows, columns = np.nonzero(rng.random((8, 6)) < 0.6)
    f = fw.Completion((rows, columns, rng.standard_normal(rows.size)), shape=(8, 6))
    before = region.fingerprint()
    result = fw.minimize(f, region, tol=1e-6)
    assert result.success
    assert region.calls == result.nlmo > 0
    assert region.seconds > 0.0
    assert region.fingerprint() == before
    region.reset()
    assert (region.calls, region.seconds) == (0, 0.0)


def test_images_of_other_types(rng):
    M = rng.standard_normal((3, 5)).astype(np.float32)
    region = fw.regions.LinearImage(M, fw.Simplex())
    g = rng.standard_normal(3)
    np.testing.assert_array_equal(region.lmo(g).dense(3), M[:, (M.T @ g).argmin()])
    narrow = fw.regions.LinearImage(M.astype(float), fw.L2Ball()).lmo(g.astype(np.float32))
    assert narrow.array.dtype == np.float32
    flat = fw.regions.LinearImage([[1.0, 1.0], [1.0, 1.0]], fw.Box())  # of one dimension
    assert flat.contains([0.5, 0.5])
    assert not flat.contains([0.5, 0.6])


@settings(max_examples=60)
@given(st.integers(0, 10**6))
def test_the_nearest_point_is_that_of_the_projection(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 7))
    low = rng.integers(-3, 3, n).astype(float)
    box = fw.Box(low, low + rng.choice([0.5, 1.0, 3.0], n))
    for region in (box, fw.Simplex(2.0), fw.L1Ball(1.5), fw.L2Ball(0.7)):
        p = rng.integers(-3, 4, n) * rng.choice([0.0, 0.3, 1.0], n)
        true = float(np.linalg.norm(region.project(p).x - p))
        found = nearest(lambda g, r=region, n=n: r.lmo(g).dense(n), p, region.start(n))
        assert region.violation(found.x) <= 1e-9
        assert found.below <= true + 1e-9
        assert found.above >= true - 1e-9
        loose = 1e-8 if region.polytope else 1e-3
        assert found.above - found.below <= loose


def test_a_sum_of_intervals_is_a_zonotope(rng):
    """Against all corners: each of the 2^5 sums of ends."""
    ends = rng.standard_normal((5, 2))
    sum_ = fw.MinkowskiSum([fw.ConvexHull(np.array([end, -end])) for end in ends])
    signs = np.array(np.meshgrid(*[[-1.0, 1.0]] * 5)).reshape(5, -1).T
    corners = signs @ ends
    for g in rng.standard_normal((20, 2)):
        assert sum_.lmo(g).dot(g) == pytest.approx((corners @ g).min(), rel=1e-12)
    hull = fw.ConvexHull(corners)
    for x in rng.standard_normal((30, 2)):
        assert sum_.contains(x) == hull.contains(x)


SAID = (  # all but what only methods for one region ask
    *("polytope", "strongly_convex", "strictly_convex", "flat_faces", "sparse_atoms"),
    *("many_vertices", "costly_oracle", "dimension"),
    *("exactness", "loose_diameter"),
)


@pytest.mark.parametrize("region", region_examples(), ids=repr)
def test_what_is_said_of_a_region_is_said_of_one_around_it(region):
    for name in SAID:
        assert getattr(fw.regions.Counted(region), name) == getattr(region, name)


RESUMED = [
    (
        fw.regions.LinearImage(
            np.random.default_rng(1).standard_normal((4, 9)), fw.regions.Cached(fw.Simplex())
        ),
        4,
    ),
    (fw.Product([(fw.regions.Cached(fw.Birkhoff(2)), 4), (fw.ConvexHull(np.eye(3)), 3)]), 7),
    (fw.MinkowskiSum([fw.regions.Cached(fw.L1Ball()), fw.L2Ball()]), 4),
    (fw.regions.Scaled(fw.ConvexHull(np.eye(3)), -2.0), 3),
]


@pytest.mark.parametrize(("region", "n"), RESUMED, ids=repr)
def test_regions_within_regions_are_resumed(region, n, rng, tmp_path):
    f = fw.SquaredError(rng.standard_normal((20, n)), 3.0 * rng.standard_normal(20))
    path, method = tmp_path / "run.npz", "blended_pairwise"
    whole = fw.minimize(f, region, method=method, stop=fw.Iterations(40))
    part = fw.Checkpoint(path, every=5)
    fw.minimize(f, region, method=method, stop=fw.Iterations(17), callback=part)
    resumed = fw.minimize(f, region, method=method, stop=fw.Iterations(40), resume=path)
    np.testing.assert_array_equal(resumed.x, whole.x)
    assert resumed.nlmo == whole.nlmo


def test_remembered_atoms_of_no_variable_are_refused(rng):
    region = fw.regions.Cached(fw.Simplex())
    memory = region.oracle_memory(5, np.dtype(float))
    region.inexact_lmo(rng.standard_normal(5), memory, USUAL)
    arrays = memory.pack()
    for wrong in (-1, 5):
        broken = {**arrays, "atoms/indices": np.array([wrong])}
        with pytest.raises(ValueError, match="no variable"):
            region.oracle_memory(5, np.dtype(float)).restore(broken)


@pytest.mark.parametrize("n", [1, 4, 30, 120])
def test_points_a_little_outside_are_found_out(n, rng):
    k = n + 20
    M = rng.standard_normal((n, k))
    for region in (
        fw.MinkowskiSum([fw.L1Ball(), fw.L2Ball(0.5)]),
        fw.MinkowskiSum([fw.Simplex(), fw.LInfBall(0.2)]),
        fw.regions.LinearImage(M, fw.L2Ball()),
        fw.regions.LinearImage(M, fw.Box()),
        fw.regions.LinearImage(M, fw.GroupBall(np.arange(k) // 3)),
    ):
        g = rng.standard_normal(n)
        atom, outward = region.lmo(g).dense(n), -g / np.linalg.norm(g)
        assert region.violation(atom) <= 1e-12
        assert region.violation(0.9 * atom + 0.1 * region.middle(n)) <= 1e-12
        for far in (1e-2, 1e-5):
            away = far * region.diameter(n)  # the nearest point is the atom
            assert region.violation(atom + away * outward) == pytest.approx(far, rel=0.01)


def test_a_small_set_far_away_is_not_taken_for_a_large_one(rng):
    far = np.full(3, 1e6)
    region = fw.MinkowskiSum([fw.regions.Shifted(fw.L2Ball(1e-2), far), fw.Box(0.0, 1e-2)])
    assert region.contains(region.middle(3))
    assert not region.contains(region.middle(3) + 0.1)
    assert not region.contains(region.middle(3) + 0.02)


def _uses(n: int) -> dict[str, Callable[[Region], object]]:
    f = fw.SquaredError(np.eye(n), np.arange(1.0, n + 1.0))
    return {
        "minimize": lambda region: fw.minimize(f, region),
        "rows": lambda region: fw.minimize(f, region, subject_to=fw.Affine(np.ones((1, n)), 0, 1)),
        "intersection": lambda region: fw.minimize(f, fw.Intersection(fw.L2Ball(), region)),
        "product": lambda region: fw.Product([(region, n)]),
        "project": lambda region: fw.project(np.ones(n), region),
        "contains": lambda region: region.contains(np.ones(n)),
        "lmo": lambda region: region.lmo(np.ones(n)),
    }


@pytest.mark.parametrize("use", _uses(1))
def test_another_number_of_variables_is_named_before_any_work(use):
    """Also where it is a wrapper that fixes the number, and around wrappers."""
    fixed = [region for region in region_examples() if region.dimension is not None]
    fixed += [fw.regions.Shifted(fw.regions.Scaled(fw.L1Ball(), 2.0), np.ones(3))]
    for region in fixed:
        n = region.dimension + 1
        for made in (
            region,
            fw.regions.Scaled(region, 2.0),
            fw.regions.Cached(region),
            fw.regions.Counted(region),
        ):
            with pytest.raises(fw.InvalidInput, match=rf"\b{n - 1}\b.*\b{n}\b"):
                _uses(n)[use](made)
