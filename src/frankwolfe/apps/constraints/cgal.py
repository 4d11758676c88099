r"""The conditional gradient method for an augmented Lagrangian (CGAL), as it was published.

.. code-block:: text

    for k = 1, 2, ...               eta = 2/(k + 1),  lambda = lambda_0 sqrt(k + 1)
        s <- argmin over the region of <grad f(x) + A'(y + lambda (Ax - r)), s>
        x <- (1 - eta) x + eta s
        y <- y + sigma (Ax - r)          r the point of the bounds that is nearest to Ax + y/lambda

with :math:`\sigma \le \lambda_0` as large as
:math:`\sigma\|Ax - r\|^2 \le \frac12\eta^2(L_f + \lambda\|A\|^2)D^2` allows.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from frankwolfe.apps.constraints.affine import Affine
from frankwolfe.apps.constraints.augmented import Augmented
from frankwolfe.apps.constraints.augmented_cells import AugmentedCells
from frankwolfe.apps.constraints.matrix_rounds import MatrixRounds
from frankwolfe.apps.constraints.penalty import Penalty
from frankwolfe.apps.constraints.rounds import Fields, Lagrangian, Options, Rounds
from frankwolfe.apps.constraints.sketch import Sketch
from frankwolfe.base.arrays import Array, Point
from frankwolfe.base.checks import at_least_one, number
from frankwolfe.base.errors import InvalidInput
from frankwolfe.core.low_rank import FactoredMatrix
from frankwolfe.core.problem import Problem
from frankwolfe.core.region_abilities import Accuracy
from frankwolfe.core.state import State
from frankwolfe.methods import references
from frankwolfe.methods.base import NamedMethod
from frankwolfe.regions import Region
from frankwolfe.solver.result import Status
from frankwolfe.solver.run import History

__all__ = ["CGAL", "cgal", "cgal_steps"]

SKETCH_COLUMNS = 64  # the rank up to which the matrix is recovered well


@dataclass(frozen=True)
class CGAL(NamedMethod):
    """The method that :func:`cgal` makes, with its parameters."""

    penalty: float | None
    sketch: int
    name: str = "CGAL"
    reference: str = references.CGAL
    patience = 0

    def accepts(self, problem: Problem) -> str | None:
        """Refuse: CGAL needs constraints, which a `Problem` does not hold."""
        return "cgal() is for linear constraints: pass them as subject_to=Affine(A, b)."

    def init(self, problem: Problem, x0: Point = None) -> State:
        raise InvalidInput(str(self.accepts(problem)))

    def advance(self, state: State) -> None:
        raise NotImplementedError


def cgal(penalty: float | None = None, sketch: int = SKETCH_COLUMNS) -> CGAL:
    r"""The conditional gradient method for an augmented Lagrangian, with its schedule as printed.

    For comparison: the rounds that `minimize` makes by default come to the same accuracy in far
    fewer steps (``docs/constraints.md``). Over a :class:`~frankwolfe.Spectraplex` the matrix is
    kept as a sketch, of which the point is made in the end (SketchyCGAL). Callbacks are not called,
    and no checkpoint is written.

    Parameters
    ----------
    penalty : float, optional
        lambda_0 > 0, for rows of the norm one; by default by the scale of f beside the rows.
    sketch : int
        Columns of the sketch.

    References
    ----------
    A. Yurtsever, O. Fercoq and V. Cevher, *A Conditional-Gradient-Based Augmented Lagrangian
    Framework*, ICML 2019; A. Yurtsever, J. Tropp, O. Fercoq, M. Udell and V. Cevher, *Scalable
    Semidefinite Programming*, SIAM Journal on Mathematics of Data Science 3, 2021.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> f = fw.squared_distance([0.7, 0.2, 0.1])
    >>> half = fw.Affine([[1.0, 0, 0]], -np.inf, 0.5)
    >>> found = fw.minimize(f, fw.Simplex(), subject_to=half, method=fw.cgal(), tol=1e-2)
    >>> found.success, found.nit > 5
    (True, True)
    """
    if penalty is not None:
        penalty = number("penalty", penalty, above=0.0)
    return CGAL(penalty, at_least_one("sketch", sketch))


def cgal_steps(problem: Problem, rows: Affine, method: CGAL, options: Options, x0: Point) -> Fields:
    """Run CGAL and return the fields of the result; rows have the norm one."""
    if options.resume is not None:
        raise InvalidInput("cgal() writes no checkpoints to resume: pass x0, or another method.")
    run = _Steps(problem, rows, method, options, x0)
    try:
        while (status := run.verdict()) is None:
            run.advance()
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    return run.report(status)


class _Steps:
    """A run of CGAL: the image of x, with x itself or a sketch of it."""

    def __init__(
        self, problem: Problem, rows: Affine, method: CGAL, options: Options, x0: Point
    ) -> None:
        f, region = problem.objective, problem.region
        if f.smoothness is None:
            raise InvalidInput(f"cgal() needs a bound on the curvature, and {f!r} has none.")
        self.problem, self.rows, self.options = problem, rows, options
        x = problem.start(x0)
        kind = AugmentedCells if f.matrix else Augmented
        rounds = (MatrixRounds if f.matrix else Rounds)(problem, rows, options)
        objective_range, first, unit = rounds.scales(x)
        self.enough = options.tol * unit
        self.known = rounds.known
        self.diameter = region.diameter(f.shape)
        # a row of the norm one changes by the diameter at most
        self.first = method.penalty or min(first, 2.0 * objective_range / self.diameter**2)
        self.lagrangian: Lagrangian = kind(f, rows, np.zeros(rows.rows), self.first)  # type: ignore[arg-type]
        self.y = np.zeros(rows.rows)
        self.x: Point = None if f.matrix else x
        self.z = self.lagrangian.image_at(x)
        self.sketch = _sketch(problem, method.sketch) if f.matrix else None
        self.norm = math.sqrt(_norm_bound(self.lagrangian, f.smoothness))
        self.memory = region.oracle_memory(f.shape, f.dtype)
        self.history, self.k, self.bound = History(), 0, -math.inf
        self.value, self.violated = math.inf, math.inf
        self.began = time.perf_counter()

    def verdict(self) -> Status | None:
        """Why the run ends here; None if it goes on."""
        close = abs(self.value - self.bound) <= self._wanted(self.value)
        if close and self.violated <= self.enough:
            return Status.CONVERGED
        if self.k and not math.isfinite(self.value):
            return Status.NOT_FINITE
        if time.perf_counter() - self.began >= self.options.seconds:
            return Status.MAX_TIME
        return Status.MAX_ITERATIONS if self.k >= self.options.most else None

    def _wanted(self, value: float) -> float:
        """The gap at which the tolerance is met, where f is `value`."""
        return self.known.enough(self.options.tol, value)

    def advance(self) -> None:
        """Make one step of x and one of y."""
        L, region = self.lagrangian, self.problem.region
        self.k += 1
        k = self.k
        eta, penalty = 2.0 / (k + 1), self.first * math.sqrt(k + 1)
        L.penalty = Penalty(self.rows, self.y, penalty)
        slope, g = L.new_image(), L.new_gradient()
        value, inner = L.evaluate(self.z, slope, g)
        wanted = Accuracy(inner, value - self.bound, 1.0, 0)
        found: Any = region.inexact_lmo(L.covector(g), self.memory, wanted)
        atom, least, error = found
        self.bound = max(self.bound, value - inner + least - error)
        image = L.new_image()
        L.image_of(atom, image)
        self.z += eta * (image - self.z)
        if self.sketch is None:
            self.x *= 1.0 - eta
            atom.add_to(self.x, eta)
        else:
            self.sketch.move(eta, atom.scale, atom.u)
        w: Array = self._multiplied(eta, self.first * math.sqrt(k + 2))
        self.violated = float(np.abs(self.rows.beyond(w)).max())
        seconds = time.perf_counter() - self.began
        self.history.append((k, self.value, self.value - self.bound, self.bound, eta, seconds))

    def _multiplied(self, eta: float, penalty: float) -> Array:
        """Make the step of the multipliers; return the rows Ax."""
        w: Array
        self.value, w = self.lagrangian.parts(self.z)
        off = self.rows.beyond(w + self.y / penalty) - self.y / penalty  # Ax - r
        curvature = self.problem.objective.smoothness or 0.0
        allowed = 0.5 * eta**2 * (curvature + penalty * self.norm**2) * self.diameter**2
        sigma = min(self.first, allowed / max(float(off @ off), 1e-300))
        self.y = self.y + sigma * off
        return w

    def report(self, status: Status) -> Fields:
        """The fields of the result."""
        f, x = self.problem.objective, self.x
        if self.sketch is not None:
            x = _filled(self.sketch.matrix(), self.problem.region)
        value = f(x)
        violated = float(np.abs(self.rows.excess(x)).max())
        return {
            **{"x": x, "fun": value, "gap": value - self.bound, "lower_bound": self.bound},
            **{"certified": self.bound > -math.inf, "status": status, "method": "CGAL"},
            **{"failure_probability": self.problem.region.failure_probability(self.memory)},
            **{"success": status is Status.CONVERGED, "history": self.history},
            **{"nit": self.k, "nfev": self.k, "njev": self.k, "nlmo": self.k},
            **{"seconds": time.perf_counter() - self.began, "multipliers": self.y},
            **{"infeasibility": violated, "feasible": violated <= self.enough},
            **{"close": abs(value - self.bound) <= self._wanted(value)},
        }


def _sketch(problem: Problem, size: int) -> Sketch:
    """An empty sketch of the matrix of a semidefinite problem."""
    form = problem.region.factoring
    if form is None or not form.symmetric:
        raise InvalidInput(
            "cgal() keeps a sketch of semidefinite matrices: use it over a Spectraplex, or the "
            "default method."
        )
    return Sketch(problem.objective.shape[0], size)  # type: ignore[index]


def _filled(x: FactoredMatrix, region: Region) -> FactoredMatrix:
    """The matrix with the trace that the sketch has lost spread evenly over its terms."""
    form = region.factoring
    assert form is not None  # it made the sketch
    lost = form.most - float(x.weights.sum())
    if not x.terms or not (form.exact or lost < 0.0):
        return x
    spread = np.maximum(x.weights + lost / x.terms, 0.0)
    return FactoredMatrix(x.left, spread * (form.most / spread.sum()), x.right)


def _norm_bound(lagrangian: Lagrangian, curvature: float) -> float:
    """Upper bound on ||A||^2, from those on the curvature of the Lagrangian and of f."""
    bound = lagrangian.smoothness
    assert bound is not None  # f has one, and so has the Lagrangian
    return max(float(bound) - curvature, 0.0) / float(lagrangian.penalty.rho)
