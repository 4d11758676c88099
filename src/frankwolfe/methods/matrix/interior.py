"""Steps along a path through the inside of a small spectraplex: few, however it is scaled."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from frankwolfe.core.problem import Problem
from frankwolfe.core.state import State
from frankwolfe.methods import references
from frankwolfe.methods.base import OwnSteps, check_accepted
from frankwolfe.numerics.arrays import Array
from frankwolfe.numerics.blas import one_thread
from frankwolfe.numerics.low_rank import FactoredMatrix
from frankwolfe.numerics.memory import Memory
from frankwolfe.numerics.quadratics import solve_definite
from frankwolfe.regions.abilities import Factoring

__all__ = ["MatrixInterior", "matrix_interior"]

SMALL = 40  # rows up to which a step costs little: it is a system in all entries
BACK = 0.95  # of the way to the end of the region
FALL, LONG = 0.3, 0.9  # what is left of mu after a step that is at least so long
FLAT = 0.25  # of the slope of a step at its start, what a search may leave
TRIALS = 30
ROUNDING = 1e-14
APART = 1e8  # how far products of X and S may be from mu before S is made anew
STALE = 15  # steps without a smaller gap


@dataclass(slots=True)
class MatrixPath(Memory):
    """Roots of X and of S = G + kappa I, both semidefinite, and kappa; where the best gap was."""

    root: Array
    dual: Array
    kappa: float = 0.0
    product: float = 0.0  # mu
    room: float = 0.0  # what the trace of X leaves
    best: float = math.inf
    stale: int = 0


class Scaled(NamedTuple):
    """R with R'SR = R^-1 X R^-T = diag(values), and the inverse of its transpose."""

    turn: Array
    back: Array
    values: Array


class Step(NamedTuple):
    """A step in scaled matrices x and s, of kappa, and of the trace of X."""

    x: Array
    s: Array
    kappa: float
    traced: float


@dataclass(frozen=True)
class MatrixInterior(OwnSteps):
    """See :func:`matrix_interior`."""

    name: str = "matrix interior-point FW"
    reference: str = references.MEHROTRA

    def accepts(self, problem: Problem) -> str | None:
        """None for completion over a small spectraplex."""
        objective, form = problem.objective, problem.region.factoring
        if not objective.most_terms or form is None or not form.symmetric:
            return f"{self.name} needs a Completion objective over a Spectraplex: use hybrid()."
        rows = objective.shape[0]  # type: ignore[index]
        if rows > SMALL or objective.most_terms < rows:
            return (
                f"{self.name} solves a system in all entries, for at most {SMALL} rows and "
                "without a cap on the rank: use hybrid() for others."
            )
        return None

    def init(self, problem: Problem, x0: Any = None) -> State[MatrixPath]:
        check_accepted(self, problem)
        if x0 is not None:
            problem.start(x0)  # checked, and not needed
        form = _form(problem)
        rows = problem.objective.shape[0]  # type: ignore[index]
        share = form.most / (rows if form.exact else rows + 1)
        path = MatrixPath(math.sqrt(share) * np.eye(rows), np.eye(rows))
        state = self.begin(problem, _point(path.root, problem.objective.dtype), path)
        G = _gradient(state)
        values = np.linalg.eigvalsh(G)
        path.kappa = max(-values[0], 0.0) + float(np.abs(values).max()) + 1e-300
        path.dual = np.linalg.cholesky(G + path.kappa * np.eye(rows))
        path.product = float((path.dual * path.dual).sum()) * share / rows
        path.room = 0.0 if form.exact else share
        return state

    def advance(self, state: State[MatrixPath]) -> None:
        """One step along the path, then evaluate."""
        path, form = state.memory, _form(state.problem)
        with one_thread(), np.errstate(all="ignore"):
            try:
                state.step = _go_on(state, path, form)
            except np.linalg.LinAlgError:
                state.step = math.nan
        state.k += 1
        if math.isnan(state.step):
            state.spent = True
            return
        state.iterate.jump(_point(path.root, state.problem.objective.dtype))
        self.evaluate(state)
        path.stale = 0 if state.model_gap < path.best else path.stale + 1
        path.best = min(path.best, state.model_gap)
        state.spent = path.stale >= STALE


def _form(problem: Problem) -> Factoring:
    form = problem.region.factoring
    assert form is not None
    return form


def _gradient(state: State) -> Array:
    """The symmetric part."""
    full = state.problem.objective.covector(state.gradient).dense()
    return np.asarray(0.5 * (full + full.T))


def _point(root: Array, dtype: Any) -> FactoredMatrix:
    """LL' by the columns of L: entries far smaller than the trace keep their digits."""
    sizes = (root * root).sum(axis=0)
    left = np.ascontiguousarray((root / np.sqrt(np.maximum(sizes, 1e-300))).T, dtype=dtype)
    return FactoredMatrix(left, sizes, left.copy())


def _go_on(state: State[MatrixPath], path: MatrixPath, form: Factoring) -> float:
    """Newton's step toward XS = mu I; how long it was."""
    system = _System(state, path, form)
    step = system.step()
    values = np.diag(system.scaled.values)
    length = _search(state, path, system, step)
    other = min(1.0, BACK * system.longest_dual(step))
    path.root = _lower(system.scaled.turn @ np.linalg.cholesky(values + length * step.x))
    path.dual = _lower(system.scaled.back @ np.linalg.cholesky(values + other * step.s))
    path.kappa += (length if form.exact else other) * step.kappa
    trace = float((path.root * path.root).sum())
    if form.exact or trace > form.most:
        path.root *= math.sqrt(form.most / trace)
    if not form.exact:
        path.room *= 1.0 - length * step.traced / path.room
    path.product *= FALL if length >= LONG else 1.0
    return length


def _search(state: State[MatrixPath], path: MatrixPath, system: _System, step: Step) -> float:
    """How far f and the barrier fall, by slopes: rounding leaves more of these than of values."""
    R = system.scaled.turn
    moved = FactoredMatrix(R.T.copy(), np.ones(len(R)), np.ascontiguousarray(step.x @ R.T))
    dz = np.empty_like(state.iterate.image)
    state.problem.objective.image(moved, dz)
    along = state.line(dz)
    values, traced = system.shares(step), step.traced

    def slope(at: float) -> float:
        found = along(at)[1] - path.product * float((values / (1.0 + at * values)).sum())
        if not system.form.exact:
            found += path.product * traced / (system.room - at * traced)
        return found

    end = -min(float(values[0]), 0.0 if system.form.exact else -traced / system.room)
    first, at = slope(0.0), min(1.0, BACK / max(end, 1e-300))
    noise = ROUNDING * float(np.abs(state.gradient).dot(np.abs(dz)))  # of sums that cancel
    for _ in range(TRIALS):
        ahead = slope(at)
        if not ahead > max(FLAT * abs(first), noise):
            return at
        at *= min(max(abs(first) / (abs(first) + ahead), 0.1), 0.9)
    return at


def _lower(root: Array) -> Array:
    """The lower triangular root of the same matrix: rows keep their digits."""
    return np.ascontiguousarray(np.asarray(np.linalg.qr(root.T, mode="r")).T)


class _System:
    """The Newton system of the conditions, in matrices in which X and S are the same."""

    def __init__(self, state: State, path: MatrixPath, form: Factoring) -> None:
        self.form, self.kappa, self.product = form, path.kappa, path.product
        # a difference of traces would be rounding in the end
        self.room = form.most - float((path.root**2).sum()) if form.exact else path.room
        self.scaled = _scaled(path)
        R = self.scaled.turn
        objective, rows = state.problem.objective, len(R)
        self.upper = np.triu_indices(rows)
        # <V, W> is a dot product of entries above the diagonal in this scale
        self.scale = np.where(self.upper[0] == self.upper[1], 1.0, math.sqrt(2.0))
        bend = objective.hessian_times(state.iterate.image, np.ones((objective.m, 1)))[:, 0]
        self.matrix = self._pulled(objective.covector(bend).dense(), R)
        self.matrix.ravel()[:: self.scale.size + 1] += 1.0
        self.trace = self.flat(R.T @ R)
        self.slope = R.T @ _gradient(state) @ R

    def flat(self, matrix: Array) -> Array:
        return np.asarray(self.scale * matrix[self.upper])

    def _pulled(self, bend: Array, R: Array) -> Array:
        """The Hessian of f: a sum over the cells that bend, of squares of entries of RxR'."""
        both = np.triu(bend + bend.T)
        both.ravel()[:: len(R) + 1] *= 0.5
        i, j = np.nonzero(both)
        left, right = R[i], R[j]
        a, b = self.upper
        cells = left[:, a] * right[:, b] + left[:, b] * right[:, a]
        cells *= 0.5 * self.scale * np.sqrt(both[i, j])[:, None]
        return np.asarray(cells.T @ cells)

    def step(self) -> Step:
        """Downhill for f and the barrier, whatever S is."""
        values, target = self.scaled.values, self.product
        right = self.flat(np.diag(target / values) - self.slope)
        p, q = solve_definite(self.matrix, np.column_stack([right, self.trace]), 0.0).T
        along, across = float(self.trace @ p), float(self.trace @ q)
        if self.form.exact:  # the trace stays, or comes back
            kappa, traced = (along - self.room) / across, self.room
        else:  # the product of kappa and the room becomes mu, and nothing cancels
            both = self.room + self.kappa * across
            kappa = (target + self.kappa * along) / both
            traced = (self.room * along - target * across) / both
        w = p - kappa * q
        x = np.zeros((values.size, values.size))
        x[self.upper] = w / self.scale
        x = x + np.triu(x, 1).T
        return Step(x, np.diag(target / values - values) - x, kappa - self.kappa, traced)

    def shares(self, step: Step) -> Array:
        """The eigenvalues of the step, as shares of X."""
        roots = np.sqrt(self.scaled.values)
        return np.linalg.eigvalsh(step.x / np.outer(roots, roots))

    def longest_dual(self, step: Step) -> float:
        """How far S, and kappa where that is bounded, stay positive."""
        roots = np.sqrt(self.scaled.values)
        least = float(np.linalg.eigvalsh(step.s / np.outer(roots, roots))[0])
        if not self.form.exact:
            least = min(least, step.kappa / self.kappa)
        return 1.0 / max(-least, 1e-300)


def _scaled(path: MatrixPath) -> Scaled:
    """X and S turned into one; where they are far apart S is taken from X."""
    u, values, vt = np.linalg.svd(path.dual.T @ path.root)
    product = path.product
    if values[0] ** 2 > APART * product or values[-1] ** 2 < product / APART:
        inverse = np.linalg.inv(path.root)
        path.dual = math.sqrt(product) * inverse.T
        values = np.full(values.size, math.sqrt(product))
        u, vt = np.eye(values.size), np.eye(values.size)
    roots = np.sqrt(values)
    return Scaled(path.root @ (vt.T / roots), path.dual @ (u / roots), values)


def matrix_interior() -> MatrixInterior:
    r"""Interior points for matrix completion over a small spectraplex.

    .. code-block:: text

        for k = 0, 1, ...                       X and S = G + kappa I semidefinite
            dX, dS, dkappa <- Newton step toward XS = mu I,  mu smaller than it is
            X <- X + gamma dX,  S <- S + gamma dS

    X and S are scaled alike in each step (Nesterov and Todd), which forms a system in all entries.
    The number of steps does not depend on how large the trace is beside the entries that are
    observed, where a search on factors is slow.

    References
    ----------
    Y. Nesterov and M. Todd, *Self-Scaled Barriers and Interior-Point Methods for Convex
    Programming*, Mathematics of Operations Research 22, 1997; S. Mehrotra, *On the
    Implementation of a Primal-Dual Interior Point Method*, SIAM Journal on Optimization 2, 1992.
    """
    return MatrixInterior()
