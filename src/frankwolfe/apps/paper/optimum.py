"""Optimal values of the experiments, by cvxpy, checked by this library's own bounds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from frankwolfe.apps.paper.setups import Setup
from frankwolfe.base.arrays import Array
from frankwolfe.base.errors import MissingExtra
from frankwolfe.objectives import Huber
from frankwolfe.regions import L2Ball
from frankwolfe.solver.entry import minimize
from frankwolfe.solver.loop import uninterrupted
from frankwolfe.solver.result import Result

__all__ = ["Optimum", "find"]


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
    own = uninterrupted(
        minimize(
            problem.objective, problem.region, x0=_whitened(setup), tol=1e-12, max_iter=max_iter
        )
    )
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
