"""What losses take from Dask: arrays, frames, sparse blocks, files; and what they refuse."""

import logging

import numpy as np
import pytest
import scipy.sparse as sp

import frankwolfe as fw
from frankwolfe import InvalidInput

da = pytest.importorskip("dask.array", reason="dask is not installed")
dd = pytest.importorskip("dask.dataframe", reason="dask's frames need pandas and pyarrow")
distributed = pytest.importorskip("distributed", reason="dask is not installed")
pd = pytest.importorskip("pandas", reason="pandas is not installed")

import dask  # noqa: E402

from frankwolfe.datasets.readers import read_parts  # noqa: E402
from frankwolfe.engines.dask import each, moments, rowwise, shards, tasks  # noqa: E402

ROWS, NAMES = 300, list("abcdefg")
RNG = np.random.default_rng(0)
A = RNG.standard_normal((ROWS, 7))
A[:, 1], A[:, 2] = np.rint(A[:, 1]), A[:, 2] > 0.0
T = A @ RNG.standard_normal(7) + RNG.standard_normal(ROWS)
LABELS = np.where(T > 0.0, "yes", "no")
WEIGHTS = RNG.uniform(0.0, 2.0, ROWS)


@pytest.fixture(scope="module", autouse=True)
def client():
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    options = {"processes": False, "n_workers": 1, "threads_per_worker": 2}
    with distributed.Client(**options, dashboard_address=":0") as client:
        yield client


@pytest.fixture(scope="module")
def frame():
    """Columns of all kinds of numbers, targets, weights."""
    table = pd.DataFrame(A, columns=NAMES)
    table["b"] = table["b"].astype("Int64")
    table["c"] = table["c"].astype(bool)
    table["d"] = table["d"].astype("Float64")
    table["b"] = pd.Categorical(table["b"].astype(int))
    table["label"], table["kind"] = LABELS, pd.Categorical(LABELS)
    table["t"], table["weight"] = T, WEIGHTS
    return dd.from_pandas(table, npartitions=5)


def array(chunks=70):
    return da.from_array(A, chunks=(chunks, 7))


def agree(far, near):
    """Values, gradients and solutions of a loss on workers are those of one here."""
    x = np.random.default_rng(1).standard_normal(far.n)
    assert far.observations == near.m
    assert far(x) == pytest.approx(near(x), rel=1e-12)
    np.testing.assert_allclose(far.grad(x), near.grad(x), rtol=1e-10, atol=1e-13)
    a, b = (fw.minimize(f, fw.L1Ball(1.5), tol=1e-10) for f in (far, near))
    np.testing.assert_allclose(a.x, b.x, atol=1e-8)


INPUTS = {
    "arrays in other blocks": lambda f: (
        da.from_array(A, chunks=(70, 3)),
        da.from_array(LABELS, chunks=50),
        da.from_array(WEIGHTS, chunks=130),
    ),
    "vectors here": lambda f: (array(), LABELS, WEIGHTS),
    "on workers already": lambda f: (array().persist(), LABELS, da.from_array(WEIGHTS).persist()),
    "a frame and its columns": lambda f: (f[NAMES], f["label"], f["weight"]),
    "categories, a frame of one column": lambda f: (f[NAMES], f["kind"], f[["weight"]]),
    "a frame and vectors here": lambda f: (f[NAMES], LABELS, WEIGHTS),
    "unknown lengths": lambda f: (f[NAMES].to_dask_array(), f["label"], WEIGHTS),
    "objects": lambda f: (array().astype(object), LABELS.astype(object), WEIGHTS),
}


@pytest.mark.parametrize("name", INPUTS)
def test_inputs(frame, name):
    data, labels, weights = INPUTS[name](frame)
    far = fw.Logistic(data, labels, sample_weight=weights)
    agree(far, fw.Logistic(A, LABELS, sample_weight=WEIGHTS))
    assert far.classes.tolist() == ["no", "yes"]


def test_sparse_blocks():
    near = sp.random_array((ROWS, 9), density=0.2, rng=np.random.default_rng(5), format="csr")
    far = da.from_array(near.toarray(), chunks=(70, 9)).map_blocks(sp.csr_matrix)
    loss = fw.SquaredError(far, T)
    assert loss.sparse
    agree(loss, fw.SquaredError(near, T))


def test_sparse_blocks_as_wide_as_the_widest():
    """Where Dask does not know how many columns there are, as of LIBSVM files."""
    near = sp.random_array((200, 9), density=0.2, rng=np.random.default_rng(5), format="csr")
    near = near.tolil()
    near[:100, 6:] = 0.0
    near = near.tocsr()
    blocks = [dask.delayed(near[:100, :6].copy()), dask.delayed(near[100:].copy())]
    nan = np.nan
    far = da.concatenate(
        [da.from_delayed(b, (nan, nan), dtype=float) for b in blocks],
        allow_unknown_chunksizes=True,
    )
    agree(fw.SquaredError(far, T[:200]), fw.SquaredError(near, T[:200]))


def test_empty_partitions(frame):
    some = frame[frame["a"] > frame["a"].min()]
    few = some[some["t"] > 1.0]
    none = few[few["a"] < 5.0].repartition(npartitions=5)
    here = none.compute()
    near = fw.SquaredError(here[NAMES].astype(float).to_numpy(), here["t"].to_numpy())
    agree(fw.SquaredError(none[NAMES], none["t"]), near)


def test_columns_of_files_keep_their_partitions(tmp_path):
    """Dask reads several files at once where few of their columns are wanted."""
    table = pd.DataFrame(A, columns=NAMES).assign(y=T)
    for k in range(6):
        table[50 * k : 50 * k + 50].to_parquet(tmp_path / f"{k}.parquet")
    far = dd.read_parquet(tmp_path)
    agree(fw.SquaredError(far[NAMES], far["y"]), fw.SquaredError(A, T))


def test_single_precision_stays():
    assert fw.SquaredError(array().astype(np.float32), T.astype(np.float32)).dtype == np.float32


MADE = []


def load(k):
    """A block, and its targets, by one task."""
    MADE.append(k)
    return A[50 * k : 50 * k + 50], T[50 * k : 50 * k + 50]


def test_a_shard_makes_its_blocks_one_after_the_other():
    MADE.clear()
    parts = [dask.delayed(load, nout=2)(k) for k in range(6)]
    data = da.concatenate([da.from_delayed(p[0], (50, 7), dtype=float) for p in parts])
    targets = da.concatenate([da.from_delayed(p[1], (50,), dtype=float) for p in parts])
    with shards(1):
        agree(fw.SquaredError(data, targets), fw.SquaredError(A, T))
    assert list(range(6)) == MADE  # each once
    assert each(lambda row: row.data.shape[0], data) == [50] * 6


def test_blocks_that_share_tasks_are_left_to_dask(monkeypatch):
    whole = dask.delayed(np.array)(A)
    parts = [da.from_delayed(whole[k : k + 100], (100, 7), dtype=float) for k in (0, 100, 200)]
    data = da.concatenate(parts)
    seen = []
    plain = tasks._sealed
    monkeypatch.setattr(tasks, "_sealed", lambda groups: seen.append(plain(groups)) or seen[-1])
    agree(fw.SquaredError(data, T), fw.SquaredError(A, T))
    assert seen == [None]


def test_blocks_of_futures(client):
    """They are on workers already, themselves or what they are made of."""
    futures = [client.submit(load, k) for k in range(6)]
    for parts in (futures, [dask.delayed(tuple)(future) for future in futures]):
        firsts = [dask.delayed(part)[0] for part in parts]
        data = da.concatenate([da.from_delayed(a, (50, 7), dtype=float) for a in firsts])
        agree(fw.SquaredError(data, T), fw.SquaredError(A, T))


REFUSED = {
    "complex ones": lambda f: fw.SquaredError(array() + 1j, T),
    "an array of <U32": lambda f: fw.SquaredError(array().astype(str), T),
    "A must be an array of real numbers": lambda f: fw.SquaredError(
        array().astype(str).astype(object), T
    ),
    "A must not be a masked array": lambda f: fw.SquaredError(
        da.ma.masked_greater(array(), 0.0), T
    ),
    "b must not have masked entries": lambda f: fw.SquaredError(
        array(), np.ma.masked_greater(T, 0.0)
    ),
    r"A must be finite.*in rows 0 to 139": lambda f: fw.SquaredError(
        da.where(array() > 2.0, np.nan, array()), T
    ),
    "A must be a matrix": lambda f: fw.SquaredError(array()[:, 0], T),
    "for each of the 300 rows of A, got 20": lambda f: fw.SquaredError(array(), T[:20]),
    "for each of the 300 rows of A, got 30": lambda f: fw.SquaredError(f[NAMES], T[:30]),
    "b must be a vector": lambda f: fw.SquaredError(array(), array()),
    "b must be finite": lambda f: fw.Logistic(array(), np.where(T > 0.0, 1.0, np.nan)),
    "sample_weight must be >= 0": lambda f: fw.SquaredError(array(), T, sample_weight=-WEIGHTS),
    "sample_weight must be an array": lambda f: fw.SquaredError(array(), T, sample_weight=LABELS),
    "columns of A must be numbers, but label, kind": lambda f: fw.SquaredError(
        f[["a", "label", "kind"]], T
    ),
    "b is in 6 blocks and A in 5": lambda f: fw.SquaredError(f[NAMES], da.from_array(T, chunks=50)),
    "a chunk with 60 rows has shape": lambda f: fw.SquaredError(
        f[NAMES], da.from_array(T, chunks=((50, 70, 60, 60, 60),))
    ),
    "got no rows": lambda f: fw.SquaredError(f[f["a"] > 99.0][NAMES], f[f["a"] > 99.0]["t"]),
    "same width, got": lambda f: fw.SquaredError(
        da.from_delayed(dask.delayed(np.ones)((ROWS, 4)), (ROWS, 3), dtype=float), T
    ),
    "values of it are missing": lambda f: fw.SquaredError(
        f[NAMES], f["t"].astype("Float64").mask(f["a"] > 0.0)
    ),
    "blocks of whole rows": lambda f: fw.SquaredError(
        da.concatenate([_unknown(), _unknown()], axis=1, allow_unknown_chunksizes=True), T
    ),
}


def _unknown():
    return da.from_delayed(dask.delayed(np.ones)((ROWS, 2)), (np.nan, np.nan), dtype=float)


@pytest.mark.parametrize("sentence", REFUSED)
def test_refusals(frame, sentence, caplog):
    with pytest.raises(InvalidInput, match=sentence):
        REFUSED[sentence](frame)
    assert not caplog.records  # workers have nothing to complain of


def test_moments_and_rowwise():
    near = A * [1e-3, 1.0, 1.0, 1e3, 1.0, 1.0, 1.0] + [0, 1e6, 0, 0, 0, 0, 3]
    gaps = near.copy()
    gaps[::7, 4] = np.nan
    far = da.from_array(gaps, chunks=(70, 7))
    of = moments(far)
    np.testing.assert_allclose(of.mean, np.nanmean(gaps, axis=0), rtol=1e-12)
    spread = np.sqrt(of.squares / of.weight)
    np.testing.assert_allclose(spread, np.nanstd(gaps, axis=0), rtol=1e-9)
    sparse = moments(far[:, :4].map_blocks(sp.csr_matrix))
    np.testing.assert_allclose(sparse.squares, of.squares[:4], rtol=1e-9)
    doubled = rowwise(lambda X: 2.0 * X, array())
    assert doubled.shape == (ROWS, 7)
    np.testing.assert_array_equal(doubled.compute(), 2.0 * A)


def written(folder, ending, k, rows):
    """A file of some rows."""
    path = folder / f"part-{k}.{ending}"
    if ending == "npz":
        np.savez(path, X=A[rows], y=T[rows])
    elif ending == "svm":
        lines = (
            " ".join([repr(float(t)), *(f"{j + 1}:{v!r}" for j, v in enumerate(a.tolist()) if v)])
            for a, t in zip(A[rows], T[rows], strict=True)
        )
        path.write_text("\n".join(lines) + "\n")
    else:
        table = pd.DataFrame(A[rows], columns=NAMES).assign(y=T[rows])
        if k == 1:
            table = table[["y", *reversed(NAMES)]]  # the order of columns may be another
        if ending == "csv":
            table.to_csv(path, index=False)
        else:
            table.to_parquet(path, row_group_size=50)


@pytest.mark.parametrize("ending", ["csv", "parquet", "svm", "npz"])
def test_files(tmp_path, ending):
    if ending in ("csv", "parquet", "svm"):
        pytest.importorskip("pyarrow", reason="pyarrow reads these")
    for k, rows in enumerate((slice(0, 90), slice(90, 110), slice(110, ROWS))):
        written(tmp_path, ending, k, rows)
    named = ending in ("csv", "parquet")
    if ending == "parquet":  # one without rows is passed over
        pd.DataFrame(A[:0], columns=NAMES).assign(y=T[:0]).to_parquet(tmp_path / "part-.parquet")
    parts = read_parts(tmp_path / f"part-*.{ending}", "y" if named else None)
    assert parts.X.numblocks == ((7, 1) if ending == "parquet" else (3, 1))
    assert list(parts.names) == (NAMES if named else [])
    agree(fw.SquaredError(parts.X, parts.y), fw.SquaredError(A, T))


def test_files_must_agree(tmp_path):
    pytest.importorskip("pyarrow", reason="pyarrow reads CSV")
    first = pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 1.0], "y": [0, 1]})
    others = {
        "part-1.csv has no column b, which": first.rename(columns={"b": "c"}),
        "part-1.csv has a column c, which": first.assign(c=1.0),
        "are words, but those of": first.assign(y=["u", "v"]),
        "part-1.csv has no column 'y'": first.rename(columns={"y": "z"}),
    }
    first.to_csv(tmp_path / "part-0.csv", index=False)
    for sentence, other in others.items():
        other.to_csv(tmp_path / "part-1.csv", index=False)
        parts = read_parts(tmp_path / "part-*.csv", "y")
        with pytest.raises(InvalidInput, match=sentence):
            fw.SquaredError(parts.X, parts.y)
    with pytest.raises(InvalidInput, match="there is no file"):
        read_parts(tmp_path / "none-*.csv")
