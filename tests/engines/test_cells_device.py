"""Loops over cells on a device give what those of the CPU give, and the same bits twice."""

import numpy as np
import pytest

import frankwolfe as fw
from frankwolfe.base.kernels.terms import TERMS
from frankwolfe.core.entries import Cells

cupy = pytest.importorskip("cupy", reason="CuPy is not installed")


def _devices():
    try:
        return cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError:
        return 0


pytestmark = pytest.mark.skipif(_devices() == 0, reason="there is no CUDA device")

SHAPES = [(3, 2), (70, 300), (40_000, 50), (50, 70_000), (2000, 1500)]
CLOSE = {np.float64: 1e-12, np.float32: 2e-5}


def both(shape, dtype, seed=0):
    """The same cells twice, here and there, values, and a generator."""
    from frankwolfe.engines.cuda.cells import DeviceCells

    rng = np.random.default_rng(seed)
    count = 60_000 if max(shape) > 100 else 20
    rows = np.sort((shape[0] * rng.random(count) ** 2).astype(np.int32))
    columns = (shape[1] * rng.random(count) ** 3).astype(np.int32)
    indptr = np.searchsorted(rows, np.arange(shape[0] + 1)).astype(np.int64)
    there = DeviceCells(shape, cupy.asarray(rows), cupy.asarray(columns), dtype)
    return Cells(shape, indptr, columns), there, rng.standard_normal(count).astype(dtype), rng


def close(found, wanted, dtype):
    found = cupy.asnumpy(found)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=CLOSE[dtype] * np.abs(wanted).max())


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES)
def test_products(shape, dtype):
    one, other, values, rng = both(shape, dtype)
    v, u = rng.standard_normal(shape[1]), rng.standard_normal(shape[0])
    there, turned = cupy.asarray(values), cupy.empty(values.size, dtype)
    other.turned(there, turned)
    wanted, found = np.empty(shape[0]), cupy.empty(shape[0])
    one.product(values, v, wanted)
    other.product(there, cupy.asarray(v), found)
    close(found, wanted, np.float64)
    wanted, found, again = np.empty(shape[1]), cupy.empty(shape[1]), cupy.empty(shape[1])
    one.transposed_product(values, u, wanted)
    other.transposed_product(turned, cupy.asarray(u), found)
    other.transposed_product(turned, cupy.asarray(u), again)
    close(found, wanted, np.float64)
    assert (found == again).all()
    assert one.multiplicity == other.multiplicity
    np.testing.assert_array_equal(cupy.asnumpy(other.rows()), one.rows())


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES)
def test_images(shape, dtype):
    one, other, values, rng = both(shape, dtype)
    u, v = (rng.standard_normal(side).astype(dtype) for side in shape)
    wanted, found = np.empty_like(values), cupy.empty(values.size, dtype)
    one.rank_one(-3.0, u, v, wanted)
    other.rank_one(-3.0, cupy.asarray(u), cupy.asarray(v), found)
    close(found, wanted, dtype)
    for rank in (1, 5, 50):
        left, right = (rng.standard_normal((side, rank)).astype(dtype) for side in shape)
        one.factored(left, right, wanted)
        other.factors.factored(cupy.asarray(left), cupy.asarray(right), found)
        close(found, wanted, dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("rank", "loss"), [(3, "huber"), (20, "logistic"), (50, "squared"), (300, "huber")]
)
def test_loss_and_gradient(rank, loss, dtype, monkeypatch):
    from frankwolfe.engines.cuda import cells_factors as room

    monkeypatch.setattr(room, "MAX_PARTIAL_BYTES", 2**20)  # panels in batches
    for shape in SHAPES[1:4]:
        one, other, values, rng = both(shape, dtype)
        if loss == "logistic":
            values = np.sign(values)
        terms = TERMS[loss].code, 0.7
        w = rng.random(values.size)
        left, right = (rng.standard_normal((side, rank)).astype(dtype) for side in shape)
        by_row, by_column = np.empty_like(left), np.empty_like(right)
        pair = one.loss_gradient((*terms, values, w), 0.3, left, right, by_row, by_column)
        given = (*terms, cupy.asarray(values), cupy.asarray(w))
        factors = cupy.asarray(left), cupy.asarray(right)
        runs = []
        for _ in range(2):
            rows, columns = map(cupy.empty_like, factors)
            found = other.factors.loss_gradient(given, 0.3, *factors, rows, columns)
            runs.append((found, rows, columns))
        np.testing.assert_allclose(runs[0][0], pair, rtol=CLOSE[dtype])
        close(runs[0][1], by_row, dtype)
        close(runs[0][2], by_column, dtype)
        assert runs[0][0] == runs[1][0]
        assert all((runs[0][k] == runs[1][k]).all() for k in (1, 2))


def ratings(shape=(300, 80), share=0.3, seed=0):
    rng = np.random.default_rng(seed)
    rows, columns = np.nonzero(rng.random(shape) < share)
    order = rng.permutation(rows.size)
    rows, columns = rows[order], columns[order]
    low = rng.standard_normal((shape[0], 2)) @ rng.standard_normal((2, shape[1]))
    return rows, columns, low[rows, columns] + 0.1 * rng.standard_normal(rows.size)


def there(parts):
    return tuple(map(cupy.asarray, parts))


@pytest.mark.parametrize("region", [fw.NuclearBall(90.0), fw.NuclearBall(90.0, exact_below=0)])
@pytest.mark.parametrize("method", [fw.frank_wolfe, fw.jacobi, fw.methods.in_face])
def test_methods_take_the_steps_of_the_cpu(method, region):
    parts, chosen = ratings(), method()
    near = chosen.init(fw.Problem(fw.Completion(parts), region))
    far, again = (chosen.init(fw.Problem(fw.Completion(there(parts)), region)) for _ in range(2))
    for _ in range(15):
        for state in (near, far, again):
            chosen.advance(state)
    assert far.value == again.value
    assert far.value == pytest.approx(near.value, rel=1e-10)
    np.testing.assert_array_equal(far.x.toarray(), again.x.toarray())
    np.testing.assert_allclose(far.x.toarray(), near.x.toarray(), atol=1e-10)


@pytest.mark.parametrize("loss", TERMS)
def test_the_hybrid_finds_what_the_cpu_finds(loss):
    rows, columns, values = ratings()
    values = np.sign(values) if loss == "logistic" else values
    parts = rows, columns, values
    ball = fw.NuclearBall(90.0, exact_below=0)
    near = fw.minimize(fw.Completion(parts, loss=loss), ball, tol=1e-8)
    far, again = (
        fw.minimize(fw.Completion(there(parts), loss=loss), ball, tol=1e-8) for _ in range(2)
    )
    assert far.success
    assert far.certified
    assert far.fun == pytest.approx(near.fun, rel=1e-8, abs=1e-8)
    np.testing.assert_array_equal(far.x.toarray(), again.x.toarray())


def test_a_spectraplex_on_a_device():
    parts = ratings((60, 60))
    region = fw.Spectraplex(40.0, exact_below=0)
    near, far = (fw.minimize(fw.Completion(p), region, tol=1e-6) for p in (parts, there(parts)))
    assert far.fun == pytest.approx(near.fun, rel=1e-6)


def test_a_sparse_matrix_on_a_device():
    from cupyx.scipy.sparse import coo_matrix

    rows, columns, values = there(ratings())
    matrix = coo_matrix((values, (rows, columns)), shape=(300, 80))
    one, other = fw.Completion(matrix), fw.Completion((rows, columns, values), shape=(300, 80))
    x = fw.FactoredMatrix(np.ones((1, 300)), np.ones(1), np.ones((1, 80)))
    assert one(x) == pytest.approx(other(x), rel=1e-13)
    assert one.here()(x) == pytest.approx(other(x), rel=1e-13)
    single = fw.Completion((rows, columns, values.astype("f4")))
    assert single(x) == pytest.approx(other(x), rel=1e-5)


def test_little_moves_between_host_and_device():
    f = fw.Completion(there(ratings()))
    method, ball = fw.frank_wolfe(), fw.NuclearBall(90.0, exact_below=0)
    state = method.init(fw.Problem(f, ball))
    for _ in range(3):
        before = f.place.moved[1]
        method.advance(state)
        assert f.place.moved[1] - before <= 8 * 3 * sum(f.shape)
