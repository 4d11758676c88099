"""Gradients of which only what may matter is read: the same atoms, from fewer columns."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

import frankwolfe as fw
from frankwolfe.core.atoms import Vertex

METHODS = [
    fw.frank_wolfe(),
    fw.frank_wolfe(fw.steps.ExactLineSearch()),
    fw.jacobi(),
    fw.methods.away_step(),
    fw.pairwise(),
    fw.blended_pairwise(),
]
REGIONS = [fw.L1Ball(2.0), fw.Simplex(1.5), fw.UnitSimplex(2.0)]


def _objectives(order: str, dtype: str = "float64") -> list[fw.Objective]:
    rng = np.random.default_rng(3)
    A = np.asarray(rng.standard_normal((40, 120)), order=order, dtype=dtype)
    target = A[:, :4].sum(axis=1) + 0.1 * rng.standard_normal(40)
    return [fw.SquaredError(A, target), fw.Logistic(A, np.sign(target)), fw.Huber(A, target)]


@pytest.mark.parametrize("order", ["F", "C"])
@pytest.mark.parametrize("region", REGIONS, ids=repr)
@pytest.mark.parametrize("method", METHODS, ids=str)
def test_atoms_and_gaps_are_those_of_the_whole_gradient(method, region, order):
    for objective in _objectives(order):
        states = fw.states(fw.Problem(objective, region), fw.methods.screening(method))
        for state in islice(states, 0, 600, 3):
            g, made = objective.grad(state.x), state.made_of()
            least = region.lmo(g).dot(g)
            assert state.atom.dot(g) == pytest.approx(least, abs=1e-12)
            assert state.model_gap == pytest.approx(g @ state.x - least, abs=1e-11)
            if made is not None:
                np.testing.assert_allclose(made.dots(state.gradient), made.dots(g), atol=1e-11)


@pytest.mark.parametrize("region", REGIONS, ids=repr)
@pytest.mark.parametrize("method", METHODS[:3], ids=str)
def test_iterates_are_those_of_the_method(method, region):
    """Steps between atoms end where entries of the gradient are equal: rounding chooses there."""
    for objective in _objectives("F"):
        problem = fw.Problem(objective, region)
        pairs = zip(
            fw.states(problem, method),
            fw.states(problem, fw.methods.screening(method)),
            strict=True,
        )
        for one, other in islice(pairs, 300):
            np.testing.assert_allclose(one.x, other.x, atol=1e-9)


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_a_long_run_reads_few_columns(method):
    objective = _objectives("F")[0]
    problem = fw.Problem(objective, fw.L1Ball(2.0))
    state = next(islice(fw.states(problem, fw.methods.screening(method)), 2000, None))
    assert state.memory.model.columns < 0.6 * objective.n * 2001


def test_in_single_precision_the_certificate_holds():
    objective = _objectives("F", "float32")[0]
    best = fw.minimize(_objectives("F")[0], fw.L1Ball(2.0), tol=1e-12).fun
    method = fw.methods.screening(fw.frank_wolfe(fw.steps.ExactLineSearch()))
    for state in islice(fw.states(fw.Problem(objective, fw.L1Ball(2.0)), method), 1500):
        assert state.value - state.gap <= best + 1e-6 * abs(best)


def test_opposite_atoms_that_cancel_are_read():
    """x has a zero where two atoms of the active set have their entries."""
    objective = _objectives("F")[0]
    ball = fw.L1Ball(2.0)
    atoms = fw.core.ActiveSet(objective.n)
    atoms.toward(Vertex(50, 2.0), 1.0)
    atoms.toward(Vertex(50, -2.0), 0.5)
    problem = fw.Problem(objective, ball)
    for state in islice(fw.states(problem, fw.methods.screening(fw.pairwise()), atoms), 100):
        made, g = state.made_of(), objective.grad(state.x)
        np.testing.assert_allclose(made.dots(state.gradient), made.dots(g), atol=1e-11)


@pytest.mark.parametrize(
    ("method", "says"),
    [
        (fw.afw(), "tangent"),
        (fw.methods.lazy(fw.frank_wolfe()), "each time"),
        (fw.methods.working_set(), "made of parts"),
        (fw.methods.decomposition_invariant(), "not with"),
    ],
    ids=str,
)
def test_methods_that_look_elsewhere_are_refused(method, says):
    with pytest.raises(fw.InvalidInput, match=says):
        fw.methods.screening(method)


def test_problems_without_dense_columns_are_refused():
    import scipy.sparse as sp

    A = sp.random(20, 30, 0.3, random_state=0, format="csr")
    for problem, says in [
        (fw.Problem(fw.SquaredError(A, np.ones(20)), fw.L1Ball(1.0)), "dense data"),
        (fw.Problem(_objectives("F")[0], fw.L2Ball(1.0)), "single coordinates"),
        (fw.Problem(_objectives("F")[0], fw.L1Ball(1.0, center=np.ones(120))), "single"),
    ]:
        assert says in fw.methods.screening(fw.frank_wolfe()).accepts(problem)
