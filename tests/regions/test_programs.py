"""Polytopes by rows, their integer points, and sets of cvxpy: what the laws do not cover."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import in_threads
from programs import program
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

import frankwolfe as fw
from frankwolfe import InvalidInput
from frankwolfe.core.region_abilities import Accuracy
from frankwolfe.regions.programs import highs
from frankwolfe.regions.programs.cones import dual_point
from frankwolfe.regions.programs.dual import lower_bound

pytest.importorskip("highspy", reason="highspy is not installed")
TIGHT = Accuracy(0.0, 0.0, 0.0, 0)
EYE = np.eye(3)


def _random(rng, m=12, n=9, k=2):
    """Rows, equations and bounds around a random point, some of them open."""
    x = rng.standard_normal(n)
    A, C = rng.standard_normal((m, n)), rng.standard_normal((k, n))
    bounds = np.column_stack([x - rng.random(n), x + rng.random(n)])
    bounds[0, 1] = bounds[1, 0] = np.inf
    bounds[1, 0] = -np.inf
    A = np.vstack([A, [1.0, -1.0] + [0.0] * (n - 2)])
    b = A @ x + rng.random(m + 1)
    return {"A_ub": A, "b_ub": b, "A_eq": C, "b_eq": C @ x, "bounds": bounds}


def _least(given, g):
    return linprog(g, **given, options={"dual_feasibility_tolerance": 1e-10}).fun


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: fw.Polytope(A_ub=EYE), "A_ub and b_ub must be given together"),
        (lambda: fw.Polytope(b_eq=[1.0]), "A_eq and b_eq must be given together"),
        (lambda: fw.Polytope(EYE, [1.0, 2.0]), "an entry for each of the 3 rows of A_ub"),
        (lambda: fw.Polytope(np.ones(3), [1.0]), "a column for each variable, got shape"),
        (lambda: fw.Polytope([[1.0, np.nan]], [1.0]), "A_ub must be finite"),
        (lambda: fw.Polytope(sp.csr_array([[1.0, np.inf]]), [1.0]), "A_ub must be finite"),
        (lambda: fw.Polytope([["a"]], [1.0]), "A_ub must be an array of real numbers"),
        (lambda: fw.Polytope([[1.0, 1.0]], [np.inf]), "b_ub must be finite"),
        (lambda: fw.Polytope(EYE, np.ones(3), [[1.0, 1.0]], [1.0]), "got 3 and 2 columns"),
        (lambda: fw.Polytope(EYE, np.ones(3), bounds=[(0, 1)] * 2), "or 3 of them, got 2"),
        (lambda: fw.Polytope(EYE, np.ones(3), bounds=3.0), "bounds must be a pair"),
        (lambda: fw.Polytope(EYE, np.ones(3), bounds=(0, np.nan)), "none of them NaN"),
        (lambda: fw.Polytope(bounds=(0, 1)), "use Box"),
        (fw.Polytope, "use Box"),
        (lambda: fw.Polytope(EYE, np.ones(3), bounds=(2, 1)), "variable 0 would lie between 2"),
        (lambda: fw.Polytope(EYE, -np.ones(3)), "is empty: no point satisfies"),
        (lambda: fw.Polytope([[0.0, 0.0]], [-1.0], bounds=(0, 1)), "row 0 asks .* of nothing"),
        (lambda: fw.Polytope([[1.0, -1.0]], [1.0]), "unbounded: variable 0 has no limit"),
        (lambda: fw.Polytope(EYE, np.ones(3), bounds=(None, None)), "is unbounded: variable 0"),
        (fw.Polytope.of, "one number of variables between them, got none"),
        (lambda: fw.Polytope.of(Bounds(0, 1)), "one number of variables"),
        (lambda: fw.Polytope.of(3), "LinearConstraint and Bounds objects, got int"),
        (
            lambda: fw.Polytope.of(LinearConstraint(EYE, 0, 1), Bounds([0, 0], 1)),
            "one number of variables between them, got 2, 3",
        ),
        (lambda: fw.Polytope.of(LinearConstraint(EYE, 2, 1)), "row 0 asks for a sum between 2"),
        (lambda: fw.Polytope(EYE, np.ones(3)).lmo(np.ones(2)), "g must have 3 entries"),
        (
            lambda: fw.regions.IntegerPolytope(EYE, np.ones(3), integrality=2),
            "integrality must be 0 or 1",
        ),
        (
            lambda: fw.regions.IntegerPolytope(EYE, np.ones(3), integrality=[1, 0]),
            "each of 3 variables",
        ),
        (
            lambda: fw.regions.IntegerPolytope(EYE, np.ones(3), nodes=0),
            "nodes must be a whole number",
        ),
        (lambda: fw.regions.IntegerPolytope(EYE, EYE[0], bounds=(0.2, 0.8)), "variable 0 has none"),
        (
            lambda: fw.regions.IntegerPolytope(None, None, [[2.0, 2.0]], [3.0], bounds=(0, 3)),
            "holds no integer point",
        ),
    ],
)
def test_what_is_wrong_gets_one_sentence(make, words):
    with pytest.raises(InvalidInput, match=words) as caught:
        make()
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "highspy", None)
    with pytest.raises(fw.errors.MissingExtra, match=r"frankwolfe\[lp\]"):
        fw.Polytope(EYE, np.ones(3))


def test_sets_that_coincide(rng):
    ones = np.ones((1, 4))
    steps = np.array([[1.0, 0, 0, 0], [0, 1.0, 0, 0], [0, 0, 1.0, 0], [0, 0, 0, 1.0]])
    for one, other in (
        (fw.Polytope(None, None, ones, [2.0]), fw.Simplex(2.0)),
        (fw.Polytope(ones, [2.0]), fw.UnitSimplex(2.0)),
        (fw.Polytope(ones, [6.0], bounds=(0, 2)), fw.regions.UnitHypersimplex(3, 2.0)),
        (fw.Polytope(None, None, ones, [2.0], bounds=(0, 1)), fw.Hypersimplex(2)),
        (fw.Polytope(bounds=[(-1, 2)] * 4), fw.Box(-1.0, 2.0)),
        (fw.Polytope(np.vstack([steps, -steps]), np.ones(8), bounds=(None, None)), fw.Box(-1, 1)),
        (fw.regions.IntegerPolytope(None, None, ones, [2.0], bounds=(0, 1)), fw.Hypersimplex(2)),
        (fw.regions.IntegerPolytope(ones, [1.5], bounds=(0, 1)), fw.UnitSimplex()),
    ):
        for g in (*rng.standard_normal((10, 4)), np.round(rng.standard_normal(4))):
            least = other.lmo(g).dot(g)
            assert one.lmo(g).dot(g) == pytest.approx(least, abs=1e-12)
            assert other.contains(one.lmo(g).dense(4), tol=1e-12)
            x = 0.3 * rng.standard_normal(4) + other.middle(4)
            assert one.contains(x) == other.contains(x)
        assert other.contains(one.middle(4), tol=1e-12)
        assert other.contains(one.start(4), tol=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_dense_sparse_and_objects_of_scipy_are_one_polytope(seed):
    rng = np.random.default_rng(seed)
    given = _random(rng)
    sparse = {k: sp.csr_array(v) if k.startswith("A") else v for k, v in given.items()}
    low, high = given["bounds"].T
    objects = fw.Polytope.of(
        LinearConstraint(given["A_ub"], -np.inf, given["b_ub"]),
        LinearConstraint(sp.csc_array(given["A_eq"]), given["b_eq"], given["b_eq"]),
        Bounds(low, high),
    )
    those = [fw.Polytope(**given), fw.Polytope(**sparse), objects]
    for g in rng.standard_normal((5, 9)):
        for region in those:
            assert region.lmo(g).dot(g) == pytest.approx(_least(given, g), rel=1e-9)


@pytest.mark.parametrize("scale", [1e-12, 1e-3, 1e12])
def test_costs_and_polytopes_of_any_scale(scale, rng):
    given = _random(rng)
    units = 10.0 ** rng.uniform(-5, 5, 9)
    stretched = {
        "A_ub": given["A_ub"] / units,
        "b_ub": given["b_ub"],
        "A_eq": 1e7 * given["A_eq"] / units,
        "b_eq": 1e7 * given["b_eq"],
        "bounds": given["bounds"] * units[:, None],
    }
    plain, wide = fw.Polytope(**given), fw.Polytope(**stretched)
    for g in rng.standard_normal((10, 9)):
        least = _least(given, g)
        memory = wide.oracle_memory(9, np.dtype(float))
        atom, value, error = wide.inexact_lmo(scale * g / units, memory, TIGHT)
        assert value == pytest.approx(scale * least, rel=1e-9)
        assert 0.0 <= error <= 1e-9 * scale * plain.reach(np.abs(g), 9)
        assert wide.violation(atom.dense(9)) <= 1e-12
        assert plain.violation(atom.dense(9) / units) <= 1e-11


def test_an_oracle_remembers_nothing_but_its_memory(rng):
    given = _random(rng, 30, 20, 3)
    used, gradients = fw.Polytope(**given), rng.standard_normal((20, 20))
    memory = used.oracle_memory(20, np.dtype(float))
    for g in gradients:
        used.inexact_lmo(g, memory, TIGHT)
        used.face_atom(g, used.lmo(g).dense(20))
    fresh = pickle.loads(pickle.dumps(fw.Polytope(**given)))
    for g in gradients[::3]:
        np.testing.assert_array_equal(used.lmo(g).dense(20), fresh.lmo(g).dense(20))
    other = fresh.oracle_memory(20, np.dtype(float))
    other.restore(memory.pack())
    one, two = (r.inexact_lmo(g, m, TIGHT) for r, m in ((used, memory), (fresh, other)))
    np.testing.assert_array_equal(one[0].dense(20), two[0].dense(20))
    assert one[1:] == two[1:]


def test_a_solver_that_stops_early_is_still_safe(rng, monkeypatch):
    given = _random(rng, 30, 20, 3)
    whole = fw.Polytope(**given)
    least = [whole.lmo(g).dot(g) for g in np.eye(20)]
    monkeypatch.setattr(highs, "FREELY", highs.BY_PIVOTS)
    stopped = fw.Polytope(**given)
    stopped._scaled.program._ready().setOptionValue("simplex_iteration_limit", 2)
    errors = []
    for g, true in zip(np.eye(20), least, strict=True):
        memory = stopped.oracle_memory(20, np.dtype(float))
        atom, value, error = stopped.inexact_lmo(g, memory, TIGHT)
        assert stopped.contains(atom.dense(20), tol=1e-12)
        assert value - error <= true <= value + 1e-12
        errors.append(error)
    assert max(errors) > 0.1


def test_any_multipliers_give_a_bound(rng):
    region = fw.Polytope(**_random(rng))
    set_ = region._scaled
    for _ in range(50):
        cost = rng.standard_normal(9)
        y = rng.standard_normal(set_.program.constraints.low.size)
        bound = lower_bound(set_.program, (set_.lower, set_.upper), cost, y)
        assert bound <= cost @ set_.program.minimize(cost).x + 1e-12


def test_inequalities_that_hold_with_equality_throughout(rng):
    A = np.array([[1.0, 1, 0, 0], [-1.0, -1, 0, 0], [0, 0, 1.0, 0], [0, 0, 1, 1]])
    flat = fw.Polytope(A, [1.0, -1.0, 0.0, 2.0])  # x0 + x1 = 1, x2 = 0, x3 <= 2
    middle = flat.middle(4)
    assert flat.violation(middle) <= 1e-12
    assert (middle[[0, 1, 3]] > 0.1).all()
    B, b = rng.standard_normal((6, 4)), rng.standard_normal(6)
    result = fw.minimize(fw.SquaredError(B, b), flat, method="interior_point", tol=1e-9)
    assert result.success
    other = fw.minimize(fw.SquaredError(B, b), flat, method="blended_pairwise", tol=1e-8)
    assert other.fun == pytest.approx(result.fun, abs=1e-7)
    assert fw.Polytope(A_eq=EYE, b_eq=np.ones(3)).standard_form(3) is None  # one point
    assert fw.Polytope(A_eq=EYE, b_eq=np.ones(3)).diameter(3) == 0.0


@pytest.mark.parametrize("method", [None, "interior_point", "fully_corrective"])
def test_least_squares_over_a_polytope_are_cvxpys(method, rng):
    cp = pytest.importorskip("cvxpy", reason="cvxpy is not installed")
    given = _random(rng, 20, 15, 3)
    B, b = rng.standard_normal((30, 15)), rng.standard_normal(30)
    x = cp.Variable(15)
    low, high = given["bounds"].T
    constraints = [given["A_ub"] @ x <= given["b_ub"], given["A_eq"] @ x == given["b_eq"]]
    constraints += [x[np.isfinite(low)] >= low[np.isfinite(low)]]
    constraints += [x[np.isfinite(high)] <= high[np.isfinite(high)]]
    peer = cp.Problem(cp.Minimize(cp.sum_squares(B @ x - b) / 60), constraints)
    peer.solve(solver="CLARABEL")
    region = fw.Polytope(**given)
    result = fw.minimize(fw.SquaredError(B, b), region, method=method, tol=1e-8)
    assert result.success
    assert region.contains(result.x, tol=1e-11)
    assert result.lower_bound <= peer.value + 1e-7
    assert result.fun == pytest.approx(peer.value, abs=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_mixed_integers_are_milps(seed):
    rng = np.random.default_rng(seed)
    n = 8
    A = rng.uniform(0.0, 1.0, (3, n))
    kinds = rng.integers(0, 2, n)
    region = fw.regions.IntegerPolytope(A, A.sum(axis=1), bounds=(0, 2.5), integrality=kinds)
    rows = LinearConstraint(A, -np.inf, A.sum(axis=1))
    memory = region.oracle_memory(n, np.dtype(float))
    for g in rng.standard_normal((5, n)):
        exact = {"mip_rel_gap": 0.0}
        other = milp(g, integrality=kinds, bounds=Bounds(0, 2.5), constraints=rows, options=exact)
        atom, value, error = region.inexact_lmo(g, memory, TIGHT)
        x = atom.dense(n)
        assert value == pytest.approx(other.fun, rel=1e-6)
        assert (x[kinds == 1] == np.round(x[kinds == 1])).all()
        assert (A @ x <= A.sum(axis=1) + 1e-9).all()
        assert 0.0 <= error <= 1e-9 * region.reach(np.abs(g), n)


def test_a_hull_of_integer_points_is_the_hull_of_all_of_them(rng):
    region = fw.regions.IntegerPolytope([[3.0, 5.0, 7.0, 4.0]], [11.0], bounds=(0, 2))
    hull = fw.ConvexHull(program(region, 4).lift.T)
    assert hull.contains(region.middle(4))
    for x in rng.uniform(-0.1, 2.0, (40, 4)):
        assert region.contains(x, tol=1e-7) == hull.contains(x, tol=1e-7)
        near = region.inside(x.copy())
        assert hull.contains(near)


def test_few_nodes_give_a_weak_bound_and_never_a_false_one(rng):
    n = 16
    A = rng.integers(1, 30, (3, n)).astype(float)
    whole = fw.regions.IntegerPolytope(A, 0.4 * A.sum(axis=1), bounds=(0, 1))
    few = fw.regions.IntegerPolytope(A, 0.4 * A.sum(axis=1), bounds=(0, 1), nodes=1)
    g = -A.sum(axis=0) * rng.uniform(0.9, 1.1, n)
    true = whole.lmo(g).dot(g)
    atom, value, error = few.inexact_lmo(g, few.oracle_memory(n, g.dtype), TIGHT)
    assert few._over(atom.dense(n)) <= 1e-9
    assert value - error <= true + 1e-9 * abs(true)
    assert value >= true - 1e-9 * abs(true)


def test_points_of_dual_cones(rng):
    assert (dual_point("NonNeg", rng.standard_normal(5), 1) >= 0.0).all()
    two = dual_point("SOC", rng.standard_normal(6), 3).reshape(2, 3)
    assert (two[:, 0] >= np.linalg.norm(two[:, 1:], axis=1)).all()
    u, v, w = dual_point("ExpCone", rng.standard_normal(60), 1).reshape(-1, 3).T
    assert (u <= 0.0).all()
    inner = u < 0.0
    with np.errstate(over="ignore"):
        assert (w[inner] >= -u[inner] * np.exp(v[inner] / u[inner] - 1.0) * (1 - 1e-12)).all()
    assert dual_point("PowCone3D", rng.standard_normal(3), 1) is None


class TestCvxpy:
    @property
    def cp(self):
        return pytest.importorskip("cvxpy", reason="cvxpy is not installed")

    @pytest.mark.parametrize("solver", ["CLARABEL", "SCS"])
    @pytest.mark.parametrize("side", [2, 4])
    def test_semidefinite_sets_are_bounded_by_eigenvalues(self, solver, side, rng):
        if solver not in self.cp.installed_solvers():
            pytest.skip(f"{solver} is not installed")
        x = self.cp.Variable((side, side), symmetric=True)
        region = fw.regions.CvxpySet(x, [x >> 0, self.cp.trace(x) == 1], solver)
        for _ in range(3):
            g = rng.standard_normal((side, side))
            g = (g + g.T).ravel()
            memory = region.oracle_memory(side**2, g.dtype)
            _, value, error = region.inexact_lmo(g, memory, TIGHT)
            least = np.linalg.eigvalsh(g.reshape(side, side))[0]
            assert value - error <= least + 1e-12
            assert value == pytest.approx(least, abs=1e-2 if solver == "SCS" else 1e-5)
            assert error <= (1e-2 if solver == "SCS" else 1e-5)

    @pytest.mark.parametrize("kind", ["exponential", "projection", "power", "bounds"])
    def test_bounds_are_below_what_many_points_give(self, kind, rng):
        cp = self.cp
        x, t = cp.Variable(4), cp.Variable(4)
        sets = {
            "exponential": [cp.log_sum_exp(x) <= 1, x >= -1],
            "projection": [cp.sum(t) == 1, t >= 0, cp.abs(x) <= t],
            "power": [cp.pnorm(x, 3) <= 1],
            "bounds": [cp.sum(x) <= 1, x >= 0],
        }
        region = fw.regions.CvxpySet(x, sets[kind])
        atoms = [region.lmo(g).dense(4) for g in rng.standard_normal((40, 4))]
        for g in rng.standard_normal((10, 4)):
            memory = region.oracle_memory(4, g.dtype)
            _, value, error = region.inexact_lmo(g, memory, TIGHT)
            assert value - error <= min(a @ g for a in atoms)
            assert error <= 1e-4 * region.reach(np.abs(g), 4)

    def test_a_matrix_is_taken_row_after_row(self):
        x = self.cp.Variable((2, 3))
        region = fw.regions.CvxpySet(x, [x >= 0, self.cp.sum(x, axis=1) == 1])
        g = np.array([3.0, 1.0, 2.0, 1.0, 3.0, 2.0])
        np.testing.assert_allclose(region.lmo(g).dense(6), [0, 1, 0, 1, 0, 0], atol=1e-6)
        assert x.value is None  # left alone

    def test_a_rough_solver_shows_in_the_gap_and_never_lies(self, rng):
        cp = self.cp
        x = cp.Variable(5)
        options = {"max_iter": 3}
        region = fw.regions.CvxpySet(x, [cp.norm(x) <= 1], "CLARABEL")
        rough = fw.regions.CvxpySet(x, [cp.norm(x) <= 1], "CLARABEL")
        rough._compiled.options = options
        g = rng.standard_normal(5)
        for one in (region, rough):
            _, value, error = one.inexact_lmo(g, one.oracle_memory(5, g.dtype), TIGHT)
            assert value - error <= -np.linalg.norm(g) + 1e-12
        assert error > 1e-8

    @pytest.mark.parametrize(
        ("make", "words"),
        [
            (lambda cp, x: fw.regions.CvxpySet(3, []), "x must be a cvxpy Variable, got int"),
            (lambda cp, x: fw.regions.CvxpySet(x, [3]), "must be cvxpy constraints, got int"),
            (lambda cp, x: fw.regions.CvxpySet(x, [cp.norm(x) >= 1]), r"not convex by .* \(DCP\)"),
            (lambda cp, x: fw.regions.CvxpySet(x, [x >= 0]), "unbounded: entry"),
            (lambda cp, x: fw.regions.CvxpySet(x, [x >= 1, x <= 0]), "the set is empty"),
            (
                lambda cp, x: fw.regions.CvxpySet(x, [cp.norm(x) <= cp.Parameter(nonneg=True)]),
                "a parameter without a value",
            ),
            (
                lambda cp, x: fw.regions.CvxpySet(
                    x, [cp.norm(x) <= cp.exp(cp.Parameter(value=1.0)) * cp.Parameter(value=1.0)]
                ),
                r"\(DCP\)|\(DPP\)",
            ),
            (
                lambda cp, x: fw.regions.CvxpySet(cp.Variable(2, integer=True), []),
                "IntegerPolytope",
            ),
            (
                lambda cp, x: fw.regions.CvxpySet(x, [cp.norm(x) <= 1], "HIGHS"),
                "cvxpy has no solver",
            ),
            (
                lambda cp, x: fw.regions.CvxpySet(x, [cp.norm(x) <= 1], "NONE"),
                "cvxpy has no solver",
            ),
        ],
    )
    def test_what_is_wrong_gets_one_sentence(self, make, words):
        with pytest.raises(InvalidInput, match=words) as caught:
            make(self.cp, self.cp.Variable(3))
        assert str(caught.value).endswith(".")
        assert "\n" not in str(caught.value)


THREADS = """
import highspy, numpy as np, frankwolfe as fw
other = highspy.Highs()
other.setOptionValue("output_flag", False)
other.setOptionValue("threads", 3)
other.setOptionValue("parallel", "on")
other.addVar(0.0, 1.0)
other.changeColsIntegrality(1, np.zeros(1, dtype=np.int32), np.ones(1, dtype=np.uint8))
other.run()
region = fw.regions.IntegerPolytope(np.array([[1.0, 2.0]]), [2.5], bounds=(0, 3))
print(region.lmo(np.array([-1.0, -1.0])).dot(np.ones(2)))
"""


def test_threads_that_others_chose_do_no_harm():
    assert float(in_threads(1, THREADS)) == 2.0


def test_pivots_that_never_end_are_given_up():
    """One point, by equations more than enough and a very thin side: HiGHS 1.15 has no end here."""
    rows = [
        [0.2511491154841763, -0.8658398778443085, -1.8805961790888848],
        [0.05506088610989466, -0.304801597971663, 0.18559643083510552],
        [1.1469865169534657, -0.6831297761473174, -0.8411130248681283],
        [0.5022982309683526, -1.731679755688617, -3.7611923581777695],
    ]
    most = [1055.7306862016103, 2.4406060181090954, 1768.4477049423936, 2111.4613724032206]
    bounds = [
        (1247.708846828467, 1247.708846855271),
        (-17.950663793981537, -17.950663793981537),
        (-386.62173077594065, -386.3536910299495),
    ]
    region = fw.Polytope(A_eq=rows, b_eq=most, bounds=bounds)
    atom = region.lmo(np.array([1.0, 1.0, -1.0])).dense(3)
    assert region.violation(atom) <= 1e-9


FAR = [2.0**40, 2.0**70, 2.0**100, 2.0**900]


@pytest.mark.parametrize("unit", [2.0**-70, *FAR])
def test_the_oracle_is_the_same_in_all_units(unit, rng):
    for make in (_random, _walk):
        given = make(rng)
        sides = {name: unit * np.asarray(given[name]) for name in ("b_ub", "b_eq", "bounds")}
        one, other = fw.Polytope(**given), fw.Polytope(**{**given, **sides})
        for g in rng.standard_normal((5, one.dimension)):
            n = g.size
            np.testing.assert_array_equal(other.lmo(g).dense(n), unit * one.lmo(g).dense(n))


def _walk(rng, n=5):
    """Variables that hardly differ from one to the next, between bounds."""
    steps = (np.eye(n) - np.eye(n, k=-1))[1:]
    b = rng.random(n - 1)
    return {"A_ub": steps, "b_ub": b, "A_eq": np.ones((1, n)), "b_eq": [1.0], "bounds": (-2, 3)}


@pytest.mark.parametrize("far", FAR)
def test_a_bound_far_out_is_kept_and_hides_no_row(far, rng):
    n = 4
    corner = fw.Polytope(bounds=[(-far, far)] * n)
    held = fw.Polytope(A_ub=[np.ones(n)], b_ub=[2.0 * n * far], bounds=(0.0, far))
    A = np.vstack([np.eye(n), -np.eye(n), rng.standard_normal((3, n))])
    A, b = A @ rng.standard_normal((n, n)), np.ones(2 * n + 3)  # no row holds a variable alone
    endless, loose = (fw.Polytope(A, b, bounds=(-end, end)) for end in (np.inf, far))
    for g in rng.standard_normal((5, n)):
        np.testing.assert_array_equal(corner.lmo(g).dense(n), np.where(g < 0.0, far, -far))
        np.testing.assert_array_equal(held.lmo(g).dense(n), np.where(g < 0.0, far, 0.0))
        np.testing.assert_array_equal(loose.lmo(g).dense(n), endless.lmo(g).dense(n))
    with pytest.raises(InvalidInput, match="is empty: no point satisfies"):
        fw.Polytope([np.ones(n)], [-1.0], bounds=(0.0, far))


@pytest.mark.parametrize("far", FAR[1:])
def test_integers_have_bounds_that_the_solver_sees(far):
    with pytest.raises(InvalidInput, match=r"variable 0 is an integer up to .* pass a smaller"):
        fw.regions.IntegerPolytope([[1.0, -1.0]], [1.0], bounds=(0.0, far))
    held = fw.regions.IntegerPolytope([[1.0, 1.0]], [3.0], bounds=(0.0, far))
    np.testing.assert_array_equal(held.lmo(np.array([-1.0, -2.0])).dense(2), [0.0, 3.0])
