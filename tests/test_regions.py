"""Laws that every registered region obeys."""

from __future__ import annotations

import math

import numpy as np
import pytest
from conftest import N, atoms_of, points_of, region_examples
from scipy.optimize import linprog

import frankwolfe as fw
from frankwolfe import InvalidInput
from frankwolfe.regions import REGIONS

EXAMPLES = region_examples()


def _name(region):
    return repr(region)


@pytest.mark.parametrize("region", EXAMPLES, ids=_name)
class TestLaws:
    def test_atoms_lie_in_the_region(self, region, rng):
        for atom in atoms_of(region, rng, 50):
            assert region.violation(atom) <= 1e-12

    def test_oracle_beats_thousands_of_points(self, region, rng):
        points = points_of(region, rng, 3000)
        assert max(region.violation(x) for x in points[:100]) <= 1e-12
        for g in rng.standard_normal((20, N)):
            atom = region.lmo(g)
            assert atom.dot(g) <= (points @ g).min() + 1e-12

    def test_atom_operations_equal_the_dense_ones(self, region, rng):
        A, out = rng.standard_normal((9, N)), np.empty(9)
        for g in rng.standard_normal((5, N)):
            atom, x = region.lmo(g), rng.standard_normal(N)
            dense = atom.dense(N)
            assert atom.dot(x) == pytest.approx(dense @ x, abs=1e-14)
            buffer = x.copy()
            atom.add_to(buffer, 0.3)
            np.testing.assert_allclose(buffer, x + 0.3 * dense, atol=1e-14)
            fw.SquaredError(A, np.zeros(9)).image_of(atom, out)
            np.testing.assert_allclose(out, A @ dense, atol=1e-13)

    def test_dense_atoms_are_written_where_asked(self, region, rng):
        g, out = rng.standard_normal(N), np.full(N, np.nan)
        atom = region.lmo(g, out)
        if not region.sparse_atoms:
            np.testing.assert_array_equal(out, atom.dense(N))
        np.testing.assert_array_equal(atom.dense(N), region.lmo(g).dense(N))

    def test_diameter_is_the_largest_distance(self, region, rng):
        atoms = atoms_of(region, rng, 100)
        distances = np.linalg.norm(atoms[:, None] - atoms[None], axis=2)
        assert distances.max() <= region.diameter(N) * (1 + 1e-12)
        corners = np.array(np.meshgrid(*[[-1.0, 1.0]] * N)).reshape(N, -1).T
        extreme = [region.lmo(g).dense(N) for g in np.vstack([corners, np.eye(N), -np.eye(N)])]
        spread = np.array(extreme)
        distances = np.linalg.norm(spread[:, None] - spread[None], axis=2)
        assert distances.max() >= region.diameter(N) * (1 - 1e-9)

    def test_contains_and_start(self, region, rng):
        assert region.contains(region.start(N))
        center = points_of(region, rng, 200).mean(axis=0)
        for atom in atoms_of(region, rng, 10):
            beyond = center + 1.5 * (atom - center)
            if np.linalg.norm(atom - center) > 1e-6:
                assert not region.contains(beyond)

    def test_a_zero_gradient_gives_a_point_of_the_region(self, region):
        for zero in (0.0, -0.0):
            assert region.contains(region.lmo(np.full(N, zero)).dense(N), tol=1e-12)

    def test_the_gradient_is_left_alone(self, region, rng):
        g = rng.standard_normal(N)
        before = g.copy()
        region.lmo(g)
        np.testing.assert_array_equal(g, before)

    def test_float32_is_kept(self, region, rng):
        g = rng.standard_normal(N).astype(np.float32)
        atom = region.lmo(g, np.empty(N, np.float32))
        wide = region.lmo(g.astype(float))
        assert atom.dot(g) == pytest.approx(wide.dot(g.astype(float)), rel=1e-5)
        if not region.sparse_atoms:
            assert atom.array.dtype == np.float32


def test_every_registered_region_is_tested():
    assert {type(region) for region in EXAMPLES} == set(REGIONS.values())


def _linear_program(region):
    """min <g, x> over the region by scipy, where it is a polytope around zero."""
    if isinstance(region, fw.UnitSimplex):
        return {"A_ub": np.ones((1, N)), "b_ub": [region.scale], "bounds": [(0, None)] * N}
    if isinstance(region, fw.Simplex):
        return {"A_eq": np.ones((1, N)), "b_eq": [region.scale], "bounds": [(0, None)] * N}
    if isinstance(region, fw.Box):
        low, high = np.broadcast_to(region.lower, N), np.broadcast_to(region.upper, N)
        return {"bounds": list(zip(low, high, strict=True))}
    if isinstance(region, fw.LInfBall) and region.center is None:
        return {"bounds": [(-region.radius, region.radius)] * N}
    return None


@pytest.mark.parametrize("region", [r for r in EXAMPLES if _linear_program(r)], ids=_name)
def test_oracle_agrees_with_a_linear_program(region, rng):
    for g in rng.standard_normal((10, N)):
        best = linprog(g, **_linear_program(region))
        assert region.lmo(g).dot(g) == pytest.approx(best.fun, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("region", [r for r in EXAMPLES if hasattr(r, "radius")], ids=_name)
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


def test_all_negative_gradient_over_the_simplex():
    # a known defect elsewhere: an oracle that maximizes, or looks at absolute values
    assert fw.Simplex().lmo(np.array([-1.0, -3.0, -2.0])).index == 1
    assert fw.UnitSimplex().lmo(np.array([1.0, 3.0, 2.0])).value == 0.0


def test_l2_oracle_stays_in_the_ball_for_a_huge_gradient():
    atom = fw.L2Ball(1.0).lmo(1e6 * np.ones(4)).dense(4)
    assert np.linalg.norm(atom) == pytest.approx(1.0)


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
    ],
)
def test_bad_regions_say_what_is_wrong(make, words):
    with pytest.raises(InvalidInput, match=words):
        make()
