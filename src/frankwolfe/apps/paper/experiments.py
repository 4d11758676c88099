"""Experiments (a) and (b), Section 5: settings, optimal values, and a run of every method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from frankwolfe.base import Array, Floats, MissingExtra
from frankwolfe.core import Problem
from frankwolfe.datasets import DataSet, breast_cancer, pima
from frankwolfe.methods import FrankWolfe, afw, frank_wolfe, jacobi, jacobi_momentum
from frankwolfe.methods.polynomials import theorem2_bound
from frankwolfe.methods.steps import ExactLineSearch, OpenLoop
from frankwolfe.objectives import Huber, Logistic, Objective
from frankwolfe.regions import L2Ball
from frankwolfe.solver import Iterations, Result, minimize, solve, uninterrupted

__all__ = ["SETUPS", "Optimum", "Panel", "Setup", "find", "measure", "perturbed_errors"]


@dataclass(frozen=True)
class Setup:
    """Setting of one panel of the paper's figure: data, loss, radius and parameters.

    Attributes
    ----------
    key, title : str
        The panel's letter, and what it shows.
    alpha, beta, gamma, radius : float
        The paper's parameters.
    optimum_by : str
        The package from which the paper has the optimal value.
    """

    key: str
    title: str
    data: Callable[[], DataSet]
    loss: Callable[..., Objective]
    radius: float
    alpha: float
    beta: float
    gamma: float
    optimum_by: str

    def problem(self) -> Problem:
        """Problem of the panel: mean loss over an l2 ball."""
        return Problem(self.loss(*self.data().paper()), L2Ball(self.radius))

    def methods(self) -> dict[str, FrankWolfe]:
        """Methods to run: the paper's three, and rules that it leaves out."""
        return {
            "FW": frank_wolfe(),
            "AFW": afw(),
            "JFW": jacobi(self.alpha, self.beta, self.gamma),
            "JFW auto": jacobi("auto"),
            "JFW momentum": jacobi_momentum(self.alpha, self.beta, self.gamma),
            "FW 4/(k+4)": frank_wolfe(OpenLoop(4.0)),
            "FW 6/(k+6)": frank_wolfe(OpenLoop(6.0)),
            "FW line search": frank_wolfe(ExactLineSearch()),
        }


SETUPS = {
    "a": Setup(
        key="a",
        title="Logistic regression, Breast Cancer Wisconsin",
        data=breast_cancer,
        loss=Logistic,
        radius=50.0,
        alpha=1.2,
        beta=1.2,
        gamma=2 / 3,
        optimum_by="cvxpy",
    ),
    "b": Setup(
        key="b",
        title="Robust regression, Pima",
        data=pima,
        loss=partial(Huber, delta=0.5),
        radius=35.0,
        alpha=1450.0,
        beta=1450.0,
        gamma=0.65,
        optimum_by="scikit-learn",
    ),
}


@dataclass(frozen=True)
class Optimum:
    """Optimal value of an experiment, its origin, and this library's bounds on it.

    Attributes
    ----------
    value, norm : float
        cvxpy's optimal value, and the 2-norm of its point.
    solver : str
        cvxpy's solver.
    own : Result
        The default method's result: `own.lower_bound <= min f <= own.fun`.
    """

    value: float
    norm: float
    solver: str
    own: Result

    @property
    def agrees(self) -> bool:
        """True if cvxpy's value lies between this library's bounds, up to 1e-10."""
        slack = 1e-10 * max(1.0, abs(self.value))
        return self.own.lower_bound - slack <= self.value <= self.own.fun + slack


def find(setup: Setup, max_iter: int) -> Optimum:
    """Solve with cvxpy (Clarabel), and with the default method for comparison.

    The default method starts from the solution in whitened coordinates, because (b) is too
    badly scaled for a first-order method; its gap is that of the problem as stated.
    """
    try:
        import cvxpy
    except ImportError:
        raise MissingExtra("The reproduction", "cvxpy", "paper") from None
    problem = setup.problem()
    A, b = setup.data().paper()
    x = cvxpy.Variable(A.shape[1])
    if isinstance(problem.objective, Huber):
        terms = cvxpy.huber(A @ x - b, problem.objective.delta)  # cvxpy's is the paper's too
    else:
        terms = cvxpy.logistic(cvxpy.multiply(-b, A @ x))
    model = cvxpy.Problem(
        cvxpy.Minimize(cvxpy.sum(terms) / A.shape[0]), [cvxpy.norm2(x) <= setup.radius]
    )
    tolerances = dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), 1e-12)
    model.solve(solver=cvxpy.CLARABEL, **tolerances)
    point = np.asarray(x.value)
    start, f, ball = _whitened(setup), problem.objective, problem.region
    own = uninterrupted(minimize(f, ball, x0=start, tol=1e-12, max_iter=max_iter))
    # the value is taken at cvxpy's point, by this library's own evaluation of f
    return Optimum(
        value=problem.objective(point),
        norm=float(np.linalg.norm(point)),
        solver=f"cvxpy {cvxpy.__version__}, Clarabel ({model.status})",
        own=own,
    )


def _whitened(setup: Setup) -> Array:
    """Start x for the default method, by minimizing the loss in u = Rx, where A = QR.

    The ball around zero in u is twenty times the least-squares solution's norm. That is
    another region, so this point is only a start; the gap is computed afterwards.
    """
    A, b = setup.data().paper()
    q, r = np.linalg.qr(A)
    scale = float(np.sqrt(A.shape[0]))
    ball = L2Ball(20.0 * float(np.linalg.norm(q.T @ b)) / scale)
    u = uninterrupted(minimize(setup.loss(scale * q, b), ball, tol=1e-15, max_iter=2000)).x
    x = np.linalg.solve(r, scale * u)
    return np.asarray(x * min(1.0, setup.radius / float(np.linalg.norm(x))))


@dataclass(frozen=True)
class Panel:
    """Measurements for one panel of the figure.

    Attributes
    ----------
    setup : Setup
    optimum : Optimum
    results : dict of str to Result
        One run a method.
    smoothness, diameter : float
        L and D of Theorem 2.
    """

    setup: Setup
    optimum: Optimum
    results: dict[str, Result]
    smoothness: float
    diameter: float

    @property
    def iterations(self) -> Floats:
        """Numbers of the steps, 0 to K."""
        return self.results["FW"].history["iteration"]

    def error(self, method: str) -> Floats:
        """Errors f(x_k) - f* of a method for k = 0, ..., K."""
        return np.asarray(self.results[method].history["value"] - self.optimum.value)

    @property
    def facts(self) -> str:
        """Sentence with the optimal value and the parameters."""
        setup = self.setup
        return (
            f"f* = {self.optimum.value:.14g}, t = {setup.radius:g}, α = {setup.alpha:g}, "
            f"β = {setup.beta:g}, γ = {setup.gamma:.4g}, L = {self.smoothness:.6g}, "
            f"D = {self.diameter:g}."
        )

    def theorem2(self) -> Floats:
        """Bound of Theorem 2 at every k."""
        k, own = self.iterations, self.setup
        return theorem2_bound(k, own.alpha, own.beta, self.smoothness, self.diameter)


def measure(setup: Setup, iterations: int, say: Callable[[str], None]) -> Panel:
    """Find the optimum and run every method for the same number of steps."""
    say(f"({setup.key}) optimum by cvxpy, checked by our own bounds")
    optimum = find(setup, max_iter=20_000)
    problem = setup.problem()
    results = {}
    for name, method in setup.methods().items():
        say(f"({setup.key}) {name}: {iterations:,} iterations")
        results[name] = uninterrupted(solve(problem, method, Iterations(iterations)))
    smoothness = problem.smoothness
    assert smoothness is not None
    return Panel(setup, optimum, results, smoothness, problem.diameter)


def perturbed_errors(panel: Panel, method: str, runs: int) -> Floats:
    """Errors f(x_k) - f* at every step, a row for each start that differs from 0 by about 1e-15.

    The rows are equal where the mathematics determines the iterates, and differ where rounding
    does.
    """
    problem = panel.setup.problem()
    chosen, last = panel.setup.methods()[method], int(panel.iterations[-1])
    rows = []
    for seed in range(runs):
        x0 = 1e-15 * np.random.default_rng(seed).standard_normal(problem.n)
        found = uninterrupted(solve(problem, chosen, Iterations(last), x0=x0))
        rows.append(found.history["value"] - panel.optimum.value)
    return np.array(rows)
