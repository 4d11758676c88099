"""Files with bytes changed, cut off or put in: an answer or one sentence, never anything else.

Each format's file is made, broken in seeded ways, and read. FRANKWOLFE_BROKEN_FILES says how many
breaks of each are tried, FRANKWOLFE_SEED from which seed on.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse

import frankwolfe as fw
from frankwolfe.cli.stored_model import load_model
from frankwolfe.datasets.readers import read_pairs, read_ratings, read_table

COUNT = int(os.environ.get("FRANKWOLFE_BROKEN_FILES", "25"))
SEED = int(os.environ.get("FRANKWOLFE_SEED", "0"))
MEMORY = "200MB"
RNG = np.random.default_rng(7)
X = RNG.standard_normal((12, 4)).round(3)
Y = (X[:, 0] > 0).astype(float)
SPARSE = scipy.sparse.random(12, 9, 0.4, format="csr", random_state=np.random.default_rng(3))


def _csv(mark: str = ",", kind: str = "") -> bytes:
    rows = [mark.join(["a", "b", "c", "d", "y"])]
    rows += [
        mark.join([*map(repr, row), kind + str(int(y))])
        for row, y in zip(X.tolist(), Y.tolist(), strict=True)
    ]
    return ("\n".join(rows) + "\n").encode()


def _libsvm() -> bytes:
    lines = []
    for row, y in zip(X.tolist(), Y.tolist(), strict=True):
        lines.append(f"{y:g} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(row)))
    return ("\n".join(lines) + "\n").encode()


def _saved(write: Callable[[io.BytesIO], object]) -> bytes:
    file = io.BytesIO()
    write(file)
    return file.getvalue()


def _parquet() -> bytes:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = {name: X[:, j] for j, name in enumerate("abcd")}
    table = pyarrow.table({**columns, "w": ["u", "v"] * 6, "y": Y})
    return _saved(lambda file: parquet.write_table(table, file))


def _ratings() -> bytes:
    cells = [(u, i, (u * i) % 5 + 1) for u in range(1, 7) for i in range(1, 8)]
    return "".join(f"{u}::{i}::{r}::0\n" for u, i, r in cells).encode()


def _model() -> bytes:
    parts = {
        **{"kind": "frankwolfe linear model", "format": 1, "classes": [0, 1], "target": "y"},
        **{"drop": [5], "features": ["a", "b"], "fill": [0.5, 1.5], "intercept": [0.25]},
        **{"coefficients": [[1.5, -2.5]], "data": {"index base": 1}},
    }
    return json.dumps(parts).encode()


def _table(**more):
    return lambda path: read_table(path, max_memory=MEMORY, **more)


def _with_targets(path: Path):
    targets = path.with_name("targets.txt")
    targets.write_text("\n".join(map(str, Y)))
    return read_table(path, target_file=targets, max_memory=MEMORY)


def _as_targets(path: Path):
    data = path.with_name("data.npz")
    np.savez(data, X=X)
    return read_table(data, target_file=path, max_memory=MEMORY)


FORMATS: dict[str, tuple[str, Callable[[], bytes], Callable[[Path], object]]] = {
    "csv": ("a.csv", _csv, _table()),
    "csv of words": ("a.csv", lambda: _csv(kind="k"), _table(encode=True)),
    "semicolons": ("a.csv", lambda: _csv(";"), _table()),
    "blanks": ("a.txt", lambda: _csv(" "), _table()),
    "packed csv": ("a.csv.gz", lambda: gzip.compress(_csv(), mtime=0), _table()),
    "libsvm": ("a.svm", _libsvm, _table()),
    "parquet": ("a.parquet", _parquet, _table(drop=["w"])),
    "parquet of words": ("a.parquet", _parquet, _table(encode=True)),
    "npz": ("a.npz", lambda: _saved(lambda f: np.savez(f, X=X, y=Y)), _table()),
    "packed npz": ("a.npz", lambda: _saved(lambda f: np.savez_compressed(f, X=X, y=Y)), _table()),
    "coordinates": (
        "a.mtx",
        lambda: _saved(lambda f: scipy.io.mmwrite(f, SPARSE)),
        _with_targets,
    ),
    "array": ("a.mtx", lambda: _saved(lambda f: scipy.io.mmwrite(f, X)), _with_targets),
    "targets": ("y.txt", lambda: "\n".join(map(str, Y)).encode(), _as_targets),
    "npy targets": ("y.npy", lambda: _saved(lambda f: np.save(f, Y)), _as_targets),
    "ratings": ("r.dat", _ratings, lambda path: read_ratings(path, max_memory=MEMORY)),
    "pairs": ("p.csv", lambda: b"user,item\n1,2\n3,4\n", read_pairs),
    "movielens": ("r.dat", _ratings, lambda path: fw.datasets.movielens("1m", path)),
    "model": ("m.json", _model, lambda path: load_model(path, MEMORY)),
    **{
        f"sparse {kind}": (
            "a.npz",
            lambda kind=kind: _saved(lambda f: scipy.sparse.save_npz(f, SPARSE.asformat(kind))),
            _with_targets,
        )
        for kind in ("csr", "csc", "coo", "bsr", "dia")
    },
}


def broken(raw: bytes, rng: np.random.Generator) -> bytes:
    """The bytes with one to four changes."""
    data = bytearray(raw)
    for _ in range(rng.integers(1, 5)):
        place = int(rng.integers(len(data) + 1))
        match rng.integers(8):
            case 0:
                del data[place:]
            case 1:
                del data[place : place + int(rng.integers(1, 20))]
            case 2:
                data[place:place] = rng.bytes(int(rng.integers(1, 9)))
            case 3:
                data[place : place + 8] = int(rng.integers(-(2**40), 2**40)).to_bytes(
                    8, "little", signed=True
                )
            case 4:
                data[place:place] = data[place : place + int(rng.integers(1, 200))]
            case 5:
                words = [
                    b"\x00",
                    b"\r",
                    b"\n",
                    b'"',
                    b"nan",
                    b"1e999",
                    b"-1",
                    b"9" * 30,
                    b"%",
                    b"::",
                ]
                data[place:place] = words[int(rng.integers(len(words)))]
            case _:
                if place < len(data):
                    data[place] ^= 1 << int(rng.integers(8))
    return bytes(data)


@pytest.mark.parametrize("kind", FORMATS)
def test_a_broken_file_gets_an_answer_or_one_sentence(kind, tmp_path):
    name, make, read = FORMATS[kind]
    raw, path = make(), tmp_path / name
    path.write_bytes(raw)
    read(path)
    for seed in range(SEED, SEED + COUNT):
        path.write_bytes(broken(raw, np.random.default_rng(seed)))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                read(path)
            except fw.InvalidInput as error:
                text = str(error)
                assert "\n" not in text, (seed, text)
                assert len(text) < 700, (seed, text)
            except Exception as error:
                raise AssertionError(f"{kind}, seed {seed}: {error!r}") from error


@pytest.mark.parametrize("kind", ["csr", "csc", "bsr", "coo"])
@pytest.mark.parametrize("wrong", [-7, 9, 2**30, 2**31 - 1, 2**40])
def test_places_outside_a_sparse_matrix_are_refused(kind, wrong, tmp_path):
    path = tmp_path / "a.npz"
    scipy.sparse.save_npz(path, SPARSE.asformat(kind))
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    names = ("row", "col") if kind == "coo" else ("indices", "indptr")
    for name in names:
        changed = arrays[name].astype(np.int64)
        changed[changed.size // 2] = wrong + 3 * (wrong == 9)
        np.savez(path, **{**arrays, name: changed})
        with pytest.raises(fw.InvalidInput, match="is not a whole"):
            _with_targets(path)


HUGE = "%%MatrixMarket matrix {} real general\n{}\n1 1 1.0\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.mtx", HUGE.format("array", "100000 100000")),
        ("a.mtx", HUGE.format("array", "99999999999999 99999999999999")),
        ("a.mtx", HUGE.format("coordinate", "100000 100000 99999999999")),
        ("a.mtx", HUGE.format("coordinate", "2000000000 3 1")),
        ("a.mtx", HUGE.format("coordinate", "3 2000000000 1")),
        ("a.svm", "1 1:1\n0 2000000000:1\n"),
        ("a.csv", "1," * 3_000_000),
        ("a.csv", "1" * 30_000_000),
        ("a.csv.gz", gzip.compress(b"1,2,3,4\n" * 5_000_000)),
        ("a.svm.gz", gzip.compress(b"1 1:2 2:3\n" * 5_000_000)),
        ("a.csv.gz", gzip.compress(b"1" * 60_000_000)),
    ],
    ids=range(11),
)
def test_a_small_file_that_would_take_much_memory_is_refused_first(name, text, tmp_path):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(fw.InvalidInput, match=r"would take about .*B of memory.*max-memory"):
        read_table(path, max_memory="100MB")


def test_packed_arrays_are_refused_by_their_size(tmp_path):
    path = tmp_path / "a.npz"
    np.savez_compressed(path, X=np.zeros((1000, 15_000)), y=np.zeros(1000))
    assert path.stat().st_size < 10**6
    with pytest.raises(fw.InvalidInput, match="would take about 120 MB of memory"):
        read_table(path, max_memory="100MB")


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom", "/dev/null"])
def test_devices_are_no_files(device):
    if not Path(device).exists():
        pytest.skip("there is no such device")
    with pytest.raises(fw.InvalidInput, match=r"is a device, and has no end|is empty"):
        read_table(device)


@pytest.mark.parametrize("size", ["", "many", "-1", "0", 0, -5, float("nan"), True, []])
def test_a_wrong_size_of_memory_gets_one_sentence(size, tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(_csv())
    with pytest.raises(fw.InvalidInput, match="max_memory must be a number of bytes"):
        read_table(path, max_memory=size)
    assert read_table(path, max_memory="1.5 MiB").X.shape == (12, 4)


def test_wide_tables_read_like_narrow_ones(tmp_path, monkeypatch):
    from frankwolfe.datasets.readers import grid

    path = tmp_path / "a.csv"
    path.write_bytes(b"a,b,y\r\n1,,up\r\n\r\n nan ,2.5,down\r\n-3e2, 4 ,up\n")
    narrow = read_table(path)
    monkeypatch.setattr(grid, "MIN_WIDE_COLUMNS", 2)
    wide = read_table(path)
    np.testing.assert_array_equal(narrow.X, wide.X)
    assert narrow.y.tolist() == wide.y.tolist()
    for text, words in (("1,2,3\n1,2\n", "line 2 has 2 cells"), ("1,2,3\n1,x,3\n", "'x' is not")):
        path.write_text(text)
        with pytest.raises(fw.InvalidInput, match=words):
            read_table(path)
