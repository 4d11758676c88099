r"""An audit of Theorem 2 on the simplex.

For :math:`f(x) = \|x\|_2^2` on the simplex in n dimensions, a point with at most k + 1
non-zero entries has :math:`f(x) \ge 1/(k+1)`, and a method that moves only through
vertices has no more after k steps. With :math:`f^\star = 1/n`, L = 2 and :math:`D^2 = 2`
the error is at least :math:`1/(k+1) - 1/n`, and Theorem 2 allows
:math:`16/((k+1)(k+2))`: less than that, once k is beyond 14 and n is large.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from frankwolfe.base import Floats
from frankwolfe.core import Problem
from frankwolfe.methods import afw, frank_wolfe, jacobi
from frankwolfe.methods.polynomials import theorem2_bound
from frankwolfe.objectives import Quadratic
from frankwolfe.regions import Simplex
from frankwolfe.solver import Iterations, solve, uninterrupted

__all__ = ["Audit", "run"]


@dataclass(frozen=True)
class Audit:
    """Measurements of the audit of Theorem 2.

    Attributes
    ----------
    n : int
        Dimension of the simplex.
    iterations, floor, bound : array
        k, the error that no vertex method can go below, and what Theorem 2 allows.
    errors : dict of str to array
        f(x_k) - f* of each method.
    """

    n: int
    iterations: Floats
    floor: Floats
    bound: Floats
    errors: dict[str, Floats]

    @property
    def broken(self) -> Floats:
        """Steps at which even the floor lies above Theorem 2's bound."""
        return self.iterations[self.floor > self.bound]


def run(n: int = 1000, steps: int = 500, alpha: float = 1.2, gamma: float = 2 / 3) -> Audit:
    """Run FW, AFW and JFW on the simplex, from a vertex."""
    from scipy.sparse import identity

    problem = Problem(Quadratic(2.0 * identity(n, format="csr")), Simplex())
    k = np.arange(steps + 1, dtype=np.float64)
    methods = {"FW": frank_wolfe(), "AFW": afw(), "JFW": jacobi(alpha, alpha, gamma)}
    errors = {
        name: uninterrupted(solve(problem, method, Iterations(steps))).history["value"] - 1.0 / n
        for name, method in methods.items()
    }
    return Audit(
        n=n,
        iterations=k,
        floor=np.maximum(1.0 / (k + 1.0) - 1.0 / n, 0.0),
        bound=theorem2_bound(k, alpha, alpha, smoothness=2.0, diameter=np.sqrt(2.0)),
        errors=errors,
    )
