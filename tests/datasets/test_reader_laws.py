"""What is written is read, however it is laid out; what is damaged is refused where it is."""

from __future__ import annotations

import gzip
import io
import re
import threading
import warnings
from itertools import product

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

import frankwolfe as fw
from frankwolfe import InvalidInput
from frankwolfe.datasets import movielens_file
from frankwolfe.datasets.readers import (
    Request,
    one_hot,
    one_hot_names,
    read_features,
    read_pairs,
    read_ratings,
    read_table,
)
from frankwolfe.datasets.readers import source as source_module
from frankwolfe.datasets.readers.ratings import ITEM, RATING, USER

pytest.importorskip("pyarrow", reason="pyarrow is not installed")

BOM = b"\xef\xbb\xbf"


def dense(X):
    return X.toarray() if sp.issparse(X) else X


def saved(folder, name, text):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


# ---- layouts of lines: each leaves what is told as it is

LAYOUTS = {
    "plain": lambda lines: "\n".join(lines) + "\n",
    "not closed": "\n".join,
    "returns": lambda lines: "\r\n".join(lines) + "\r\n",
    "blank lines": lambda lines: "\n\n".join(lines) + "\n\n\n",
    "blank lines of blanks": lambda lines: "\n  \n".join(lines) + "\n   \n",
}


@pytest.fixture(params=[1 << 20, 40])
def blocks(request, monkeypatch):
    """Files are read in one block, or in many."""
    monkeypatch.setattr(source_module, "BLOCK", request.param)


@pytest.fixture
def table(rng):
    X = np.round(rng.standard_normal((9, 3)) * 10.0 ** rng.integers(-3, 4, (9, 3)), 6)
    return X, rng.integers(0, 5, 9).astype(float)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("mark", [",", ";", "\t", "|", "::", " ", "   ", ", "])
@pytest.mark.parametrize("header", [True, False])
def test_tables_in_any_layout_are_the_same(header, mark, layout, table, blocks, tmp_path):
    if mark in (" ", "   ") and layout == "blank lines of blanks":
        layout = "blank lines"
    X, y = table
    lines = [mark.join(map(repr, row)) for row in np.column_stack([X, y]).tolist()]
    lines = [mark.join(["a", "b", "c", "y"])] * header + lines
    text = LAYOUTS[layout](lines).encode()
    for start in (b"", BOM, b"\n\n"):
        path = saved(tmp_path, "a.csv", start + text)
        found = read_table(path)
        np.testing.assert_array_equal(found.X, X)
        np.testing.assert_array_equal(found.y, y)
        assert found.names == (("a", "b", "c") if header else ())
        assert found.target == ("y" if header else "4")
        every = path.read_bytes().split(b"\n")
        for row in range(9):
            line = int(found.where(row).removeprefix("line "))
            cells = every[line - 1].decode("utf-8-sig").strip()
            assert cells == lines[row + header].strip()


def damaged(lines, line, column, cell, mark=","):
    cells = lines[line].split(mark)
    cells[column] = cell
    return [*lines[:line], mark.join(cells), *lines[line + 1 :]]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("block", [1 << 20, 300])
def test_a_bad_cell_is_named_by_line_and_column(block, header, layout, tmp_path, monkeypatch, rng):
    monkeypatch.setattr(source_module, "BLOCK", block)
    A = np.round(rng.standard_normal((60, 4)), 3)
    lines = [",".join(map(repr, row)) for row in A.tolist()]
    lines = ["a,b,c,y"] * header + lines
    step = 2 if "blank" in layout else 1
    for line in (1 + header, 31, len(lines) - 4):
        column = int(rng.integers(3))
        name = "abc"[column] if header else str(column + 1)
        for cell in ("oops", "0x10"):
            text = LAYOUTS[layout](damaged(lines, line, column, cell))
            with pytest.raises(InvalidInput) as caught:
                read_table(saved(tmp_path, "a.csv", text))
            said = f"line {1 + step * line}, column {name}: {cell!r} is not a number; correct it"
            assert said in str(caught.value)
        short = [*lines[:line], lines[line].rsplit(",", 1)[0], *lines[line + 1 :]]
        with pytest.raises(InvalidInput) as caught:
            read_table(saved(tmp_path, "a.csv", LAYOUTS[layout](short)))
        assert f"line {1 + step * line} has 3 cells, but" in str(caught.value)
        assert str(caught.value).endswith("4.")


def test_numbers_with_commas_say_how_to_write_them(tmp_path):
    text = "a;b;y\n1;2;3\n1,5;2;3\n"
    with pytest.raises(InvalidInput, match=r"line 3, column a: '1,5' is not .*with a point"):
        read_table(saved(tmp_path, "a.csv", text))


def test_a_reader_that_is_given_up_waits_for_nothing(tmp_path, monkeypatch):
    """It may be collected in any thread, also in one that is being started."""
    read, go_on, calls = source_module._read, threading.Event(), []

    def slow(file, wanted):
        calls.append(wanted)
        if len(calls) > 1:  # ahead of what is asked for
            go_on.wait(30.0)
        return read(file, wanted)

    monkeypatch.setattr(source_module, "BLOCK", 40)
    monkeypatch.setattr(source_module, "_read", slow)
    for pack in (bytes, gzip.compress):
        calls.clear()
        go_on.clear()
        path = saved(tmp_path, "a.csv", pack(b"1,2,3\n" * 100))
        blocks = source_module.line_blocks(Request(path))
        assert next(blocks).startswith(b"1,2,3\n")
        closing = threading.Thread(target=blocks.close, daemon=True)
        closing.start()
        closing.join(10.0)
        assert not closing.is_alive()
        go_on.set()


# ---- LIBSVM


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("base", [0, 1])
def test_pairs_in_any_layout_are_the_same(base, layout, blocks, tmp_path, rng):
    A = np.round(rng.standard_normal((8, 5)) * (rng.random((8, 5)) < 0.5), 3)
    A[0, 0], A[1, 4] = 2.5, -1.25
    y = rng.integers(-3, 4, 8)
    kinds = [
        lambda t, pairs: f"{t} {' '.join(pairs)}",
        lambda t, pairs: f" {t}\t{'  '.join(pairs)} ",
        lambda t, pairs: f"{t} qid:7 {' '.join(pairs)} # 9:9 told",
        lambda t, pairs: (
            f"{'+' if t >= 0 else ''}{t} {' '.join(pairs).replace(':', ':+').replace('+-', '-')}"
        ),
    ]
    for kind in kinds:
        lines = [
            kind(t, [f"{j + base}:{v!r}" for j, v in enumerate(row) if v])
            for t, row in zip(y.tolist(), A.tolist(), strict=True)
        ]
        path = saved(tmp_path, "a.svm", LAYOUTS[layout](lines))
        for given in (None, base):
            found = read_table(path, base=given)
            np.testing.assert_array_equal(found.X.toarray(), A)
            np.testing.assert_array_equal(found.y, y)
            assert (found.base, found.format) == (base, "libsvm")
            assert found.name_of(0) == str(base)
        wide = read_features(path, width=9, base=base)
        np.testing.assert_array_equal(wide.X.toarray(), np.pad(A, ((0, 0), (0, 4))))
        with pytest.raises(
            InvalidInput, match=f"index {4 + base}, but the model has 4 .*{base} to"
        ):
            read_features(path, width=4, base=base)
    with pytest.raises(InvalidInput, match="has an index 0, but its indices"):
        read_table(saved(tmp_path, "b.svm", "1 0:2 3:4\n"), base=1)
    with pytest.raises(InvalidInput, match="has an index 0, but the model's"):
        read_features(tmp_path / "b.svm", base=1, width=4)


BAD_PAIRS = {
    "x 1:2": "must start with a number, the target, got 'x'",
    "1 a:2": "index:value, both numbers, got 'a:2'",
    "1 3": "index:value, both numbers, got '3'",
    "1 -3:1": "index:value, both numbers",
    "1 5:1 4:2": "indices must grow along a line, got '4:2'",
    "1 4:1 4:2": "indices must grow along a line",
    "1 2147483648:1": "the index is too large",
    "1 4:x": "column 4: 'x' is not a number",
    "1 4:1,5": "column 4: '1,5' is not a number; write decimals with a point",
}


@pytest.mark.parametrize("bad", BAD_PAIRS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_bad_pair_is_named_by_its_line(layout, bad, blocks, tmp_path):
    step = 2 if "blank" in layout else 1
    for place in (0, 3, 7):
        lines = ["1 1:2 2:3"] * 8
        lines[place] = bad
        with pytest.raises(InvalidInput) as caught:
            read_table(saved(tmp_path, "a.svm", LAYOUTS[layout](lines)), format="libsvm")
        assert f"line {1 + step * place}" in str(caught.value)
        assert BAD_PAIRS[bad] in str(caught.value)


# ---- Matrix Market


def market(kind, field, symmetry, A):
    """The lines of a matrix, as its head says."""
    n, m = A.shape
    skew = symmetry == "skew-symmetric"
    stored = [
        (i, j)
        for j in range(m)
        for i in range(n)
        if symmetry == "general" or i > j or (i == j and not skew)
    ]
    form = (lambda v: str(int(v))) if "integer" in field else repr
    if kind == "array":
        return [f"{n} {m}"], [form(float(A[i, j])) for i, j in stored]
    kept = [(i, j) for i, j in stored if A[i, j]]
    lines = [
        f"{i + 1} {j + 1}" + ("" if field == "pattern" else f" {form(float(A[i, j]))}")
        for i, j in kept
    ]
    return [f"{n} {m} {len(kept)}"], lines


HEADS = [
    (kind, field, symmetry)
    for kind, field, symmetry in product(
        ("coordinate", "array"),
        ("real", "double", "integer", "unsigned-integer", "pattern"),
        ("general", "symmetric", "skew-symmetric", "hermitian"),
    )
    if not (field == "pattern" and (kind == "array" or symmetry == "skew-symmetric"))
    and not (field == "unsigned-integer" and symmetry == "skew-symmetric")
]


def example(field, symmetry, rng):
    n = 5
    A = rng.integers(1, 9, (n, n)) * (rng.random((n, n)) < 0.6) * 1.0
    if field in ("real", "double"):
        A = A + 0.25 * (A > 0)
    if field == "pattern":
        A = (A > 0) * 1.0
    if symmetry == "general":
        return A[:4]
    A = np.tril(A)
    return A - A.T if symmetry == "skew-symmetric" else A + np.tril(A, -1).T


@pytest.mark.parametrize(("kind", "field", "symmetry"), HEADS)
def test_matrices_of_every_head_are_read_as_scipy_reads_them(
    kind, field, symmetry, blocks, tmp_path, rng
):
    A = example(field, symmetry, rng)
    sizes, lines = market(kind, field, symmetry, A)
    head = [f"%%MatrixMarket matrix {kind} {field} {symmetry}"]
    y = saved(tmp_path, "y.txt", "\n".join(map(str, range(len(A)))))
    if field not in ("double",):
        plain = "\n".join([*head, *sizes, *lines]) + "\n"
        with warnings.catch_warnings():  # of SciPy 1.18, that it will return an array
            warnings.simplefilter("ignore", DeprecationWarning)
            theirs = scipy.io.mmread(io.BytesIO(plain.encode()))
        np.testing.assert_array_equal(dense(theirs), A)
    comments = ["% told", "%", "% " + "long " * 300]
    told = [
        [*head, *sizes, *lines],
        [head[0].upper().replace("MATRIXMARKET", "MatrixMarket"), *comments, *sizes, *lines],
        [*head, *comments, "", f"  {sizes[0]} ", *(f"  {line}\t" for line in lines)],
        [*head, "", *sizes, *(line.replace(" ", " \t ") for line in lines)],
    ]
    for text, layout in product(told, LAYOUTS.values()):
        found = read_table(saved(tmp_path, "a.mtx", layout(text)), target_file=y)
        np.testing.assert_array_equal(dense(found.X), A)
        assert sp.issparse(found.X) == (kind == "coordinate")
        assert found.format == "mtx"


@pytest.mark.parametrize("comments", [0, 2])
@pytest.mark.parametrize("layout", ["plain", "not closed", "returns"])
def test_a_damaged_matrix_is_refused_where_it_is_damaged(layout, comments, blocks, tmp_path):
    head = ["%%MatrixMarket matrix coordinate real general", *["% told"] * comments]
    lines = [f"{i} {j} {i}.5" for i in range(1, 5) for j in range(1, 4)]
    first = len(head) + 2
    y = saved(tmp_path, "y.txt", "1\n" * 4)

    def refused(text):
        with pytest.raises(InvalidInput) as caught:
            read_table(saved(tmp_path, "a.mtx", LAYOUTS[layout](text)), target_file=y)
        return str(caught.value)

    for place in (0, 5, 11):
        for bad, words in (
            ("5 1 2.5", "the row of line {} is 5, not between 1 and 4"),
            ("0 1 2.5", "the row of line {} is 0, not between 1 and 4"),
            ("1 4 2.5", "the column of line {} is 4, not between 1 and 3"),
            ("1 1.5 2.5", "the column of line {} is 1.5, not"),
            ("1 1", "line {} must hold 3 numbers (row, column, value), got '1 1'"),
            ("1 1 2 3", "line {} must hold 3 numbers"),
            *((f"1 1 {v}", "line {} must hold 3 numbers") for v in ("x", "1,5", "1x", "1_0", "\0")),
        ):
            text = [*head, "4 3 12", *lines[:place], bad, *lines[place + 1 :]]
            assert words.format(first + place) in refused(text)
    assert f"line {first - 1} says 13 entries, it has 12" in refused([*head, "4 3 13", *lines])
    assert f"line {first - 1} says 12 entries, it has 11" in refused([*head, "4 3 12", *lines[1:]])
    for sizes in ("4 3", "4 3 12 1", "4 x 12", "4 3 -1"):
        words = refused([*head, sizes, *lines])
        assert f"line {first - 1} must hold its rows, columns and entries" in words
        assert repr(sizes)[1:-1] in words
    assert "has no sizes" in refused(head)


HEADLESS = {
    "it must begin with": ["%%MatrixMarket matrix coordinate real", "1 1 1", "1 1 1"],
    "its object must be one of matrix": ["%%MatrixMarket tensor coordinate real general"],
    "its format must be one of coordinate, array": ["%%MatrixMarket matrix list real general"],
    "its field must be one of real": ["%%MatrixMarket matrix array text general"],
    "its symmetry must be one of general": ["%%MatrixMarket matrix array real odd"],
    "complex numbers": ["%%MatrixMarket matrix array complex general"],
    "a pattern has coordinates": ["%%MatrixMarket matrix array pattern general"],
    "a symmetric matrix must be square": ["%%MatrixMarket matrix array real symmetric", "2 3"],
    "must hold its rows and columns": ["%%MatrixMarket matrix array real general", "2 3 6"],
    "a side must be shorter": ["%%MatrixMarket matrix coordinate real general", "2147483648 1 0"],
}


@pytest.mark.parametrize("words", HEADLESS)
def test_heads_that_say_nothing_are_refused(words, tmp_path):
    with pytest.raises(InvalidInput, match=words):
        read_table(saved(tmp_path, "a.mtx", "\n".join(HEADLESS[words]) + "\n"), format="mtx")


# ---- npz


@pytest.mark.parametrize("layout", ["csr", "csc", "bsr", "coo", "dia"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16, np.bool_])
def test_sparse_archives_of_every_layout(layout, dtype, tmp_path, rng):
    A = (rng.integers(-3, 4, (6, 4)) * (rng.random((6, 4)) < 0.5)).astype(dtype)
    sp.save_npz(tmp_path / "a.npz", sp.coo_matrix(A).asformat(layout))
    y = saved(tmp_path, "y.txt", "1\n" * 6)
    found = read_table(tmp_path / "a.npz", target_file=y)
    np.testing.assert_array_equal(found.X.toarray(), A.astype(float))
    assert found.X.dtype == np.float64
    assert found.X.format == "csr"


WRONG_PARTS = {
    "csr": [
        *(
            ("indices", forge)
            for forge in (lambda a: a + 9, lambda a: a * 0.5, lambda a: a[:, None])
        ),
        *(("indptr", forge) for forge in (lambda a: a[:-1], lambda a: a[::-1].copy())),
        *(("shape", forge) for forge in (lambda a: a[:1], lambda a: -a, lambda a: a * 0.5)),
        ("shape", lambda a: a + 2**31),
        *(("data", forge) for forge in (lambda a: a[:, None], lambda a: a[:-1], lambda a: a + 1j)),
    ],
    "coo": [
        *(("row", forge) for forge in (lambda a: a + 6, lambda a: a - 1, lambda a: a[1:])),
        *(("col", forge) for forge in (lambda a: a + 4, lambda a: a - 1)),
    ],
    "bsr": [
        *(("data", forge) for forge in (lambda a: a[:, :, :0], lambda a: a[:, 0])),
        ("shape", lambda a: a + 1),
    ],
    "dia": [
        *(("offsets", forge) for forge in (lambda a: a[1:], lambda a: a * 0)),
        ("data", lambda a: a[0]),
    ],
}


@pytest.mark.parametrize("layout", WRONG_PARTS)
def test_archives_with_a_wrong_part_are_refused(layout, tmp_path):
    A = np.zeros((6, 4))
    A[[0, 1, 5, 3], [0, 1, 3, 2]] = [1.0, 2.0, 3.0, 4.0]
    matrix = sp.coo_matrix(A)
    matrix = matrix.tobsr((2, 2)) if layout == "bsr" else matrix.asformat(layout)
    sp.save_npz(tmp_path / "a.npz", matrix)
    parts = dict(np.load(tmp_path / "a.npz"))
    for name, forge in WRONG_PARTS[layout]:
        np.savez(tmp_path / "b.npz", **(parts | {name: forge(parts[name])}))
        with pytest.raises(InvalidInput, match=r"b\.npz"):
            read_features(tmp_path / "b.npz")
        gone = {key: part for key, part in parts.items() if key != name}
        if name != "shape":
            np.savez(tmp_path / "b.npz", **gone)
            with pytest.raises(InvalidInput, match=r"b\.npz"):
                read_features(tmp_path / "b.npz")
    np.savez(tmp_path / "b.npz", **parts)
    np.testing.assert_array_equal(read_features(tmp_path / "b.npz").X.toarray(), A)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i2", "u8", "?", ">f8"])
def test_dense_archives_keep_their_numbers(dtype, tmp_path, rng):
    X = rng.integers(0, 2, (5, 3)).astype(dtype)
    for y in (np.arange(5), np.arange(5) / 2, np.array(list("abcab")), np.array([b"\xc3\xa9"] * 5)):
        np.savez(tmp_path / "a.npz", X=X, y=y)
        found = read_table(tmp_path / "a.npz")
        np.testing.assert_array_equal(found.X, X.astype(float))
        assert found.X.dtype in (np.float32, np.float64)
        assert (found.X.dtype == np.float32) == (dtype == "f4")
        assert found.y.tolist() == (y.tolist() if y.dtype.kind != "S" else ["é"] * 5)
        assert read_features(tmp_path / "a.npz").y is None
    assert read_table(tmp_path / "a.npz").target == "y"
    for wrong in (
        {"X": X[0], "y": y},
        {"X": X, "y": y[1:]},
        {"X": X, "y": np.arange(5) * 1j},
        {"y": y},
    ):
        np.savez(tmp_path / "a.npz", **wrong)
        with pytest.raises(InvalidInput, match=r"a\.npz"):
            read_table(tmp_path / "a.npz")


# ---- targets in a file of their own


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("named", [True, False])
def test_targets_beside_a_file_in_any_layout(named, layout, blocks, tmp_path):
    X = saved(tmp_path, "a.csv", "1,2\n3,4\n5,6\n7,8\n")
    for cells in (["1.5", "-2", "3e1", "4"], ["yes", '"no"', "a b", "yes"]):
        if named and cells[0] == "yes":
            continue
        text = LAYOUTS[layout](["answer"] * named + cells)
        found = read_table(X, target_file=saved(tmp_path, "y.txt", text))
        words = [cell.strip('"') for cell in cells]
        assert found.y.tolist() == (words if cells[0] == "yes" else list(map(float, cells)))
        assert found.X.shape == (4, 2)
        step = 2 if "blank" in layout else 1
        for place in (1, 3):
            for gone in ("nan", "?"):
                holed = [*cells[:place], gone, *cells[place + 1 :]]
                text = LAYOUTS[layout](["answer"] * named + holed)
                line = 1 + step * (place + named)
                with pytest.raises(InvalidInput, match=f"the target of line {line} is missing"):
                    read_table(X, target_file=saved(tmp_path, "y.txt", text))
    with pytest.raises(InvalidInput, match=r"has 3 targets, but there are 4 rows"):
        read_table(X, target_file=saved(tmp_path, "y.txt", "1\n2\n3\n"))
    np.save(tmp_path / "y.npy", np.arange(4.0))
    assert read_table(X, target_file=tmp_path / "y.npy").y.tolist() == [0, 1, 2, 3]
    np.save(tmp_path / "y.npy", np.ones((4, 1)))
    with pytest.raises(InvalidInput, match="must hold a vector"):
        read_table(X, target_file=tmp_path / "y.npy")
    np.save(tmp_path / "y.npy", np.array([1.0, np.inf, 2.0, 3.0]))
    with pytest.raises(InvalidInput, match="the target of row 2 is missing or infinite"):
        read_table(X, target_file=tmp_path / "y.npy")


# ---- columns by name, by number, from the end


@pytest.mark.parametrize("target", range(4))
def test_columns_are_the_same_by_name_and_number(target, tmp_path, rng):
    A = np.round(rng.standard_normal((5, 4)), 3)
    names = ["p", "q", "r", "s"]
    lines = [",".join(names), *(",".join(map(str, row)) for row in A.tolist())]
    path = saved(tmp_path, "a.csv", "\n".join(lines))
    bare = saved(tmp_path, "b.csv", "\n".join(lines[1:]))
    for gone in set(range(4)) - {target}:
        kept = [c for c in range(4) if c not in (target, gone)]
        ways = product(
            (names[target], target + 1, str(target + 1), target - 4, str(target - 4)),
            (names[gone], gone + 1, str(gone + 1), gone - 4, str(gone - 4)),
        )
        for which, drop in ways:
            files = [path] + ([bare] if which != names[target] and drop != names[gone] else [])
            for file in files:
                found = read_table(file, which, drop=[drop])
                np.testing.assert_array_equal(found.X, A[:, kept])
                np.testing.assert_array_equal(found.y, A[:, target])
                assert found.left_out == tuple(sorted((target + 1, gone + 1)))
                labels = [names[c] for c in kept] if file is path else [str(c + 1) for c in kept]
                assert [found.name_of(j) for j in range(2)] == labels
        with pytest.raises(InvalidInput, match="both the target and"):
            read_table(path, names[gone], drop=[gone + 1])
        # for a model of these features: by name, or in their old places
        swapped = saved(
            tmp_path, "c.csv",
            "\n".join(",".join(line.split(",")[::-1]) for line in lines),
        )  # fmt: skip
        again = read_features(swapped, names=[names[c] for c in kept])
        np.testing.assert_array_equal(again.X, A[:, kept])
        only = saved(
            tmp_path, "d.csv",
            "\n".join(",".join(np.array(line.split(","))[kept]) for line in lines[1:]),
        )  # fmt: skip
        for file in (bare, only):
            again = read_features(file, width=2, target=target + 1, drop=[gone + 1])
            np.testing.assert_array_equal(again.X, A[:, kept])
        with pytest.raises(InvalidInput, match="has 4 columns, but the model has 1 features"):
            read_features(bare, width=1, target=target + 1, drop=[gone + 1])
    for which in ("t", 5, -5, 0, "0"):
        with pytest.raises(InvalidInput, match="has no column"):
            read_table(path, which)
        with pytest.raises(InvalidInput, match="has no column"):
            read_table(path, drop=[which])


@pytest.mark.parametrize("whole", [True, False])
def test_codes_of_words_are_those_of_pandas(whole, tmp_path, rng):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    words = ["10", "9", "-3", "0"] if whole else ["red", "blue", "10", "a b"]
    cells = rng.choice(words, (30, 2))
    cells[:4, 0] = cells[:4, 1] = words
    number = rng.integers(0, 9, 30)
    lines = [f"{a},{n},{b},1" for (a, b), n in zip(cells.tolist(), number.tolist(), strict=True)]
    path = saved(tmp_path, "a.csv", "\n".join(["u,n,v,y", *lines]))
    for encode in (["u", "v"], [1, 3], ["1", "-2"]):
        found = read_table(path, encode=encode)
        order = sorted(words, key=int) if whole else sorted(words)
        assert found.encoded == {0: tuple(order), 2: tuple(order)}
        frame = pandas.DataFrame({"u": cells[:, 0], "n": number, "v": cells[:, 1]})
        for column in ("u", "v"):
            frame[column] = pandas.Categorical(frame[column], categories=order)
        theirs = pandas.get_dummies(frame, columns=["u", "v"], prefix_sep="=")
        names = one_hot_names(found.names, found.encoded)
        made = one_hot(found.X, found.encoded)
        np.testing.assert_array_equal(made, theirs[names].to_numpy(float))
        assert len(names) == 9
    assert one_hot(found.X, {}) is found.X
    holes = np.where(
        rng.random(30) < 0.3, np.nan, np.where(rng.random(30) < 0.3, -1.0, found.X[:, 0])
    )
    X = np.column_stack([holes, found.X[:, 1:]])
    made = one_hot(X, found.encoded)
    known = np.nan_to_num(holes, nan=-1.0) >= 0.0
    np.testing.assert_array_equal(made[:, :4].sum(axis=1), known)
    np.testing.assert_array_equal(made[known, :4].argmax(axis=1), holes[known])


@pytest.mark.parametrize("rows", [99_999, 100_000])
@pytest.mark.parametrize("share", [1.0, 0.4, 0.1])
def test_wide_codes_are_sparse_where_that_is_large_and_empty(rows, share):
    X = np.zeros((rows, 7))
    X[: int(share * rows), :6] = 1.0
    X[:, 6] = np.arange(rows) % 4
    made = one_hot(X, {6: tuple("abcd")})
    filled = (6 * int(share * rows) + rows) / (10 * rows)
    assert sp.issparse(made) == (rows == 100_000 and filled <= 0.25)
    assert made[5:9, :].sum() == 4 + 24 * (share > 0)
    assert made.shape == (rows, 10)


# ---- ratings


@pytest.mark.parametrize("names", [("userId", "movieId", "rating"), ("U", "item", "Score"), None])
def test_columns_of_ratings_in_any_order(names, tmp_path, rng):
    users, items = rng.choice([5, 900, 31, 7], 20), rng.choice([2, 4, 80], 20)
    values = rng.integers(1, 6, 20)
    columns = {"user": users, "item": items, "rating": values, "time": np.arange(20)}
    labels = dict(zip(("user", "item", "rating"), names, strict=True)) if names else {}
    orders = ([0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]) if names else ([0, 1, 2, 3], [0, 1, 2])
    for order, mark in product(orders, (",", "\t")):
        kinds = [list(columns)[k] for k in order]
        head = [mark.join(labels.get(kind, kind) for kind in kinds)] if names else []
        rows = zip(*(columns[kind].tolist() for kind in kinds), strict=True)
        text = "\n".join([*head, *(mark.join(map(str, row)) for row in rows)])
        path = saved(tmp_path, "r.csv", text)
        places = [kinds.index(kind) + 1 for kind in ("user", "item", "rating")]
        for more in ({}, {"columns": places}, {"columns": [p - 1 - len(kinds) for p in places]}):
            found = read_ratings(path, **more)
            assert found.users.tolist() == sorted(set(users.tolist()))
            assert found.items.tolist() == sorted(set(items.tolist()))
            np.testing.assert_array_equal(found.users[found.rows], users)
            np.testing.assert_array_equal(found.items[found.columns], items)
            np.testing.assert_array_equal(found.values, values)
            assert len(found) == 20
            assert repr(found) == f"RatingsTable(20 ratings, {len(set(users))} users x 3 items)"
        np.testing.assert_array_equal(read_pairs(path), [users, items])
    with pytest.raises(InvalidInput, match="columns must be three, of users"):
        read_ratings(path, columns=[1, 2])
    with pytest.raises(InvalidInput, match="three different ones"):
        read_ratings(path, columns=[1, 2, 1])


def test_every_usual_name_of_a_column_is_known(tmp_path):
    for kinds in zip(USER * 3, ITEM * 2, RATING * 4, strict=False):
        spelt = [f" {name[:1].upper()}_{name[1:]}-" for name in kinds]
        path = saved(tmp_path, "r.csv", f"when,{spelt[2]},{spelt[1]},{spelt[0]}\n9,5,7,3\n")
        found = read_ratings(path)
        assert (found.users.tolist(), found.items.tolist(), found.values.tolist()) == (
            [3],
            [7],
            [5],
        )
    for k, what in enumerate(("a user", "an item", "a rating")):
        kinds = ["user", "item", "rating"]
        kinds[k] = "zzz"
        path = saved(tmp_path, "r.csv", ",".join(kinds) + "\n1,2,3\n")
        with pytest.raises(InvalidInput, match=f"no column for {what} is found"):
            read_ratings(path)


@pytest.mark.parametrize("row", [0, 3, 5])
def test_a_missing_part_of_a_rating_is_named_by_its_place(row, tmp_path):
    for kind, (words, what) in enumerate(
        (
            ("the user of rating", "missing"),
            ("the item of rating", "missing"),
            ("rating", "missing or"),
        )
    ):
        cells = [[str(10 + k), str(20 + k), "3"] for k in range(6)]
        for gone in ("", "NA"):
            cells[row][kind] = gone
            text = "\n".join(",".join(line) for line in cells)
            with pytest.raises(InvalidInput, match=f"{words} {row + 1} is {what}"):
                read_ratings(saved(tmp_path, "r.csv", text), header=False)


# ---- MovieLens and sets like it

FORMS = [(b"\t", b""), (b"::", b""), (b",", b"userId,movieId,rating,timestamp")]


def lines_of(users, movies, stars, separator, header):
    rows = (
        separator.join(str(v).encode() for v in (u, m, f"{s:g}", 874965758 + k))
        for k, (u, m, s) in enumerate(zip(users, movies, stars, strict=True))
    )
    return b"".join([header + b"\n" if header else b"", *(row + b"\n" for row in rows)])


@pytest.mark.parametrize("block", [1 << 22, 64])
@pytest.mark.parametrize("room", [64 << 20, 4])
@pytest.mark.parametrize(("separator", "header"), FORMS)
def test_movielens_in_every_form(separator, header, room, block, monkeypatch, rng):
    monkeypatch.setattr(movielens_file, "BLOCK", block)
    monkeypatch.setattr(movielens_file, "MAX_TABLE_ID", room)
    users, movies = rng.choice([1, 4, 9, 6040], 30), rng.choice([2, 3, 3000], 30)
    stars = rng.integers(1, 11, 30) / 2
    text = lines_of(users, movies, stars, separator, header)
    for whole in (text, text[:-1]):
        found = movielens_file.read_movielens(io.BytesIO(whole), separator, header, "small")
        assert found.shape == (len(set(movies)), len(set(users)))
        np.testing.assert_array_equal(np.unique(users)[found.users], users)
        np.testing.assert_array_equal(np.unique(movies)[found.movies], movies)
        np.testing.assert_array_equal(found.values, stars)
        assert found.users.dtype == found.movies.dtype == np.int32
        assert len(found) == 30


@pytest.mark.parametrize("block", [1 << 22, 64])
@pytest.mark.parametrize(("separator", "header"), FORMS)
def test_movielens_with_a_wrong_line_is_refused(separator, header, block, monkeypatch):
    monkeypatch.setattr(movielens_file, "BLOCK", block)
    good = [b"1", b"2", b"3.5", b"77"]
    wrong = {
        "a user has the id 0": [b"0", *good[1:]],
        "a user has the id 1.5": [b"1.5", *good[1:]],
        "a movie has the id -2": [good[0], b"-2", *good[2:]],
        f"a movie has the id {2**31:g}": [good[0], b"2147483648", *good[2:]],
        "a rating is 0.4": [*good[:2], b"0.4", good[3]],
        "a rating is 5.5": [*good[:2], b"5.5", good[3]],
        "a line has not four numbers": good[:3],
    }
    start = header + b"\n" if header else b""

    def read(rows):
        text = start + b"".join(separator.join(row) + b"\n" for row in rows)
        return movielens_file.read_movielens(io.BytesIO(text), separator, header, "x")

    for words, bad in [
        *wrong.items(),
        ("not four", [*good, b"9"]),
        ("not four", [*good[:3], b"x"]),
    ]:
        for place in (0, 7, 12):
            rows = [good] * 13
            rows[place] = bad
            with pytest.raises(ValueError, match=re.escape(words)):
                read(rows)
    assert len(read([good] * 13)) == 13
    edge = [[b"2147483647", b"1", b"5", b"1"], [b"1", b"1", b"0.5", b"1"]]
    assert read(edge).shape == (1, 2)
    with pytest.raises(ValueError, match="it is empty"):
        read([])
    if header:
        with pytest.raises(ValueError, match="does not begin with"):
            movielens_file.read_movielens(io.BytesIO(b"a\n1,2,3,4\n"), separator, header, "x")


def test_made_ratings_follow_their_laws():
    movies, users, count = 1500, 2500, 60_000
    made = fw.datasets.synthetic_ratings(movies, users, count, seed=3)
    assert len(made) == count
    assert made.shape == (movies, users)
    keys = made.movies.astype(np.int64) * users + made.users
    assert np.unique(keys).size == count
    assert set(np.unique(2.0 * made.values)) <= set(range(1, 11))
    assert 3.3 <= made.values.mean() <= 3.7
    assert 0.9 <= made.values.std() <= 1.3
    for places, law, size in (
        (made.movies, (np.arange(movies) + 50.0) ** -1.2, movies),
        (made.users, (np.arange(users) + 1000.0) ** -0.8, users),
    ):
        shares = np.bincount(places, minlength=size).reshape(10, -1).sum(axis=1) / count
        wanted = (law / law.sum()).reshape(10, -1).sum(axis=1)
        np.testing.assert_allclose(shares, wanted, rtol=0.12)
    same, other = (fw.datasets.synthetic_ratings(movies, users, count, seed=s) for s in (3, 4))
    np.testing.assert_array_equal(same.values, made.values)
    assert not np.array_equal(other.movies, made.movies)
    fw.datasets.synthetic_ratings(4, 5, 10)
    for wrong in ((4, 5, 11), (0, 5, 1), (4, 5, 0)):
        with pytest.raises(InvalidInput):
            fw.datasets.synthetic_ratings(*wrong)
    # a movie's ratings are alike: its effect is more than the noise of a mean would be
    counts = np.bincount(made.movies, minlength=movies)
    often = counts > 100
    means = np.bincount(made.movies, made.values, movies)[often] / counts[often]
    assert 0.25 < means.std() < 0.6
