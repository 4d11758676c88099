"""Whatever else an objective can do is about the same function: for all that are registered."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import N, domain_examples, objective_examples, skip_if_refused
from scipy.optimize import minimize_scalar

import frankwolfe as fw
from frankwolfe import InvalidInput, Problem
from frankwolfe.core.atoms import Dense, Sparse, Vertex
from frankwolfe.core.objective_abilities import Traffic
from frankwolfe.objectives.compact import CompactCompletion, compacted
from frankwolfe.objectives.line_minimum import lowest
from frankwolfe.objectives.weighted import given_weights, term_weights

EXAMPLES = [*objective_examples(), *domain_examples()]
ATOMS = [Vertex(3, 0.7), Sparse(np.array([0, 4]), np.array([0.3, 0.5])), Vertex(1, 0.2)]


@pytest.fixture(params=EXAMPLES, ids=lambda f: type(f).__name__)
def f(request):
    return request.param


@pytest.fixture
def x(rng):
    """A point at which all of them are finite."""
    return 0.5 / N + 0.5 * rng.dirichlet(np.ones(N))


def bent(f, x, step=1e-5):
    """The second derivatives at x, by differences of gradients."""
    sides = [(f.grad(x + step * e) - f.grad(x - step * e)) / (2 * step) for e in np.eye(N)]
    return np.array(sides)


def test_second_derivatives_are_differences_of_gradients(f, x, rng):
    z, H = f.image_at(x), bent(f, x)
    near = {"rtol": 2e-4, "atol": 2e-5 * np.abs(H).max()}
    second = f.second_order
    if second is not None:
        images = second.images(ATOMS)
        dense = images.toarray() if sp.issparse(images) else images
        S = np.column_stack([atom.dense(N) for atom in ATOMS])
        for column, s in zip(dense.T, S.T, strict=True):
            np.testing.assert_allclose(column, f.image_at(s), atol=1e-13)
        found = second.hessian(z, images, images[:, :2])
        np.testing.assert_allclose(found, S.T @ H @ S[:, :2], **near)
        np.testing.assert_allclose(second.full_hessian(z), H, **near)
    scores = f.scores
    if scores is not None:
        every = np.column_stack([f.image_at(e) for e in np.eye(N)])
        np.testing.assert_allclose(every.T @ scores.hessian_times(z, every), H, **near)
    d = rng.standard_normal(N)
    curvature = f.along(z, f.image_at(d), 0.0)[2]
    if curvature is not None:
        assert curvature == pytest.approx(d @ H @ d, rel=1e-3, abs=2e-5 * np.abs(H).max())


@pytest.mark.parametrize("block", [slice(0, N), slice(1, 3), slice(N - 1, N)])
def test_blocks_are_parts_of_the_whole(block, f, x, rng):
    z, slope, out = f.image_at(x), f.new_image(), np.full(len(range(N)[block]), np.nan)
    f.block_gradient(z.copy(), block, slope, out)
    np.testing.assert_allclose(out, f.grad(x)[block], rtol=1e-10, atol=1e-12)
    v = rng.random(out.size)
    wide = np.zeros(N)
    wide[block] = v
    room = f.new_image()
    room[:] = np.nan
    f.block_image(v, block, room)
    np.testing.assert_allclose(room, f.image_at(wide), atol=1e-13)


def test_rows_are_terms_of_the_sum(f, x, rng):
    terms = f.row_terms
    if terms is None:
        pytest.skip("no sum over rows")
    z, slope = f.image_at(x), f.new_image()
    f.linearize(z, slope)
    rows = rng.permutation(f.m)[: f.m // 2]
    np.testing.assert_allclose(terms.slopes(rows, z[rows]), slope[rows], atol=1e-13)
    np.testing.assert_allclose(terms.slopes(rows, z[rows], -2.5), -2.5 * slope[rows], atol=1e-13)
    np.testing.assert_allclose(terms.row_slopes(rows, x), slope[rows], atol=1e-13)
    np.testing.assert_allclose(terms.row_slopes(rows, x, 3.0), 3.0 * slope[rows], atol=1e-13)
    out = f.grad(x)
    terms.add_gradient(rows, -slope[rows], out)
    others = np.setdiff1d(np.arange(f.m), rows)
    wanted = np.zeros(N)
    terms.add_gradient(others, slope[others], wanted)
    np.testing.assert_allclose(out, wanted, atol=1e-12)
    few = f.only(np.sort(rows))
    if few is not None:
        there = z[np.sort(rows)]
        room = np.empty(rows.size)
        few.linearize(there, room)
        np.testing.assert_allclose(room, slope[np.sort(rows)], atol=1e-13)
        rest = f.only(np.setdiff1d(np.arange(f.m), rows))
        total = few.value(there) + rest.value(z[np.setdiff1d(np.arange(f.m), rows)])
        assert total == pytest.approx(f(x), rel=1e-12)


@pytest.mark.parametrize("factor", [3.0, Fraction(1, 7), 1e-3])
def test_a_factor_multiplies_all_and_is_remembered(factor, f, x):
    other = f.times(factor)
    if other is None:
        pytest.skip("it is not multiplied")
    size = float(factor)
    assert other(x) == pytest.approx(size * f(x), rel=1e-12)
    np.testing.assert_allclose(other.grad(x), size * f.grad(x), rtol=1e-11, atol=1e-14)
    assert other.scale == Fraction(factor) * f.scale
    assert other.times(2).scale == 2 * Fraction(factor) * f.scale
    if f.smoothness is not None:
        assert other.smoothness == pytest.approx(size * f.smoothness)
    assert f.times(1.0)(x) == pytest.approx(f(x), rel=1e-13)


def test_single_precision_is_the_same_function_in_double(f, x):
    wide = f.in_double()
    if wide is None:
        pytest.skip("a plain function, whatever it computes in")
    assert wide.dtype == np.float64
    assert wide(x) == pytest.approx(f(x), rel=1e-12)
    np.testing.assert_allclose(wide.grad(x), f.grad(x), rtol=1e-10, atol=1e-13)


def test_what_is_enclosed_holds_the_value_and_the_gradient(f, x):
    if f.enclosure is None:
        pytest.skip("its rounding is not known")
    found = f.enclosure.enclosed(x, fw.Simplex())
    value = f(x)
    low, high = float(found.value.low), float(found.value.high)
    assert low <= high
    assert high - low <= 1e-12 * max(1.0, abs(value))
    assert value == pytest.approx(0.5 * (low + high), rel=1e-11, abs=1e-13)
    g = found.gradient
    np.testing.assert_allclose(g.high + g.low, f.grad(x), rtol=1e-9, atol=1e-11)
    assert (np.abs(g.error) <= 1e-12 * (1.0 + np.abs(g.high))).all()
    assert found.lost >= 0


def test_distances_say_from_where(rng):
    p = rng.standard_normal(N)
    for g, factor in (
        (fw.squared_distance(p), 1.0),
        (fw.Quadratic(3.0 * np.eye(N), -3.0 * p), 3.0),
    ):
        there, c = g.distance_to()
        np.testing.assert_allclose(there, p)
        assert c == pytest.approx(factor)
        for y in rng.standard_normal((5, N)):
            away = g(y) - g(p)
            assert away == pytest.approx(0.5 * c * np.sum((y - there) ** 2))
    assert fw.Quadratic(np.diag([1.0, 2.0])).distance_to() is None
    assert fw.SquaredError(rng.standard_normal((9, N)), np.ones(9)).distance_to() is None


def test_every_so_many_observations_weigh_as_all(rng):
    A, y = rng.standard_normal((12_000, 3)), rng.integers(0, 3, 12_000)
    f = fw.Multinomial(A, y)
    x = rng.standard_normal(f.n)
    z = f.image_at(x)
    thin = f.thinned(4, z)
    assert thin.entries.size == thin.objective.m
    there = thin.objective.value(z[thin.entries])
    assert there == pytest.approx(f.value(z), rel=0.05)
    own = fw.Multinomial(A[::4], y[::4])
    assert there == pytest.approx(own(x), rel=1e-10)
    rough = thin.objective.second_order.full_hessian(z[thin.entries])
    np.testing.assert_allclose(rough, own.full_hessian(own.image_at(x)), rtol=1e-8, atol=1e-12)


def test_fingerprints_tell_data_apart(f, rng):
    same = type(f).example(N, np.random.default_rng(2))
    other = type(f).example(N, np.random.default_rng(3))
    assert same.fingerprint() == f.fingerprint()
    if type(f).__name__ != "Function":
        assert other.fingerprint() != f.fingerprint()
    twice = f.times(2.0)
    if twice is not None:
        assert twice.fingerprint() != f.fingerprint()


def test_a_line_search_finds_the_lowest_point_of_a_line(f, rng):
    """Of an exact step, against an optimizer of one variable."""
    from frankwolfe.methods.steps import ExactLineSearch

    if not f.cheap_line_search:
        pytest.skip("each point of its line costs a whole value")
    method = fw.frank_wolfe(ExactLineSearch())
    problem = Problem(f, fw.Simplex())
    skip_if_refused(method, problem)
    state = method.init(problem, np.full(N, 1.0 / N))
    for _ in range(4):
        before, atom = state.x.copy(), state.atom.dense(N)
        method.advance(state)
        d = atom - before

        def line(t, start=before, d=d):
            return f(start + (t if f.everywhere else 0.999 * t) * d)

        best = minimize_scalar(line, bounds=(0.0, 1.0), method="bounded", options={"xatol": 1e-10})
        assert f(state.x) <= best.fun + 1e-10 * max(1.0, abs(best.fun))
        np.testing.assert_allclose(state.x, before + state.step * d, atol=1e-12)


@pytest.mark.parametrize("start", [-50.0, 0.0, 2.9, 1e4])
@pytest.mark.parametrize("kind", ["square", "quartic", "logistic", "kink", "steep"])
def test_the_lowest_point_of_convex_functions(kind, start):
    functions = {
        "square": (lambda t: (0.5 * (t - 3) ** 2, t - 3, 1.0), 1.0),
        "quartic": (lambda t: ((t - 3) ** 4, 4 * (t - 3) ** 3, 12 * (t - 3) ** 2), 12.0 * 2e8),
        "logistic": (
            lambda t: (
                np.logaddexp(0, t - 3) + np.logaddexp(0, 3 - t),
                math.tanh(0.5 * (t - 3)),
                0.5 / math.cosh(min(abs(0.5 * (t - 3)), 300.0)) ** 2,
            ),
            0.5,
        ),
        "kink": (
            lambda t: (
                abs(t - 3) + 0.05 * (t - 3) ** 2, math.copysign(1.0, t - 3) + 0.1 * (t - 3), 0.1
            ),
            1.0,
        ),
        "steep": (
            lambda t: (math.exp(t) - 20 * t, math.exp(t) - 20, math.exp(t)), math.exp(21.0)
        ),
    }  # fmt: skip
    along, bound = functions[kind]
    if kind == "steep" and start > 100.0:
        start = 20.0
    wanted = math.log(20.0) if kind == "steep" else 3.0
    calls = []

    def seen(t):
        calls.append(t)
        return along(t)

    found = lowest(seen, start, 1e-10, bound)
    assert found == pytest.approx(wanted, abs=3e-4 if kind == "quartic" else 1e-8)
    assert len(calls) <= 80
    assert abs(along(found)[1]) == min(abs(along(t)[1]) for t in calls)
    above = lowest(seen, wanted + 1.0, 1e-10, bound, low=wanted - 2.0)
    assert above == pytest.approx(wanted, abs=3e-4 if kind == "quartic" else 1e-8)


def test_traffic_is_counted_and_told():
    one, two = Traffic(5, 1_000), Traffic(12, 3_500_000)
    assert two.since(one) == (7, 3_499_000)
    for size in (0, 7, 999, 1000, 54_321, 999_999, 10**6, 3 * 10**9, 5 * 10**12, 10**16):
        rounds, told, unit = (
            str(Traffic(1234, size)).split(" ", 1)[0],
            *str(Traffic(1, size)).split()[2:],
        )
        power = {"bytes": 0, "kB": 3, "MB": 6, "GB": 9, "TB": 12}[unit]
        assert float(told) * 10.0**power == pytest.approx(size, rel=6e-3)
        assert rounds == "1,234"
        assert float(told) <= 1000.0 or unit == "TB"
        assert float(told) >= 1.0 or size < 1000


# ---- weights


def test_weights_of_terms_have_the_sum_they_should(rng):
    raw = rng.random(7)
    for reduction in ("mean", "sum"):
        alike = term_weights(reduction, None, 7)
        assert alike.size == 1
        assert alike[0] == pytest.approx(1.0 if reduction == "sum" else 1.0 / 7)
        own = term_weights(reduction, raw, 7)
        np.testing.assert_allclose(own, raw if reduction == "sum" else raw / raw.sum())
        huge = term_weights(reduction, 0.8e308 * (1.0 + raw), 7)
        if reduction == "mean":
            np.testing.assert_allclose(huge, (1.0 + raw) / (1.0 + raw).sum())
    assert given_weights(None, 3) is None
    for bad in ([1, -1, 1], [0, 0, 0], [1, 1], [1, np.nan, 1]):
        with pytest.raises(InvalidInput, match="sample_weight"):
            given_weights(bad, 3)
    with pytest.raises(InvalidInput, match="reduction must be"):
        term_weights("median", None, 3)


@pytest.mark.parametrize("loss", [fw.Poisson, fw.LogPortfolio])
def test_sums_and_weights_of_logarithms(loss, rng):
    A, b = rng.uniform(0.5, 2.0, (9, 4)), rng.integers(1, 5, 9)
    given = (A, b) if loss is fw.Poisson else (A,)
    x, w = rng.dirichlet(np.ones(4)), rng.integers(0, 3, 9)
    z = A @ x
    terms = z - b * np.log(z) if loss is fw.Poisson else -np.log(z)
    assert loss(*given)(x) == pytest.approx(terms.mean())
    assert loss(*given, reduction="sum")(x) == pytest.approx(terms.sum())
    assert loss(*given, sample_weight=w)(x) == pytest.approx(np.average(terms, weights=w))
    assert loss(*given, sample_weight=w, reduction="sum")(x) == pytest.approx(w @ terms)


# ---- cells of a matrix


def _completion(rng, shape, rows, columns, **options):
    keys = rng.permutation(len(rows) * len(columns))[: 3 * max(len(rows), len(columns))]
    r, c = np.array(rows)[keys // len(columns)], np.array(columns)[keys % len(columns)]
    r[: len(rows)], c[: len(columns)] = rows, columns
    return fw.Completion((r, c, rng.standard_normal(r.size)), shape=shape, **options), r, c


@pytest.mark.parametrize("loss", ["squared", "huber"])
def test_a_matrix_without_its_empty_rows_is_the_same_function(loss, rng):
    rows, columns = [1, 4, 5, 9], [0, 2, 7]
    f, *_ = _completion(rng, (12, 9), rows, columns, loss=loss)
    small = compacted(f, fw.NuclearBall(2.0))
    assert isinstance(small, CompactCompletion)
    assert small.shape == (4, 3)
    assert "12 x 9" in repr(small)
    X = rng.standard_normal((12, 9))
    kept = X[np.ix_(rows, columns)]
    both = [fw.FactoredMatrix.from_array(X), fw.FactoredMatrix.from_array(kept)]
    assert small(both[0]) == pytest.approx(f(both[0]), rel=1e-10)
    assert small(both[1]) == pytest.approx(f(both[0]), rel=1e-10)
    np.testing.assert_allclose(small.grad(both[1]), f.grad(both[0]), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(small.narrowed(X), kept)
    back = small.returned(both[1]).toarray()
    np.testing.assert_allclose(back[np.ix_(rows, columns)], kept, atol=1e-12)
    assert np.count_nonzero(np.abs(back) > 1e-12) <= 12
    # only where enough is left out: nine tenths of the lines, or fewer, have cells
    for m, n, made in ((4, 3, False), (5, 3, True), (4, 4, True)):
        full, *_ = _completion(rng, (m, n), range(4), range(3))
        assert isinstance(compacted(full, fw.NuclearBall(1.0)), CompactCompletion) == made
    assert compacted(small, fw.NuclearBall(1.0)) is small
    weighted = fw.regions.WeightedNuclearBall(1.0, np.ones(12), np.ones(9))
    assert (compacted(f, weighted) is f) == (not weighted.drops_empty)


@pytest.mark.parametrize("order", ["sorted", "mixed"])
@pytest.mark.parametrize("weights", [None, "one", "each"])
@pytest.mark.parametrize("loss", ["squared", "huber"])
def test_cells_in_any_order_are_the_same_sum(loss, weights, order, rng):
    count = 20
    cells = rng.permutation(48)[:count]
    cells = np.sort(cells) if order == "sorted" else cells
    rows, columns, values = cells // 6, cells % 6, 2.0 * rng.standard_normal(count)
    given = {} if weights is None else {
        "sample_weight": np.full(count, 2.0) if weights == "one" else rng.random(count)
    }  # fmt: skip
    X = fw.FactoredMatrix.from_array(rng.standard_normal((8, 6)))
    try:
        f = fw.Completion((rows, columns, values), shape=(8, 6), loss=loss, delta=0.5, **given)
    except TypeError:
        pytest.skip("cells have no weights")
    off = X.toarray()[rows, columns] - values
    size = np.abs(off)
    usual = np.where(size <= 0.5, 0.5 * off**2, 0.5 * size - 0.125)
    each = 0.5 * off**2 if loss == "squared" else usual
    w = given.get("sample_weight", np.ones(count))
    scale = f(X) / (w @ each)
    assert scale in (pytest.approx(1.0), pytest.approx(2.0), pytest.approx(1.0 / count))
    D = rng.standard_normal((8, 6))
    step = 1e-6
    ahead, behind = (fw.FactoredMatrix.from_array(X.toarray() + s * step * D) for s in (1, -1))
    slope = f.covector(f.grad(X)).dense()
    assert np.sum(slope * D) == pytest.approx((f(ahead) - f(behind)) / (2 * step), rel=1e-4)
    assert np.count_nonzero(slope) <= count


def test_atoms_of_all_kinds_have_the_image_of_their_points(f, rng):
    for atom in (*ATOMS, Dense(rng.random(N))):
        room = f.new_image()
        f.image_of(atom, room)
        np.testing.assert_allclose(room, f.image_at(atom.dense(N)), atol=1e-13)
