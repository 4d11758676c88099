"""A problem in plain NumPy and SciPy, so that a peer can take the arrays as they are."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from suite.losses import Loss
from suite.sets import Region


@dataclass
class Problem:
    """Minimize loss(A x) over the region.

    `A` is None for a projection (z = x) and for completion (z = the observed `cells` of the
    matrix x). `x0` is zero for the l2 balls, elsewhere the vertex that minimizes <grad f(0), s>.
    `optimum` and `best` are set once the optimum is known: the value, and a point that has it.
    """

    name: str
    loss: Loss
    region: Region
    n: int
    A: Any = None
    cells: tuple[np.ndarray, np.ndarray] | None = None
    x0: Any = None
    optimum: float = field(default=float("nan"))
    best: Any = None
    passes: int = 0  # how often `both` was called

    def image(self, x: Any) -> np.ndarray:
        """Ax."""
        if self.cells is None:
            return x if self.A is None else self.A @ x
        if not isinstance(x, np.ndarray):
            return np.asarray(x.predict(*self.cells))
        return x.reshape(self.region.shape)[self.cells]  # type: ignore[attr-defined]

    @cached_property
    def transposed(self) -> Any:
        """A.T, for sparse data in rows too."""
        return self.A.T.tocsr() if sp.issparse(self.A) else self.A.T

    def value(self, x: Any) -> float:
        """f(x)."""
        return self.loss.both(self.image(x))[0]

    def both(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        """f(x) and its gradient, dense."""
        self.passes += 1
        value, slope = self.loss.both(self.image(x))
        if self.cells is not None:
            g = np.zeros(self.region.shape)  # type: ignore[attr-defined]
            np.add.at(g, self.cells, slope)
            return value, g.ravel()
        return value, slope if self.A is None else self.transposed @ slope

    def gradient(self, x: np.ndarray) -> np.ndarray:
        """The gradient of f."""
        return self.both(x)[1]

    def gap(self, x: Any) -> float:
        """The Frank-Wolfe gap at a feasible x, an upper bound on f(x) - f*."""
        if self.cells is None:
            g = self.gradient(x)
            return float(g @ (x - self.region.lmo(g)))
        z = self.image(x)
        slope = self.loss.both(z)[1]
        u, v = self.region.pair(sp.csr_matrix((slope, self.cells), shape=self.region.shape))
        return float(slope @ (z - u[self.cells[0]] * v[self.cells[1]]))

    @cached_property
    def lipschitz(self) -> float:
        """Of the gradient, in the 2-norm; the largest singular value to a thousandth."""
        from scipy.sparse.linalg import svds

        top = 1.0
        if self.A is not None:
            start = np.ones(min(self.A.shape))
            found = svds(self.A, k=1, v0=start, tol=1e-4, return_singular_vectors=False)
            top = 1.001 * float(found[0])
        return self.loss.weight * self.loss.curvature * top * top

    @cached_property
    def start_value(self) -> float:
        """The value at x0."""
        return self.value(self.x0)

    def relative(self, x: Any) -> float:
        """(f - f*) / (f(x0) - f*), after moving x into the region if it is outside."""
        return (self.value(self.region.repair(x)) - self.optimum) / self.scale

    @property
    def scale(self) -> float:
        """f(x0) - f*."""
        return self.start_value - self.optimum

    def target(self, accuracy: float) -> float:
        """The value that has this relative suboptimality."""
        return self.optimum + accuracy * self.scale
