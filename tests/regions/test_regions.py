"""Laws that every registered region obeys."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import N, installed, points_of, region_examples, size
from laws import RegionLaws
from programs import program
from scipy.spatial.distance import pdist

import frankwolfe as fw
from frankwolfe import InvalidInput
from frankwolfe.base.registry import key_of
from frankwolfe.regions import MATRIX_REGIONS, REGIONS, Region
from frankwolfe.regions.select import largest, smallest

EXAMPLES = region_examples()
F3 = fw.SquaredError(np.eye(3), np.ones(3))


def _name(region):
    return repr(region)


@pytest.mark.parametrize("region", EXAMPLES, ids=_name)
class TestLaws(RegionLaws):
    """For every registered region."""


def test_every_registered_region_is_tested():
    assert {type(region) for region in EXAMPLES} == set(filter(installed, REGIONS.values()))


@pytest.mark.parametrize("cls", [*REGIONS.values(), *MATRIX_REGIONS.values()])
def test_every_registered_region_is_public_and_listed(cls):
    name = cls.__name__
    assert getattr(fw.regions, name) is cls
    pages = (Path(__file__).parents[2] / "docs" / "regions").glob("*.md")
    text = "\n".join(page.read_text("utf-8") for page in pages)
    sections = re.split(r"^## ", text, flags=re.MULTILINE)
    own = [part for part in sections if part.startswith(f"`{name}`\n")]
    assert len(own) == 1
    for fact in (cls.formula, cls.atom, cls.cost):
        assert fact
        assert fact in own[0]
    assert f"pictures/{key_of(cls)}.png" in own[0]
    assert "```python\n>>> " in own[0]


def test_fingerprints_tell_regions_apart_and_know_them_again():
    first = [region.fingerprint() for region in EXAMPLES]
    assert [region.fingerprint() for region in region_examples()] == first
    assert len(set(first)) == len(first)


def test_fingerprints_hold_every_number():
    points = np.arange(6.0).reshape(3, 2)
    moved = points + np.array([[0.0, 0.0], [0.0, 1e-12], [0.0, 0.0]])
    for one, other in (
        (fw.ConvexHull(points), fw.ConvexHull(moved)),
        (fw.ConvexHull(sp.csr_array(points)), fw.ConvexHull(sp.csr_array(moved))),
        (fw.GroupBall([0, 0, 1]), fw.GroupBall([0, 1, 1])),
        (fw.KSparse(2, 1.0), fw.KSparse(2, 1.0 + 1e-12)),
        (fw.Hypersimplex(2, 1.0), fw.Hypersimplex(2, 1.0 + 1e-12)),
        (fw.Product([(fw.Box(), 3)] * 9), fw.Product([(fw.Box(), 3)] * 8 + [(fw.Box(), 4)])),
        (fw.Product([(fw.Box(), 3)]), fw.Product([(fw.Box(0.0, 1.0 + 1e-12), 3)])),
        (
            fw.regions.OracleRegion(abs, diameter=1.0),
            fw.regions.OracleRegion(abs, diameter=1.0 + 1e-12),
        ),
        (
            fw.regions.OracleRegion(abs, start=[1.0]),
            fw.regions.OracleRegion(abs, start=[1.0 + 1e-12]),
        ),
        (fw.regions.OracleRegion(abs, n=2), fw.regions.OracleRegion(min, n=2)),
    ):
        assert one.fingerprint() != other.fingerprint()


PROGRAMS = [r for r in [*EXAMPLES, fw.Birkhoff(4)] if program(r, size(r))]


@pytest.mark.parametrize("region", PROGRAMS, ids=_name)
def test_oracle_agrees_with_a_linear_program(region, rng):
    other = program(region, size(region))
    for g in rng.standard_normal((10, size(region))):
        assert region.lmo(g).dot(g) == pytest.approx(other.minimum(g), rel=1e-9, abs=1e-9)


def test_every_polytope_is_compared_with_a_linear_program():
    classes = {type(region) for region in PROGRAMS}
    wanted = {type(r) for r in EXAMPLES if r.polytope} - {fw.LpBall, fw.regions.OracleRegion}
    assert wanted <= classes


@pytest.mark.parametrize("region", [r for r in EXAMPLES if hasattr(r, "p")], ids=_name)
def test_oracle_of_a_ball_is_the_dual_norm(region, rng):
    p = region.p
    q = 1.0 if math.isinf(p) else math.inf if p == 1 else p / (p - 1)
    for g in rng.standard_normal((10, N)):
        center = 0.0 if region.center is None else g @ region.center
        expected = center - region.radius * np.linalg.norm(g, q)
        assert region.lmo(g).dot(g) == pytest.approx(expected, rel=1e-12)


def test_named_balls_are_lp_balls(rng):
    for ball, p in ((fw.L1Ball, 1), (fw.L2Ball, 2), (fw.LInfBall, math.inf)):
        g = rng.standard_normal(N)
        np.testing.assert_allclose(
            ball(1.3).lmo(g).dense(N), fw.LpBall(p, 1.3).lmo(g).dense(N), atol=1e-15
        )


@pytest.mark.parametrize(
    ("region", "x", "inside"),
    [
        (fw.LpBall(1000, 0.1), [0.2, 0.2], False),
        (fw.LpBall(200, 1e-3), [0.01], False),
        (fw.LpBall(1000, 10.0), [5.0, 5.0], True),
        (fw.L2Ball(1e200), [1e199, 0.0], True),
        (fw.L2Ball(1e-200), [1e-170, 0.0], False),
        (fw.Box([0.0, 0.0], [1e6, 1e-6]), [1.0, 1e-4], False),
        (fw.Box([0.0, 0.0], [1e6, 1e-6]), [1e6, 1e-6], True),
    ],
    ids=repr,
)
def test_membership_at_extreme_scales(region, x, inside):
    assert region.contains(np.array(x)) is inside


@pytest.mark.parametrize(
    "region",
    [
        *(fw.Simplex(2.0), fw.UnitSimplex(), fw.Hypersimplex(2), fw.regions.UnitHypersimplex(2)),
        *(fw.Box(0.0, 3.0), fw.Birkhoff(2), fw.Product([(fw.Simplex(), 2), (fw.Box(), 2)])),
    ],
    ids=_name,
)
def test_rounding_below_zero_becomes_zero(region):
    x = np.array([-1.5e-17, 0.5, -1e-11, 0.5])
    np.testing.assert_array_equal(region.snap(x), [0.0, 0.5, 0.0, 0.5])
    small = np.array([-1e-8, 0.5, 0.25, 0.25], dtype=np.float32)
    assert region.snap(small).min() == 0.0
    assert region.snap(small).dtype == np.float32
    np.testing.assert_array_equal(region.snap(np.full(4, -1e-3)), np.full(4, -1e-3))


def test_all_negative_gradient_over_the_simplex():
    # a known defect elsewhere: an oracle that maximizes, or looks at absolute values
    assert fw.Simplex().lmo(np.array([-1.0, -3.0, -2.0])).index == 1
    assert fw.UnitSimplex().lmo(np.array([1.0, 3.0, 2.0])).value == 0.0


def test_l2_oracle_stays_in_the_ball_for_a_huge_gradient():
    atom = fw.L2Ball(1.0).lmo(1e6 * np.ones(4)).dense(4)
    assert np.linalg.norm(atom) == pytest.approx(1.0)


@pytest.mark.parametrize(("n", "k"), [(1, 1), (7, 7), (40, 3), (1000, 5), (1003, 30), (1000, 900)])
def test_the_smallest_entries_are_found(n, k, rng):
    for values in (
        rng.standard_normal(n),
        rng.integers(0, 3, n).astype(float),
        np.zeros(n),
        np.sort(rng.standard_normal(n)),
        np.where(rng.random(n) < 0.1, -np.inf, rng.standard_normal(n)),
    ):
        found = smallest(values, k)
        assert found.size == np.unique(found).size == k
        np.testing.assert_array_equal(np.sort(values[found]), np.sort(values)[:k])


@pytest.mark.parametrize(("n", "k"), [(7, 3), (7, 7), (30_001, 20), (30_001, 20_000)])
def test_the_largest_sizes_are_found(n, k, rng):
    broken = np.where(np.arange(n) % (n // 3) == 0, np.nan, rng.standard_normal(n))
    for values in (rng.standard_normal(n), np.sort(rng.standard_normal(n)), np.zeros(n), broken):
        found, sizes = largest(values, k), np.where(np.isnan(values), np.inf, np.abs(values))
        assert found.size == np.unique(found).size == k
        np.testing.assert_array_equal(np.sort(sizes[found]), np.sort(sizes)[n - k :])
        least = smallest(values, k)
        order = np.where(np.isnan(values), -np.inf, values)
        np.testing.assert_array_equal(np.sort(order[least]), np.sort(order)[:k])


def test_regions_that_coincide_have_one_oracle(rng):
    points = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1]])
    for one, other in (
        (fw.KSparse(1, 1.3), fw.L1Ball(1.3)),
        (fw.KSparse(9, 1.3), fw.LInfBall(1.3)),
        (fw.Hypersimplex(1, 2.0), fw.Simplex(2.0)),
        (fw.regions.UnitHypersimplex(1, 2.0), fw.UnitSimplex(2.0)),
        (fw.regions.UnitHypersimplex(5, 2.0), fw.Box(0.0, 2.0)),
        (fw.GroupBall(["x", "y", "z"], 1.3), fw.L1Ball(1.3)),
        (fw.GroupBall([0, 0, 0], 1.3), fw.L2Ball(1.3)),
        (fw.ConvexHull(points), fw.Simplex()),
        (fw.Product([(fw.Box(), 1), (fw.Box(), 2)]), fw.Box()),
        (fw.Product([(fw.L1Ball(1.5), 3)]), fw.L1Ball(1.5)),
    ):
        assert one.diameter(3) == pytest.approx(other.diameter(3))
        assert one.polytope == other.polytope
        for x in rng.standard_normal((20, 3)):
            np.testing.assert_allclose(one.lmo(x).dense(3), other.lmo(x).dense(3), atol=1e-15)
            assert one.contains(x) == other.contains(x)


def test_a_hull_of_permutations_is_the_birkhoff_polytope(rng):
    orders = np.array(np.meshgrid(*[range(3)] * 3)).reshape(3, -1).T
    points = np.array([np.eye(3)[o].ravel() for o in orders if len(set(o)) == 3])
    hull, polytope = fw.ConvexHull(sp.coo_matrix(points)), fw.Birkhoff(3)
    assert hull.diameter(9) == pytest.approx(polytope.diameter(9))
    for g in rng.standard_normal((20, 9)):
        np.testing.assert_array_equal(hull.lmo(g).dense(9), polytope.lmo(g).dense(9))
    for x in points_of(polytope, rng, 20):
        assert hull.contains(x)
        x[:2] += 0.01, -0.01  # rows still sum to one, columns do not
        assert hull.contains(x) == polytope.contains(x) == False  # noqa: E712


def test_assignments_at_extreme_scales(rng):
    cost = rng.standard_normal((5, 5))
    best = fw.Birkhoff(5).lmo(cost.ravel()).indices
    for scale in (1e-300, 1e300):
        np.testing.assert_array_equal(fw.Birkhoff(5).lmo(scale * cost.ravel()).indices, best)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_the_diameter_of_many_points_is_bounded(kind, rng):
    points = rng.standard_normal((2100, 4)) * (rng.random((2100, 4)) < 0.7) + 0.0
    few = points[:60]
    assert fw.ConvexHull(kind(few)).diameter(4) == pytest.approx(pdist(few).max(), rel=1e-14)
    exact = pdist(points).max()
    assert exact * (1 - 1e-12) <= fw.ConvexHull(kind(points)).diameter(4) <= 2 * exact


def test_a_hull_far_from_zero_and_a_hull_of_one_point(rng):
    points = 1e7 + rng.standard_normal((10, 3))
    assert fw.ConvexHull(points).diameter(3) == pytest.approx(pdist(points).max(), rel=1e-12)
    assert fw.ConvexHull(points).contains(points.mean(axis=0))
    one = fw.ConvexHull([[1.0, 2.0]])
    assert one.diameter(2) == 0.0
    assert one.contains([1.0, 2.0])
    assert not one.contains([1.0, 2.001])


def test_a_product_knows_its_blocks(rng):
    product = fw.Product([(fw.Simplex(), 2), (fw.L2Ball(2.0), 3), (fw.Birkhoff(2), 4)])
    x = product.start(9)
    for region, block in zip(product.regions, product.blocks, strict=True):
        assert region.contains(x[block])
    assert not product.polytope
    assert product.diameter(9) == pytest.approx(math.sqrt(2 + 16 + 4))
    outside = x.copy()
    outside[product.blocks[1]] = 3.0
    assert not product.contains(outside)


class TestOracleRegion:
    F = fw.SquaredError(np.eye(2), [1.0, 2.0])

    @staticmethod
    def corner(g):
        return -np.sign(g)

    def test_the_function_may_keep_and_change_what_it_is_given(self, rng):
        kept = []

        def spoil(g):
            kept.append(g)
            s = -np.sign(g)
            g[:] = 99.0
            return s

        A, b = rng.standard_normal((20, 3)), rng.standard_normal(20)
        f = fw.SquaredError(A, b)
        method = fw.frank_wolfe(fw.steps.ExactLineSearch())
        region = fw.regions.OracleRegion(spoil, start=np.zeros(3))
        one = fw.minimize(f, region, method=method, max_iter=50)
        other = fw.minimize(f, fw.LInfBall(1.0), method=method, max_iter=50)
        # the ball's steps are compiled: 50 steps in the unit cube, each rounded otherwise
        np.testing.assert_allclose(one.x, other.x, rtol=0.0, atol=1e-12)

    def test_an_answer_that_is_reused_does_no_harm(self):
        answer = np.zeros(2)

        def same_array(g):
            answer[:] = -np.sign(g)
            return answer

        atom = fw.regions.OracleRegion(same_array).lmo(np.ones(2))
        answer[:] = 7.0
        np.testing.assert_array_equal(atom.dense(2), [-1.0, -1.0])

    @pytest.mark.parametrize(
        ("answer", "words"),
        [
            (np.zeros(3), "the point that crooked returns must have 2 entries, got 3"),
            (np.zeros((2, 1)), "the point that crooked returns must be a non-empty vector"),
            ([np.nan, 0.0], "the point that crooked returns must be finite"),
            (None, "crooked must return a point of the region, got None"),
            ("up", "the point that crooked returns must be an array of real numbers"),
            (sp.csr_array(np.ones((1, 2))), "the point that crooked returns must be an array"),
        ],
    )
    def test_a_bad_answer_gets_one_sentence(self, answer, words):
        def crooked(g):
            return answer

        with pytest.raises(InvalidInput, match=words) as caught:
            fw.minimize(self.F, fw.regions.OracleRegion(crooked))
        assert str(caught.value).endswith(".")

    def test_an_unknown_diameter_is_said_where_it_is_asked_for(self):
        region = fw.regions.OracleRegion(self.corner, n=2)
        assert fw.minimize(self.F, region, tol=1e-3).success  # no method needs it
        words = r"the diameter of OracleRegion\(corner, 2 variables\) is unknown"
        for ask in (
            lambda: fw.Problem(self.F, region).diameter,
            lambda: fw.Product([(region, 2), (fw.Box(), 3)]).diameter(5),
        ):
            with pytest.raises(InvalidInput, match=words):
                ask()

    def test_a_start_outside_is_found_only_by_contains(self):
        blind = fw.regions.OracleRegion(self.corner)
        assert blind.contains([5.0, 0.0])
        fw.minimize(self.F, blind, x0=[5.0, 0.0], max_iter=1)
        seeing = fw.regions.OracleRegion(self.corner, contains=lambda x: bool(abs(x).max() <= 1))
        with pytest.raises(InvalidInput, match="but it is outside: scale or project it"):
            fw.minimize(self.F, seeing, x0=[5.0, 0.0])

    def test_a_function_that_breaks_down_ends_the_run(self):
        calls = []

        def jac(x):
            calls.append(1)
            return 2 * (x - 0.3) if len(calls) <= 5 else np.full(2, np.nan)

        region = fw.regions.OracleRegion(self.corner, n=2)
        result = fw.minimize(
            lambda x: float((x - 0.3) @ (x - 0.3)), region, jac=jac, method="frank_wolfe"
        )
        assert result.status is fw.Status.NOT_FINITE

    @pytest.mark.parametrize("method", ["frank_wolfe", "afw"])
    def test_a_function_that_maximizes_is_found_out(self, method):
        with pytest.raises(InvalidInput, match="sign must return a minimizer of <g, s>"):
            fw.minimize(self.F, fw.regions.OracleRegion(np.sign, n=2), method=method)

    def test_a_callable_without_a_name(self):
        class Corner:
            def __call__(self, g):
                return -np.sign(g)

        assert (
            repr(fw.regions.OracleRegion(Corner()))
            == "OracleRegion(Corner, any number of variables)"
        )


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: fw.L2Ball(0.0), "radius must be a finite number > 0"),
        (lambda: fw.L1Ball(-1), "radius must be a finite number > 0, got -1"),
        (lambda: fw.LInfBall(np.nan), "radius"),
        (lambda: fw.L2Ball("big"), "radius must be a finite number > 0, got 'big'"),
        (lambda: fw.L2Ball(1.0, center=[1.0, np.inf]), "center must be finite"),
        (lambda: fw.L2Ball(1.0, center=[[1.0]]), "center must be a non-empty vector"),
        (lambda: fw.LpBall(0.5), "p must be a number >= 1"),
        (lambda: fw.LpBall(np.nan), "p must be"),
        (lambda: fw.Simplex(0), "scale"),
        (lambda: fw.Box(1.0, 0.0), "lower must not exceed upper"),
        (lambda: fw.Box(0.0, np.inf), "finite"),
        (lambda: fw.Box([0.0, 1.0], [1.0, 2.0, 3.0]), "one length"),
        (lambda: fw.Box([], []), "empty"),
        (lambda: fw.KSparse(0), "k must be a whole number >= 1, got 0"),
        (lambda: fw.KSparse(2.5), "k must be a whole number >= 1, got 2.5"),
        (lambda: fw.KSparse(2, -1.0), "radius must be a finite number > 0"),
        (lambda: fw.Hypersimplex(True), "k must be a whole number"),
        (lambda: fw.Hypersimplex(2, 0.0), "scale must be a finite number > 0"),
        (lambda: fw.Hypersimplex(4).lmo(np.ones(3)), "needs at least 4 variables, got 3"),
        (lambda: fw.minimize(F3, fw.Hypersimplex(4)), "needs at least 4 variables, got 3"),
        (lambda: fw.regions.UnitHypersimplex(-1), "k must be a whole number"),
        (lambda: fw.Birkhoff(0), "n must be a whole number >= 1"),
        (lambda: fw.Birkhoff(3).lmo(np.ones(3)), "g must have 9 entries, got 3"),
        (lambda: fw.Birkhoff(3).lmo(np.ones((3, 3))), "g must be a non-empty vector"),
        (lambda: fw.minimize(F3, fw.Birkhoff(2)), "has 4 variables, the objective 3"),
        (lambda: fw.GroupBall([]), "groups must hold one label for each variable"),
        (lambda: fw.GroupBall([[0, 1], [2, 3]]), r"one label .* got an array of shape \(2, 2\)"),
        (lambda: fw.GroupBall([[0, 1], [2]]), "groups must hold one label for each variable"),
        (lambda: fw.GroupBall([0.0, np.nan]), "some are NaN or infinity"),
        (lambda: fw.GroupBall(np.array([1, "a", None], object)), "all of one kind"),
        (lambda: fw.GroupBall([0, 1], 0.0), "radius must be a finite number > 0"),
        (lambda: fw.GroupBall([0, 1]).lmo(np.ones(3)), "g must have 2 entries, got 3"),
        (lambda: fw.ConvexHull([1.0, 2.0]), r"points must be a non-empty matrix \(rows are points"),
        (lambda: fw.ConvexHull(np.zeros((0, 2))), "points must be a non-empty matrix"),
        (lambda: fw.ConvexHull([[1.0, np.nan]]), "points must be finite"),
        (lambda: fw.ConvexHull(sp.csr_array([[1.0, np.inf]])), "points must be finite"),
        (lambda: fw.ConvexHull([["a"]]), "points must be an array of real numbers"),
        (lambda: fw.Product([]), "blocks must be pairs .* got none"),
        (lambda: fw.Product(3), "blocks must be pairs .* got '3'"),
        (lambda: fw.Product([fw.Box()]), "blocks must be pairs"),
        (lambda: fw.Product([(3, 3)]), "got int for a region"),
        (lambda: fw.Product([(fw.Box(), 0)]), "the size of a block must be a whole number >= 1"),
        (lambda: fw.Product([(fw.Birkhoff(2), 3)]), "has 4 variables, its block 3"),
        (lambda: fw.Product([(fw.Hypersimplex(4), 3)]), "needs at least 4 variables, got 3"),
        (lambda: fw.Product([(fw.NuclearBall(), 4)]), "holds matrices"),
        (lambda: fw.regions.OracleRegion(3), "lmo must be a function g -> s, got int"),
        (lambda: fw.regions.OracleRegion(abs, n=0), "n must be a whole number >= 1"),
        (
            lambda: fw.regions.OracleRegion(abs, diameter=-1.0),
            "diameter must be a finite number >= 0",
        ),
        (
            lambda: fw.regions.OracleRegion(abs, n=2, start=[1.0]),
            "start must have 2 entries, got 1",
        ),
        (lambda: fw.regions.OracleRegion(abs, start=[np.nan]), "start must be finite"),
        (lambda: fw.regions.OracleRegion(abs, contains=3), "contains must be a function"),
        (
            lambda: fw.regions.OracleRegion(abs, start=[1.0], contains=lambda x: x),
            "contains must return True or False, got ndarray",
        ),
        (
            lambda: fw.regions.OracleRegion(abs, start=[1.0], contains=lambda x: False),
            "start must lie in the region",
        ),
        (
            lambda: fw.minimize(F3, fw.regions.OracleRegion(abs, n=2)),
            "has 2 variables, the objective 3",
        ),
    ],
)
def test_bad_regions_say_what_is_wrong(make, words):
    with pytest.raises(InvalidInput, match=words) as caught:
        make()
    assert str(caught.value).count("\n") == 0
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize("p", [1.0, 1.5, 3.0, np.inf])
def test_a_point_that_rounding_leads_out_of_an_lp_ball_is_drawn_back(p, rng):
    center = 1e5 * rng.standard_normal(6)
    ball = fw.LpBall(p, 0.1, center=center)
    x = ball.lmo(rng.standard_normal(6)).dense(6)
    out = center + (1.0 + 1e-7) * (x - center)
    assert ball.violation(out) > 5e-8
    assert ball.violation(ball.inside(out)) <= 2e-9
    plain = fw.LpBall(p, 0.1)
    inner = 0.5 * (x - center)
    assert plain.inside(inner) is inner


def test_a_point_outside_a_hull_is_brought_back(rng):
    hull = fw.ConvexHull(rng.standard_normal((7, 4)))
    corner = hull.lmo(rng.standard_normal(4)).dense(4)
    out = corner + 1e-6 * (corner - hull.middle(4))
    assert hull.violation(out) > 1e-8
    assert hull.violation(hull.inside(out)) <= 1e-12
    inner = hull.middle(4)
    assert hull.inside(inner) is inner


SPREAD = np.random.default_rng(3).standard_normal((7, 5))
IN_UNITS: dict[str, Callable[[float], Region]] = {
    "l2": fw.L2Ball,
    "lp": lambda s: fw.LpBall(1.5, s),
    "lp above 2": lambda s: fw.LpBall(3.0, s, center=s * np.arange(5.0)),
    "groups": lambda s: fw.GroupBall([0, 0, 1, 1, 2], s),
    "box": lambda s: fw.Box(-s, 2.0 * s),
    "box with entries held": lambda s: fw.Box(s * np.array([0, 0, 1, -1, 0]), s * np.ones(5)),
    "weighted": lambda s: fw.regions.WeightedLInfBall(np.arange(1.0, 6.0), s),
    "ellipsoid": lambda s: fw.Ellipsoid(np.diag(np.arange(1.0, 6.0)), radius=s),
    "capped": lambda s: fw.CappedSimplex(np.full(5, 0.5) * s, s),
    "permutahedron": lambda s: fw.Permutahedron(s * np.arange(5.0)),
    "hull": lambda s: fw.ConvexHull(s * SPREAD),
    "sum": lambda s: fw.MinkowskiSum([fw.Simplex(s), fw.L2Ball(0.5 * s)]),
    "sum of polytopes": lambda s: fw.MinkowskiSum([fw.Box(0.0, s), fw.L1Ball(0.5 * s)]),
    "product": lambda s: fw.Product([(fw.Simplex(s), 2), (fw.L2Ball(s), 3)]),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", IN_UNITS)
@pytest.mark.parametrize("k", [-600, -300, -40, 40, 300, 600])
def test_distances_and_projections_are_the_same_in_all_units_of_x(name, k, rng):
    base, other, s = IN_UNITS[name](1.0), IN_UNITS[name](2.0**k), 2.0**k
    assert other.diameter(5) / s == pytest.approx(base.diameter(5), rel=1e-12)
    for p in rng.standard_normal((4, 5)) * [[0.1], [1.0], [3.0], [30.0]]:
        assert other.contains(s * p) == base.contains(p)
        assert other.violation(s * p) == pytest.approx(base.violation(p), rel=1e-9, abs=1e-12)
        near = base.project(p) if base.projection is not None else None
        if near is not None:
            x = other.projection.project(s * p).x / s
            np.testing.assert_allclose(x, near.x, rtol=1e-9, atol=1e-12)
