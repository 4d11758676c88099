"""The default: each row of both tables with a problem that meets it and one that just does not."""

from __future__ import annotations

from pathlib import Path
from runpy import run_path

import numpy as np
import pytest
from scipy import sparse
from toys.oval import Oval

import frankwolfe as fw
from frankwolfe.methods.chain import Chain
from frankwolfe.methods.default import FIRST, NEXT, POLICY, best_for, rows_for
from frankwolfe.methods.matrix import policy

pytest.importorskip("highspy", reason="highspy is not installed")  # of a polytope by rows

DOCS = Path(__file__).resolve().parents[2] / "docs"


def _data(n: int, m: int = 30) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.standard_normal((m, n)), np.sign(rng.standard_normal(m))


def _squares(n: int, m: int = 30) -> fw.SquaredError:
    return fw.SquaredError(*_data(n, m))


def _classes(n: int, m: int = 30) -> fw.Multinomial:
    return fw.Multinomial(_data(n // 3, m)[0], np.arange(m) % 3)


def _sparse(n: int) -> fw.SquaredError:
    A, b = _data(n)
    return fw.SquaredError(sparse.csr_array(np.where(np.abs(A) > 1.5, A, 0.0)), b)


def _plain(n: int) -> fw.Function:
    return fw.Function(lambda x: float(x @ x), lambda x: 2.0 * x, n=n)


def _cells(n: int = 4) -> fw.Completion:
    i, j = np.nonzero(np.random.default_rng(0).random((n, n)) < 0.7)
    return fw.Completion((i, j, np.cos(i + 2.0 * j)), shape=(n, n))


def _bent(*signs: float) -> fw.Quadratic:
    return fw.Quadratic(np.diag(signs))


def _poisson(n: int = 3) -> fw.Poisson:
    rng = np.random.default_rng(0)
    return fw.Poisson(rng.uniform(0.1, 1.0, (20, n)), rng.uniform(0.5, 2.0, 20))


def _hull(n: int, count: int = 20) -> fw.ConvexHull:
    return fw.ConvexHull(np.random.default_rng(0).standard_normal((count, n)))


def _bounds(n: int) -> fw.Polytope:
    """The simplex, as a linear program."""
    return fw.Polytope(A_eq=np.ones((1, n)), b_eq=[1.0], bounds=(0.0, 1.0))


class Unfactored(fw.NuclearBall):
    """A nuclear ball that does not say how its matrices are made of factors."""

    factoring = None


class Slow(fw.KSparse):
    """A k-sparse polytope whose faces are expensive."""

    costly_faces = True


DENSE, SPARSE = POLICY.hessian_variables, POLICY.sparse_hessian_variables
WIDE, PATH = POLICY.wide_variables, POLICY.path_variables
ROWS = policy.POLICY.interior_rows
DISTANCE = fw.squared_distance(np.arange(6.0))
BALL, SIMPLEX, OVAL = fw.L2Ball(1.0), fw.Simplex(), Oval(np.ones(6), np.zeros(6))
PRODUCT = fw.Product([(BALL, 3), (SIMPLEX, 3)])

Case = tuple[tuple[fw.Objective, fw.Region], tuple[fw.Objective, fw.Region]]

# in the order of the table: a problem that meets the row, and one that just does not
FIRSTS: list[Case] = [
    ((_cells(), fw.NuclearBall()), (_cells(), Unfactored())),
    ((_cells(), Unfactored()), (_cells(), fw.NuclearBall())),
    ((DISTANCE, SIMPLEX), (DISTANCE, fw.LpBall(3.0))),
    ((_bent(1.0, -1.0), SIMPLEX), (_bent(1.0, 0.0), SIMPLEX)),
    ((_poisson(), SIMPLEX), (_poisson(), BALL)),
    ((_poisson(), BALL), (_squares(3), BALL)),
    ((_squares(WIDE), fw.Box()), (_squares(WIDE - 1), fw.Box())),
    ((_squares(2 * WIDE), fw.KSparse(WIDE + 1)), (_squares(2 * WIDE), fw.KSparse(WIDE))),
    ((_squares(9), fw.KSparse(3)), (_squares(9), fw.Box())),
    ((_squares(9), fw.Box()), (_squares(9), fw.L1Ball())),
    ((_sparse(SPARSE), SIMPLEX), (_sparse(SPARSE + 1), SIMPLEX)),
    ((_squares(9), SIMPLEX), (_plain(9), SIMPLEX)),
    ((_classes(9), _hull(9)), (_squares(9), _hull(9))),
    ((_squares(PATH), _bounds(PATH)), (_squares(PATH + 1), _bounds(PATH + 1))),
    ((_squares(9), _hull(9)), (_plain(9), _hull(9))),
    ((_plain(9), _hull(9)), (_plain(9), fw.KSparse(3))),
    ((_plain(9), Slow(3)), (_plain(9), fw.KSparse(3))),
    ((_plain(9), fw.KSparse(3)), (_plain(9), Slow(3))),
    ((_squares(6), PRODUCT), (_plain(6), PRODUCT)),
    ((_squares(6), fw.KSupportBall(2)), (_plain(6), fw.KSupportBall(2))),
    ((_plain(6), fw.KSupportBall(2)), (_squares(6), fw.KSupportBall(2))),
    ((_squares(DENSE), BALL), (_squares(DENSE + 1), BALL)),
    ((_plain(6), BALL), (_squares(6), BALL)),
    ((_classes(3 * DENSE), BALL), (_squares(3 * DENSE), BALL)),
    ((_squares(DENSE + 1), BALL), (_squares(6), OVAL)),
    ((_squares(6), OVAL), (_squares(6), BALL)),
]
NEXTS: list[Case] = [
    ((fw.squared_distance(np.arange(9.0)), fw.Birkhoff(3)), (DISTANCE, SIMPLEX)),
    ((DISTANCE, SIMPLEX), (DISTANCE, fw.LpBall(3.0))),
    ((_cells(ROWS), fw.Spectraplex()), (_cells(ROWS + 1), fw.Spectraplex())),
    ((_plain(9), _hull(9)), (_squares(9), _hull(9))),
    ((_bent(1.0, -1.0), SIMPLEX), (_bent(1.0, 0.0), SIMPLEX)),
    ((_squares(WIDE), fw.Box()), (_squares(WIDE - 1), fw.Box())),
    ((_squares(6), BALL), (_squares(6), OVAL)),
    ((_squares(6), SIMPLEX), (_squares(6), fw.KSupportBall(2))),
    ((_squares(6), fw.KSupportBall(2)), (_squares(6), SIMPLEX)),
]


@pytest.mark.parametrize(
    ("row", "case"), list(zip(FIRST, FIRSTS, strict=True)), ids=[row.where for row in FIRST]
)
def test_each_row_of_the_first_table_is_met_and_just_not_met(row, case):
    meets, misses = (fw.Problem(*each) for each in case)
    facts, first, _ = rows_for(meets)
    assert first is row
    assert rows_for(misses)[1] is not row
    assert row.method(facts).accepts(meets) is None
    first_stages = row.stages(facts)
    method = best_for(meets)
    assert method.accepts(meets) is None
    if isinstance(method, Chain):
        assert method.stages[: len(first_stages)] == first_stages


@pytest.mark.parametrize(
    ("row", "case"), list(zip(NEXT, NEXTS, strict=True)), ids=[row.where for row in NEXT]
)
def test_each_row_of_the_second_table_is_met_and_just_not_met(row, case):
    meets, misses = (fw.Problem(*each) for each in case)
    facts, first, after = rows_for(meets)
    assert after is row
    assert rows_for(misses)[2] is not row
    method, rest = best_for(meets), row.stages(facts, first)
    if not rest:
        assert method == first.method(facts)
    else:
        begun = len(first.stages(facts))
        assert method.stages[begun : begun + len(rest)] == rest
        impatient = best_for(meets, patient=False)
        assert len(method.stages) - len(impatient.stages) == (row.last is not None)


def test_the_page_is_what_the_tables_say():
    script = run_path(str(DOCS / "default_tables.py"))
    page = (DOCS / "choose_method.md").read_text("utf-8")
    assert script["filled"](page) == page, "run python docs/default_tables.py"
    assert all(row.where in page for row in (*FIRST, *NEXT))
