"""Sparse matrices whose arrays do not fit together are refused before compiled code sees them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

import frankwolfe as fw

KINDS = ("csr", "csc", "bsr", "coo", "lil")
SHAPE = (12, 9)


def _matrix(kind: str):
    return scipy.sparse.random(
        *SHAPE, 0.4, format="csr", random_state=np.random.default_rng(0)
    ).asformat(kind)


def _spoil(matrix, wrong: int) -> None:
    """Put a place outside into the matrix."""
    if matrix.format == "coo":
        matrix.row[3] = wrong
    elif matrix.format == "lil":
        matrix.rows[3], matrix.data[3] = [wrong], [1.0]
    else:
        matrix.indices[3] = wrong


USES = {
    "objective": lambda A: fw.SquaredError(A, np.ones(SHAPE[0])),
    "classes": lambda A: fw.Multinomial(A, np.arange(SHAPE[0]) % 3),
    "ratings": fw.Completion,
    "hull": fw.ConvexHull,
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("wrong", [-1, 12, 2**31 - 1])
def test_places_outside_are_refused(use, kind, wrong):
    matrix = _matrix(kind)
    USES[use](matrix.copy())
    _spoil(matrix, wrong)
    with pytest.raises(fw.InvalidInput, match=r"is not a whole sparse matrix: .* must lie between"):
        USES[use](matrix)


@pytest.mark.parametrize("kind", ["csr", "csc", "bsr"])
@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("indptr", lambda a: a[:-1]),
        ("indptr", lambda a: np.concatenate([a, a[-1:]])),
        ("indptr", lambda a: a + 1),
        ("indptr", lambda a: a[::-1].copy()),
        ("indptr", lambda a: a.astype(float)),
        ("indices", lambda a: a[:-2]),
        ("indices", lambda a: a[None]),
        ("data", lambda a: a[:-2]),
    ],
)
def test_arrays_that_do_not_fit_are_refused(kind, name, change):
    matrix = _matrix(kind)
    setattr(matrix, name, change(getattr(matrix, name)))
    with pytest.raises(fw.InvalidInput, match="is not a whole sparse matrix"):
        fw.SquaredError(matrix, np.ones(SHAPE[0]))


def test_coordinates_of_another_length_are_refused():
    matrix = _matrix("coo")
    matrix.data = matrix.data[:-3]
    with pytest.raises(fw.InvalidInput, match="is not a whole sparse matrix"):
        fw.SquaredError(matrix, np.ones(SHAPE[0]))


@pytest.mark.parametrize("name", ["ConstrainedRegressor", "MatrixCompletion"])
@pytest.mark.parametrize("kind", KINDS)
def test_estimators_refuse_them_before_they_are_converted(name, kind):
    estimators = pytest.importorskip("frankwolfe.sklearn")
    matrix = _matrix(kind)
    _spoil(matrix, 2**30)
    with pytest.raises(fw.InvalidInput, match="X is not a whole sparse matrix"):
        getattr(estimators, name)(radius=1.0).fit(matrix, np.arange(SHAPE[0], dtype=float))


def test_whole_numbers_are_not_converted_before():
    matrix = (100 * _matrix("csr")).astype(np.int64)
    _spoil(matrix, 2**30)
    with pytest.raises(fw.InvalidInput, match="is not a whole sparse matrix"):
        fw.SquaredError(matrix, np.ones(SHAPE[0]))
