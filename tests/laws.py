"""The laws themselves, as functions of a region, an objective or a method.

The tests call them for what is registered, `core/test_toys.py` for classes from elsewhere.
"""

from __future__ import annotations

import math
from functools import cached_property
from itertools import islice

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import N, atoms_of, points_of, refused, size
from scipy.optimize import approx_fprime
from scipy.spatial.distance import pdist

import frankwolfe as fw
from frankwolfe.core.atoms import Dense, Sparse, Vertex
from frankwolfe.methods.sampled import Minibatch


class RegionLaws:
    """What holds for every region of vectors; a test class below it says for which."""

    def test_atoms_lie_in_the_region(self, region, rng):
        for atom in atoms_of(region, rng, 50):
            assert region.violation(atom) <= region.exactness

    def test_oracle_beats_thousands_of_points(self, region, rng):
        points = points_of(region, rng, 3000)
        assert max(region.violation(x) for x in points[:100]) <= region.exactness
        for g in rng.standard_normal((20, size(region))):
            atom = region.lmo(g)
            assert atom.dot(g) <= (points @ g).min() + region.exactness

    def test_atom_operations_equal_the_dense_ones(self, region, rng):
        n = size(region)
        A, out = rng.standard_normal((9, n)), np.empty(9)
        for g in rng.standard_normal((5, n)):
            atom, x = region.lmo(g), rng.standard_normal(n)
            dense = atom.dense(n)
            assert atom.dot(x) == pytest.approx(dense @ x, abs=1e-14)
            buffer = x.copy()
            atom.add_to(buffer, 0.3)
            np.testing.assert_allclose(buffer, x + 0.3 * dense, atol=1e-14)
            for data in (A, np.asfortranarray(A), sp.csr_array(A)):
                fw.SquaredError(data, np.zeros(9)).image_of(atom, out)
                np.testing.assert_allclose(out, A @ dense, atol=1e-13)

    def test_sparse_atoms_are_in_order_and_their_own(self, region, rng):
        g = rng.standard_normal(size(region))
        atom = region.lmo(g)
        if not isinstance(atom, Sparse):
            pytest.skip("atoms of another kind")
        assert (np.diff(atom.indices) > 0).all()
        before = atom.dense(g.size)
        region.lmo(-g)
        np.testing.assert_array_equal(atom.dense(g.size), before)

    def test_dense_atoms_are_written_where_asked(self, region, rng):
        n = size(region)
        g, out = rng.standard_normal(n), np.full(n, np.nan)
        atom = region.lmo(g, out)
        if isinstance(atom, Dense):
            assert region.needs_room
            assert np.shares_memory(out, atom.array)
            np.testing.assert_array_equal(out, atom.dense(n))
        np.testing.assert_array_equal(atom.dense(n), region.lmo(g).dense(n))

    def test_diameter_is_the_largest_distance(self, region, rng):
        n = size(region)
        atoms, diameter = atoms_of(region, rng, 100), region.diameter(n)
        assert pdist(atoms).max() <= diameter * (1 + region.exactness)
        # of the two points farthest apart, each is the best along the line through them
        far = np.array(np.triu_indices(len(atoms), 1))[:, np.argsort(-pdist(atoms))[:50]]
        lines = atoms[far[0]] - atoms[far[1]]
        corners = np.array(np.meshgrid(*[[-1.0, 1.0]] * n)).reshape(n, -1).T
        extreme = [region.lmo(g).dense(n) for g in np.vstack([lines, -lines, corners])]
        least = diameter / math.sqrt(n) if region.loose_diameter else diameter
        assert pdist(extreme).max() >= least * (1 - max(1e-9, 100 * region.exactness))

    def test_contains_and_start(self, region, rng):
        assert region.contains(region.start(size(region)), tol=region.exactness)
        center = points_of(region, rng, 200).mean(axis=0)
        for atom in atoms_of(region, rng, 10):
            beyond = center + 1.5 * (atom - center)
            if np.linalg.norm(atom - center) > 1e-6:
                assert not region.contains(beyond)

    def test_the_middle_is_off_every_face(self, region, rng):
        if isinstance(region, fw.regions.OracleRegion):
            pytest.skip("its middle is its start: no more is known of it")
        middle = region.middle(size(region))
        assert region.violation(middle) <= region.exactness
        for x in points_of(region, rng, 200):  # a little farther on, beyond the middle
            assert region.violation(middle + 1e-3 * (middle - x)) <= region.exactness

    def test_cleaning_takes_away_rounding_and_nothing_else(self, region, rng):
        for x in [*points_of(region, rng, 50), *atoms_of(region, rng, 20)]:
            cleaned = region.snap(x.copy())
            if region.violation(x) == 0.0:  # the mean of vertices may be past a bound by rounding
                np.testing.assert_array_equal(cleaned, x)
            np.testing.assert_allclose(cleaned, x, rtol=1e-15, atol=1e-15)
            moved = region.snap(x + 1e-13 * rng.standard_normal(x.size))
            assert region.violation(moved) <= 10 * region.exactness
            far = x + 5.0
            np.testing.assert_array_equal(region.snap(far.copy()), far)

    def test_a_zero_gradient_gives_a_point_of_the_region(self, region):
        n = size(region)
        for zero in (0.0, -0.0):
            assert region.contains(region.lmo(np.full(n, zero)).dense(n), tol=region.exactness)

    def test_the_gradient_is_left_alone(self, region, rng):
        g = rng.standard_normal(size(region))
        before = g.copy()
        region.lmo(g)
        np.testing.assert_array_equal(g, before)

    def test_float32_is_kept(self, region, rng):
        g = rng.standard_normal(size(region)).astype(np.float32)
        atom = region.lmo(g, np.empty_like(g))
        wide = region.lmo(g.astype(float))
        assert atom.dot(g) == pytest.approx(wide.dot(g.astype(float)), rel=1e-5)
        if isinstance(atom, Dense):
            assert atom.array.dtype == np.float32
        if isinstance(atom, Sparse):
            assert atom.values.dtype == np.float32

    @pytest.mark.parametrize("bad", [np.nan, -np.inf])
    def test_a_gradient_that_is_not_finite_is_seen(self, region, bad):
        for place in range(size(region)):
            g = np.ones(size(region))
            g[place] = bad
            with np.errstate(invalid="ignore"):
                assert not math.isfinite(region.ask(g).dot(g))


class ObjectiveLaws:
    """What holds for every objective that is finite everywhere."""

    def test_gradient_matches_finite_differences(self, f, rng):
        for x in rng.standard_normal((5, N)):
            numeric = approx_fprime(x, f, 1e-6)
            np.testing.assert_allclose(f.grad(x), numeric, rtol=1e-4, atol=1e-5)

    def test_linearize_gives_value_and_inner_product(self, f, rng):
        x = rng.standard_normal(N)
        z, slope = f.new_image(), f.new_image()
        f.image(x, z)
        value, inner = f.linearize(z, slope)
        assert value == pytest.approx(f(x), rel=1e-13)
        assert value == pytest.approx(f.value(z), rel=1e-13)
        assert inner == pytest.approx(f.grad(x) @ x, rel=1e-10, abs=1e-12)

    def test_along_matches_differences_of_value_and_slope(self, f, rng):
        x, d = rng.standard_normal((2, N))
        z, dz, h = f.new_image(), f.new_image(), 1e-5
        f.image(x, z)
        f.image(d, dz)
        for t in (0.0, 0.37, 1.0):
            value, slope, curvature = f.along(z, dz, t)
            assert value == pytest.approx(f(x + t * d), rel=1e-12)
            assert slope == pytest.approx(f.grad(x + t * d) @ d, rel=1e-9, abs=1e-11)
            if curvature is not None:
                ahead, behind = f.along(z, dz, t + h)[1], f.along(z, dz, t - h)[1]
                numeric = (ahead - behind) / (2 * h)
                assert curvature == pytest.approx(numeric, rel=2e-2, abs=1e-6)

    def test_image_of_an_atom_is_the_image_of_its_dense_form(self, f, rng):
        few = Sparse(np.array([1, 4]), np.array([0.3, -2.0]))
        none = Sparse(np.zeros(0, dtype=int), np.zeros(0))
        for atom in (Vertex(3, -1.7), Dense(rng.standard_normal(N)), few, none):
            direct, through = f.new_image(), f.new_image()
            f.image_of(atom, direct)
            f.image(atom.dense(N), through)
            np.testing.assert_allclose(f.stored(direct), f.stored(through), atol=1e-13)

    def test_smoothness_bounds_the_gradient(self, f, rng):
        L = f.smoothness
        for x, y in rng.standard_normal((50, 2, N)):
            change = np.linalg.norm(f.grad(x) - f.grad(y))
            assert change <= L * np.linalg.norm(x - y) * (1 + 1e-10)

    def test_curvature_bound_holds_along_any_direction(self, f, rng):
        for x, d in rng.standard_normal((20, 2, N)):
            z, dz = f.new_image(), f.new_image()
            f.image(x, z)
            f.image(d, dz)
            bound = f.curvature_bound(dz)
            assert bound <= f.smoothness * (d @ d) * (1 + 1e-10)
            rise = f(x + d) - f(x) - f.grad(x) @ d
            assert rise <= 0.5 * bound * (1 + 1e-10) + 1e-12

    def test_convex_along_random_segments(self, f, rng):
        assert f.convex
        for x, y in rng.standard_normal((20, 2, N)):
            assert f(0.5 * (x + y)) <= 0.5 * (f(x) + f(y)) + 1e-12


class Case:
    """A problem, where to start, and, once it is asked for, what the best methods find."""

    def __init__(self, problem: fw.Problem, x0: np.ndarray | None) -> None:
        self.problem, self.x0 = problem, x0

    @cached_property
    def optimum(self) -> tuple[float, float]:
        """The least value and the largest lower bound that strong methods find."""
        methods = [
            None,
            fw.methods.second_order(),
            fw.methods.fully_corrective(),
            fw.methods.hybrid(),
        ]
        methods += [fw.pairwise(), fw.methods.partan(), fw.afw()]
        above, below = np.inf, -np.inf
        for turn, method in enumerate(methods):
            if method is not None and method.accepts(self.problem) is not None:
                continue
            result = fw.minimize(
                *(self.problem.objective, self.problem.region),
                method=method,
                x0=self.x0,
                tol=1e-12,
                max_iter=1000 if turn > 3 else 300,
            )
            above, below = min(above, result.fun), max(below, result.lower_bound)
            if above - below <= 1e-9 * max(1.0, abs(above)):
                break
        assert above - below <= 1e-5 * max(1.0, abs(above)), f"no optimum for {self.problem}"
        return above, below


def cases(regions: list[fw.Region], objectives: list[fw.Objective]) -> list[Case]:
    """Every objective over every region, from where f is finite; none where that is nowhere."""
    problems = [fw.Problem(f, region) for region in regions for f in objectives]
    return [Case(problem, x0) for problem in problems for x0 in _starts(problem)]


def _starts(problem: fw.Problem) -> list[np.ndarray | None]:
    """None where the region's own start will do, else a point where f is finite, if any is."""
    steps = np.eye(problem.n) if isinstance(problem.objective.shape, int) else []
    ahead = [problem.region.lmo(-step).dense(problem.n) for step in steps]
    for x0 in (None, np.mean(ahead, axis=0)) if ahead else (None,):
        try:
            problem.start(x0)
        except fw.InvalidInput:
            continue
        return [x0]
    return []


def _steps(method: fw.methods.Method) -> int:
    """Fewer where a step does much."""
    much = method.patience or isinstance(method, Minibatch)
    return 10 if much or isinstance(getattr(method, "step", None), fw.steps.GoldenRatio) else 20


def check_steps(method: fw.methods.Method, case: Case) -> None:
    """What holds at every step of a run."""
    above, below = case.optimum
    run = fw.states(case.problem, method, case.x0)
    bound, calls, last, first, best = -np.inf, 0, np.inf, None, np.inf
    for state in islice(run, _steps(method) + 1):
        slack = 1e-12 * max(1.0, abs(state.value))
        assert state.certified
        assert np.isfinite(state.value)
        x = state.x
        assert state.problem.region.violation(x) <= 1e-10
        assert abs(state.value - state.problem.objective(x)) <= 10 * slack
        # x is feasible to 1e-10, and so far f may be below its minimum
        assert state.value >= below - 100 * slack, "a value below a bound of another method"
        assert state.gap >= max(state.value - above - slack, 0.0), "no bound on the error"
        assert state.lower_bound <= above + slack, "a bound above a value of another method"
        assert abs(state.gap - max(state.value - state.lower_bound, 0.0)) <= 2 * slack
        assert state.lower_bound >= bound, "the bound falls"
        assert state.oracle_calls >= max(calls, 1)
        assert state.gradient_calls >= 1
        if getattr(method, "monotone", False):
            assert state.value <= last + slack, "f rises"
        first = state.gap if first is None else first
        bound, calls, last = state.lower_bound, state.oracle_calls, state.value
        best = min(best, state.value)
    assert best - bound < first or first <= 1e-9, "nothing gained"


def check_runs(method: fw.methods.Method, those: list[Case]) -> None:
    """The laws of a run for each case that the method accepts; the others are refused well."""
    for case in those:
        if refused(method, case.problem):
            continue
        try:
            check_steps(method, case)
        except Exception as error:
            error.add_note(f"{method} on {case.problem}")
            raise


def check_resumed(method: fw.methods.Method, case: Case) -> None:
    """A state that is packed and restored goes on bit for bit."""
    run = fw.states(case.problem, method, case.x0)
    packed = {k: array.copy() for k, array in next(islice(run, 15, None)).pack().items()}
    whole = next(islice(run, 14, None))
    state = method.init(case.problem, case.x0)
    state.restore(packed)
    for _ in range(15):
        method.advance(state)
    for number in set(whole.NUMBERS) - {"seconds"}:
        pair = getattr(state, number), getattr(whole, number)
        np.testing.assert_equal(*pair, f"{number}, {case.problem}")
    again, arrays = state.pack(), whole.pack()
    for key in set(arrays) - {"number.seconds"}:
        np.testing.assert_array_equal(again[key], arrays[key], f"{key}, {case.problem}")
