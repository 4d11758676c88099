"""Experiments (a) and (b) of the paper, Section 5, with its parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from frankwolfe import datasets
from frankwolfe.base.arrays import Matrix
from frankwolfe.core.problem import Problem
from frankwolfe.methods import afw, frank_wolfe, jacobi, jacobi_momentum
from frankwolfe.methods.assembled import FrankWolfe
from frankwolfe.methods.parts.steps import ExactLineSearch, OpenLoop
from frankwolfe.objectives import Huber, Logistic, Objective
from frankwolfe.regions import L2Ball

__all__ = ["SETUPS", "Setup"]


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
    data: Callable[[], datasets.DataSet]
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


def _paper_huber(A: Matrix, b: Matrix) -> Huber:
    return Huber(A, b, delta=0.5)


SETUPS = {
    "a": Setup(
        key="a",
        title="Logistic regression, Breast Cancer Wisconsin",
        data=datasets.breast_cancer,
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
        data=datasets.pima,
        loss=_paper_huber,
        radius=35.0,
        alpha=1450.0,
        beta=1450.0,
        gamma=0.65,
        optimum_by="scikit-learn",
    ),
}
