"""The softmax loss against cvxpy, scikit-learn, the logistic loss and long arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from programs import peers_value

import frankwolfe as fw
from frankwolfe.core.atoms import Dense, Sparse, Vertex

M, P, K = 60, 4, 3


def _data(rng, rows=M, variables=P, classes=K):
    A = rng.standard_normal((rows, variables))
    scores = 2.0 * A @ rng.standard_normal((variables, classes))
    return A, (scores + rng.gumbel(size=(rows, classes))).argmax(axis=1)


def _image(f, x):
    z = np.empty(f.m, dtype=f.dtype)
    f.image(x, z)
    return z


@pytest.mark.parametrize("region", [fw.L1Ball(3.0), fw.L2Ball(1.0), fw.L2Ball(3.0)], ids=repr)
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.filterwarnings("ignore:Solution may be inaccurate")
def test_it_agrees_with_cvxpy(region, intercept, rng):
    cp = pytest.importorskip("cvxpy", reason="cvxpy is not installed")
    A, labels = _data(rng)
    X, c = cp.Variable((P, K)), cp.Variable((1, K))
    Z = A @ X + np.ones((M, 1)) @ c * intercept
    loss = cp.sum(cp.log_sum_exp(Z, axis=1)) - cp.sum(cp.multiply(np.eye(K)[labels], Z))
    held = [cp.norm(cp.vec(X, order="C"), region.p) <= region.radius]
    program = cp.Problem(cp.Minimize(loss / M), held)
    program.solve(solver="CLARABEL", tol_gap_abs=1e-10, tol_gap_rel=1e-10)
    f = fw.Multinomial(A, labels)
    f = fw.Profiled(f) if intercept else f
    result = fw.minimize(f, region, tol=1e-9)
    theirs = peers_value(f, region, X.value.ravel())
    assert result.success
    assert result.fun == pytest.approx(theirs, rel=1e-7)
    assert result.lower_bound <= theirs + 1e-12
    if intercept:
        b = f.free_at(result.x)
        np.testing.assert_allclose(b - b.mean(), (c.value - c.value.mean())[0], atol=1e-3)


def test_it_agrees_with_scikit_learn(rng):
    linear_model = pytest.importorskip("sklearn.linear_model")
    A, labels = _data(rng)
    names = np.array(["x", "y", "z"])[labels]
    model = linear_model.LogisticRegression(C=5.0, tol=1e-10, max_iter=1000).fit(A, names)
    theirs = model.coef_.T.ravel()  # a row for each variable, as ours
    f = fw.Profiled(fw.Multinomial(A, names))
    result = fw.minimize(f, fw.L2Ball(float(np.linalg.norm(theirs))), tol=1e-12)
    np.testing.assert_allclose(result.x, theirs, atol=1e-5)
    np.testing.assert_allclose(f.free_at(result.x), model.intercept_, atol=1e-5)
    np.testing.assert_array_equal(f.objective.classes, model.classes_)
    p = f.objective.probabilities(_image(f, result.x) + f.free @ f.free_at(result.x))
    np.testing.assert_allclose(p, model.predict_proba(A), atol=1e-6)


def test_two_classes_are_the_logistic_loss(rng):
    A, labels = _data(rng, classes=2)
    f, logistic = fw.Multinomial(A, labels), fw.Logistic(A, labels)
    for X in rng.standard_normal((5, P, 2)):
        assert f(X.ravel()) == pytest.approx(logistic(X[:, 1] - X[:, 0]), rel=1e-13)
        slope = logistic.grad(X[:, 1] - X[:, 0])
        pair = np.column_stack([-slope, slope]).ravel()
        np.testing.assert_allclose(f.grad(X.ravel()), pair, atol=1e-14)
    # |X| <= r leaves |x| <= sqrt(2) r for the difference in the 2-norm, r in the 1-norm
    for ball, factor in ((fw.L2Ball, math.sqrt(2.0)), (fw.L1Ball, 1.0)):
        one = fw.minimize(f, ball(0.7), tol=1e-11)
        two = fw.minimize(logistic, ball(0.7 * factor), tol=1e-11)
        assert one.fun == pytest.approx(two.fun, abs=2e-11)
        X = one.x.reshape(P, 2)
        np.testing.assert_allclose(X[:, 1] - X[:, 0], two.x, atol=1e-4)


@pytest.mark.parametrize("kind", [np.asarray, np.asfortranarray, sp.csr_array, sp.csc_matrix])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_dense_and_sparse_data_give_the_same(kind, dtype, rng):
    A, labels = _data(rng)
    A = (A * (rng.random(A.shape) < 0.5)).astype(dtype)
    plain, f = fw.Multinomial(A.astype(float), labels), fw.Multinomial(kind(A), labels)
    close = {"atol": 1e-13 if dtype == np.float64 else 1e-5}
    x = rng.standard_normal(P * K)
    z, wide = _image(f, x.astype(dtype)), (A.astype(float) @ x.reshape(P, K)).ravel()
    np.testing.assert_allclose(z, wide, **close)
    assert f(x) == pytest.approx(plain(x), rel=1e-12 if dtype == np.float64 else 1e-6)
    assert f.grad(x).dtype == dtype
    np.testing.assert_allclose(f.grad(x), plain.grad(x), **close)
    few = Sparse(np.array([0, 3, 4]), np.array([0.5, -1.0, 2.0]))
    vertices = [Vertex(j, 0.5 + j) for j in range(P * K)]
    for atoms in (vertices, [few, Dense(x.astype(dtype)), *vertices]):
        images = f.images(atoms)
        for column, atom in enumerate(atoms):
            image = np.empty(f.m, dtype=dtype)
            f.image_of(atom, image)
            np.testing.assert_allclose(image, _image(f, atom.dense(P * K).astype(dtype)), **close)
            dense = images[:, [column]]
            dense = dense.toarray() if sp.issparse(dense) else dense
            np.testing.assert_allclose(dense.ravel(), image, **close)


@pytest.mark.parametrize("weighted", [False, True])
def test_second_derivatives(weighted, rng):
    A, labels = _data(rng)
    w = rng.uniform(0.0, 2.0, M) if weighted else None
    f = fw.Multinomial(A, labels, sample_weight=w)
    x, h = rng.standard_normal(P * K), 1e-6
    z = _image(f, x)
    full = f.full_hessian(z)
    axes = h * np.eye(P * K)
    numeric = [(f.grad(x + e) - f.grad(x - e)) / (2 * h) for e in axes]
    np.testing.assert_allclose(full, numeric, atol=1e-8)
    np.testing.assert_allclose(full, full.T, atol=0.0)
    sparse = f.images([Vertex(j, 1.0) for j in range(P * K)])
    for images in (sparse, sparse.toarray()):
        np.testing.assert_allclose(f.hessian(z, images, images), full, atol=1e-14)
        part = f.hessian(z, images, images[:, 2:5])
        np.testing.assert_allclose(part, full[:, 2:5], atol=1e-14)
    dense = sparse.toarray()
    np.testing.assert_allclose(dense.T @ f.hessian_times(z, dense), full, atol=1e-14)
    # a shift of all classes by the same changes nothing
    shift = np.repeat(np.eye(P), K, axis=0)
    np.testing.assert_allclose(full @ shift, 0.0, atol=1e-14)


def test_reduction_and_sample_weight(rng):
    A, labels = _data(rng)
    x, w = rng.standard_normal(P * K), rng.integers(0, 4, M)
    repeated = fw.Multinomial(np.repeat(A, w, axis=0), np.repeat(labels, w))(x)
    assert fw.Multinomial(A, labels, sample_weight=w)(x) == pytest.approx(repeated)
    total = fw.Multinomial(A, labels, sample_weight=w, reduction="sum")
    assert total(x) == pytest.approx(repeated * w.sum())


@pytest.mark.parametrize("row", [[800.0, -800.0, 0.0], [-40.0, 3.0, 2.5], [1e6, 1e6, 1e6]])
@pytest.mark.parametrize("label", range(3))
def test_no_overflow_and_no_lost_digits(row, label):
    f = fw.Multinomial(np.eye(3), range(3), reduction="sum", sample_weight=np.eye(3)[label])
    z, slope = np.zeros(9), np.empty(9)
    z[3 * label : 3 * label + 3] = row
    value, _ = f.linearize(z, slope)
    away = [Fraction(v) - Fraction(row[label]) for v in row]
    top = max(away)
    exact = float(top) + math.log(math.fsum(math.exp(float(v - top)) for v in away))
    others = math.fsum(math.exp(float(v)) for k, v in enumerate(away) if k != label and v < 700)
    if top <= 0.0:  # the label leads: the loss is log(1 + others), the slope -others / (1 + ...)
        assert value == pytest.approx(math.log1p(others), rel=1e-14, abs=1e-300)
        own = -others / (1.0 + others)
        assert slope[4 * label] == pytest.approx(own, rel=1e-14, abs=1e-300)
    else:
        assert value == pytest.approx(exact, rel=1e-14)
    assert abs(slope.sum()) <= 1e-15
    assert f.value(z) == value
    assert f.along(z, slope, 0.0)[0] == value


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda A, y: fw.Multinomial(A, y[:-1]), "labels must hold one label for each of the 60"),
        (lambda A, y: fw.Multinomial(A, 0 * y), "labels must hold at least two classes"),
        (lambda A, y: fw.Multinomial(A, np.where(y, np.nan, 1.0)), "labels must be finite"),
        (lambda A, y: fw.Multinomial(A[0], y), "A must be a non-empty matrix"),
        (lambda A, y: fw.Multinomial(A, y, reduction="max"), "reduction must be"),
        (lambda A, y: fw.Multinomial(A, y, sample_weight=-y), "sample_weight must be >= 0"),
    ],
)
def test_bad_input_gets_a_sentence(make, words, rng):
    with pytest.raises(fw.InvalidInput, match=words):
        make(*_data(rng))


@pytest.mark.parametrize("weighted", [False, True])
def test_intercepts_are_added_within_the_pass(weighted, rng):
    A, labels = _data(rng, rows=131)  # not a whole number of blocks
    w = rng.uniform(0.0, 2.0, 131) if weighted else None
    f = fw.Multinomial(A, labels, sample_weight=w)
    z, b = 3.0 * rng.standard_normal(f.m), rng.standard_normal(K)
    mine, plain = np.empty(f.m), np.empty(f.m)
    moved = z + np.tile(b, 131)
    value, inner = f.linearize_shifted(z, b, mine)
    assert value == pytest.approx(f.linearize(moved, plain)[0], rel=1e-14)
    np.testing.assert_allclose(mine, plain, atol=1e-16)
    assert inner == pytest.approx(plain @ z, rel=1e-12)
    # every objective has it
    other = fw.Logistic(A, labels == 1)
    theirs, slope = np.empty(131), np.empty(131)
    found = other.linearize_shifted(moved[:131], b[:1], theirs)[0]
    assert found == pytest.approx(other.linearize(moved[:131] + b[0], slope)[0], rel=1e-14)
    np.testing.assert_allclose(theirs, slope, atol=1e-16)


def test_levels_fit_where_there_are_no_coefficients(rng):
    A, labels = _data(rng)
    f = fw.Multinomial(A, labels, sample_weight=rng.uniform(0.5, 2.0, M))
    slope = np.empty(f.m)
    f.linearize_shifted(np.zeros(f.m), f.fitting_levels(), slope)
    np.testing.assert_allclose(slope.reshape(M, K).sum(axis=0), 0.0, atol=1e-15)
    none = fw.Multinomial(A, labels, sample_weight=(labels != 1).astype(float))
    assert not none.fitting_levels().any()  # a class without weight has no level


def _thinned_hessian(f, z, step):
    thin = f.thinned(step, z)
    return thin.objective.second_order.full_hessian(z[thin.entries])


@pytest.mark.parametrize("intercept", [False, True])
def test_a_rough_hessian_is_that_of_some_observations(intercept, rng):
    A, labels = _data(rng, rows=600)
    w = rng.uniform(0.5, 2.0, 600)
    make = fw.Profiled if intercept else (lambda f: f)
    f = make(fw.Multinomial(A, labels, sample_weight=w))
    z = _image(f, rng.standard_normal(f.n))
    whole = f.full_hessian(z)
    np.testing.assert_allclose(_thinned_hessian(f, z, 1), whole, atol=1e-12)
    # the same observation four times over: any of the four tell all
    four = make(fw.Multinomial(np.repeat(A, 4, axis=0), np.repeat(labels, 4)))
    once = make(fw.Multinomial(A, labels))
    thin = _thinned_hessian(four, _image(four, np.ones(f.n)), 4)
    np.testing.assert_allclose(thin, once.full_hessian(_image(once, np.ones(f.n))), atol=1e-10)
    # a class that none of the chosen observations has
    rare = np.where(np.arange(600) % 10 == 3, 2, labels % 2)
    f = make(fw.Multinomial(A, rare))
    rough = _thinned_hessian(f, _image(f, 0.1 * np.ones(f.n)), 10)
    assert np.isfinite(rough).all()
    assert np.linalg.eigvalsh(rough)[0] >= -1e-10
    assert make(fw.Multinomial(sp.csr_array(A), labels)).thinned(2, z) is None
