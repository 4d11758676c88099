"""Data made ready: dense and sparse alike, and what is refused is what stands there."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy.sparse import csr_matrix, issparse

from frankwolfe import InvalidInput
from frankwolfe.cli import prepare
from frankwolfe.cli.arguments import MAX_MAGNITUDE
from frankwolfe.datasets.readers import Table

NAMES = tuple("abcdefg")


@pytest.fixture
def data(rng):
    """Numbers with zeros among them, and a constant column of large numbers."""
    X = rng.normal(3.0, 2.0, (40, 7)) * (rng.random((40, 7)) < 0.6)
    X[:, 4] = 1e6 / 3.0
    return X


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("sparse", [True, False])
def test_scaled_columns_are_the_columns_as_they_were(sparse, center, data, rng):
    X = csr_matrix(data) if sparse else data.copy()
    scales = prepare.scale(X, center)
    made = X.toarray() if sparse else X
    w, intercept = rng.standard_normal(7), 0.7
    own, free = scales.undo(w, intercept)
    np.testing.assert_allclose(data @ own + free, made @ w + intercept, rtol=1e-9)
    spread = data.std(axis=0)
    spread[4] = 1.0
    np.testing.assert_allclose(scales.spread, spread, rtol=1e-9)
    mean = data.mean(axis=0) if center and not sparse else np.zeros(7)
    np.testing.assert_allclose(scales.mean, mean)
    if center and not sparse:
        np.testing.assert_allclose(made.mean(axis=0), 0.0, atol=1e-8)


def test_a_spread_is_kept_unless_it_is_rounding_of_the_mean(rng):
    mean = np.concatenate([rng.normal(size=200) * 10.0 ** rng.integers(-9, 9, 200), [0.0, 0.0]])
    spread = np.concatenate([np.abs(mean[:-2]) * 10.0 ** rng.uniform(-16, 3, 200), [0.0, 1e-30]])
    made = prepare.usable(spread, mean)
    clear = np.abs(np.log10(np.maximum(spread[:-2] / np.abs(mean[:-2]), 1e-300)) + 12.0) > 0.01
    rounding = np.append(spread[:-2] < 1e-12 * np.abs(mean[:-2]), [True, False])
    clear = np.append(clear, [True, True])
    np.testing.assert_array_equal(made[clear], np.where(rounding, 1.0, spread)[clear])
    assert (made > 0.0).all()


@pytest.mark.parametrize("kind", ["missing", "infinite", "beyond"])
@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize("named", [True, False])
def test_the_first_bad_value_is_named(named, sparse, kind, data, rng):
    bad = {"missing": np.nan, "infinite": -np.inf, "beyond": -1e200}[kind]
    for _ in range(10):
        X = data.copy()
        X[rng.integers(40, size=3), rng.integers(7, size=3)] = bad
        row, column = np.argwhere(np.isnan(X) | (np.abs(X) > MAX_MAGNITUDE))[0]
        names = NAMES if named else ()
        table = Table(csr_matrix(X) if sparse else X, None, names)
        if kind == "beyond":
            with pytest.raises(InvalidInput) as caught:
                prepare.refuse_large(table, "data.csv")
        else:
            with pytest.raises(InvalidInput) as caught:
                prepare.refuse_bad(table, "data.csv", may_miss=sparse)
        words = str(caught.value)
        assert (
            f"data.csv: {table.where(int(row))}, feature {table.name_of(int(column))} is" in words
        )
        assert (kind if kind != "beyond" else f"{MAX_MAGNITUDE:.0e}") in words
        assert ("correct the file." in words) == (kind != "beyond")


def test_numbers_up_to_the_limit_pass(data):
    for X in (data, csr_matrix(data)):
        for size in (MAX_MAGNITUDE, -MAX_MAGNITUDE):
            values = X.data if issparse(X) else X.ravel()
            values[3] = size
            table = Table(X, None, NAMES)
            assert prepare.refuse_bad(table, "a.csv", may_miss=False) is False
            prepare.refuse_large(table, "a.csv")
            values[3] = np.nextafter(size, 10.0 * size)
            with pytest.raises(InvalidInput, match="another unit"):
                prepare.refuse_large(table, "a.csv")
            values[3] = 1.0


OPTIONS = [(), ("--drop",), ("--missing",), ("--drop", "--missing")]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("encoded", [True, False])
@pytest.mark.parametrize("left_out", [(), (3,)])
@pytest.mark.parametrize("kind", ["missing", "infinite"])
def test_advice_names_what_the_command_offers(kind, left_out, encoded, options, data):
    data[5, 1] = np.nan if kind == "missing" else np.inf
    words = {1: ("x", "y")} if encoded else {}
    table = Table(data, None, NAMES, left_out=left_out, encoded=words)
    with pytest.raises(InvalidInput) as caught:
        prepare.refuse_bad(table, "a.csv", False, options)
    said = str(caught.value)
    assert ("--drop b" in said) == ("--drop" in options and bool(left_out))
    fills = "--missing" in options and kind == "missing"
    assert ("--missing mean" in said) == fills
    assert ("none of the column's" in said) == (fills and encoded)
    ways = 1 + ("--drop b" in said) + fills
    assert said.count(" or ") == (ways > 1)
    assert "correct the file" in said
    sparse = Table(csr_matrix(data), None, NAMES, left_out=left_out)
    with pytest.raises(InvalidInput) as caught:  # their zeros are no missing values
        prepare.refuse_bad(sparse, "a.csv", True, options)
    assert "--missing" not in str(caught.value)


@pytest.mark.parametrize("with_words", [True, False])
def test_missing_values_become_the_means_of_the_others(with_words, data, rng):
    holes = rng.random(data.shape) < 0.2
    X = np.where(holes, np.nan, data)
    table = Table(X.copy(), None, NAMES, encoded={2: ("u", "v")} if with_words else {})
    means = prepare.fill_missing(table, "a.csv", None, True)
    expected = [column[~hole].mean() for column, hole in zip(X.T, holes.T, strict=True)]
    if with_words:
        expected[2] = -1.0
    np.testing.assert_allclose(means, expected)
    np.testing.assert_array_equal(table.X[~holes], data[~holes])
    np.testing.assert_array_equal(table.X[holes], np.broadcast_to(means, X.shape)[holes])
    # the means of a fit fill another file, whether that may be filled or not; all is in place then
    for fill in (True, False):
        other = Table(X.copy(), None, NAMES)
        assert prepare.fill_missing(other, "b.csv", means, fill) is means
        np.testing.assert_array_equal(other.X, table.X)
    assert prepare.fill_missing(table, "a.csv", None, True) is None
    assert prepare.fill_missing(table, "a.csv", None, False) is None
    with pytest.raises(InvalidInput, match="is missing"):
        prepare.fill_missing(Table(X.copy(), None, NAMES), "a.csv", None, False)
    X[:, 5] = np.nan
    with pytest.raises(InvalidInput, match=r"feature f has no value at all.*--drop f"):
        prepare.fill_missing(Table(X, None, NAMES), "a.csv", None, True)


@pytest.mark.parametrize("cells", [999_999, 1_000_000])
@pytest.mark.parametrize("share", [0.24, 0.25, 0.26])
def test_only_what_is_large_and_mostly_zero_is_compressed(share, cells):
    X = np.zeros((cells // 9, 9)) if cells % 2 else np.zeros((cells // 10, 10))
    X.flat[: round(share * X.size)] = 2.0
    made = prepare.compressed(X)
    assert issparse(made) == (cells == 1_000_000 and share < 0.26)
    if issparse(made):
        assert (made != csr_matrix(X)).nnz == 0
        assert prepare.compressed(made) is made
    else:
        assert made is X


def test_targets_are_whole_where_all_of_them_are(data):
    for y in ([1.0, 2.0, -7.0], [1.0, 2.5], [2.0**53, 1.0], [2.0**53 - 1.0, 1.0], [-(2.0**60)]):
        table = Table(data, np.array(y))
        made = prepare.targets(table, "a.csv")
        np.testing.assert_array_equal(made, y)
        whole = all(v == round(v) and abs(v) < 2**53 for v in y)
        assert made.dtype.kind == ("i" if whole else "f")
    for y in (np.array(["a", "b"]), np.array([1, 2])):
        assert prepare.targets(Table(data, y), "a.csv") is y
    prepare.targets(Table(data, np.array([MAX_MAGNITUDE, -MAX_MAGNITUDE])), "a.csv")


@pytest.mark.parametrize(
    ("bad", "word"),
    [(np.nan, "missing"), (np.inf, "infinite"), (-np.inf, "infinite"), (9e99, "9e+99")],
)
def test_the_first_bad_target_is_named(bad, word, data):
    y = np.arange(9.0)
    y[[4, 7]] = bad
    table = Table(data[:9], y)
    with pytest.raises(InvalidInput) as caught:
        prepare.targets(table, "a.csv")
    assert re.search(rf"a\.csv: the target of {re.escape(table.where(4))} is ", str(caught.value))
    assert word in str(caught.value)
    assert (f"{MAX_MAGNITUDE:.0e}" in str(caught.value)) == bool(np.isfinite(bad))


def test_classes_are_words_or_two_numbers():
    two, three = np.array([3, 7] * 900), np.array([3, 7] * 900 + [9])
    assert prepare.is_classes(two)
    assert prepare.is_classes(two.astype(float))
    assert prepare.is_classes(two.astype(str))
    assert prepare.is_classes(three.astype(str))
    assert prepare.is_classes(two > 5)
    assert prepare.is_classes(np.ones(3, int))
    assert not prepare.is_classes(three)
    assert not prepare.is_classes(np.arange(3.0))


def test_a_matrix_without_entries_has_no_bad_ones():
    for X in (csr_matrix((3, 7)), np.zeros((3, 0)), np.zeros((3, 7))):
        table = Table(X, None, NAMES[: X.shape[1]])
        assert not prepare.refuse_bad(table, "a.csv", may_miss=False)
        prepare.refuse_large(table, "a.csv")
        assert prepare.fill_missing(table, "a.csv", None, True) is None


def test_options_hold_columns_as_a_shell_takes_them():
    import shlex

    for columns in (["a"], ["a", "b c"], ["it's", "5"]):
        name, value = shlex.split(prepare.option("--encode", columns))
        assert (name, value.split(",")) == ("--encode", columns)
        assert prepare.drop(columns) == prepare.option("--drop", columns)
    assert prepare.drop(["a,b", "c"]) == "--drop and the columns' numbers"
