r"""Effects and a matrix of low rank together: one convex problem, solved for them in turn.

.. math:: \min_{b, c, X} \sum_{(i,j)} \ell(y_{ij} - \mu - b_i - c_j - X_{ij})
    + \tfrac12 \rho_b \|b\|^2 + \tfrac12 \rho_c \|c\|^2
    \quad \text{with} \quad \|\mathrm{diag}(\sqrt p)\, X\, \mathrm{diag}(\sqrt q)\|_\star \le R.

Effects that were fitted before the matrix take what belongs to it, and the test error shows it
(on MovieLens 100K 0.909 against 0.906, on 1M 0.857 against 0.851).

For any b, c and X, with g the derivative by the effects and G that by X, convexity gives

.. math:: f - f^\star \le \max_S \langle -G, S - X \rangle
    + \frac{\|g_b\|^2}{2 \rho_b} + \frac{\|g_c\|^2}{2 \rho_c},

because f is :math:`\rho`-strongly convex in the effects by their ridges. This gap is reported.

With features F of the rows, :math:`b = d + Fw`, and it is d and w that are shrunk: what is known
of a row that has no ratings speaks for it. So for columns.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.apps.completion.effects import Effects, Features, Ridges, fit_effects
from frankwolfe.base import Flags, Floats, Indices, Ints
from frankwolfe.core import FactoredMatrix
from frankwolfe.methods import hybrid
from frankwolfe.objectives import Completion
from frankwolfe.regions import WeightedNuclearBall
from frankwolfe.solver import (
    Iterations,
    RelativeGap,
    Result,
    Settled,
    Status,
    StoppingRule,
    Target,
    minimize,
)

__all__ = ["Joint", "JointProblem", "Marginal", "RatingCells"]

UNIFORM_SHARE = 0.5  # of a weight, equal for all rows; the rest is proportional to counts
SETTLED = 0.002  # share of f; a step that changes it by less no longer changes predictions visibly
STEPS = 15  # of the matrix in a round, at most: the effects then move, and it has to follow
LOCAL_STEPS = 10  # of the search on the factors between two steps of the matrix
ALWAYS_REACHED = 1e300  # target value that every point has reached: a run that only evaluates


class Marginal(NamedTuple):
    r"""Weights of the rows (or columns) of a matrix: half alike, half in proportion to counts.

    .. math:: p_i \propto \tfrac12 + \tfrac12\, n_i / \bar n, \qquad \text{mean over ratings } 1.

    Where cells are not seen equally often, the plain nuclear norm prices a row with five
    ratings like one with five hundred, and so fits much noise in the one and too little of the
    other. With marginal shares as weights it does not; smoothed ones do better than the shares
    themselves, in theory and in practice.

    References
    ----------
    N. Srebro and R. Salakhutdinov, *Collaborative Filtering in a Non-Uniform World: Learning
    with the Weighted Trace Norm*, NIPS 2010; R. Foygel, R. Salakhutdinov, O. Shamir and
    N. Srebro, *Learning with the Weighted Trace-norm under Arbitrary Sampling Distributions*,
    NIPS 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.apps.completion.joint import Marginal
    >>> Marginal.of(np.array([3.0, 1.0])).at(np.array([3.0, 1.0, 0.0])).round(3)
    array([1.111, 0.667, 0.444])
    """

    alike: float
    each: float  # weight that one rating adds

    @classmethod
    def of(cls, counts: ArrayLike) -> Marginal:
        """Marginal of rows (or columns) with these numbers of ratings."""
        counts = np.asarray(counts, dtype=np.float64)
        raw = cls(UNIFORM_SHARE, (1.0 - UNIFORM_SHARE) / float(counts.mean()))
        mean = float(raw.at(counts) @ counts) / float(counts.sum())
        return cls(raw.alike / mean, raw.each / mean)

    def at(self, counts: ArrayLike) -> Floats:
        """Weights of rows (or columns) with these numbers of ratings."""
        return np.asarray(self.alike + self.each * np.asarray(counts, dtype=np.float64))


class RatingCells(NamedTuple):
    """Known entries of a matrix: rows, columns and values of cells, and features of both sides."""

    rows: Ints
    columns: Ints
    values: Floats
    shape: tuple[int, int]
    features: Features = (None, None)  # of the rows and of the columns

    def part(self, where: Indices | Flags) -> RatingCells:
        """Selected ratings, in a matrix of this shape."""
        rows, columns, values = self.rows[where], self.columns[where], self.values[where]
        return self._replace(rows=rows, columns=columns, values=values)

    def by_row(self) -> RatingCells:
        """Ratings sorted by row and column, as the solver keeps them: else it sorts each time."""
        return self.part(np.lexsort((self.columns, self.rows)))

    def counts(self) -> tuple[Ints, Ints]:
        """Number of ratings of each row and of each column."""
        rows, columns = self.shape
        return np.bincount(self.rows, minlength=rows), np.bincount(self.columns, minlength=columns)

    def effects(
        self, ridge: Ridges, *, start: Effects | None = None, delta: float = math.inf
    ) -> Effects:
        """Effects fitted to the ratings without a matrix (see `fit_effects`)."""
        return fit_effects(
            self.rows,
            self.columns,
            self.values,
            self.shape,
            ridge,
            features=self.features,
            start=start,
            delta=delta,
        )


@dataclass(frozen=True, eq=False)
class Joint:
    """Fit of effects and matrix, and the number of steps that it took."""

    effects: Effects
    matrix: FactoredMatrix
    steps: int = 0

    def at(self, rows: Ints, columns: Ints) -> Floats:
        """Predictions at cells: effects plus entries of the matrix."""
        return np.asarray(self.effects.at(rows, columns) + self.matrix.predict(rows, columns))


@dataclass(frozen=True, eq=False)
class JointProblem:
    """Joint fit of effects and matrix: ratings, ridges, the loss, and the cap on the rank."""

    ratings: RatingCells
    ridge: Ridges
    loss: Literal["squared", "huber"]
    delta: float
    max_rank: int

    @property
    def threshold(self) -> float:
        """Residual beyond which the loss is linear; infinite for the squared loss."""
        return self.delta if self.loss == "huber" else math.inf

    def alone(self) -> Joint:
        """Fit of the effects alone, with a matrix of zeros."""
        effects = self.ratings.effects(self.ridge, delta=self.threshold)
        return Joint(effects, FactoredMatrix.zero(self.ratings.shape, np.float32))

    def rest(self, effects: Effects) -> Floats:
        """Residuals of the ratings after their effects."""
        ratings = self.ratings
        return np.asarray(ratings.values - effects.at(ratings.rows, ratings.columns))

    def solve(self, radius: float, start: Joint, tol: float, rounds: int = 1) -> Joint:
        """Fit matrix and effects in turn, for at most `rounds` rounds or until the loss settles."""
        fit, before = start, math.inf
        for _ in range(rounds):
            stop = RelativeGap(tol) | Settled(SETTLED) | Iterations(STEPS)
            result = self._matrix(fit, radius, stop)
            value = result.fun + self._penalty(fit.effects)
            fit = self._with_effects(Joint(fit.effects, result.x, fit.steps + result.nit))
            settled = result.nit == 0 or before - value <= SETTLED * value
            if settled or result.status is Status.INTERRUPTED:
                break
            before = value
        return fit

    def gap(self, fit: Joint, radius: float) -> tuple[float, bool]:
        """Upper bound on f - f* at a fit, and whether it is certified."""
        slack = self._slack(fit)
        if radius == 0.0:  # zeros are the only matrix
            return slack, True
        result = self._matrix(fit, radius, Target(ALWAYS_REACHED))
        return result.gap + slack, result.certified

    def _matrix(self, fit: Joint, radius: float, stop: StoppingRule) -> Result:
        """Run of the matrix with the effects fixed, started from the matrix of `fit`."""
        rows, columns, _, shape, _ = self.ratings
        objective = Completion(
            (rows, columns, self.rest(fit.effects).astype(np.float32)),
            shape=shape,
            loss=self.loss,
            delta=self.delta,
            rank_cap=self.max_rank,
        )
        weights = (Marginal.of(counts).at(counts) for counts in self.ratings.counts())
        ball = WeightedNuclearBall(radius, *weights)
        method = hybrid(local_steps=LOCAL_STEPS)
        return minimize(objective, ball, x0=fit.matrix, method=method, stop=stop)

    def _with_effects(self, fit: Joint) -> Joint:
        """Fit with the effects refitted to the residuals of its matrix."""
        ratings = self.ratings
        rest = ratings.values - fit.matrix.predict(ratings.rows, ratings.columns)
        rest_of = ratings._replace(values=rest)
        effects = rest_of.effects(self.ridge, start=fit.effects, delta=self.threshold)
        return replace(fit, effects=effects)

    def _penalty(self, effects: Effects) -> float:
        """Penalty ρ_b |b|² / 2 + ρ_c |c|² / 2 of the effects."""
        sides = zip(self.ridge, effects.parts(self.ratings.features), strict=True)
        return sum(0.5 * ridge * float(side @ side) for ridge, side in sides)

    def _slack(self, fit: Joint) -> float:
        """Upper bound |g_b|² / 2ρ_b + |g_c|² / 2ρ_c on the gain by other effects."""
        ratings = self.ratings
        rest = self.rest(fit.effects) - fit.matrix.predict(ratings.rows, ratings.columns)
        slopes = np.clip(rest, -self.threshold, self.threshold)
        total = 0.0
        for k, part in enumerate(fit.effects.parts(ratings.features)):
            sums = np.bincount((ratings.rows, ratings.columns)[k], slopes, ratings.shape[k])
            known = ratings.features[k]
            pull = sums if known is None else np.concatenate([sums, known.T @ sums])
            total += 0.5 / self.ridge[k] * float(np.square(self.ridge[k] * part - pull).sum())
        return total
