"""Data on a GPU give what NumPy's do: every loss, every region, the methods' choice.

Skipped without a device; `tests/engines/test_elsewhere.py` has the same laws without one.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import N, basic_examples, size
from laws import ObjectiveLaws, cases, check_runs

import frankwolfe as fw
from frankwolfe.core.atoms import Dense, Sparse, Vertex
from frankwolfe.methods import METHODS

cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
try:
    DEVICES = cupy.cuda.runtime.getDeviceCount()
except cupy.cuda.runtime.CUDARuntimeError:
    DEVICES = 0
pytestmark = pytest.mark.skipif(DEVICES == 0, reason="there is no CUDA device")

KINDS = ("rows", "columns", "sparse")
LOSSES = ("Logistic", "SquaredError", "Huber", "Quantile", "Profiled", "Multinomial")


def there(A):
    """The data on the device, as the caller would have them."""
    if sp.issparse(A):
        from cupyx.scipy.sparse import csr_matrix

        return csr_matrix(sp.csr_matrix(A))
    return cupy.array(A, order="K")


def data(kind, m, n, rng, dtype=np.float64):
    A = rng.standard_normal((m, n)).astype(dtype)
    if kind == "sparse":
        return sp.csr_array(A * (rng.random((m, n)) < 0.3))
    return np.asfortranarray(A) if kind == "columns" else A


def loss(name, A, y):
    if name == "Profiled":
        return fw.Profiled(fw.Logistic(A, np.sign(y), sample_weight=np.arange(1.0, y.size + 1)))
    if name == "Multinomial":
        labels = np.digitize(y, [-0.5, 0.5])
        labels[:3] = [0, 1, 2]
        return fw.Profiled(fw.Multinomial(A, labels))
    options = {"Huber": {"delta": 0.5}, "Quantile": {"quantile": 0.3, "delta": 0.5}}
    target = np.sign(y) if name == "Logistic" else y
    return getattr(fw.objectives, name)(A, target, **options.get(name, {}))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(1, 1), (7, 3), (64, 128), (1000, 37), (33, 5000), (9000, 260)])
def test_products_are_those_of_numpy(kind, dtype, shape):
    rng = np.random.default_rng(0)
    A = data(kind, *shape, rng, dtype)
    y = rng.standard_normal(shape[0])
    far, near = fw.SquaredError(there(A), y), fw.SquaredError(A, y)
    dense = (A.toarray() if sp.issparse(A) else A).astype(np.float64)
    close = {"rtol": 1e-5, "atol": 3e-4} if dtype is np.float32 else {"rtol": 1e-11, "atol": 1e-10}
    x = rng.standard_normal(shape[1]).astype(dtype)
    z, g = far.new_image(), np.empty(shape[1], dtype=dtype)
    far.image(x, z)
    np.testing.assert_allclose(z.get(), dense @ x, **close)
    slope = rng.standard_normal(shape[0]).astype(dtype)
    far.gradient(cupy.asarray(slope), g)
    np.testing.assert_allclose(g, dense.T @ slope, **close)
    some = np.unique(rng.integers(0, shape[1], 5))
    atoms = [Vertex(int(some[0]), -2.0), Sparse(some, x[some].astype(np.float64)), Dense(x)]
    for atom in atoms:
        far.image_of(atom, z)
        np.testing.assert_allclose(z.get(), dense @ atom.dense(shape[1]), **close)
    np.testing.assert_allclose(far.linear.column_norms, near.linear.column_norms, rtol=1e-6)
    assert far.linear.norm == pytest.approx(np.linalg.norm(dense), rel=1e-6)
    if shape[1] < 300:
        assert far.smoothness == pytest.approx(near.smoothness, rel=1e-4)
        w = np.abs(rng.standard_normal(shape[0]))
        gram = far.linear.weighted_gram(cupy.asarray(w))
        np.testing.assert_allclose(gram, (dense.T * w) @ dense, rtol=1e-5, atol=2e-3)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_losses_are_those_of_numpy(name, dtype):
    rng = np.random.default_rng(1)
    A = rng.standard_normal((3000, 11)).astype(dtype)
    y = A @ rng.standard_normal(11) + 0.3 * rng.standard_normal(3000)
    far, near = loss(name, there(A), y), loss(name, A, y)
    rel = 1e-12 if dtype is np.float64 else 1e-5
    for scale in (1e-3, 1.0, 50.0):
        z, dz = (scale * rng.standard_normal((2, far.m))).astype(dtype)
        fz, fdz, slope, there_slope = cupy.asarray(z), cupy.asarray(dz), np.empty_like(z), None
        there_slope = far.new_image()
        assert far.value(fz) == pytest.approx(near.value(z), rel=rel)
        assert far.linearize(fz, there_slope) == pytest.approx(near.linearize(z, slope), rel=1e-5)
        np.testing.assert_allclose(there_slope.get(), slope, rtol=10 * rel, atol=rel / 100)
        for t in (0.0, 0.3, 1.0):
            assert far.along(fz, fdz, t) == pytest.approx(near.along(z, dz, t), rel=1e4 * rel)
        bound = near.curvature_bound(dz)
        assert far.curvature_bound(fdz) == pytest.approx(bound, rel=rel)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("region", basic_examples(), ids=repr)
def test_default_methods_end_where_those_of_numpy_do(region, kind, name):
    rng = np.random.default_rng(2)
    if name == "Multinomial" and region.dimension is not None:
        pytest.skip("a coefficient matrix has more variables than this region")
    n = size(region)
    A = data(kind, 6 * n, n, rng)
    y = A @ rng.standard_normal(n) + 0.3 * rng.standard_normal(6 * n)
    near = fw.minimize(loss(name, A, y), region, tol=1e-9, max_iter=300)
    far = fw.minimize(loss(name, there(A), y), region, tol=1e-9, max_iter=300)
    assert far.success == near.success
    assert abs(far.fun - near.fun) <= max(far.gap, near.gap) + 1e-10
    if near.nit == far.nit and near.method.startswith(("PARTAN", "Frank")):
        np.testing.assert_allclose(far.x, near.x, atol=1e-6)


@pytest.mark.parametrize("method", sorted(METHODS))
@pytest.mark.parametrize("kind", ["rows", "sparse"])
def test_methods_make_the_same_steps(method, kind):
    """As far as a change of the data in their last digit leaves them the same."""
    rng = np.random.default_rng(3)
    A = data(kind, 40, 8, rng)
    nearby = [A.copy() for _ in range(8)]
    for changed in nearby:
        entries = changed.data if kind == "sparse" else changed
        entries *= 1.0 + 1e-14 * rng.standard_normal(entries.shape)
    y = A @ rng.standard_normal(8) + 0.3 * rng.standard_normal(40)
    for region in (fw.L2Ball(1.0), fw.L1Ball(1.0), fw.Box(-0.3, 0.2)):
        chosen = METHODS[method]()
        every = (there(A), A, *nearby)
        problems = [fw.Problem(fw.Logistic(M, np.sign(y)), region) for M in every]
        if any(chosen.accepts(problem) is not None for problem in problems):
            continue
        states = [chosen.init(problem) for problem in problems]
        for _ in range(10):
            for state in states:
                chosen.advance(state)
            if max(np.abs(states[1].x - other.x).max() for other in states[2:]) > 1e-11:
                break
            np.testing.assert_allclose(states[0].x, states[1].x, atol=1e-10)


@pytest.mark.parametrize("name", LOSSES[:4])
@pytest.mark.parametrize("shape", [(1000, 256), (3001, 1000), (700, 10_000), (5000, 12_288)])
def test_one_pass_makes_the_same_steps(name, shape):
    rng = np.random.default_rng(9)
    A = cupy.asarray(rng.standard_normal(shape).astype(np.float32))
    y = rng.standard_normal(shape[0])
    f, region = loss(name, A, y), fw.L2Ball(0.1)
    assert f.single_pass is not None
    run = fw.minimize(f, region, method="frank_wolfe", stop=fw.Iterations(20))
    again = fw.minimize(f, region, method="frank_wolfe", stop=fw.Iterations(20))
    np.testing.assert_array_equal(run.x, again.x)
    steps = fw.states(fw.Problem(f, region), fw.frank_wolfe())
    plain = next(state for state in steps if state.k == 20)
    np.testing.assert_allclose(run.x, plain.x, atol=2e-6)
    assert run.history.value[-1] == pytest.approx(plain.value, rel=1e-5)


class TestObjectives(ObjectiveLaws):
    @pytest.fixture(params=[*LOSSES, "sparse"])
    def f(self, request):
        rng = np.random.default_rng(2)
        kind, name = (
            ("sparse", "Logistic") if request.param == "sparse" else ("rows", request.param)
        )
        n = 2 if name == "Multinomial" else N
        A = data(kind, 24, n, rng)
        return loss(name, there(A), A @ rng.standard_normal(n) + rng.standard_normal(24))


@cache
def all_cases():
    """Two losses over every region; what is best there is sought once."""
    rng, found = np.random.default_rng(2), []
    for region in basic_examples():
        A = data("rows", 4 * size(region), size(region), rng)
        y = A @ rng.standard_normal(size(region)) + 0.3 * rng.standard_normal(A.shape[0])
        found += cases([region], [loss(name, there(A), y) for name in ("Logistic", "Huber")])
    return found


@pytest.mark.parametrize("method", sorted(METHODS))
def test_laws_of_methods(method):
    check_runs(METHODS[method](), all_cases())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("region", [fw.L2Ball(2.0), fw.L1Ball(2.0)], ids=repr)
def test_a_run_is_the_same_bits_twice(region, kind):
    rng = np.random.default_rng(4)
    A = data(kind, 20_000, 300, rng)
    y = A @ rng.standard_normal(300) + rng.standard_normal(20_000)
    f = fw.Logistic(there(A), np.sign(y))
    runs = [fw.minimize(f, region, method=m, tol=1e-7, max_iter=60) for m in (None, None)]
    np.testing.assert_array_equal(runs[0].x, runs[1].x)
    np.testing.assert_array_equal(runs[0].history.gap, runs[1].history.gap)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", ["frank_wolfe", "pairwise", "partan", "jacobi"])
def test_a_step_moves_at_most_three_numbers_a_variable(kind, method):
    rng = np.random.default_rng(5)
    n = 2000
    A = data(kind, 500, n, rng)
    region = fw.L1Ball(2.0) if method == "pairwise" else fw.L2Ball(2.0)
    f = fw.Logistic(there(A), np.sign(rng.standard_normal(500)))
    problem, chosen = fw.Problem(f, region), METHODS[method]()
    state = chosen.init(problem)
    chosen.advance(state)
    before, steps = f.traffic.bytes, 20
    for _ in range(steps):
        chosen.advance(state)
    assert (f.traffic.bytes - before) / 8 <= 3 * n * steps


@pytest.mark.parametrize("name", ["Poisson", "LogPortfolio"])
def test_logarithms(name):
    rng = np.random.default_rng(4)
    A = rng.uniform(0.5, 1.5, (40, 6))
    rest = (rng.poisson(3.0, 40),) if name == "Poisson" else ()
    near = fw.minimize(getattr(fw.objectives, name)(A, *rest), fw.Simplex(2.0), tol=1e-10)
    far = fw.minimize(getattr(fw.objectives, name)(there(A), *rest), fw.Simplex(2.0), tol=1e-10)
    np.testing.assert_allclose(far.x, near.x, atol=1e-8)


@pytest.mark.parametrize("kind", KINDS)
def test_far_columns_are_centred(kind):
    rng = np.random.default_rng(3)
    A = data(kind, 40, 5, rng)
    A = sp.csr_array(A + sp.csr_array(1e4 * np.ones((40, 5)))) if kind == "sparse" else A + 1e4
    y = A @ rng.standard_normal(5) + 3e6
    near, far = (fw.Profiled(fw.SquaredError(a, y)) for a in (A, there(A)))
    a, b = (fw.minimize(f, fw.L1Ball(0.5), tol=1e-10) for f in (far, near))
    np.testing.assert_allclose(a.x, b.x, atol=1e-8)
    np.testing.assert_allclose(far.free_at(a.x), near.free_at(b.x), rtol=1e-10)


def test_bad_input_gets_the_sentences_of_numpy():
    good = np.ones((3, 2))
    for bad in (np.ones(3), np.ones((0, 2)), np.array([[1.0, np.nan]]), good * 1j):
        with pytest.raises(fw.InvalidInput) as near:
            fw.SquaredError(bad, [1.0])
        with pytest.raises(fw.InvalidInput) as far:
            fw.SquaredError(cupy.asarray(bad), [1.0])
        assert str(far.value) == str(near.value)
    for b in ([1.0], [1.0, np.inf, 2.0], ["a", "b", "c"]):
        with pytest.raises(fw.InvalidInput) as near:
            fw.SquaredError(good, b)
        with pytest.raises(fw.InvalidInput) as far:
            fw.SquaredError(cupy.asarray(good), b)
        assert str(far.value) == str(near.value)
    assert fw.SquaredError(cupy.ones((3, 2), dtype=int), [1, 2, 3]).dtype == np.float64


def test_tensors_come_in_by_dlpack():
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(6)
    A, y = rng.standard_normal((50, 4)), rng.standard_normal(50)
    near = fw.minimize(fw.SquaredError(A, y), fw.L1Ball(0.5), tol=1e-9)
    for where in ("cpu", "cuda"):
        f = fw.SquaredError(torch.tensor(A, device=where), torch.tensor(y, device=where))
        assert (f.traffic is None) == (where == "cpu")
        np.testing.assert_allclose(fw.minimize(f, fw.L1Ball(0.5), tol=1e-9).x, near.x, atol=1e-8)


def test_arrays_of_jax_come_in_by_dlpack():
    jax = pytest.importorskip("jax")
    if all(device.platform == "cpu" for device in jax.devices()):
        pytest.skip("JAX has no device here")
    A = np.random.default_rng(6).standard_normal((50, 4)).astype(np.float32)
    f = fw.SquaredError(jax.numpy.asarray(A), np.ones(50))
    assert f.traffic is not None
    assert f(np.ones(4)) == pytest.approx(fw.SquaredError(A, np.ones(50))(np.ones(4)), rel=1e-5)


def test_a_run_goes_on_from_a_checkpoint(tmp_path):
    rng = np.random.default_rng(7)
    A = cupy.asarray(rng.standard_normal((60, 5)))
    f = fw.Logistic(A, np.sign(rng.standard_normal(60)))
    for name in ("partan", "frank_wolfe", "pairwise", "working_set"):
        region, path = fw.L1Ball(1.0), tmp_path / f"{name}.npz"
        options = {"method": name, "tol": 1e-14}
        whole = fw.minimize(f, region, max_iter=12, **options)
        fw.minimize(f, region, max_iter=6, callback=fw.Checkpoint(path), **options)
        again = fw.minimize(f, region, max_iter=12, resume=path, **options)
        np.testing.assert_array_equal(again.x, whole.x)


def test_a_proof_is_made_here():
    rng = np.random.default_rng(8)
    A, y = rng.standard_normal((60, 5)), rng.standard_normal(60)
    far = fw.minimize(fw.SquaredError(cupy.asarray(A), y), fw.L1Ball(0.5)).verify()
    near = fw.minimize(fw.SquaredError(A, y), fw.L1Ball(0.5)).verify()
    assert far.lower == pytest.approx(near.lower, rel=1e-6)
