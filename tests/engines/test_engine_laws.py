"""Maps of devices and parts of clusters by their definitions, without a device or a cluster."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from elsewhere import Elsewhere, Far, FarMatrix, far
from far_cells import FarCells

from frankwolfe import InvalidInput
from frankwolfe.core.atoms import Dense, Sparse, Vertex
from frankwolfe.core.centring import far_means
from frankwolfe.engines.cells_gradient import DeviceCellMatrix
from frankwolfe.engines.maps import DeviceDense
from frankwolfe.engines.sparse import DeviceSparse, SparseImages

KINDS = ("rows", "columns", "strided", "sparse")


def data(kind, rng, m=9, n=6, dtype=np.float64):
    A = rng.standard_normal((m, n)).astype(dtype)
    if kind == "sparse":
        return sp.csr_array(A * (rng.random((m, n)) < 0.5))
    if kind == "strided":
        return rng.standard_normal((2 * m, 2 * n)).astype(dtype)[::2, ::2]
    return np.asfortranarray(A) if kind == "columns" else A


def there(A):
    """The map of a matrix elsewhere, and the matrix itself."""
    place = Elsewhere()
    if sp.issparse(A):
        return DeviceSparse(place, FarMatrix(A.tocsr()), FarMatrix(A.tocsc())), A.toarray()
    return DeviceDense(place, Far(A)), np.array(A)


def held(found):
    """The entries of a map in memory."""
    if not found.sparse:
        return found.matrix
    out = np.empty((found.shape[0], found.shape[1]), found.dtype)
    for j in range(found.shape[1]):
        found.column(j, 1.0, out[:, j])
    return out


def back(out):
    return out._array if isinstance(out, Far) else out


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kind", KINDS)
def test_products_are_those_of_the_matrix(kind, dtype, rng):
    f, A = there(data(kind, rng, dtype=dtype))
    tol = {"rtol": 1e-5, "atol": 1e-5} if dtype == np.float32 else {"rtol": 1e-12, "atol": 1e-13}
    assert f.shape == A.shape
    assert f.dtype == dtype
    assert f.sums_in_double == (dtype == np.float32)
    assert f.sparse == (kind == "sparse")
    m, n = A.shape
    x, y = rng.standard_normal(n).astype(dtype), rng.standard_normal(m).astype(dtype)
    X, Y = rng.standard_normal((n, 3)).astype(dtype), rng.standard_normal((m, 3)).astype(dtype)

    def filled(act, size, given=dtype, away=True):
        out = Far(np.full(size, np.nan, given)) if away else np.full(size, np.nan, given)
        act(out)
        return back(out)

    np.testing.assert_allclose(filled(lambda out: f.apply(x, out), m), A @ x, **tol)
    np.testing.assert_allclose(filled(lambda out: f.apply(X, out), (m, 3)), A @ X, **tol)
    for away in (True, False):
        got = filled(lambda out: f.adjoint(Far(y), out), n, away=away)
        np.testing.assert_allclose(got, A.T @ y, **tol)
    got = filled(lambda out: f.adjoint(Far(Y), out), (n, 3), away=kind not in ("sparse",) and False)
    np.testing.assert_allclose(got, A.T @ Y, **tol)
    for j in range(n):
        got = filled(lambda out, j=j: f.column(j, -1.5, out), m)
        np.testing.assert_allclose(got, -1.5 * A[:, j], **tol)
    for count in (0, 2, 5, 40) if kind == "sparse" else (2, 5, 6):
        places = rng.permutation(n)[: min(count, n)]
        values = rng.standard_normal(places.size)
        got = filled(lambda out, p=places, v=values: f.columns(p, v, out), m)
        np.testing.assert_allclose(got, A[:, places] @ values, **tol)
    for block in (slice(0, n), slice(1, 4), slice(n - 1, n)):
        part = A[:, block]
        v = rng.standard_normal(part.shape[1]).astype(dtype)
        got = filled(lambda out, b=block, v=v: f.apply_block(v, b, out), m)
        np.testing.assert_allclose(got, part @ v, **tol)
        got = filled(
            lambda out, b=block: f.adjoint_block(Far(y), b, out), part.shape[1], away=False
        )
        np.testing.assert_allclose(got, part.T @ y, **tol)
    np.testing.assert_allclose(f.column_norms, np.linalg.norm(A.astype(float), axis=0), rtol=1e-6)
    assert f.norm == pytest.approx(np.linalg.norm(A), rel=1e-6)
    np.testing.assert_allclose(f._sums, A.sum(axis=0, dtype=float), **tol)
    w = rng.random(m)
    np.testing.assert_allclose(f.weighted_gram(w), (A.T * w) @ A, **tol)
    np.testing.assert_allclose(f.gram("columns"), A.T @ A, **tol)
    np.testing.assert_allclose(f.gram("rows"), A @ A.T, **tol)
    np.testing.assert_array_equal(held(f.here()), A)
    wide = f.in_double()
    assert wide.dtype == np.float64
    np.testing.assert_array_equal(
        filled(lambda out: wide.apply(x.astype(float), out), m, float), A.astype(float) @ x
    )
    parts = [back(part) for part in f.parts()]
    rebuilt = sp.csr_array(tuple(parts[::-1]), A.shape).toarray() if len(parts) == 3 else parts[0]
    np.testing.assert_array_equal(rebuilt, A)
    assert not f.leaps


@pytest.mark.parametrize("kind", KINDS)
def test_images_of_atoms_are_columns(kind, rng):
    f, A = there(data(kind, rng))
    vertices = [Vertex(2, 0.5), Vertex(0, -1.0), Vertex(2, 3.0)]
    mixed = [*vertices, Sparse(np.array([1, 4]), np.array([2.0, -1.0]))]
    mixed += [] if kind == "sparse" else [Dense(rng.standard_normal(6))]
    for atoms in (vertices, mixed):
        found = f.images(atoms)
        full = back(found.full()) if isinstance(found, SparseImages) else back(found)
        wanted = A @ np.column_stack([atom.dense(6) for atom in atoms])
        np.testing.assert_allclose(full, wanted, atol=1e-13)
    if kind == "sparse":
        images = f.images(vertices)
        assert images.nnz == sum(np.count_nonzero(A[:, v.index]) for v in vertices)
        assert images.shape == (9, 3)
        wanted = A @ np.column_stack([atom.dense(6) for atom in vertices])
        for keep in ([True, False, True], [False] * 3, [True] * 3, [False, False, True]):
            part = images.select(np.array(keep))
            np.testing.assert_allclose(back(part.full()), wanted[:, keep], atol=1e-15)
            assert part.nnz == np.count_nonzero(wanted[:, keep])
        places, rows = images.apart
        np.testing.assert_array_equal(back(places), np.flatnonzero(wanted.any(axis=1)))
        np.testing.assert_allclose(back(rows), wanted[back(places)], atol=1e-15)


@pytest.mark.parametrize("far_columns", [[], [1], [0, 4], range(6)])
@pytest.mark.parametrize("kind", KINDS)
def test_columns_far_from_zero_are_moved_to_it(kind, far_columns, rng):
    A = np.array(data("rows", rng, m=40))
    A[:, list(far_columns)] += 1e3
    if kind == "sparse":
        A[:, 3] *= rng.random(40) < 0.3
    given = {"rows": A, "columns": np.asfortranarray(A), "sparse": sp.csr_array(A)}.get(kind)
    if kind == "strided":
        given = np.repeat(A, 2, axis=1)[:, ::2]
    f, A = there(given)
    found = f.centred()
    wanted = far_means(A)
    if kind == "sparse":
        wanted[(A != 0).mean(axis=0) < 0.9] = 0.0
    assert (found is None) == (not wanted.any())
    if found is None:
        pytest.skip("no column is far from zero, and none is moved")
    moved, shift = found
    np.testing.assert_allclose(shift, wanted, rtol=1e-12)
    near = held(moved.here())
    np.testing.assert_allclose(near, A - wanted, atol=1e-9)
    np.testing.assert_allclose(near[:, wanted != 0.0].mean(axis=0), 0.0, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_gradient_with_values_on_cells_is_that_matrix(dtype, rng):
    m, n = 7, 5
    keys = np.sort(rng.choice(m * n, 15))  # some cells twice
    rows, columns = keys // n, keys % n
    values = rng.standard_normal(15).astype(dtype)
    full = np.zeros((m, n))
    np.add.at(full, (rows, columns), values)
    cells = FarCells(rows, columns, (m, n))
    G = cells.matrix(Far(values))
    assert isinstance(G, DeviceCellMatrix)
    tol = {"rtol": 1e-4, "atol": 1e-5} if dtype == np.float32 else {"rtol": 1e-12, "atol": 1e-13}
    np.testing.assert_allclose(G.dense(), full, **tol)
    v, u = rng.standard_normal(n), rng.standard_normal(m)
    V, U = rng.standard_normal((n, 2)), rng.standard_normal((m, 2))
    for away in (True, False):
        for kept in (np.float64, np.float32):
            for act, given, wanted in (
                (G.apply, v, full @ v), (G.adjoint, u, full.T @ u),
                (G.apply_block, V, full @ V), (G.adjoint_block, U, full.T @ U),
            ):  # fmt: skip
                for order in "CF":
                    out = np.full(wanted.shape, np.nan, kept, order=order)
                    out = Far(out) if away else out
                    act(Far(given) if away else given, out)
                    near = tol if kept == np.float64 else {"rtol": 1e-4, "atol": 1e-5}
                    np.testing.assert_allclose(back(out), wanted, **near)
    left, right = rng.standard_normal((2, m)), rng.standard_normal((3, n))
    np.testing.assert_allclose(G.between(left, right), left @ full @ right.T, **tol)
    assert np.linalg.norm(full) <= G.frobenius() * (1 + 1e-6)
    assert G.frobenius() == pytest.approx(
        np.linalg.norm(values) * np.sqrt(Counter(keys.tolist()).most_common(1)[0][1]), rel=1e-6
    )


# ---- parts of a cluster

dask = pytest.importorskip("dask", reason="dask is not installed")
pytest.importorskip("distributed", reason="dask is not installed")

from frankwolfe import FactoredMatrix  # noqa: E402
from frankwolfe.engines.dask import Moments  # noqa: E402
from frankwolfe.engines.dask.levels import Bordered, Level  # noqa: E402
from frankwolfe.engines.dask.mixture import LOOPS, Mixture  # noqa: E402
from frankwolfe.engines.dask.named import Recent, named, named_atoms  # noqa: E402
from frankwolfe.engines.dask.places import homes  # noqa: E402
from frankwolfe.engines.dask.told import Guarded, Refused, raise_refusal  # noqa: E402
from frankwolfe.engines.dask.values import as_matrix, as_vector, is_text  # noqa: E402


def test_shards_are_where_they_are_unless_that_has_its_share(rng):
    for _ in range(300):
        workers = [f"w{k}" for k in range(rng.integers(1, 5))]
        threads = {name: int(rng.integers(1, 4)) for name in workers}
        count = int(rng.integers(1, 15))
        holders = [
            tuple(rng.choice([*workers, "gone"], int(rng.integers(0, 3)), replace=False))
            if len(workers) > 1 else tuple(workers[: int(rng.integers(0, 2))])
            for _ in range(count)
        ]  # fmt: skip
        found = homes(holders, threads)
        assert all(
            (home is None) == (not names) for home, names in zip(found, holders, strict=True)
        )
        room = {n: -(-count * t // sum(threads.values())) for n, t in threads.items()}
        full = Counter(home for home in found if home is not None)
        assert all(full[name] <= room[name] for name in full)
        for home, names in zip(found, holders, strict=True):
            if home is not None and home not in names:  # those that have it had no room left
                assert all(full[name] == room[name] for name in names if name in room)


@pytest.mark.parametrize("blocks", [1, 2, 5])
@pytest.mark.parametrize("mean", [0.0, 1e7])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_moments_of_blocks_are_those_of_all(missing, mean, blocks, rng):
    X = mean + rng.standard_normal((40, 4))
    X[rng.random(X.shape) < missing] = np.nan
    if missing:
        X[:, 3] = np.nan
    w = rng.uniform(0.0, 2.0, 40)
    for weights in (None, w):
        own = np.ones(40) if weights is None else w
        parts = np.array_split(np.arange(40), blocks)
        found = Moments.sum(
            Moments.of(X[p], None if weights is None else weights[p]) for p in parts
        )
        known = ~np.isnan(X)
        total = own @ known
        middle = (own @ np.where(known, X, 0.0)) / np.where(total > 0, total, 1.0)
        apart = own @ np.where(known, X - middle, 0.0) ** 2
        assert found.rows == pytest.approx(own.sum())
        np.testing.assert_allclose(found.weight, total)
        np.testing.assert_allclose(found.mean, middle, rtol=1e-14, atol=1e-15)
        np.testing.assert_allclose(found.squares, apart, rtol=1e-7, atol=1e-12)


def test_moments_of_compressed_rows_count_zeros(rng):
    A = sp.csr_array(rng.standard_normal((30, 5)) * (rng.random((30, 5)) < 0.5))
    one, other = Moments.of_sparse(A), Moments.of(A.toarray())
    for a, b in zip(one, other, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)
    # columns that one block has not are empty there
    narrow = Moments.of_sparse(A[:10, :3])
    both = narrow.plus(Moments.of_sparse(A[10:]))
    swapped = Moments.of_sparse(A[10:]).plus(narrow)
    padded = A.toarray()
    padded[:10, 3:] = 0.0
    for a, b, c in zip(both, Moments.of(padded), swapped, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)
        np.testing.assert_allclose(c, b, atol=1e-12)


def test_levels_are_added_up_but_for_the_largest(rng):
    parts = [Level(*rng.random(4).tolist(), *rng.random((2, 3))) for _ in range(4)]
    total = Level.sum(parts)
    for name in Level._fields:
        values = [getattr(part, name) for part in parts]
        wanted = max(values) if name == "largest" else np.sum(values, axis=0)
        np.testing.assert_allclose(getattr(total, name), wanted)
    many = [Bordered(rng.random(), *rng.random((7, 2, 2))) for _ in range(3)]
    for name in Bordered._fields:
        wanted = np.sum([getattr(part, name) for part in many], axis=0)
        np.testing.assert_allclose(getattr(Bordered.sum(many), name), wanted)


@pytest.mark.parametrize("filled", [0, 1, 3, 24, 40])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_named_vector_is_the_vector(dtype, filled, rng):
    x = np.zeros(40, dtype)
    x[rng.permutation(40)[:filled]] = 1.0 + rng.random(filled)
    sent = named(x)
    np.testing.assert_array_equal(sent.vector(40), x)
    assert sent.vector(40).dtype == dtype
    assert (sent.as_atom() is not None) == (sent.places is not None) == (8 * filled < 40)
    if sent.as_atom() is not None:
        np.testing.assert_array_equal(sent.as_atom().dense(40), x)
        assert sent.nbytes == 16 + filled * (x.itemsize + sent.places.itemsize)
    else:
        np.testing.assert_array_equal(sent.dense(), x)
        assert sent.nbytes == 16 + x.nbytes
        x[0] += 1.0  # it is a copy
        assert sent.dense()[0] == x[0] - 1.0
        x[0] -= 1.0
    alone = sent.alone()
    assert alone.name == sent.name == named(x.copy()).name
    assert alone.nbytes == 16
    x[3] += 1.0
    assert named(x).name != sent.name
    assert named(x.astype(np.float32)).name != named(x.astype(np.float64)).name


def test_named_atoms_are_the_atoms(rng):
    vertices = [Vertex(3, 1.5), Vertex(0, -2.0)]
    mixed = [*vertices, Sparse(np.array([1, 4]), np.array([1.0, 2.0]))]
    for atoms in (vertices, mixed):
        sent = named_atoms(atoms, 6)
        again = sent.atoms()
        assert len(again) == len(atoms)
        for one, other in zip(again, atoms, strict=True):
            np.testing.assert_array_equal(one.dense(6), other.dense(6))
        assert sent.name == named_atoms(list(atoms), 6).name
        assert sent.name != named_atoms(atoms[::-1], 6).name
        assert sent.nbytes >= 16


def test_the_last_names_are_remembered(rng):
    recent, used = Recent(5), []
    for _ in range(500):
        name = bytes([int(rng.integers(12))])
        found = recent.find(name)
        assert found == (name * 2 if name in used else None)
        if found is None:
            assert recent.keep(name, name * 2) == name * 2
        others = [other for other in used if other != name]
        used = [*others[-4:], name]
        assert list(recent) == used


def image(x):
    made = Mixture()
    made.put(x)
    return made


def test_mixtures_of_images_are_images_of_mixtures(rng):
    """Linear combinations by name: each operation against the same one on matrices."""

    def matrix(mixture):
        total = np.zeros((6, 4))
        for share, term in mixture._terms.values():
            total += share * term.left @ term.right.T if term.left.shape[0] == 6 else 0.0
        return total

    def random():
        left, right = rng.standard_normal((2, 6)), rng.standard_normal((2, 4))
        return FactoredMatrix(left, rng.random(2), right)

    xs = [random() for _ in range(3)]
    a, b, c = map(image, xs)
    np.testing.assert_allclose(matrix(a), xs[0].toarray(), atol=1e-12)
    A, B, C = map(matrix, (a, b, c))
    cases = {
        "blend": (lambda out: LOOPS.blend(out, a, 0.3, b), 0.7 * A + 0.3 * B),
        "ahead": (lambda out: LOOPS.ahead(out, a, 0.3, b), A + 0.3 * B),
        "subtract": (lambda out: LOOPS.subtract(out, a, b), A - B),
    }
    for act, wanted in cases.values():
        out = c.copy()
        act(out)
        np.testing.assert_allclose(matrix(out), wanted, atol=1e-12)
        np.testing.assert_allclose(matrix(c), C)
    changing = {
        "combine": (lambda z: LOOPS.combine(z, 0.5, -2.0, b), 0.5 * A - 2.0 * B),
        "add_scaled": (lambda z: LOOPS.add_scaled(z, 0.4, b), A + 0.4 * B),
        "extend": (lambda z: LOOPS.extend(z, 0.2, b), 1.2 * A - 0.2 * B),
    }
    for act, wanted in changing.values():
        z = a.copy()
        act(z)
        np.testing.assert_allclose(matrix(z), wanted, atol=1e-12)
    np.testing.assert_allclose(matrix(a - b), A - B, atol=1e-12)
    np.testing.assert_allclose(matrix(a + b + a), 2 * A + B, atol=1e-12)
    np.testing.assert_allclose(matrix(0.25 * a), 0.25 * A, atol=1e-12)
    assert not list((a - a).terms())
    assert len(list((a + b).terms())) == 2
    z = a.copy()
    z[:] = b
    assert z.name == b.name != a.name
    z[:] = 0.0
    assert not list(z.terms())
    assert (0.5 * a).name != a.name
    assert (a + b).name == (a + b).name
    rows = np.array([1, 4])
    sent = (a + b).sent(rows, lambda name: False)
    assert len(sent.terms) == 2
    assert [name for name, _ in sent.shares] == list(sent.terms)
    for term in (a + b).terms():
        np.testing.assert_array_equal(sent.terms[term.name][0], term.left[rows])
    assert not (a + b).sent(rows, lambda name: True).terms
    with pytest.raises(InvalidInput, match="cannot be written to a file"):
        np.asarray(a)


def test_what_a_worker_refuses_is_raised_here():
    def halved(x):
        if x % 2:
            raise InvalidInput(f"{x} is odd")
        return x // 2

    work = Guarded(halved)
    assert work.__name__ == "halved"
    assert raise_refusal([work(4), work(6)]) == [2, 3]
    answers = [work(4), work(5), work(7)]
    assert answers[1:] == [Refused("5 is odd"), Refused("7 is odd")]
    with pytest.raises(InvalidInput, match="5 is odd"):
        raise_refusal(answers)
    assert work(answers[1]) == answers[1]  # what was refused before is not asked again
    with pytest.raises(TypeError):
        work("x")


def test_blocks_of_any_kind_are_matrices_and_vectors(rng):
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    A = rng.integers(0, 5, (6, 3)).astype(float)
    frame = pd.DataFrame(A, columns=list("abc"))
    mixed = frame.assign(
        a=frame.a.astype(int), b=pd.Categorical(frame.b), c=frame.c.astype("Float64")
    )
    holes = mixed.copy()
    holes.loc[2, "c"] = pd.NA
    gone = A.copy()
    gone[2, 2] = np.nan
    for block in (
        A,
        A.astype(int),
        A.astype(object),
        frame,
        mixed,
        sp.coo_array(A),
        sp.csc_array(A.astype(int)),
    ):
        made = as_matrix(block)
        dense = made.toarray() if sp.issparse(made) else made
        np.testing.assert_array_equal(dense, A)
        assert dense.dtype == np.float64
        assert not sp.issparse(made) or made.format == "csr"
    np.testing.assert_array_equal(as_matrix(holes), gone)
    for block in (
        A.astype(np.float32),
        sp.csr_array(A.astype(np.float32)),
        frame.astype(np.float32),
    ):
        assert as_matrix(block).dtype == np.float32
    for bad, words in (
        (A[0], "A must be a matrix"), (sp.csr_array(A * 1j), "real numbers"),
        (frame.assign(a=list("uvwxyz")), "columns of A must be numbers, but a"),
    ):  # fmt: skip
        with pytest.raises(InvalidInput, match=words):
            as_matrix(bad)
    y = np.arange(6.0)
    texts = np.array(list("uvwxyz"))
    series = pd.Series(y)
    for block in (y, y[:, None], series, series.astype("Float64"), series.astype("Int64"),
                  sp.coo_array(y[:, None]), y.tolist()):  # fmt: skip
        np.testing.assert_array_equal(as_vector("b", block), y)
    assert as_vector("b", None) is None
    for block in (texts, texts.astype(object), pd.Series(texts), pd.Series(pd.Categorical(texts))):
        assert as_vector("b", block).tolist() == texts.tolist()
        assert is_text(as_vector("b", block))
    assert not is_text(y)
    assert not is_text(None)
    assert as_vector("b", pd.Series([True, False], dtype="boolean")).dtype == bool
    with pytest.raises(InvalidInput, match="b must be finite, but values of it are missing"):
        as_vector("b", pd.Series([1.0, np.nan]))
    assert far(A).shape == A.shape


# ---- blocks of rows, and waiting for them

from frankwolfe.engines.dask import layout, waiting  # noqa: E402
from frankwolfe.engines.dask.layout import RowBlock, grouped, joined, stacked, widened  # noqa: E402


@pytest.mark.parametrize("blocks", [1, 3, 7, 20])
def test_blocks_are_grouped_evenly_and_in_order(blocks):
    rows = [RowBlock(k, None, None) for k in range(blocks)]
    for count in (-1, 0, 1, 2, 5, 7, 50):
        groups = grouped(rows, count)
        assert [row for group in groups for row in group] == rows
        sizes = list(map(len, groups))
        assert len(groups) == min(max(count, 1), blocks)
        assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("small", [1, 200, 10**6])
@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize("weights", [True, False])
def test_small_blocks_are_made_one_and_nothing_is_lost(weights, sparse, small, rng, monkeypatch):
    monkeypatch.setattr(layout, "JOINED_BYTES", small)
    rows = []
    for size in (3, 1, 5, 2):
        X = rng.standard_normal((size, 4))
        X = sp.csr_matrix(X * (rng.random(X.shape) < 0.7)) if sparse else X
        w = rng.random(size) if weights else None
        rows.append(RowBlock(X, rng.standard_normal(size), w))
    made = stacked(rows)

    def whole(parts):
        return np.vstack([p.data.toarray() if sparse else p.data for p in parts])

    np.testing.assert_array_equal(whole(made), whole(rows))
    for name in ("targets", "weights") if weights else ("targets",):
        np.testing.assert_array_equal(
            np.concatenate([getattr(p, name) for p in made]),
            np.concatenate([getattr(p, name) for p in rows]),
        )
    assert weights or all(p.weights is None for p in made)
    sizes = [p.data.data.nbytes if sparse else p.data.nbytes for p in made]
    own = [p.data.data.nbytes if sparse else p.data.nbytes for p in rows]
    assert all(size <= small or size in own for size in sizes)
    assert all(a + b > small for a, b in pairwise(sizes)) or len(made) == 1
    assert len(made) == (1 if small == 10**6 else len(made))
    place = RowBlock(Far(np.ones((2, 4))), np.ones(2), None)
    kept = stacked([RowBlock(*rows[0][:2], None), place, RowBlock(*rows[1][:2], None)])
    assert len(kept) == 3
    assert kept[1] is place
    assert stacked([]) == []
    assert joined(rows[:1]) is rows[0]


def test_compressed_rows_are_made_as_wide_as_the_widest(rng):
    parts = [sp.csr_matrix(rng.standard_normal((2, n))) for n in (3, 5, 4)]
    one = joined([RowBlock(part, np.ones(2), None) for part in parts]).data
    assert one.shape == (6, 5)
    for k, part in enumerate(parts):
        padded = np.pad(part.toarray(), ((0, 0), (0, 5 - part.shape[1])))
        np.testing.assert_array_equal(one.toarray()[2 * k : 2 * k + 2], padded)
    assert widened(parts[0], 3) is parts[0]
    assert np.shares_memory(widened(parts[0], 9).data, parts[0].data)


def test_hope_ends_when_nobody_has_worked_for_long(monkeypatch):
    """By what the scheduler says, on a clock of its own."""
    now = {"t": 1000.0}
    monkeypatch.setattr(waiting, "monotonic", lambda: now["t"])
    monkeypatch.setattr(waiting, "time", lambda: now["t"])

    class Client:
        status, scheduler = "running", None

        def __init__(self, workers):
            self.workers = workers

        def scheduler_info(self, n_workers=None):
            return {"workers": dict(enumerate(self.workers))}

    def worker(state, busy, news=0.0, place="a"):
        counts = {"executing": int(busy), "memory": 3}
        return {"status": state, "metrics": {"task_counts": counts}, "last_seen": now["t"] - news,
                "local_directory": place}  # fmt: skip

    def patience(kind, steps, seconds):
        """Seconds until hope ends, where that long is waited in so many steps."""
        now["t"] = 1000.0
        client = Client([])
        hope = waiting.Liveness(client)
        for _ in range(steps):
            now["t"] += seconds / steps
            client.workers = kind()
            try:
                hope.look()
            except waiting.ClusterLost as error:
                return now["t"] - 1000.0, type(error), str(error)
        return None

    assert patience(lambda: [worker("running", True)], 50, 500.0) is None
    assert patience(lambda: [worker("running", False, 60.0)], 50, 500.0) is None  # old news
    many = iter(range(10**6))
    assert patience(lambda: [worker("running", False, place=next(many))], 50, 500.0) is None
    when, kind, _ = patience(lambda: [worker("running", False)], 100, 100.0)
    assert kind is waiting.SchedulerStalled
    assert waiting.STALL_SECONDS < when <= waiting.STALL_SECONDS + 3.0
    for state in ("paused", "closing"):
        when, kind, words = patience(lambda s=state: [worker(s, False)], 100, 100.0)
        assert kind is waiting.ClusterLost
        assert waiting.PATIENCE < when <= waiting.PATIENCE + 2.0
        assert ("paused" in words) == (state == "paused")
    when, _, words = patience(list, 100, 100.0)
    assert waiting.PATIENCE < when <= waiting.PATIENCE + 2.0
    gone = Client([worker("running", True)])
    hope = waiting.Liveness(gone)
    gone.status = "closed"
    with pytest.raises(waiting.ClusterLost):
        hope.look()
    said = str(waiting.WorkerKilling("key", 1)), str(waiting.WorkerKilling("key", 3, "a load"))
    assert said[0].startswith("A worker died")
    assert "(key)" in said[0]
    assert said[1].startswith("3 workers, one after the other,")
    assert "(a load)" in said[1]
