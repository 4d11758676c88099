"""The order of cells that devices use, on NumPy's arrays: sums over its pieces are products."""

import numpy as np
import pytest

from frankwolfe import InvalidInput
from frankwolfe.engines import cells_layout
from frankwolfe.engines.cells_layout import Side, by_column, by_row, multiplicity, row_order

MOST = 20_000  # numbers that fit into shared memory
SHAPES = [(1, 1), (7, 3), (30, 200), (500, 11)]


def a_list(shape, count, seed=0):
    rng = np.random.default_rng(seed)
    rows = np.sort(rng.integers(0, shape[0], count)).astype(np.int32)
    return rows, rng.integers(0, shape[1], count).astype(np.int32), rng


def product(side: Side, values, vector):
    """What the kernels do: a number for each piece, and the pieces of a line in order."""
    panel = np.searchsorted(side.panels, np.arange(side.pieces), side="right") - 1
    partial = np.empty(side.pieces)
    for p in range(side.pieces):
        cells = slice(side.starts[p], side.starts[p + 1])
        at = panel[p] * side.width + side.index[cells].astype(np.int64)
        partial[p] = values[cells] @ vector[at]
    ids = np.arange(side.pieces) if side.ids is None else side.ids
    ends = side.ends
    return np.array([partial[ids[ends[i] : ends[i + 1]]].sum() for i in range(side.lines)])


@pytest.fixture(params=[4, 2048])
def narrow(request, monkeypatch):
    """Panels and pieces that cut even small lists."""
    monkeypatch.setattr(cells_layout, "MAX_PANEL_ENTRIES", request.param)
    monkeypatch.setattr(cells_layout, "MAX_PIECE_CELLS", request.param + 1)
    monkeypatch.setattr(cells_layout, "MIN_LINE_CELLS", 0)


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("shape", SHAPES)
def test_sums_over_pieces_are_products(shape):
    rows, columns, rng = a_list(shape, 400)
    values = rng.standard_normal(rows.size)
    full = np.zeros(shape)
    np.add.at(full, (rows, columns), values)
    v, u = rng.standard_normal(shape[1]), rng.standard_normal(shape[0])
    one, other = by_row(np, rows, columns, shape, MOST), by_column(np, rows, columns, shape, MOST)
    np.testing.assert_allclose(product(one, values, v), full @ v, atol=1e-12)
    np.testing.assert_allclose(product(other, values[other.places], u), full.T @ u, atol=1e-12)
    for side in (one, other):
        assert np.diff(side.starts).max() <= cells_layout.MAX_PIECE_CELLS
        assert side.borders == tuple(side.panels)
        assert side.starts[-1] == rows.size


def test_cells_of_a_column_are_in_the_order_of_rows():
    rows, columns, _ = a_list((50, 4), 300)
    side = by_column(np, rows, columns, (50, 4), MOST)
    for first, last in zip(side.starts[:-1], side.starts[1:], strict=True):
        assert (np.diff(side.places[first:last]) > 0).all()


def test_panels_are_narrow_enough_and_not_too_many():
    rows, columns, _ = a_list((40_000, 20), 20_000)
    side = by_column(np, rows, columns, (40_000, 20), MOST)
    assert side.width == cells_layout.MAX_PANEL_ENTRIES
    assert side.fits
    assert side.index.dtype == np.uint16
    small = by_column(np, rows, columns, (40_000, 20), 1000)
    assert small.width == 1000
    assert small.fits
    thin = by_column(np, rows[:100], columns[:100], (40_000, 20), MOST)
    assert len(thin.borders) == 2
    assert not thin.fits


def test_a_list_is_sorted_stably():
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 9, 100).astype(np.int32)
    np.testing.assert_array_equal(row_order(np, rows), np.argsort(rows, kind="stable"))
    assert row_order(np, np.sort(rows)) is None


@pytest.mark.parametrize("times", [1, 2, 3, 7, 40])
def test_the_most_frequent_cell(times):
    rows = np.concatenate([np.arange(30), np.full(times - 1, 12)]).astype(np.int32)
    rows.sort()
    columns = (rows % 5).astype(np.int32)
    places = by_column(np, rows, columns, (30, 5), MOST).places
    assert multiplicity(np, rows, columns, places) == times


def test_more_than_32_bits_can_count():
    cells_layout.checked_count(2**30)
    with pytest.raises(InvalidInput, match="at most"):
        cells_layout.checked_count(2**31)
