r"""CGAL and SketchyCGAL as they were published; a part of `maxcut`.

The conditional gradient method for an augmented Lagrangian (A. Yurtsever, O. Fercoq and V. Cevher,
*A Conditional-Gradient-Based Augmented Lagrangian Framework*, ICML 2019):

.. code-block:: text

    for k = 1, 2, ...               eta = 2/(k + 1),  lambda = lambda_0 sqrt(k + 1)
        s <- argmin over the region of <grad f(x) + A'(y + lambda (Ax - r)), s>
        x <- (1 - eta) x + eta s
        y <- y + sigma (Ax - r)          r the point of the bounds that is nearest to Ax + y/lambda

with :math:`\sigma \le \lambda_0` as large as
:math:`\sigma\|Ax - r\|^2 \le \frac12\eta^2(L_f + \lambda\|A\|^2)D^2` allows. Over semidefinite
matrices a sketch is kept in the place of X (A. Yurtsever, J. Tropp, O. Fercoq, M. Udell and V.
Cevher, *Scalable Semidefinite Programming*, SIAM Journal on Mathematics of Data Science 3, 2021).
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

import frankwolfe as fw
from frankwolfe.apps.constraints.evidence import Evidence
from frankwolfe.apps.constraints.penalty import Penalty
from frankwolfe.apps.constraints.result import formulated
from frankwolfe.apps.constraints.scales import measured
from frankwolfe.base.checks import quiet
from frankwolfe.core.region_abilities import Accuracy

SKETCH_COLUMNS = 64  # the rank up to which the matrix is recovered well


@dataclass(frozen=True)
class Found:
    """Point, bound and multipliers that CGAL has come to, named as in a `Result`."""

    x: Any
    fun: float
    lower_bound: float
    infeasibility: float
    multipliers: Any
    failure_probability: float
    status: fw.Status
    success: bool
    nit: int
    seconds: float
    history: fw.solver.History


def cgal(
    objective: fw.Objective,
    region: fw.Region,
    rows: fw.Affine,
    *,
    penalty: float | None = None,
    sketch: int = SKETCH_COLUMNS,
    x0: Any = None,
    tol: float = 1e-6,
    max_iter: int = 10_000,
    seconds: float = math.inf,
) -> Found:
    """Minimize a convex function under constraints with the schedule as printed.

    Parameters
    ----------
    penalty : float, optional
        lambda_0 > 0, for rows of the norm one; by default by the scale of f beside the rows.
    sketch : int
        Columns of the sketch of a matrix.
    """
    with quiet():
        near, units = rows.on(objective.shape).in_units()
        steps = _Steps(fw.Problem(objective, region), near, penalty, sketch, tol, x0)
        while (status := steps.verdict(max_iter, seconds)) is None:
            steps.advance()
        return steps.report(status, units)


class _Steps:
    """A run of CGAL: the image of x, with x itself or a sketch of it."""

    def __init__(
        self,
        problem: fw.Problem,
        rows: fw.Affine,
        penalty: float | None,
        sketch: int,
        tol: float,
        x0: Any,
    ) -> None:
        given = formulated(problem, rows)
        f, region = problem.objective, problem.region
        if f.smoothness is None:
            raise ValueError(f"cgal() needs a bound on the curvature, and {f!r} has none.")
        self.problem, self.rows = problem, rows
        x = problem.start(x0)
        scales = measured(given, x)
        objective_range, first, unit = scales.objective_range, scales.penalty, scales.unit
        self.enough = tol * unit
        self.known = Evidence(given, tol)
        self.known.first_gap = scales.change
        self.diameter = region.diameter(f.shape)
        # a row of the norm one changes by the diameter at most
        self.first = penalty or min(first, 2.0 * objective_range / self.diameter**2)
        self.lagrangian: Any = given.lagrangian(np.zeros(rows.rows), self.first)
        self.y = np.zeros(rows.rows)
        self.x = None if f.matrix else x
        self.z = self.lagrangian.image_at(x)
        self.sketch = _sketch(problem, sketch) if f.matrix else None
        self.norm = math.sqrt(_norm_bound(self.lagrangian, f.smoothness))
        self.memory = region.oracle_memory(f.shape, f.dtype)
        self.history, self.k, self.bound = fw.solver.History(), 0, -math.inf
        self.value, self.violated = math.inf, math.inf
        self.began = time.perf_counter()

    def verdict(self, max_iter: int, seconds: float) -> fw.Status | None:
        """Why the run ends here; None if it goes on."""
        close = abs(self.value - self.bound) <= self.known.enough(self.value)
        if close and self.violated <= self.enough:
            return fw.Status.CONVERGED
        if self.k and not math.isfinite(self.value):
            return fw.Status.NOT_FINITE
        if time.perf_counter() - self.began >= seconds:
            return fw.Status.MAX_TIME
        return fw.Status.MAX_ITERATIONS if self.k >= max_iter else None

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
        w = self._multiplied(eta, self.first * math.sqrt(k + 2))
        self.violated = float(np.abs(self.rows.beyond(w)).max())
        seconds = time.perf_counter() - self.began
        self.history.append((k, self.value, self.value - self.bound, self.bound, eta, seconds))

    def _multiplied(self, eta: float, penalty: float) -> Any:
        """Make the step of the multipliers; return the rows Ax."""
        f, L, z = self.problem.objective, self.lagrangian, self.z
        if self.sketch is None:
            self.value, w = f.value(z[: L.inner]), z[L.inner :]
        else:
            self.value, w = f.value(z[L._where]), L.map @ z
        off = self.rows.beyond(w + self.y / penalty) - self.y / penalty  # Ax - r
        curvature = f.smoothness or 0.0
        allowed = 0.5 * eta**2 * (curvature + penalty * self.norm**2) * self.diameter**2
        sigma = min(self.first, allowed / max(float(off @ off), 1e-300))
        self.y = self.y + sigma * off
        return w

    def report(self, status: fw.Status, units: Any) -> Found:
        """The point that x, or the sketch, gives, with multipliers of the rows as given."""
        f, x = self.problem.objective, self.x
        if self.sketch is not None:
            x = _filled(self.sketch.matrix(), self.problem.region)
        return Found(
            x=x,
            fun=f(x),
            lower_bound=self.bound,
            infeasibility=float(np.abs(self.rows.excess(x)).max()),
            multipliers=units.multipliers(self.y),
            failure_probability=self.problem.region.failure_probability(self.memory),
            status=status,
            success=status is fw.Status.CONVERGED,
            nit=self.k,
            seconds=time.perf_counter() - self.began,
            history=self.history,
        )


class Sketch:
    """A positive semidefinite matrix X known by a random sketch S = XΩ.

    X moves toward rank-one matrices; in the end a nearby matrix of the sketch's rank is made of S:
    Nyström's approximation, in the stable form of J. Tropp, A. Yurtsever, M. Udell and V. Cevher,
    *Fixed-Rank Approximation of a Positive-Semidefinite Matrix from Streaming Data*, NIPS 2017.

    Parameters
    ----------
    n : int
        Rows and columns of X.
    size : int
        Columns of the sketch.
    """

    def __init__(self, n: int, size: int, seed: int = 0) -> None:
        self._test = np.random.default_rng(seed).standard_normal((n, min(size, n)))
        self._image = np.zeros_like(self._test)

    def move(self, step: float, scale: float, u: Any) -> None:
        """X <- (1 - step) X + step scale u u'."""
        self._image *= 1.0 - step
        self._image += np.outer(step * scale * u, u @ self._test)

    def matrix(self) -> fw.FactoredMatrix:
        """Nyström approximation of X, with as many terms as the sketch has columns."""
        n = len(self._test)
        size = float(np.linalg.norm(self._image))
        if not size > 0.0:
            return fw.FactoredMatrix.zero((n, n))
        # a shifted X + shift I keeps the eigenvalues below positive; it is taken off again
        shift = math.sqrt(n) * 2.0**-52 * size
        image = self._image + shift * self._test
        between = self._test.T @ image
        values, turn = np.linalg.eigh(0.5 * (between + between.T))
        kept = values > 2.0**-50 * values[-1]
        root = image @ (turn[:, kept] / np.sqrt(values[kept]))
        u, s, _ = np.linalg.svd(root, full_matrices=False)
        weights = np.maximum(s**2 - shift, 0.0)
        left = np.ascontiguousarray(u.T)
        return fw.FactoredMatrix(left, weights, left.copy())


def _sketch(problem: fw.Problem, size: int) -> Sketch:
    """An empty sketch of the matrix of a semidefinite problem."""
    form = problem.region.factoring
    if form is None or not form.symmetric:
        raise ValueError("cgal() keeps a sketch of semidefinite matrices: use a Spectraplex.")
    return Sketch(problem.objective.shape[0], size)


def _filled(x: fw.FactoredMatrix, region: fw.Region) -> fw.FactoredMatrix:
    """The matrix with the trace that the sketch has lost spread evenly over its terms."""
    form = region.factoring
    assert form is not None  # it made the sketch
    lost = form.most - float(x.weights.sum())
    if not x.terms or not (form.exact or lost < 0.0):
        return x
    spread = np.maximum(x.weights + lost / x.terms, 0.0)
    return fw.FactoredMatrix(x.left, spread * (form.most / spread.sum()), x.right)


def _norm_bound(lagrangian: Any, curvature: float) -> float:
    """Upper bound on ||A||^2, from those on the curvature of the Lagrangian and of f."""
    bound = lagrangian.smoothness
    assert bound is not None  # f has one, and so has the Lagrangian
    return max(float(bound) - curvature, 0.0) / float(lagrangian.penalty.rho)
