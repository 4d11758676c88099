"""Every region with round numbers: limits in per cent, k/n, equal entries, sums that meet exactly.

Gradients have ties, exact zeros of both signs, and entries one ulp apart. Nothing of this happens
with random numbers, and all of it with people's.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from conftest import installed
from minima import least
from round_numbers import ROUND, gradient, shares

import frankwolfe as fw
from frankwolfe.core.double_double import Doubled
from frankwolfe.core.region_abilities import Faces, Projector
from frankwolfe.regions import REGIONS, Region
from frankwolfe.subproblems.kernels import water_filling as fill

SEEDS = range(12)
FEW = 5  # variables up to which another solver is asked
DTYPES = (np.float64, np.float32)
ITERATED = 1e-9  # what a projection may leave that is an iteration
ORDER = {name: place for place, name in enumerate(ROUND)}
KINDS = {kind.__name__: kind for kind in REGIONS.values()}
CHOSEN = [name for name in ROUND if installed(KINDS[name])]
COSTLY = {"CvxpySet", "IntegerPolytope", "Transport", "Elliptope"}


def cases(name: str):
    """Regions of a kind, of few variables, with what makes their gradients."""
    for seed in list(SEEDS)[: 3 if name in COSTLY else None]:
        rng = np.random.default_rng([seed, ORDER[name]])
        region = ROUND[name](rng, int(rng.integers(1, 9)))
        yield region, region.dimension or int(rng.integers(region_size(region), 9)), rng


def region_size(region: Region) -> int:
    """Variables that a region needs at least."""
    n = 1
    while True:
        try:
            region.check_dimension(n)
        except fw.InvalidInput:
            n += 1
        else:
            return n


def near(region: Region, n: int, dtype: type) -> float:
    """How far outside a point may be: rounding, or what the region's solver leaves."""
    solver = region.exactness if region.exactness > 1e-12 else 0.0
    spacing = 4.0 * region.resolution(n, dtype)
    return 16.0 * n * float(np.finfo(dtype).eps) + spacing + solver


def points(region: Region, n: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Atoms, means of two and mixtures of four: on faces of all kinds."""
    atoms = np.array([region.lmo(gradient(rng, n)).dense(n) for _ in range(4)])
    return [atoms[0], 0.5 * (atoms[0] + atoms[1]), rng.dirichlet(np.ones(4)) @ atoms]


def test_every_region_is_made_of_round_numbers():
    assert set(ROUND) == set(KINDS)


@pytest.mark.parametrize("name", CHOSEN)
def test_an_atom_is_a_best_point_of_the_region(name):
    for region, n, rng in cases(name):
        for dtype in DTYPES:
            g = gradient(rng, n).astype(dtype)
            atom, wide = region.lmo(g), g.astype(np.float64)
            small = near(region, n, dtype)
            assert region.violation(atom.dense(n)) <= small, (region, g)
            most = region.reach(np.abs(wide), n) + 2.0**-52 * float(np.abs(wide).max())
            slack = small * most + 1e-300
            value = float(wide @ atom.dense(n).astype(np.float64))
            for other in region.several(g, 3):
                assert region.violation(other.dense(n)) <= small, (region, g)
                assert wide @ other.dense(n) >= value - slack, (region, g)
            bound = _proved(region, wide)
            assert bound is None or abs(value - bound) <= slack, (region, g)
            if n <= FEW and dtype == np.float64:
                solver = 1e-9 * slack / small
                assert abs(value - other_least(region, g)) <= slack + solver, (region, g)


def other_least(region: Region, g: np.ndarray) -> float:
    """The minimum by somebody else; the set that is a program here is a simplex."""
    if isinstance(region, fw.regions.CvxpySet):
        return float(g.min()) * float(region.start(g.size).sum())
    return least(region, g)


def _proved(region: Region, g: np.ndarray) -> float | None:
    bound, zeros = region.exact_bound, np.zeros(g.size)
    return None if bound is None else float(bound.least(Doubled(g, zeros, zeros)))


@pytest.mark.parametrize("name", CHOSEN)
def test_points_to_start_from_and_cleaned_ones_lie_inside(name):
    for region, n, rng in cases(name):
        small = near(region, n, np.float64)
        for x in (region.start(n), region.middle(n), *points(region, n, rng)):
            assert region.violation(x) <= small, region
            for moved in (region.inside(x.copy()), region.snap(x.copy())):
                assert region.violation(moved) <= small, region
                np.testing.assert_allclose(moved, x, rtol=0.0, atol=1e-12 * np.abs(x).max())


@pytest.mark.parametrize("name", [n for n in CHOSEN if issubclass(KINDS[n], Projector)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_oracle_finds_nothing_nearer(name, dtype):
    for region, n, rng in cases(name):
        some = points(region, n, rng)
        for given in (*some, some[0] + gradient(rng, n), gradient(rng, n)):
            p = given.astype(dtype)
            found = region.project(p)
            if found is None:  # around a region without
                continue
            x = found.x.astype(np.float64)
            small = 1e-12 if dtype == np.float64 else 2e-6
            small = max(small, ITERATED if region.iterates else 0.0)
            spacing = 4.0 * region.resolution(n, dtype)
            assert region.violation(x) <= small + spacing, (region, p)
            d = x - p.astype(np.float64)
            far = float(np.abs(x).max()) + float(np.abs(p).max())
            size = region.diameter(n) + float(np.abs(x).max())
            blur = n * (small * far + spacing * size)  # what x may be off by
            gap = float(d @ x) - region.lmo(d).dot(d)
            assert gap <= blur * (size + blur) + 64.0 * n * 2.0**-52 * far**2, (region, p)


@pytest.mark.parametrize("name", [n for n in CHOSEN if issubclass(KINDS[n], Faces)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_steps_in_a_face_stay_inside(name, dtype):
    for region, n, rng in cases(name):
        small = near(region, n, dtype) + (2e-12 if dtype == np.float64 else 2e-5)
        for point in points(region, n, rng):
            x, g = point.astype(dtype), gradient(rng, n).astype(dtype)
            s, a = region.lmo(g), region.face_atom(g, x)
            assert region.violation(a.dense(n)) <= small, (region, x, g)
            longest = region.face_step(x, s, a)
            assert 0.0 <= longest < math.inf
            d = s.dense(n).astype(np.float64) - a.dense(n)
            assert region.violation(x + longest * d) <= small, (region, x, g)
            tidy = region.snap_to_face(x)
            assert tidy.dtype == dtype
            assert region.violation(tidy) <= small, (region, x)


@pytest.mark.parametrize("name", [n for n in CHOSEN if issubclass(KINDS[n], Faces)])
def test_the_face_atom_is_no_worse_than_any_vertex_that_makes_x(name):
    for region, n, rng in cases(name):
        atoms = np.array([region.lmo(gradient(rng, n)).dense(n) for _ in range(3)])
        for weights in ([0.5, 0.5, 0.0], [0.25, 0.25, 0.5], [1.0, 0.0, 0.0]):
            g = gradient(rng, n)
            used = atoms[np.array(weights) > 0.0]
            best = region.face_atom(g, np.array(weights) @ atoms).dot(g)
            slack = 1e-10 * region.reach(np.abs(g), n) + 1e-300
            assert best >= (used @ g).max() - slack, (region, g)


@pytest.mark.parametrize("name", [n for n in CHOSEN if KINDS[n].decompose is not Region.decompose])
def test_weights_sum_to_one_and_vertices_give_the_point(name):
    for region, n, rng in cases(name):
        for x in points(region, n, rng):
            found = region.decompose(x)
            if found is None:
                continue
            assert min(weight for weight, _ in found) >= 0.0
            assert abs(math.fsum(weight for weight, _ in found) - 1.0) <= 1e-14 * n
            made = sum((weight * atom.dense(n) for weight, atom in found), np.zeros(n))
            np.testing.assert_allclose(made, x, rtol=0.0, atol=1e-14 * n * np.abs(x).max())


SYMMETRIC = ("Simplex", "UnitSimplex", "Hypersimplex", "UnitHypersimplex", "KSparse", "OWLBall")
SYMMETRIC += ("KSupportBall", "TopKBall", "Permutahedron")


@pytest.mark.parametrize("name", SYMMETRIC)
def test_the_order_of_entries_does_not_count(name):
    for region, n, rng in cases(name):
        g, p, order = gradient(rng, n), gradient(rng, n), rng.permutation(n)
        value = region.lmo(g).dot(g)
        slack = 1e-14 * n * region.reach(np.abs(g), n)
        assert abs(region.lmo(g[order]).dot(g[order]) - value) <= slack
        one, other = region.project(p[order]).x, region.project(p).x[order]
        size = float(np.abs(p).max()) + float(np.abs(one).max())
        np.testing.assert_allclose(one, other, rtol=0.0, atol=1e-13 * n * size)


def _filled_exactly(g: np.ndarray, limits: np.ndarray, total: float) -> Fraction:
    """The least <g, s> over limits and a sum, by fractions; entries that are equal change none."""
    left, value = Fraction(total), Fraction(0)
    for i in np.argsort(g, kind="stable"):
        amount = min(left, Fraction(float(limits[i])))
        value += amount * Fraction(float(g[i]))
        left -= amount
    return value


@pytest.mark.parametrize("seed", range(12))
def test_limits_that_meet_the_total_in_any_order_of_summation(seed):
    rng = np.random.default_rng(seed)
    limits, g = shares(rng, 5), rng.permutation(5) - 2.0
    k = int(rng.integers(1, 5))
    reached = sum(limits[np.argsort(g)[:k]].tolist())
    for total in (reached, np.nextafter(reached, 0.0), np.nextafter(reached, np.inf)):
        for order in map(list, permutations(range(5))):
            region = fw.CappedSimplex(limits[order], total)
            atom = region.lmo(g[order])
            assert abs(math.fsum(atom.values) - total) <= 1e-14 * total
            best = _filled_exactly(g[order], region.upper, region.total)
            assert abs(atom.dot(g[order]) - float(best)) <= 1e-13 * total


def test_one_vertex_is_one_vertex_however_it_is_found():
    for region, n, rng in cases("CappedSimplex"):
        g = gradient(rng, n)
        atom = region.lmo(g)
        again = region.face_atom(-g, atom.dense(n))
        assert again.dot(g) == pytest.approx(atom.dot(g), rel=1e-12, abs=1e-300)
        if region.violation(atom.dense(n)) == 0.0 and np.unique(g).size == n:
            np.testing.assert_array_equal(again.dense(n), atom.dense(n))


@pytest.mark.parametrize("wrong", [math.inf, -math.inf, 0.0])
def test_a_wrong_level_is_seen_by_the_sum_of_the_atom(monkeypatch, wrong):
    region, g = fw.CappedSimplex([0.3, 0.2, 0.4, 0.25], 0.8), np.array([3.0, -1.0, 2.0, 1.0])
    right = region.lmo(g).dense(4)
    monkeypatch.setattr(fill, "threshold", lambda values, bounds, total: wrong)
    np.testing.assert_allclose(region.lmo(g).dense(4), right, atol=1e-15)


def test_a_projection_onto_limits_that_have_no_more_than_the_total_ends():
    limits = np.array([0.05, 0.3, 0.35, 0.3])
    for total in (1.0, math.fsum(limits), float(np.cumsum(limits)[-1])):
        region = fw.CappedSimplex(limits, total)
        for p in (limits, np.zeros(4), -limits, np.full(4, 1e9)):
            np.testing.assert_allclose(region.project(p).x, limits, rtol=0.0, atol=1e-12)
