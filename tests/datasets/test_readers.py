"""Files read here and by others agree; broken ones get one sentence."""

import bz2
import gc
import gzip
import io
import lzma
import os
import re
import stat
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from hypothesis import example, given, settings
from hypothesis import strategies as st

import frankwolfe as fw
from frankwolfe.base.files import atomic_write, packed, write_text
from frankwolfe.datasets.readers import read_features, read_pairs, read_ratings, read_table
from frankwolfe.datasets.readers import source as source_module

RNG = np.random.default_rng(0)
floats = st.floats(allow_nan=False, allow_infinity=False)


def write(folder, name, text):
    path = Path(folder) / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


tables = st.integers(1, 5).flatmap(
    lambda n: st.lists(
        st.lists(st.one_of(floats, st.just(None)), min_size=n + 1, max_size=n + 1),
        min_size=1,
        max_size=8,
    )
)


@given(tables, st.sampled_from(",;\t|"), st.booleans(), st.booleans(), st.booleans())
@settings(max_examples=80, deadline=None)
def test_csv_reads_as_pandas_reads_it(rows, mark, header, returns, closed):
    rows = [[0.0 if cell is None and j == 0 else cell for j, cell in enumerate(r)] for r in rows]
    lines = [mark.join("" if cell is None else repr(cell) for cell in row) for row in rows]
    if header:
        lines.insert(0, mark.join(f"column {j}" for j in range(len(rows[0]))))
    end = "\r\n" if returns else "\n"
    text = end.join(lines) + (end if closed else "")
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    theirs = pandas.read_csv(io.StringIO(text), sep=mark, header=0 if header else None)
    with tempfile.TemporaryDirectory() as folder:
        table = read_table(write(folder, "a.csv", text))
    numbers = np.array(rows, dtype=float)
    np.testing.assert_array_equal(np.column_stack([table.X, table.y]), numbers)
    # the same cells; how well pandas rounds decimals is its own affair
    np.testing.assert_allclose(theirs.to_numpy(float), numbers, rtol=1e-12)
    assert table.names == (tuple(theirs.columns[:-1]) if header else ())


sparse_rows = st.lists(
    st.tuples(floats, st.dictionaries(st.integers(0, 30), floats, max_size=6)),
    min_size=1,
    max_size=8,
).filter(lambda rows: any(pairs for _, pairs in rows))


@given(sparse_rows, st.booleans(), st.booleans())
@settings(max_examples=80, deadline=None)
def test_libsvm_reads_as_sklearn_reads_it(rows, comments, closed):
    lines = [
        " ".join([repr(y)] + [f"{j}:{v!r}" for j, v in sorted(pairs.items())])
        + (" # 3:4 told" if comments else "")
        for y, pairs in rows
    ]
    text = ("# all of it\n\n" if comments else "") + "\n".join(lines) + ("\n" if closed else "")
    load_svmlight_file = pytest.importorskip("sklearn.datasets").load_svmlight_file
    theirs, y = load_svmlight_file(io.BytesIO(text.encode()))
    with tempfile.TemporaryDirectory() as folder:
        table = read_table(write(folder, "a.svm", text))
    np.testing.assert_array_equal(table.X.toarray(), theirs.toarray())
    np.testing.assert_array_equal(table.y, y)


@pytest.mark.parametrize("kind", ["csv", "svm"])
@pytest.mark.parametrize("size", [1, 7, 64, 4096])
def test_blocks_of_any_size_give_the_same(kind, size, tmp_path, monkeypatch):
    A, y = RNG.standard_normal((40, 5)).round(3), np.arange(40.0)
    lines = {
        "csv": [
            ",".join(map(repr, [*row, t])) for row, t in zip(A.tolist(), y.tolist(), strict=True)
        ],
        "svm": [
            f"{t} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(row))
            for row, t in zip(A.tolist(), y, strict=True)
        ],
    }[kind]
    monkeypatch.setattr(source_module, "BLOCK", size)
    table = read_table(write(tmp_path, f"a.{kind}", "\n\n".join(lines)))
    X = table.X if kind == "csv" else table.X.toarray()
    np.testing.assert_array_equal(X, A)
    np.testing.assert_array_equal(table.y, y)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("text", ["1,2,3\n4,5,6\n", "1 1:2\n2 2:5\n"])
def test_compressed_files_read_like_plain_ones(pack, text, tmp_path):
    plain = read_table(write(tmp_path, "plain", text))
    packed = read_table(write(tmp_path, "packed", pack(text.encode())))
    assert plain.format == packed.format
    np.testing.assert_array_equal(plain.y, packed.y)
    np.testing.assert_array_equal(
        scipy.sparse.csr_matrix(plain.X).toarray(), scipy.sparse.csr_matrix(packed.X).toarray()
    )


def test_progress_comes_early_and_ends_at_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(source_module, "BLOCK", 1000)
    path = write(tmp_path, "a.csv", "1.25,2\n" * 2000)
    seen = []
    read_table(path, progress=lambda done, total: seen.append((done, total)))
    size = path.stat().st_size
    assert seen[0][0] < size / 2
    assert seen[-1] == (size, size)
    assert seen == sorted(seen)


@pytest.mark.parametrize("target", ["kind", 1, "1", -4])
def test_a_target_of_words_by_name_or_number(target, tmp_path):
    path = write(tmp_path, "a.csv", 'kind,a,"b, c",id\n"x ""y""",1,"2",7\n z , 3 ,4,8\n')
    table = read_table(path, target=target, drop=["id"])
    assert table.y.tolist() == ['x "y"', "z"]
    assert table.names == ("a", "b, c")
    np.testing.assert_array_equal(table.X, [[1, 2], [3, 4]])


@pytest.mark.parametrize("cells", [["none", "mild", "none"], ["1", "2", "3a"], ["7"] * 500 + ["b"]])
@pytest.mark.parametrize("size", [16, 1 << 20])
def test_a_word_anywhere_makes_words_of_the_target(cells, size, tmp_path, monkeypatch):
    monkeypatch.setattr(source_module, "BLOCK", size)
    path = write(tmp_path, "a.csv", "a,y\n" + "\n".join(f"1,{cell}" for cell in cells))
    table = read_table(path)
    assert table.y.tolist() == cells
    np.testing.assert_array_equal(table.X, np.ones((len(cells), 1)))


def test_a_target_of_words_has_none_missing(tmp_path):
    with pytest.raises(fw.InvalidInput, match="the target of line 2 is missing"):
        read_table(write(tmp_path, "a.csv", "a,y\n1,\n1,a"))


def test_none_among_numbers_is_missing(tmp_path):
    np.testing.assert_array_equal(
        read_table(write(tmp_path, "a.csv", "1,2\n1,none\n")).y, [2, np.nan]
    )


def test_many_numbers_and_a_word_are_no_classes(tmp_path):
    text = "".join(f"1,{k}\n" for k in range(500)) + "1,5OO\n"
    with pytest.raises(fw.InvalidInput, match="line 501, column 2: '5OO' is not a number"):
        read_table(write(tmp_path, "a.csv", text))


@pytest.mark.parametrize("columns", [9001, 40_000])
@pytest.mark.parametrize("names", [True, False])
def test_wide_tables_have_their_header_found(columns, names, tmp_path):
    row = RNG.integers(0, 1000, columns).tolist()
    header = [f"a rather long name {j}" for j in range(columns)]
    lines = [header] * names + [row, row]
    text = "\n".join(",".join(map(str, line)) for line in lines) + "\n"
    table = read_table(write(tmp_path, "a.csv", text))
    assert table.names == (tuple(header[:-1]) if names else ())
    np.testing.assert_array_equal(table.X, [row[:-1]] * 2)


def test_the_target_is_the_last_column_that_is_left(tmp_path):
    path = write(tmp_path, "a.csv", "a,b,y,note\n1,2,3,x\n4,5,6,z\n")
    for drop in (["note"], ["4"], [-1]):
        table = read_table(path, drop=drop)
        assert (table.names, table.target, table.left_out) == (("a", "b"), "y", (3, 4))
        np.testing.assert_array_equal(table.y, [3, 6])
    with pytest.raises(fw.InvalidInput, match="column b cannot be both the target and left out"):
        read_table(path, target="b", drop=["note", "2"])


def test_columns_of_one_name_can_be_left_out(tmp_path):
    path = write(tmp_path, "a.csv", "a,a,b,y\n1,2,3,4\n5,6,7,8\n")
    np.testing.assert_array_equal(read_table(path, drop=["a"]).X, [[3], [7]])
    np.testing.assert_array_equal(read_table(path, drop=["2"]).X, [[1, 3], [5, 7]])
    for request in ({"target": "a"}, {"target": "a", "drop": ["b"]}):
        with pytest.raises(fw.InvalidInput, match="both named 'a'"):
            read_table(path, **request)
    with pytest.raises(fw.InvalidInput, match="both named 'a'"):
        read_features(path, names=("a", "b"), width=2)


def test_parquet_columns_of_one_name_and_missing_targets(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")

    def stored(names, *columns):
        table = pyarrow.table([pyarrow.array(column) for column in columns], names=list(names))
        parquet.write_table(table, tmp_path / "a.parquet")
        return tmp_path / "a.parquet"

    with pytest.raises(fw.InvalidInput, match="columns 1 and 2 are both named 'a'"):
        read_table(stored("aay", [1, 2], [3, 4], [5, 6]))
    path = stored("aaby", [1, 2], [3, 4], [5, 6], ["u", "v"])
    np.testing.assert_array_equal(read_table(path, drop=["a"]).X, [[5], [6]])
    np.testing.assert_array_equal(read_table(path, drop=["2"]).X, [[1, 5], [2, 6]])
    path = stored("abya", [1, 2], [3, 4], ["u", "v"], [5, 6])
    np.testing.assert_array_equal(read_table(path, drop=["1"], target="y").X, [[3, 5], [4, 6]])
    for missing in (None, "NA"):
        with pytest.raises(fw.InvalidInput, match="the target of row 2 is missing"):
            read_table(stored("ay", [1, 2], ["u", missing]))
    with pytest.raises(fw.InvalidInput, match="columns a and c hold values of type string"):
        read_table(stored("abcy", ["u", "v"], [1, 2], ["u", "v"], [1, 2]))


def test_missing_targets_in_a_file_of_their_own(tmp_path):
    path = write(tmp_path, "a.csv", "1,2\n3,4\n5,6\n")
    for text in ("up\n\nNA\ndown\n", "y\n1\nnan\n2\n"):
        with pytest.raises(fw.InvalidInput, match=r"y.txt: the target of line 3 is missing"):
            read_table(path, target_file=write(tmp_path, "y.txt", text))
    np.save(tmp_path / "y.npy", [1.0, np.nan, 2.0])
    with pytest.raises(fw.InvalidInput, match=r"y.npy: the target of row 2 is missing"):
        read_table(path, target_file=tmp_path / "y.npy")


@pytest.mark.parametrize("text", ["a,y\n\n1,2\n \r\n3,4\n", "a y\n\n1 2\n \t\r\n 3 4"])
def test_a_row_knows_its_line(text, tmp_path):
    table = read_table(write(tmp_path, "a.csv", text))
    assert [table.where(row) for row in range(2)] == ["line 3", "line 5"]


def test_missing_values_are_nan(tmp_path):
    table = read_table(write(tmp_path, "a.csv", "1,,3\nNA,?,4\nnan, null ,5\n"))
    np.testing.assert_array_equal(table.X, [[1, np.nan], [np.nan, np.nan], [np.nan, np.nan]])


digits = st.text("0123456789", min_size=1, max_size=25)
decimals = st.one_of(
    floats.map(repr),
    st.integers(-(10**19), 10**19).map(str),
    st.tuples(digits, digits, st.integers(-40, 40)).map(lambda t: f"-{t[0]}.{t[1]}e{t[2]}"),
)


@given(st.lists(decimals, min_size=1, max_size=20))
@example(["9007199254740993", "77403498222828495e-1", "5e-324", "2.7910603289328946e+20"])
@settings(max_examples=40, deadline=None)
def test_numbers_are_rounded_correctly(texts):
    with tempfile.TemporaryDirectory() as folder:
        path = write(folder, "a.csv", "\n".join(f"{text},1" for text in texts))
        svm = write(folder, "a.svm", "\n".join(f"1 1:{text}" for text in texts))
        found, other = read_table(path, header=False).X, read_table(svm).X
    wanted = np.array([[float(text)] for text in texts])
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(other.toarray(), wanted)


@pytest.mark.parametrize("size", [16, 1 << 20])
def test_words_may_come_late(size, tmp_path, monkeypatch):
    monkeypatch.setattr(source_module, "BLOCK", size)
    lines = [f"{k % 3},{k},{k % 2}" for k in range(20)] + [f"x{k % 5},{k},1" for k in range(40)]
    path = write(tmp_path, "a.csv", "zone,k,y\n" + "\n".join(lines))
    table = read_table(path, encode=True)
    assert table.encoded == {0: ("0", "1", "2", "x0", "x1", "x2", "x3", "x4")}
    words = np.array(table.encoded[0])[table.X[:, 0].astype(int)]
    assert words.tolist() == [line.split(",")[0] for line in lines]
    new = write(tmp_path, "b.csv", "k,zone\n1,x3\n2,late\n3,\n4,0\n")
    found = read_features(new, names=("zone", "k"), width=2, categories=table.encoded)
    np.testing.assert_array_equal(found.X, [[6, 1], [-1, 2], [np.nan, 3], [0, 4]])
    assert [(one.column, one.words, one.rows) for one in found.unseen] == [("zone", ("late",), 1)]


def test_blanks_quotes_and_colons(tmp_path):
    table = read_table(write(tmp_path, "a.txt", 'a  b y\n 1 2  "x y"\n3\t4 z\n'))
    assert table.y.tolist() == ["x y", "z"]
    np.testing.assert_array_equal(table.X, [[1, 2], [3, 4]])
    table = read_table(write(tmp_path, "a.csv", 'a, b, y\n1, "2", "u, v"\n3, 4, w\n'))
    assert (table.names, table.y.tolist()) == (("a", "b"), ["u, v", "w"])
    np.testing.assert_array_equal(table.X, [[1, 2], [3, 4]])
    ratings = read_ratings(write(tmp_path, "r.dat", "a:b::2::3\nc::3::4\n"))
    assert ratings.users.tolist() == ["a:b", "c"]
    table = read_table(write(tmp_path, "a.svm", " 1  1:2\t3:4 \n-1 2:5\n"))
    np.testing.assert_array_equal(table.X.toarray(), [[2, 0, 4], [0, 5, 0]])


def test_very_long_cells(tmp_path):
    table = read_table(write(tmp_path, "a.csv", f"a,y\n0.{'1' * 200_000},2\n3,{'x' * 200_000}\n"))
    assert table.X[0, 0] == 1 / 9
    assert table.y.tolist() == ["2", "x" * 200_000]


def test_signs_before_targets(tmp_path):
    table = read_table(write(tmp_path, "a.svm", "+1 1:2\n-1 2:+3\n+.5 1:1\n"))
    np.testing.assert_array_equal(table.y, [1, -1, 0.5])
    np.testing.assert_array_equal(table.X.toarray(), [[2, 0], [0, 3], [1, 0]])
    with pytest.raises(fw.InvalidInput, match="line 2: the line must start with a number"):
        read_table(write(tmp_path, "b.svm", "+1 1:2\n+-1 2:3\n"))


@pytest.mark.parametrize("mark", [",", " ", "::"])
def test_signs_infinities_and_quotes(mark, tmp_path):
    rows = [["1", "+2", "3"], ["1e400", "NA ", '"-0"'], ["1e-400", "Infinity", "+.5"]]
    rows = [[cell.strip() for cell in row] for row in rows] if mark == " " else rows
    table = read_table(write(tmp_path, "a.csv", "\n".join(mark.join(row) for row in rows)))
    np.testing.assert_array_equal(table.X, [[1, 2], [np.inf, np.nan], [0, np.inf]])
    np.testing.assert_array_equal(table.y, [3, 0, 0.5])


def test_blanks_between_cells(tmp_path):
    table = read_table(write(tmp_path, "a.txt", "  1  2\t3\n4 5 6  \r\n\n"))
    np.testing.assert_array_equal(table.X, [[1, 2], [4, 5]])
    np.testing.assert_array_equal(table.y, [3, 6])


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("0,1,target\n1,2,3\n", ("0", "1")),
        ("5.1,3.5,setosa\n4.9,3,setosa\n", ()),
        ("\ufeffa,b,c\n1,2,3\n", ("a", "b")),
        ("a,b,kind\n1,2,x\n", ("a", "b")),
    ],
)
def test_headers_are_found(text, names, tmp_path):
    assert read_table(write(tmp_path, "a.csv", text)).names == names


def test_parquet_reads_as_pandas_reads_it(tmp_path):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame(
        {"a": RNG.standard_normal(50), "b": np.arange(50), "c": RNG.random(50) < 0.5}
    )
    frame["kind"] = np.where(frame.a > 0, "up", "down")
    frame.to_parquet(tmp_path / "a.parquet", row_group_size=20)
    table = read_table(tmp_path / "a.parquet")
    np.testing.assert_array_equal(table.X, frame[["a", "b", "c"]].to_numpy(float))
    assert table.y.tolist() == frame.kind.tolist()
    assert table.names == ("a", "b", "c")
    numbers = read_table(tmp_path / "a.parquet", target="b", drop=["kind"])
    np.testing.assert_array_equal(numbers.y, frame.b)
    with pytest.raises(fw.InvalidInput, match="column kind holds values of type"):
        read_table(tmp_path / "a.parquet", target="b")


def test_npz_and_matrix_market(tmp_path):
    A, y = RNG.standard_normal((6, 3)) * (RNG.random((6, 3)) < 0.5), np.arange(6.0)
    np.savez(tmp_path / "a.npz", X=A, y=y)
    table = read_table(tmp_path / "a.npz")
    np.testing.assert_array_equal(table.X, A)
    np.testing.assert_array_equal(table.y, y)
    targets = write(tmp_path, "y.txt", "target\n" + "\n".join(map(str, y.tolist())))
    np.save(tmp_path / "y.npy", y)
    scipy.sparse.save_npz(tmp_path / "s.npz", scipy.sparse.csc_array(A))
    scipy.io.mmwrite(tmp_path / "s.mtx", scipy.sparse.coo_array(A))
    scipy.io.mmwrite(tmp_path / "d.mtx", A)
    write(tmp_path, "s.mtx.gz", gzip.compress((tmp_path / "s.mtx").read_bytes()))
    for name in ("s.npz", "s.mtx", "d.mtx", "s.mtx.gz"):
        for target_file in (targets, tmp_path / "y.npy"):
            table = read_table(tmp_path / name, target_file=target_file)
            np.testing.assert_allclose(scipy.sparse.csr_matrix(table.X).toarray(), A, rtol=1e-14)
            np.testing.assert_array_equal(table.y, y)
        with pytest.raises(fw.InvalidInput, match="holds no target"):
            read_table(tmp_path / name)
    with pytest.raises(fw.InvalidInput, match="2 targets, but there are 6 rows"):
        read_table(tmp_path / "s.mtx", target_file=write(tmp_path, "few.txt", "1\n2\n"))


def test_a_csv_with_targets_elsewhere(tmp_path):
    path = write(tmp_path, "a.csv", "1,2\n3,4\n5,6\n")
    table = read_table(path, target_file=write(tmp_path, "y.txt", "no\nyes\nno\n"))
    assert table.X.shape == (3, 2)
    assert table.y.tolist() == ["no", "yes", "no"]


def test_features_are_found_again_for_a_model(tmp_path):
    named = write(tmp_path, "a.csv", "id,b,kind,a\n7,2,x,1\n")
    table = read_features(named, names=("a", "b"), width=2)
    np.testing.assert_array_equal(table.X, [[1, 2]])
    with pytest.raises(fw.InvalidInput, match="no column 'c': its columns are id, b, kind, a"):
        read_features(named, names=("a", "c"), width=2)
    for text in ("1,2\n", "1,2,9\n"):  # without and with the target
        np.testing.assert_array_equal(
            read_features(write(tmp_path, "b.csv", text), width=2).X, [[1, 2]]
        )
    path = write(tmp_path, "b.csv", "7,1,x,2,w\n")  # all columns of the file of the fit
    for target in ("kind", "3"):
        found = read_features(path, names=("a", "b"), width=2, target=target, drop=[1, 3, 5])
        np.testing.assert_array_equal(found.X, [[1, 2]])
        with pytest.raises(fw.InvalidInput, match="has 6 columns, but the model has 2 features"):
            read_features(
                write(tmp_path, "c.csv", "7,1,x,2,w,8\n"), width=2, target=target, drop=[1, 3, 5]
            )
    with pytest.raises(fw.InvalidInput, match="has 5 columns, but the model has 2 features"):
        read_features(write(tmp_path, "b.csv", "1,2,3,4,5\n"), width=2)
    svm = write(tmp_path, "a.svm", "1 1:2\n")
    assert read_features(svm, width=9).X.shape == (1, 9)
    with pytest.raises(
        fw.InvalidInput, match=r"the index 7, but the model has 3 features.* 1 to 3"
    ):
        read_features(write(tmp_path, "b.svm", "1 7:2\n"), width=3)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("u.data", "3\t10\t4\t88\n1\t10\t2\t89\n3\t7\t5\t90\n"),
        ("ratings.dat", "3::10::4::88\n1::10::2::89\n3::7::5::90\n"),
        ("ratings.csv", "userId,movieId,rating,timestamp\n3,10,4,88\n1,10,2,89\n3,7,5,90\n"),
        ("other.csv", "rating,movieId,userId\n4,10,3\n2,10,1\n5,7,3\n"),
    ],
)
def test_ratings_in_every_form(name, text, tmp_path):
    table = read_ratings(write(tmp_path, name, text))
    assert table.users[table.rows].tolist() == [3, 1, 3]
    assert table.items[table.columns].tolist() == [10, 10, 7]
    assert table.values.tolist() == [4, 2, 5]


def test_users_and_items_may_be_words(tmp_path):
    table = read_ratings(write(tmp_path, "a.csv", "ann,3,4.5\nbob,4,2\nann,4,1\n"))
    assert table.users[table.rows].tolist() == ["ann", "bob", "ann"]
    assert table.items.tolist() == [3, 4]
    users, items = read_pairs(write(tmp_path, "p.csv", "user,item\nbob,3\n"))
    assert (users.tolist(), items.tolist()) == (["bob"], [3])


BROKEN = {
    "too few cells": ("a.csv", "a,b,c\n1,2,3\n\n4,5\n", r"line 4 has 2 cells.*have 3"),
    "too many cells": ("a.csv", "1,2,3\n4,5,6,7\n", r"line 2 has 4 cells.*have 3"),
    "text in a number": ("a.csv", "a,b,y\n1,2,3\n4,five,6\n", r"line 3, column b: 'five' is not"),
    "text in a target": ("a.csv", "1,2,3.5\n4,5,six\n", r"line 2, column 3: 'six' is not a number"),
    "underscore": ("a.csv", "1,2,3\n4,1_0,6\n", r"line 2, column 2: '1_0' is not a number"),
    "open quote": ("a.csv", '1,2,3\n4,"5,6\n', r"line 2: a quote is opened"),
    "empty": ("a.csv", "", r"is empty"),
    "odd digits": ("a.csv", "a,y\n١,2\n3,4\n", r"line 2, column a: '١' is not a number"),
    "an odd NULL": ("a.csv", "a,y\n1,2\nnUlL,4\n", r"line 3, column a: 'nUlL'.* write nan"),
    "blanks before NA": ("a.csv", "a,y\n  NA,2\n3,4\n", r"line 2, column a: '  NA'.* write nan"),
    "a line of a tab": ("a.csv", "a,y\n1,2\n\t\n3,4\n", r"line 3 has 1 cell, but .* have 2"),
    "words over lines": ("a.csv", 'a,y\n1,"up\nor so"\n2,down\n', r"line 2: a quote is opened"),
    "missing value": ("a.svm", "1 1:2\n1 3:NA\n", r"line 2, column 3: 'NA' .* write nan"),
    "missing target": ("a.svm", "1 1:2\nNA 3:4\n", r"line 2: the line must start with a number"),
    "only blanks": ("a.csv", " \n\n", r"is empty"),
    "only a header": ("a.csv", "a,b,c\n", r"has a header but no rows"),
    "a short header": ("a.csv", "a b y\n1 1 2 0\n2 1 5 3\n", r"line 2 has 4 cells.*header has 3"),
    "a long header": ("a.csv", "a,b,c,y\n\n1,2,0\n", r"line 3 has 3 cells.*header has 4"),
    "twins": ("a.csv", "a,b,a,y\n1,2,3,4\n", r"columns 1 and 3 are both named 'a'"),
    "a twin of the target": ("a.csv", "y,b,y\n1,2,3\n", r"columns 1 and 3 are both named 'y'"),
    "a word missing": ("a.csv", "a,y\n1,up\n\n2,down\n3,\n", r"target of line 5 is missing"),
    "a word null": ("a.csv", "1,NULL\n2,up\n3,down\n", r"target of line 1 is missing"),
    "one word in decimals": ("a.csv", "1,2.5\n2,oops\n", r"line 2, column 2: 'oops' is not"),
    "decimal commas": ("a.csv", "a;b;y\n1,5;2,25;3\n", r"column a: '1,5' is not.* a point"),
    "only decimal commas": ("a.csv", "1,5;2,5;3,5\n1;2,1;3,5\n", r"column 1: '1,5'.* a point"),
    "targets with commas": ("a.csv", "a;y\n1;2,5\n3;4,5\n", r"column y: '2,5' is not.* a point"),
    "thousands": ("a.csv", 'a,y\n"1,234",2\n"3,456",4\n', r"'1,234' is not.*without a comma"),
    "old line ends": ("a.csv", "a,b,y\r1,2,3\r4,5,6\r", r"carriage returns alone"),
    "words in columns": (
        "a.csv",
        "city,a,garden,y\nRome,1,yes,3\nOslo,x,,4\nBern,3,no,5\n",
        r"columns city and garden hold words.*drop=\['city', 'garden'\]",
    ),
    "words without names": ("a.csv", "1,x,2\n1,z,3\n", r"column 2 holds words.*leave it out"),
    "words not UTF-8 far on": (
        "a.csv",
        b"a,y\n" + b"1,x\n" * 4 + b"\n2,\xe9\n" + b"1,z\n" * 9,
        r"line 7 is not",
    ),
    "one column": ("a.csv", "1\n2\n", r"no column left for features"),
    "not UTF-8": ("a.csv", b"1,2,3\n4,\xff\xfe,6\n", r"line 2 is not UTF-8"),
    "UTF-16": ("a.csv", "1,2,3\n".encode("utf-16"), r"UTF-16"),
    "words not UTF-8": ("a.csv", b"1,x\n2,\xe9t\xe9\n", r"line 2 is not UTF-8"),
    "cut gzip": ("a.csv.gz", gzip.compress(b"1.0,2.25,3\n" * 9999)[:-12], r"cut short.* line \d+"),
    "cut xz": ("a.csv.xz", lzma.compress(b"1.0,2.25,3\n" * 9999)[:-40], r"cut short.* line \d+"),
    "cut bz2": ("a.csv.bz2", bz2.compress(b"1.0,2.25,3\n" * 9999)[:-20], r"cut short.* line \d+"),
    "damaged gzip": ("a.csv.gz", b"\x1f\x8b\x08\x00" + b"\x00" * 6 + b"\x77" * 90, r"damaged"),
    "no target": ("a.svm", "1 1:2\nx 1:3\n", r"line 2: the line must start with a number.*'x'"),
    "two targets": ("a.svm", "1 1:2\n1,2 1:3\n", r"line 2: the line must start"),
    "no colon": ("a.svm", "1 1:2\n\n1 2:3 4\n", r"line 3: pairs are written.*'4'"),
    "no value": ("a.svm", "1 1:2 3:\n", r"line 1: pairs are written"),
    "no index": ("a.svm", "1 a:2\n", r"line 1: pairs are written.*'a:2'"),
    "text in a value": ("a.svm", "1 1:2\n1 3:four\n", r"line 2, column 3: 'four' is not"),
    "order": ("a.svm", "1 1:2 3:1 2:5\n", r"line 1: indices must grow.*'2:5'"),
    "twice": ("a.svm", "1 2:2 2:5\n", r"line 1: indices must grow"),
    "large index": ("a.svm", "1 99999999999999999999:2\n", r"line 1: the index is too large"),
    "comments only": ("a.svm", "# nothing\n", r"no rows"),
    "not a zip": ("a.npz", b"PK\x03\x04 and no more", r"not a whole npz file"),
    "no header of mtx": ("a.mtx", "%%MatrixMarket matrix\n1 1 1\n", r"not a Matrix Market file"),
    "broken mtx": (
        "a.mtx",
        "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.5\n2 x 3\n",
        r"line 4",
    ),
    "not a parquet": ("a.parquet", b"PAR1 and no more", r"not a whole Parquet file"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_files_get_one_sentence(case, tmp_path):
    name, text, words = BROKEN[case]
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    path = write(tmp_path, name, text)
    with pytest.raises(fw.InvalidInput, match=words) as caught:
        read_table(path)
    message = str(caught.value)
    assert str(path) in message
    assert "\n" not in message
    assert message.endswith(".")


def test_a_text_that_is_cut_says_in_which_line(tmp_path):
    rng = np.random.default_rng(1)
    lines = [f"{a!r},{b!r}\n" for a, b in rng.standard_normal((3000, 2)).tolist()]
    packed = gzip.compress("".join(lines).encode())
    path = write(tmp_path, "a.csv.gz", packed[: len(packed) // 2])
    with pytest.raises(fw.InvalidInput) as caught:
        read_table(path)
    line = int(str(caught.value).rstrip(".").split()[-1])
    assert 1400 < line < 1600


def test_missing_files_folders_and_permissions(tmp_path):
    with pytest.raises(fw.InvalidInput, match="there is no file"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(fw.InvalidInput, match="is a folder"):
        read_table(tmp_path)
    with pytest.raises(fw.InvalidInput, match="cannot be read"):
        read_table(write(tmp_path, "file", "1,2\n") / "under.csv")
    secret = write(tmp_path, "secret.csv", "1,2\n")
    secret.chmod(0)
    if not os.access(secret, os.R_OK):
        with pytest.raises(fw.InvalidInput, match="no permission"):
            read_table(secret)


def test_no_permission_whoever_asks(tmp_path, monkeypatch):
    path = write(tmp_path, "secret.csv", "1,2\n")

    def refused(*_args, **_options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(packed, "open", refused, raising=False)
    with pytest.raises(fw.InvalidInput, match="you have no permission"):
        read_table(path)


def test_bad_requests_get_one_sentence(tmp_path):
    path = write(tmp_path, "a.csv", "a,b,y\n1,2,3\n")
    with pytest.raises(fw.InvalidInput, match="no column 'z': its columns are a, b, y"):
        read_table(path, target="z")
    with pytest.raises(fw.InvalidInput, match="no column 9"):
        read_table(path, target=9)
    with pytest.raises(fw.InvalidInput, match="format must be one of"):
        read_table(path, format="xls")
    with pytest.raises(fw.InvalidInput, match="must hold a user, an item and a rating"):
        read_ratings(write(tmp_path, "r.csv", "1,2\n3,4\n"))


def test_a_file_is_written_atomically(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    write_text(path, "old")
    path.chmod(0o600)

    def interrupted():
        with atomic_write(path) as file:
            file.write(b"half of the n")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]
    write_text(path, "new")
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(fw.InvalidInput, match="is a folder"):
        write_text(tmp_path, "x")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(fw.InvalidInput, match="cannot be written: No space left"):
        write_text(path, "newer")
    monkeypatch.undo()
    assert (path.read_text(), os.listdir(tmp_path)) == ("new", ["a.txt"])
    with pytest.raises(fw.InvalidInput, match="cannot be written"):
        write_text(tmp_path / "none" / "a.txt", "x")


def test_a_link_stays_and_its_file_is_replaced(tmp_path):
    (tmp_path / "there").mkdir()
    link, dangling = tmp_path / "link", tmp_path / "dangling"
    link.symlink_to(write(tmp_path / "there", "a.txt", "old"))
    dangling.symlink_to(Path("there", "new.txt"))
    for one, name in ((link, "a.txt"), (dangling, "new.txt")):
        write_text(one, "new")
        assert one.is_symlink()
        assert (tmp_path / "there" / name).read_text() == "new"
    assert sorted(os.listdir(tmp_path / "there")) == ["a.txt", "new.txt"]
    link.unlink()
    link.symlink_to("link")
    with pytest.raises(fw.InvalidInput, match="cannot be written"):
        write_text(link, "new")


def test_pipes_and_devices_are_written_through(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        said = pool.submit(pipe.read_text)
        write_text(pipe, "said")
        assert said.result(timeout=10) == "said"
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    null = tmp_path / "null"
    null.symlink_to(os.devnull)
    write_text(null, "nothing")
    assert null.is_symlink()
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_a_stream_with_a_file_behind_it_is_added_to(tmp_path):
    log = write(tmp_path, "log", "before\n")
    with open(log, "ab") as file:
        write_text(f"/dev/fd/{file.fileno()}", "more\n")
        file.write(b"after\n")
    assert log.read_text() == "before\nmore\nafter\n"


@pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="there is no /dev/shm")
def test_a_plain_file_below_dev_is_replaced():
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        path = write(folder, "a.txt", "old")
        write_text(path, "new")
        assert path.read_text() == "new"


@pytest.mark.parametrize("name", ["a.csv", "a.svm", "a.csv.gz", "a.npz", "s.npz", "a.mtx"])
def test_pipes_read_like_files(name, tmp_path):
    if not name.endswith("npz"):  # else nobody opens the pipe
        pytest.importorskip("pyarrow")
    A, y = RNG.standard_normal((6, 3)), np.arange(6.0)
    np.savez(tmp_path / "a.npz", X=A, y=y)
    scipy.sparse.save_npz(tmp_path / "s.npz", scipy.sparse.csc_array(A))
    scipy.io.mmwrite(tmp_path / "a.mtx", A)
    write(tmp_path, "a.csv", "a,b,y\n" + "1.5,2,3\n" * 20_000)
    write(tmp_path, "a.svm", "1 1:2 3:4\n2 1:3\n")
    write(tmp_path, "a.csv.gz", gzip.compress(b"1.5,2,3\n" * 5))
    bare = name in ("s.npz", "a.mtx")
    more = {"target_file": write(tmp_path, "y.txt", "1\n" * 6)} if bare else {}
    path, pipe = tmp_path / name, tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(pipe.write_bytes, path.read_bytes())
        there, here = read_table(path, **more), read_table(pipe, **more)
    assert (there.names, there.format) == (here.names, here.format)
    np.testing.assert_array_equal(there.y, here.y)
    np.testing.assert_array_equal(*(scipy.sparse.csr_matrix(t.X).toarray() for t in (there, here)))


def test_errors_in_a_pipe_name_the_pipe(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")  # else nobody opens the pipe
    pipe, spools = tmp_path / "pipe", tmp_path / "spools"
    spools.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(spools))
    os.mkfifo(pipe)
    for text, words in ((b"1,2\n3x,4\n", "line 2, column 1"), (b"", "pipe is empty")):
        with ThreadPoolExecutor(1) as pool:
            pool.submit(pipe.write_bytes, text)
            with pytest.raises(fw.InvalidInput, match=words) as caught:
                read_table(pipe)
        assert str(caught.value).startswith(str(pipe))
        del caught  # and with it what was read
        gc.collect()
        assert os.listdir(spools) == []
    with pytest.raises(fw.InvalidInput, match="is empty"):
        read_table(os.devnull)


def test_targets_in_npz_may_be_words_in_any_type(tmp_path):
    words = np.array(["été", "hiver"])
    for y in (words, np.char.encode(words, "utf-8")):
        np.savez(tmp_path / "a.npz", X=np.eye(2), y=y)
        found = read_table(tmp_path / "a.npz").y
        assert found.dtype.kind == "U"
        assert found.tolist() == words.tolist()


ODD_ARRAYS = {
    "bytes": ({"X": np.eye(2), "y": np.array([b"a", b"\xe9"])}, "not UTF-8"),
    "dates": ({"X": np.eye(2), "y": np.array(["2020", "2021"], "M8[D]")}, r"datetime64\[D\]"),
    "times": ({"X": np.eye(2), "y": np.array([1, 2], "m8[s]")}, "timedelta64"),
    "complex": ({"X": np.eye(2), "y": np.array([1j, 2])}, "complex128"),
    "objects": ({"X": np.eye(2), "y": np.array([{}, 2], dtype=object)}, "Python objects"),
    "no rows": ({"X": np.empty((0, 2)), "y": np.empty(0)}, "has no rows"),
    "no features": ({"X": np.empty((2, 0)), "y": np.empty(2)}, "has no features"),
}


@pytest.mark.parametrize("case", ODD_ARRAYS)
def test_odd_arrays_get_one_short_sentence(case, tmp_path):
    arrays, words = ODD_ARRAYS[case]
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(fw.InvalidInput, match=words) as caught:
        read_table(tmp_path / "a.npz")
    message = str(caught.value).removeprefix(str(tmp_path))
    assert "\n" not in message
    assert len(message) < 90


def test_matrices_without_rows_or_of_complex_numbers_are_refused(tmp_path):
    targets = write(tmp_path, "y.txt", "1\n")
    scipy.sparse.save_npz(tmp_path / "c.npz", scipy.sparse.csr_array(np.eye(1) * 1j))
    with pytest.raises(fw.InvalidInput, match="complex128"):
        read_table(tmp_path / "c.npz", target_file=targets)
    scipy.sparse.save_npz(tmp_path / "e.npz", scipy.sparse.csr_array((0, 3)))
    scipy.io.mmwrite(tmp_path / "e.mtx", scipy.sparse.coo_array((0, 3)))
    for name in ("e.npz", "e.mtx"):
        with pytest.raises(fw.InvalidInput, match="has no rows"):
            read_table(tmp_path / name, target_file=targets)


def test_a_mark_before_libsvm_is_skipped(tmp_path):
    plain, marked = "1 1:2 3:4\n-1 2:5\n", "\ufeff1 1:2 3:4\n-1 2:5\n"
    for name in ("a.svm", "a"):
        tables = [read_table(write(tmp_path, name, text)) for text in (plain, marked)]
        np.testing.assert_array_equal(*(table.X.toarray() for table in tables))
        np.testing.assert_array_equal(*(table.y for table in tables))


@pytest.mark.parametrize("base", [0, 1])
def test_indices_count_from_what_is_said(base, tmp_path):
    path = write(tmp_path, "a.svm", "1 1:2 3:4\n-1 2:5\n")
    load_svmlight_file = pytest.importorskip("sklearn.datasets").load_svmlight_file
    theirs, _ = load_svmlight_file(str(path), zero_based=base == 0)
    table = read_table(path, base=base)
    np.testing.assert_array_equal(table.X.toarray(), theirs.toarray())
    assert table.base == base
    wide = read_features(path, width=6, base=base)
    np.testing.assert_array_equal(wide.X.toarray()[:, : theirs.shape[1]], theirs.toarray())
    zero = write(tmp_path, "z.svm", "1 0:2 3:4\n")
    assert read_table(zero).base == 0
    if base == 1:
        with pytest.raises(fw.InvalidInput, match="an index 0, but its indices are said"):
            read_table(zero, base=1)
        with pytest.raises(fw.InvalidInput, match="an index 0, but the model's indices"):
            read_features(zero, width=6, base=1)


ids = st.one_of(
    st.integers(-(10**20), 10**20).map(str),
    st.from_regex(r"[0-9]{1,4}", fullmatch=True),
    st.from_regex(r"[0-9+.eE-]{1,6}", fullmatch=True),
    st.text("xX0é ", min_size=1, max_size=3).filter(lambda text: text == text.strip()),
)


@given(st.lists(st.tuples(ids, ids), min_size=1, max_size=8), st.booleans(), st.integers(1, 60))
@example([("9007199254740993", "9007199254740992"), ("9007199254740992", "0")], False, 9)
@example([("1", "001"), ("034545105X", "1")], True, 9)
@settings(max_examples=80, deadline=None)
def test_ids_are_given_back_as_they_are_written(pairs, quoted, size):
    mark = '"' if quoted else ""
    text = "".join(f"{mark}{u}{mark},{mark}{i}{mark},4\n" for u, i in pairs)
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(source_module, "BLOCK", size)
        table = read_ratings(write(folder, "a.csv", text), header=False)
        users, items = read_pairs(write(folder, "a.csv", text), header=False)
    found = zip(table.users[table.rows].tolist(), table.items[table.columns].tolist(), strict=True)
    assert [(str(u), str(i)) for u, i in found] == pairs
    assert [(str(u), str(i)) for u, i in zip(users, items, strict=True)] == pairs
    assert table.users.size == len({u for u, _ in pairs})
    plain = all(re.fullmatch(r"0|-?[1-9][0-9]{0,17}", u) for u, _ in pairs)
    assert table.users.dtype.kind == ("i" if plain else "U")


@pytest.mark.parametrize(
    "header", ["User ID,Movie-Id,Rating", "reviewer_id,asin,overall", "a,b,c", "U,I,R"]
)
def test_columns_of_ratings_are_found_by_name(header, tmp_path):
    for order in ([0, 1, 2], [2, 0, 1]):
        if header == "a,b,c" and order != [0, 1, 2]:
            continue  # nobody knows these names
        rows = [[name.split(",")[k] for k in order] for name in (header, "3,10,4", "1,7,2")]
        table = read_ratings(write(tmp_path, "a.csv", "\n".join(map(",".join, rows))))
        assert table.users[table.rows].tolist() == [3, 1]
        assert table.items[table.columns].tolist() == [10, 7]
        assert table.values.tolist() == [4, 2]


def test_columns_of_ratings_that_are_half_known_are_refused_or_said(tmp_path):
    path = write(tmp_path, "a.csv", "rating,buyer,good\n4,3,10\n2,1,7\n")
    with pytest.raises(fw.InvalidInput, match="for a user and an item is found among rating, buy"):
        read_ratings(path)
    for columns in (["buyer", "good", "rating"], [2, 3, 1], ["-2", "-1", "1"]):
        table = read_ratings(path, columns=columns)
        assert table.users[table.rows].tolist() == [3, 1]
        assert table.values.tolist() == [4, 2]
    pairs = write(tmp_path, "p.csv", "good,buyer\n10,3\n")
    users, items = read_pairs(pairs, names=["buyer", "good"])
    assert (users.tolist(), items.tolist()) == ([3], [10])
    with pytest.raises(fw.InvalidInput, match="for a user is found among item, buyer"):
        read_pairs(write(tmp_path, "q.csv", "item,buyer\n10,3\n"))
    for columns, words in (
        (["buyer", "good"], "must be three"),
        (["buyer", 2, "rating"], "three different"),
        (["buyer", "film", "rating"], "no column 'film'"),
        ([1, 2, 4], "no column 4"),
    ):
        with pytest.raises(fw.InvalidInput, match=words):
            read_ratings(path, columns=columns)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1,2,3\n,3,4\n", "the user of rating 2 is missing"),
        ("1,2,3\n5,NA,4\n", "the item of rating 2 is missing"),
        ("ann,2,3\nbob,3,\n", "rating 2 is missing"),
        ("ann,2,3\nbob,3,x\n", "line 2, column 3: 'x' is not a number"),
        ("ann,2,3\nbob,3\n", "line 2 has 2 cells"),
        ('ann,2,3\n\n"bob,3,4\n', "line 3: a quote is opened"),
        (b"ann,2,3\n\nb\xe9a,3,4\n", "line 3 is not UTF-8"),
    ],
)
def test_broken_ratings_get_one_sentence(text, words, tmp_path):
    with pytest.raises(fw.InvalidInput, match=words):
        read_ratings(write(tmp_path, "a.csv", text), header=False)


def test_none_may_be_the_name_of_a_user(tmp_path):
    table = read_ratings(write(tmp_path, "a.csv", "none,2,3\nann,3,4\n"), header=False)
    assert table.users.tolist() == ["ann", "none"]


def test_row_groups_that_are_asked_for(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "a.parquet"
    words = pyarrow.array(["u", "v", None, "u", "v", None])
    columns = {"x": np.arange(6.0), "kind": words, "y": np.arange(6.0)}
    parquet.write_table(pyarrow.table(columns), path, row_group_size=2)
    table = read_table(path, drop="kind", row_groups=[0, 2])
    assert table.y.tolist() == [0.0, 1.0, 4.0, 5.0]
    assert [table.where(row) for row in range(4)] == ["row 1", "row 2", "row 5", "row 6"]
    with pytest.raises(fw.InvalidInput, match="the target of row 6 is missing"):
        read_table(path, target="kind", row_groups=[0, 2])
    for groups in ([], [7], [-1], [0, 3], [0.5]):
        with pytest.raises(fw.InvalidInput, match="row groups, from 0 to 2, got"):
            read_table(path, drop="kind", row_groups=groups)
    with pytest.raises(fw.InvalidInput, match=r"only Parquet files .* this is csv; leave row_gro"):
        read_table(write(tmp_path, "a.csv", "1,2\n3,4\n"), row_groups=[0])


def test_one_column_is_named_without_a_list(tmp_path):
    pytest.importorskip("pyarrow")
    path = write(tmp_path, "a.csv", "city,x,y\nOslo,1,2\nRome,3,4\n")
    assert read_table(path, encode="city").encoded == {0: ("Oslo", "Rome")}
    assert read_table(path, encode=1).names == ("city", "x")
    for which in ("city", 1):
        assert read_table(path, drop=which).names == ("x",)
    assert read_features(path, drop=1, width=1).names == ("x",)


def test_a_row_group_is_weighed_before_it_is_read(tmp_path, monkeypatch):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("abcdefgh"), 4000)) for _ in range(300)]
    frame = pandas.DataFrame({"x": np.arange(300.0), "word": words})
    frame.to_parquet(tmp_path / "a.parquet", compression=None)
    assert read_table(tmp_path / "a.parquet", target="x", encode=True).X.shape[0] == 300

    def read(*_given, **_options):
        raise AssertionError("it was read")

    monkeypatch.setattr(parquet.ParquetFile, "read_row_group", read)
    with pytest.raises(fw.InvalidInput, match=r"a\.parquet would take about 1\.\d MB of memory"):
        read_table(tmp_path / "a.parquet", target="x", encode=True, max_memory=500_000)
