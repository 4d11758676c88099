"""Certified gaps of 1e-10 f(x0) on problems of the size people have."""

from __future__ import annotations

import lzma

import numpy as np
import pytest
from conftest import method_examples

import frankwolfe as fw

LINEAR = (
    *("away_step", "pairwise", "blended_pairwise", "lazy blended_pairwise"),
    *("blended_conditional_gradients", "decomposition_invariant"),
    *("fully_corrective", "working_set", "second_order"),
)


@pytest.fixture(scope="module")
def lasso() -> fw.Problem:
    rng = np.random.default_rng(4)
    A = np.asfortranarray(rng.standard_normal((2000, 5000)))
    x = np.zeros(5000)
    x[rng.permutation(5000)[:50]] = rng.standard_normal(50)
    b = A @ x + 0.1 * rng.standard_normal(2000)
    return fw.Problem(fw.SquaredError(A, b, reduction="sum"), fw.L1Ball(0.9 * np.abs(x).sum()))


@pytest.fixture(scope="module")
def simplex() -> fw.Problem:
    rng = np.random.default_rng(5)
    A = np.asfortranarray(rng.standard_normal((2000, 2000)))
    x = np.zeros(2000)
    x[:100] = rng.dirichlet(np.ones(100))
    b = A @ x + 0.01 * rng.standard_normal(2000)
    return fw.Problem(fw.SquaredError(A, b, reduction="sum"), fw.Simplex())


@pytest.fixture(scope="module")
def duke(data_folder) -> fw.Problem:
    from sklearn.datasets import load_svmlight_file

    with lzma.open(data_folder / "duke.xz", "rb") as file:
        A, y = load_svmlight_file(file)
    return fw.Problem(fw.Logistic(np.asfortranarray(A.toarray()), y), fw.L1Ball(10.0))


@pytest.mark.long
@pytest.mark.parametrize("name", LINEAR)
@pytest.mark.parametrize("which", ["lasso", "simplex", "duke"])
def test_a_certified_gap_of_1e_minus_10_of_the_first_value(which, name, request):
    problem, method = request.getfixturevalue(which), method_examples()[name]
    if name == "second_order" and method.accepts(problem) is not None:
        pytest.skip("a Hessian of 5000 x 5000 or more is refused")
    x0 = problem.start()
    wanted = 1e-10 * problem.objective(x0)
    result = fw.solve(problem, method, fw.Gap(wanted) | fw.Iterations(40_000))
    assert result.certified
    assert result.gap <= wanted
    assert problem.region.violation(result.x) <= 1e-12
