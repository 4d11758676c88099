"""Constraints step by step: feasible points, bounds and proofs."""

from __future__ import annotations

from dataclasses import asdict, replace
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import linprog

import frankwolfe as fw
from frankwolfe.apps.constraints.affine import Affine
from frankwolfe.apps.constraints.affine_cells import CellAffine
from frankwolfe.apps.constraints.course import Counts, Course, Watch
from frankwolfe.apps.constraints.evidence import Evidence
from frankwolfe.apps.constraints.feasible import feasible_point, holds, with_diagonal
from frankwolfe.apps.constraints.matrices import AtomGap, MatrixFormulation
from frankwolfe.apps.constraints.nearest import _Dual, start_of_nearest
from frankwolfe.apps.constraints.rounds import Options, Rounds
from frankwolfe.apps.constraints.vectors import VectorFormulation
from frankwolfe.base.checks import quiet
from frankwolfe.core.problem import Problem

SHARP = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}

# ---- points that satisfy the constraints


def nearest_weights(at, lower, upper, start):
    """The least sum of changes of weights on a simplex that the rows allow; None if none do."""
    k = at.shape[1]
    rows = np.vstack([np.hstack([at, -at]), np.hstack([-at, at])])
    there = at @ start
    right = np.concatenate([upper - there, there - lower])
    kept = np.isfinite(right)
    ones = np.concatenate([np.ones(k), -np.ones(k)])[None]
    most = np.append(np.full(k, np.inf), start)
    found = linprog(
        np.ones(2 * k), rows[kept], right[kept], ones, [0.0], np.c_[np.zeros(2 * k), most],
        options=SHARP,
    )  # fmt: skip
    return None if found.status else found.fun


@pytest.mark.parametrize("seed", range(12))
def test_points_of_a_working_set_are_corrected_wherever_they_can_be(seed):
    """The weights change by little more than the least that a linear program finds."""
    rng = np.random.default_rng(seed)
    n, k, m = 7, int(rng.integers(2, 9)), int(rng.integers(1, 4))
    region = fw.Simplex(2.0) if seed % 2 else fw.L1Ball(2.0)
    atoms, seen = [], set()
    while len(atoms) < min(k, n):
        atom = region.lmo(rng.standard_normal(n))
        point = tuple(atom.dense(n))
        if point not in seen:
            seen.add(point)
            atoms.append(atom)
    V = np.column_stack([atom.dense(n) for atom in atoms])
    weights = rng.dirichlet(np.full(len(atoms), 0.4))
    A = rng.standard_normal((m, n))
    A /= np.linalg.norm(A, axis=1)[:, None]
    target = V @ rng.dirichlet(np.full(len(atoms), 0.4))
    width = rng.choice([0.0, 1e-3, np.inf], m)
    lower, upper = A @ target, A @ target + width
    if seed % 4 == 3:  # further than the atoms reach
        lower, upper = lower + 50.0, upper + 50.0

    class Working(list):
        pass

    working = Working(enumerate(atoms))
    working.weights = weights
    result = SimpleNamespace(x=V @ weights, active_set=working)
    problem = Problem(fw.squared_distance(np.zeros(n)), region)
    x = feasible_point(problem, Affine(A, lower, upper), result)
    least = nearest_weights(A @ V, lower, upper, weights)
    assert (x is None) == (least is None)
    if x is None:
        return
    w = A @ x
    size = max(np.abs(w).max(), np.abs(lower).max())
    assert (np.maximum(lower - w, w - upper) <= 1e-11 * size).all()
    made, *_ = np.linalg.lstsq(np.vstack([V, np.ones(len(atoms))]), np.append(x, 1.0), rcond=None)
    np.testing.assert_allclose(np.append(V @ made, made.sum()), np.append(x, 1.0), atol=1e-10)
    if np.linalg.matrix_rank(np.vstack([V, np.ones(len(atoms))])) == len(atoms):
        assert made.min() >= -1e-10
        assert np.abs(made - weights).sum() <= 10.0 * least + 1e-9
    assert region.violation(x) <= 1e-12
    np.testing.assert_array_equal(working.weights, weights)  # what was given is as it was


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "region",
    [fw.Box(-1.0, 2.0), fw.Simplex(), fw.UnitSimplex(1.5), fw.L1Ball(2.0), fw.Hypersimplex(3),
     fw.L1Ball(2.0, center=np.linspace(0, 1, 8))],
    ids=repr,
)  # fmt: skip
def test_points_in_coordinates_are_corrected_where_that_is_little(region, seed):
    rng = np.random.default_rng(seed)
    n, tiny = 8, 10.0 ** -rng.integers(4, 9)
    inside = np.mean([region.lmo(g).dense(n) for g in rng.standard_normal((30, n))], axis=0)
    A = rng.standard_normal((2, n))
    A /= np.linalg.norm(A, axis=1)[:, None]
    nearly = inside + 0.0
    moves = A @ inside + tiny * rng.standard_normal(2)
    rows = Affine(A, moves, moves + np.array([0.0, np.inf]))
    assert not holds(rows, nearly)
    problem = Problem(fw.squared_distance(np.zeros(n)), region)
    x = feasible_point(problem, rows, SimpleNamespace(x=nearly, active_set=None))
    assert x is not None
    off = A @ x - moves
    assert abs(off[0]) <= 1e-11
    assert off[1] >= -1e-11
    assert region.violation(x) <= 1e-12
    assert np.linalg.norm(x - nearly) <= 1e3 * tiny
    # what holds is left alone
    again = SimpleNamespace(x=x, active_set=None)
    assert feasible_point(problem, rows, again) is x


def test_round_regions_have_no_coordinates_to_correct(rng):
    A = np.array([[1.0, 0.0, 0.0]])
    problem = Problem(fw.squared_distance(np.zeros(3)), fw.L2Ball(1.0))
    result = SimpleNamespace(x=np.array([0.3, 0.1, 0.0]), active_set=None)
    assert feasible_point(problem, Affine(A, 0.5), result) is None
    assert feasible_point(problem, Affine(A, 0.3), result) is result.x


@pytest.mark.parametrize("at_most", [True, False])
@pytest.mark.parametrize("total", [2.9, 3.0, 3.1])
def test_a_diagonal_is_scaled_where_the_trace_allows(total, at_most, rng):
    n = 4
    wanted = rng.dirichlet(np.ones(n)) * total
    V = rng.standard_normal((3, n))
    x = fw.FactoredMatrix(V, np.array([0.5, 1.0, 0.2]), V)
    region = fw.Spectraplex(3.0, at_most=at_most)
    problem = Problem(fw.objectives.TraceProduct(np.eye(n)), region)
    scale = rng.uniform(0.5, 2.0, n)
    matrix = sp.csr_array(fw.diagonal(n).multiply(scale[:, None]))
    order = rng.permutation(n)
    rows = CellAffine(fw.Affine(matrix[order], (scale * wanted)[order]), (n, n))
    found = with_diagonal(problem.region, rows, x)
    assert (found is not None) == (total == 3.0 or (at_most and total < 3.0))
    if found is not None:
        X, there = found.toarray(), x.toarray()
        np.testing.assert_allclose(np.diag(X), wanted, rtol=1e-12)
        d = np.sqrt(wanted / np.diag(there))
        np.testing.assert_allclose(X, d[:, None] * there * d, rtol=1e-12)
    # less than all of the diagonal, sides, other cells, or a negative entry: not by this way
    others = [
        fw.Affine(matrix[:-1], (scale * wanted)[:-1]),
        fw.Affine(matrix, scale * wanted, scale * wanted + 1.0),
        fw.Affine(matrix + sp.csr_array(np.eye(n, n * n, 1)), scale * wanted),
        fw.Affine(matrix, scale * (wanted - 2.0 * np.eye(n)[0] * wanted[0])),
    ]
    for other in others:
        assert with_diagonal(problem.region, CellAffine(other, (n, n)), x) is None
    hollow = V * [0.0, 1.0, 1.0, 1.0]
    flat = fw.FactoredMatrix(hollow, np.ones(3), hollow)
    assert with_diagonal(problem.region, rows, flat) is None


# ---- bounds and proofs


REGIONS = [fw.Simplex(), fw.L1Ball(2.0), fw.Box(-1.0, 1.5), fw.Hypersimplex(2)]


def least_over(region, n, c, A=None, lower=None, upper=None):
    """The least <c, x> over a region under rows, by HiGHS."""
    from programs import program

    made = program(region, n)
    rows, most = made.rows, made.most
    if A is not None:
        more = np.vstack([A, -A]) @ made.lift
        right = np.concatenate([upper, -lower])
        kept = np.isfinite(right)
        rows, most = np.vstack([rows, more[kept]]), np.append(most, right[kept])
    bounds = np.c_[np.zeros(made.high.size), made.high]
    rows, most = (rows, most) if most.size else (None, None)
    found = linprog(made.lift.T @ c, rows, most, bounds=bounds, options=SHARP)
    return np.inf if found.status == 2 else found.fun


@pytest.mark.parametrize("region", REGIONS, ids=repr)
def test_any_multipliers_give_the_bound_of_their_formula(region, rng):
    n = 6
    c, A = rng.standard_normal(n), rng.standard_normal((3, n))
    f = fw.Quadratic(np.zeros((n, n)), c)
    middle = A @ np.mean([region.lmo(g).dense(n) for g in rng.standard_normal((9, n))], axis=0)
    lower = middle - np.array([0.0, np.inf, 0.1])
    upper = middle + np.array([0.0, 0.1, 0.2])
    rows = Affine(A, lower, upper)
    known = Evidence(VectorFormulation(Problem(f, region), rows), 1e-3)
    truth = least_over(region, n, c, A, lower, upper)
    for _ in range(20):
        y = rng.standard_normal(3) * [1.0, 0.0, 1.0] + [0.0, rng.random(), 0.0]
        x = region.lmo(rng.standard_normal(n)).dense(n)
        support = np.where(y > 0.0, y * upper, np.where(y < 0.0, y * lower, 0.0)).sum()
        expected = least_over(region, n, c + A.T @ y) - support
        bound = known.lagrangian_bound(x, y)
        assert bound <= expected + 1e-12
        assert bound == pytest.approx(expected, abs=1e-8)
        assert bound <= truth + 1e-9
    known.best_x = region.start(n)
    with quiet():
        known.update_dual_bound(y)
        assert known.bound == max(known.lagrangian_bound(known.best_x, v) for v in (y, 0.0 * y))


@pytest.mark.parametrize("far", [0.0, 1e-3, 0.5])
@pytest.mark.parametrize("region", REGIONS, ids=repr)
def test_multipliers_exclude_where_the_margin_is_more_than_far(region, far, rng):
    n = 6
    for _ in range(40):
        A = rng.standard_normal((2, n))
        y = rng.standard_normal(2)
        middle = 3.0 * rng.standard_normal(2)
        rows = Affine(A, middle, middle + 0.1)
        problem = Problem(fw.squared_distance(np.zeros(n)), region)
        known = Evidence(VectorFormulation(problem, rows), 1e-3)
        least = least_over(region, n, A.T @ y)
        most = y @ middle + 0.1 * np.maximum(y, 0.0).sum()
        margin = (least - most) / np.linalg.norm(y)
        if abs(margin - far) > 1e-9:
            assert known.proves_infeasible(y, far) == (margin > far)
            assert known.proves_infeasible(1e5 * y, far) == (margin > far)
    assert not known.proves_infeasible(np.zeros(2), far)


@pytest.mark.parametrize("region", REGIONS, ids=repr)
def test_what_is_called_impossible_has_a_proof_that_holds(region, rng):
    """Both verdicts agree with HiGHS, and the multipliers separate where nothing is feasible."""
    n, verdicts = 6, set()
    for trial in range(4):
        A = rng.standard_normal((3, n))
        middle = A @ region.middle(n) + (0.05, 4.0)[trial % 2] * rng.standard_normal(3)
        result = fw.minimize(
            fw.squared_distance(rng.standard_normal(n)), region, subject_to=fw.Affine(A, middle)
        )
        truth = least_over(region, n, np.zeros(n), A, middle, middle)
        impossible = result.status is fw.Status.INFEASIBLE
        assert impossible == (truth == np.inf)
        verdicts.add(impossible)
        if not impossible:
            assert result.success
            norms = np.linalg.norm(A, axis=1)
            off = A @ result.x - middle
            np.testing.assert_allclose(result.violations, off, atol=1e-12)
            assert result.infeasibility == pytest.approx(np.abs(off / norms).max(), abs=1e-15)
    assert verdicts == {True, False}


# ---- matrices: short searches, long ones, and in full


@pytest.mark.parametrize("seed", range(3))
def test_searched_and_full_oracles_come_to_the_same(seed):
    rng = np.random.default_rng(seed)
    n = 5
    C = rng.standard_normal((n, n))
    f = fw.objectives.TraceProduct(C + C.T)
    b = rng.uniform(0.5, 1.5, n)
    rows = fw.Affine(fw.diagonal(n), b)
    if seed % 3 == 2:
        A = rng.standard_normal((2, n * n))
        rows = fw.Affine(A, A @ np.eye(n).ravel() * b.sum() / n)
    region = fw.Spectraplex(float(b.sum()))
    full = fw.minimize(f, region, subject_to=rows, tol=1e-6)
    searched = fw.minimize(f, region.searching(1000, 0), subject_to=rows, tol=1e-4)
    assert full.success
    assert searched.success
    size = max(1.0, abs(full.fun))
    assert searched.fun == pytest.approx(full.fun, abs=2e-3 * size)
    for result in (full, searched):
        X = result.x.toarray()
        norms = np.linalg.norm(
            rows.matrix.toarray() if sp.issparse(rows.matrix) else rows.matrix, axis=1
        )
        off = rows.matrix @ X.ravel() - rows.lower
        np.testing.assert_allclose(result.violations, off, atol=1e-9)
        assert result.infeasibility == pytest.approx(np.abs(off / norms).max(), abs=1e-9)
        assert np.linalg.eigvalsh(X)[0] >= -1e-10
        assert np.trace(X) == pytest.approx(b.sum())
        assert result.lower_bound <= full.fun + 2e-6 * size
        # the bound again, from the multipliers alone: trace times the least eigenvalue
        y = result.multipliers
        slack = (C + C.T) + (rows.matrix.T @ y).reshape(n, n)
        dual = b.sum() * np.linalg.eigvalsh(0.5 * (slack + slack.T))[0] - y @ rows.lower
        assert dual <= full.fun + 2e-6 * size
    assert full.lower_bound >= full.fun - 1.1e-6 * size


@pytest.mark.parametrize("seed", range(4))
def test_what_no_matrix_satisfies_is_proved_by_searches_too(seed):
    rng = np.random.default_rng(seed)
    n = 6
    rows = fw.Affine(fw.diagonal(n), rng.uniform(0.5, 1.0, n))
    f = fw.objectives.TraceProduct(rng.standard_normal((n, n)))
    region = fw.Spectraplex(2.0 * n).searching(1000, 0)
    result = fw.minimize(f, region, subject_to=rows)
    assert result.status is fw.Status.INFEASIBLE
    assert result.lower_bound == np.inf


def _matrix_formulation(rng, n=6, exact_below=0):
    C = rng.standard_normal((n, n))
    region = fw.Spectraplex(2.0).searching(200, exact_below)
    rows = CellAffine(fw.Affine(rng.standard_normal((2, n * n)), 0.1), (n, n))
    problem = Problem(fw.objectives.TraceProduct(C + C.T), region)
    return MatrixFormulation(problem, rows), C + C.T


def test_a_searched_bound_is_below_the_tangent_and_near_it(rng):
    for _ in range(5):
        given, C = _matrix_formulation(rng)
        known = Evidence(given, 1e-6)
        y, rho = rng.standard_normal(2), 0.7
        x = given.problem.start(None)
        f = given.lagrangian(y, rho)
        X = x.toarray()
        w = np.array([np.sum(row.reshape(6, 6) * X) for row in known.rows.matrix])
        off = w + y / rho - np.clip(w + y / rho, known.rows.lower, known.rows.upper)
        g = C + rho * np.tensordot(off, known.rows.matrix.reshape(2, 6, 6), 1)
        value = np.sum(C * X) + 0.5 * rho * off @ off - 0.5 * y @ y / rho
        bound = value - np.sum(g * X) + 2.0 * np.linalg.eigvalsh(0.5 * (g + g.T))[0]
        given.take_tangent(known, f, x, 1e-9)
        assert known.bound <= bound + 1e-12
        assert known.bound == pytest.approx(bound, abs=1e-6)
        before = known.bound
        known.bound = before + 1.0
        given.take_tangent(known, f, x, 1e-9)
        assert known.bound == before + 1.0  # the best one is kept
        covector = f.covector(f.grad(x))
        least = 2.0 * np.linalg.eigvalsh(0.5 * (g + g.T))[0]
        found, reach, _ = given.least(covector, least - 1.0)
        assert found == pytest.approx(least, abs=0.5)
        assert found <= least + 1e-12
        assert reach >= abs(least)
        assert given.least(covector, least + 1.0) == (-np.inf, 0.0, 0.0)


def test_searches_grow_longer_and_are_kept(rng):
    given, _ = _matrix_formulation(rng)
    assert not given.decomposed
    search = given.memory
    counts = [search.products]
    for _ in range(6):
        search.tired = 3
        search.lengthen()
        counts.append(search.products)
        assert given.problem.region.most_steps == search.products
        assert (search.tired == 0) == (counts[-1] > counts[-2])
    grown = [b / a for a, b in pairwise(counts)]
    assert grown[0] == grown[1] == 4.0
    assert grown[-1] == 1.0
    assert counts == sorted(counts)
    for ratio, tired in ((0.3, 0), (0.2, 1), (0.15, 2), (0.07, 0)):
        search.see(ratio)  # at their longest, they tire where the ratio is not halved
        assert (search.tired, given.exhausted) == (tired, False)
    search.tired = 4
    assert given.exhausted
    rounds = Rounds(given, Options(None, 1e-6, 100))
    rounds.course = Course(np.ones(2), 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0)
    other, _ = _matrix_formulation(rng)
    start = given.problem.start(None)
    back = Rounds(other, Options(None, 1e-6, 100)).restore(rounds.pack(start))
    np.testing.assert_allclose(back.toarray(), start.toarray())
    assert other.memory == search
    assert other.problem.region.most_steps == given.problem.region.most_steps
    full, _ = _matrix_formulation(rng, exact_below=1000)
    assert full.decomposed
    assert full.problem.region is full.region


# ---- what is kept between rounds


def test_idle_rounds_are_those_that_come_no_tenth_nearer(rng):
    for _ in range(200):
        watch, short, off, waited = Watch(), np.inf, np.inf, 0
        for _ in range(30):
            a, b = 10.0 ** rng.uniform(-1.0, 1.0, 2) * (short if rng.random() < 0.9 else 1.0, 1.0)
            a = 1.0 if np.isnan(a) or a == np.inf else a
            near = a < 0.9 * short or b < 0.9 * off
            waited = 1 if not near and waited == 0 else waited + 1
            if near:
                waited, short, off = 0, min(a, short), min(b, off)
            assert watch.idle(a, b) == (waited >= 12)
            assert (watch.short, watch.violated, watch.rounds) == (short, off, waited)


def _course(**more):
    given = Course(np.array([1.0, -2.0]), 2.0, 1.0, 8.0, 1.0, 0.5, 0.25, 3.0)
    return replace(given, **more)


def test_a_course_with_what_is_no_number_is_refused():
    _course().check(2)
    _course(violated=np.inf, bound=-np.inf).check(2)
    numbers = ("penalty", "first", "largest", "unit", "gap", "fine", "change")
    for name in numbers:
        for bad in (-1.0, np.inf, np.nan):
            with pytest.raises(ValueError, match="penalties and gaps"):
                _course(**{name: bad}).check(2)
        if name != "penalty":
            _course(**{name: 0.0}).check(2)
    with pytest.raises(ValueError, match="penalties"):
        _course(penalty=0.0).check(2)
    for name in ("stuck", "rounds", "spent"):
        with pytest.raises(ValueError, match="counts"):
            _course(**{name: -1}).check(2)
    for name in ("bound", "violated"):
        with pytest.raises(ValueError, match="counts"):
            _course(**{name: np.nan}).check(2)
    for bad in (np.ones(3), np.ones((2, 1)), np.array([1.0, np.inf])):
        with pytest.raises(ValueError, match="multipliers"):
            _course(multipliers=bad).check(2)


def test_counts_are_sums():
    one, two = (
        SimpleNamespace(nit=a, nfev=10 * a, njev=7 * a, nlmo=3 * a, seconds=0.5 * a) for a in (1, 4)
    )
    counts = Counts()
    for result in (one, two):
        counts.add(result)
    expected = {name: getattr(one, name) + getattr(two, name) for name in vars(one)}
    assert asdict(counts) == expected


# ---- the dual of the nearest point


def test_the_dual_of_the_nearest_point_has_its_gradient(rng):
    n = 6
    A = rng.standard_normal((4, n))
    middle = A @ np.full(n, 1.0 / n)
    below, above = np.array([[0.0, np.inf, 0.3, 0.2], [0.0, 0.1, np.inf, 0.2]])
    rows = Affine(A, middle - below, middle + above)
    p, c = rng.standard_normal(n), 2.5
    problem = Problem(fw.squared_distance(p), fw.Simplex())
    dual = _Dual(problem, rows, p, c)
    assert dual.size == 1 + 2 + 2  # an equation, and five sides less one of them
    assert dual.unit == pytest.approx(max(rows.size, np.abs(A @ p).max()))
    for _ in range(10):
        z = np.append(rng.standard_normal(1), rng.random(4))
        value, slope = dual(z)
        steps = [(dual(z + 1e-6 * e)[0] - dual(z - 1e-6 * e)[0]) / 2e-6 for e in np.eye(5)]
        np.testing.assert_allclose(slope, steps, atol=1e-6)
        # minus the dual function over c and the square of the unit
        y = dual.multipliers(dual.unit * z)
        x = dual.point(y)
        parts = np.split(dual.unit * c * z, [1, 3])
        sides = np.concatenate([rows.upper[[0, 1, 3]], -rows.lower[[2, 3]]])
        there = A @ x
        own = np.concatenate([there[[0, 1, 3]], -there[[2, 3]]]) - sides
        lagrangian = 0.5 * c * np.sum((x - p) ** 2) + np.concatenate(parts) @ own
        assert value == pytest.approx(-lagrangian / (c * dual.unit**2))
        g = c * (x - p) + A.T @ y
        assert g @ x <= g.min() + 1e-9  # x is least for y over the simplex


@pytest.mark.parametrize("size", [1e-4, 1.0, 1e5])
@pytest.mark.parametrize("region", [fw.Simplex(), fw.Box(0.0, 1.0), fw.L2Ball(1.0)], ids=repr)
def test_the_dual_begins_at_the_nearest_point(region, size, rng):
    """The same in all units: where the dual is largest, the point is the nearest one."""
    n = 8
    A = rng.standard_normal((3, n))
    A /= np.linalg.norm(A, axis=1)[:, None]
    region = type(region)(*([0.0, size] if isinstance(region, fw.Box) else [size]))
    inside = region.lmo(rng.standard_normal(n)).dense(n) * 0.5 + region.start(n) * 0.5
    lower, upper = A @ inside, A @ inside + size * np.array([0.0, 0.1, np.inf])
    problem = Problem(fw.squared_distance(size * rng.standard_normal(n)), region)
    found = start_of_nearest(problem, Affine(A, lower, upper), lambda: False)
    w = A @ found.x
    assert (np.maximum(lower - w, w - upper) <= 1e-6 * size).all()
    assert region.violation(found.x) <= 1e-9 * size
    g = problem.objective.grad(found.x) + A.T @ found.multipliers
    assert g @ found.x - region.lmo(g).dot(g) <= 1e-6 * size**2
    slack = np.minimum(np.abs(w - lower), np.abs(upper - w))
    assert (np.abs(found.multipliers) * slack <= 1e-5 * size**2).all()
    for f, other in (
        (fw.SquaredError(rng.standard_normal((9, n)), np.ones(9)), region),
        (problem.objective, fw.LpBall(3.0, size)),
    ):
        projection = other.projection
        if projection is not None and not projection.iterates and f.distance_to():
            continue
        assert start_of_nearest(Problem(f, other), Affine(A, lower, upper), lambda: False) is None
    calls = []
    brief = start_of_nearest(
        problem, Affine(A, lower, upper), lambda: bool(calls.append(1)) or len(calls) > 0
    )
    assert len(calls) <= 2  # once by the search, once by what polishes it
    assert brief is not None


def test_short_runs_end_where_the_atom_promises_little():
    rule = AtomGap(0.5)
    for k, gap, ends in ((0, 0.1, False), (3, 0.6, False), (3, 0.5, True), (1, 0.1, True)):
        stop = rule.check(SimpleNamespace(k=k, model_gap=gap), None)
        assert (stop is not None) == ends
        assert stop is None or stop.converged


def test_how_far_the_best_point_may_be_from_the_least(rng):
    n = 5
    f = fw.squared_distance(rng.standard_normal(n))
    problem, rows = Problem(f, fw.Simplex()), Affine(np.ones((1, n)), 1.0)
    known = Evidence(VectorFormulation(problem, rows), 1e-3)
    assert known.optimality_ratio() == np.inf
    assert known.best == np.inf
    assert known.bound == f.least
    x = fw.Simplex().start(n)
    known.look_near(SimpleNamespace(x=x, active_set=None))
    assert known.best_x is x
    assert known.best == f(x)
    known.first_gap = 2.0
    for bound in (f(x) - 0.1, f(x), f(x) + 1e-9):
        known.bound = bound
        gap = max(f(x) - bound, 0.0)
        assert known.optimality_ratio() == pytest.approx(gap / known.enough(f(x)))
    worse = fw.Simplex().lmo(f.grad(x) * -1.0).dense(n)
    known.look_near(SimpleNamespace(x=worse, active_set=None))
    assert known.best_x is x  # the better one stays
    assert known.remark() == []
    known.taken_over = True
    assert "rests on the checkpoint" in known.remark()[0]
    known.bound = -np.inf
    assert known.remark() == []


def test_a_checkpoint_whose_point_is_none_is_refused(rng):
    n = 5
    f = fw.squared_distance(rng.standard_normal(n))
    inside = np.full(n, 1.0 / n)
    rows = Affine(np.ones((1, n)), 1.0)
    course = _course(multipliers=np.zeros(1), bound=-1.0, failure=0.125, change=3.0)

    def fresh():
        return Evidence(VectorFormulation(Problem(f, fw.Simplex()), rows), 1e-6)

    known = fresh()
    known.restore(course, inside)
    assert (known.bound, known.failure, known.first_gap) == (-1.0, 0.125, 3.0)
    assert known.best == pytest.approx(f(inside))
    none = fresh()
    none.restore(course, None)
    assert none.best_x is None
    assert none.best == np.inf
    off = inside + np.array([0.1, -0.1, 0, 0, 0])
    for bad in (off - 0.3 * np.eye(n)[1] + 0.3 * np.eye(n)[0], 1.1 * inside):
        with pytest.raises(ValueError, match="outside, or below the bound"):
            fresh().restore(course, bad)
    with pytest.raises(ValueError, match="outside, or below the bound"):
        fresh().restore(replace(course, bound=f(inside) + 1.0), inside)
