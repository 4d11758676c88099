"""A user's file: what is public has types, and they are those one expects."""

import numpy as np
from numpy.typing import NDArray

import frankwolfe as fw
from frankwolfe.sklearn import ConstrainedLogisticRegression, ConstrainedRegressor

rng = np.random.default_rng(0)
A: NDArray[np.float64] = rng.standard_normal((50, 10))
b: NDArray[np.float64] = rng.standard_normal(50)


def solve(region: fw.Region, method: fw.methods.Method | str | None = None) -> fw.Result:
    objective = fw.SquaredError(A, b, reduction="sum")
    return fw.minimize(objective, region, method=method, stop=fw.Gap(1e-8) | fw.Iterations(5000))


def run() -> float:
    result = solve(fw.L1Ball(1.0), fw.jacobi(2.0, 2.0, 0.5))
    result = solve(fw.L2Ball(0.5, center=np.zeros(10)), "pairwise")
    gap: float = result.gap
    certified: bool = result.certified
    steps: int = result.nit
    history: fw.solver.History = result.history
    for state in fw.states(fw.Problem(fw.Logistic(A, b > 0), fw.Simplex()), fw.methods.away_step()):
        if state.gap < 1e-3:
            break
    status: fw.Status = result.status
    plain = fw.minimize(
        lambda x: float(x @ x), fw.Box(1.0, 2.0), jac=lambda x: 2 * x, x0=np.ones(3)
    )
    model = ConstrainedLogisticRegression("l1", 2.0).fit(A, b > 0)
    other = ConstrainedRegressor(loss="huber").fit(A, b)
    shown = (certified, steps, len(history), status.message, plain.fun, state.k)
    assert len(shown) == 6
    assert model.coef_.shape == other.coef_[None].shape
    return gap
