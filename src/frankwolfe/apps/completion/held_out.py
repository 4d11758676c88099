"""Choice of ridges and radius by the errors on ratings that are held out."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from frankwolfe.apps.completion.effects import Ridges
from frankwolfe.apps.completion.joint import Joint, JointProblem, RatingCells
from frankwolfe.base import Floats

__all__ = ["Choice", "HeldOut"]

GRID = (0.25, 0.5, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0)  # radii over the residuals' length
DEFAULT_RIDGE = 3.0  # ratings; where the search of ridges begins, and the ridge without a search
RIDGES = (0.3, 1.0, 3.0, 10.0, 30.0, 100.0)  # ratings, in ratios of about three
ROUNDS = 2  # of coordinate search over the ridges of rows and of columns
JUDGING_GAP = 0.05  # relative gap at which a radius is judged; errors held out settle long before
PAST_BEST_RATIO = 1.003  # of the best score; a larger one is past the minimum
IMPROVED_RATIO = 0.9999  # of the best score, to replace it: slack radii all score about alike


@dataclass(frozen=True, eq=False)
class Choice:
    """Chosen radius in units of the residuals' length, its score, and the fit to start from."""

    scale: float  # zero for effects alone
    score: float  # root mean squared error on the part held out
    fit: Joint
    scores: dict[float, float] = field(default_factory=dict)  # by radius


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Ratings split in two: those fitted to, and those held out to judge a fit by."""

    kept: RatingCells
    held: RatingCells

    @classmethod
    def of(cls, ratings: RatingCells, share: float, seed: int) -> HeldOut | None:
        """Hold out a random `share` of the ratings, at least one; None if none would be left."""
        draw = np.random.default_rng(seed).random(ratings.values.size)
        held = draw <= max(share, draw.min())
        return None if held.all() else cls(ratings.part(~held), ratings.part(held))

    def errors(self, fit: Joint) -> Floats:
        """Residuals of a fit on the ratings held out."""
        return np.asarray(self.held.values - fit.at(self.held.rows, self.held.columns))

    def ridges(self) -> Ridges:
        """Ridges with the least error of effects alone, by coordinate search over RIDGES."""

        @cache
        def score(pair: Ridges) -> float:
            effects = self.kept.effects(pair)
            return _root_mean_square(
                self.held.values - effects.at(self.held.rows, self.held.columns)
            )

        best, least = (DEFAULT_RIDGE, DEFAULT_RIDGE), score((DEFAULT_RIDGE, DEFAULT_RIDGE))
        for _ in range(ROUNDS):
            before = best
            for pair in [(ridge, best[1]) for ridge in RIDGES]:
                found = score(pair)
                best, least = (pair, found) if found < least else (best, least)
            for pair in [(best[0], ridge) for ridge in RIDGES]:
                found = score(pair)
                best, least = (pair, found) if found < least else (best, least)
            if best == before:
                break
        return best

    def radius(self, problem: Callable[[RatingCells], JointProblem], tol: float) -> Choice:
        """Best radius along GRID, from zero on; the search ends after two that are no better.

        Zero is chosen unless another radius is better by more than one standard error.
        """
        kept = problem(self.kept)
        alone = fit = kept.alone()
        size, target = float(np.linalg.norm(kept.rest(alone.effects))), self.errors(alone)
        best = Choice(0.0, _root_mean_square(target), alone)
        scores, worse = {0.0: best.score}, 0
        for scale in GRID if size > 0.0 else ():
            fit = kept.solve(scale * size, fit, max(tol, JUDGING_GAP))
            errors = self.errors(fit)
            score = scores[scale * size] = _root_mean_square(errors)
            if score < IMPROVED_RATIO * best.score and (
                best.scale > 0.0 or _surely_less(errors, target)
            ):
                best, worse = Choice(scale, score, fit), 0
                continue
            worse += 1
            if worse == 2 or score > PAST_BEST_RATIO * best.score:
                break  # the error rises again, and larger radii only overfit more
        return Choice(best.scale, best.score, best.fit, scores)


def _root_mean_square(errors: Floats) -> float:
    return float(np.sqrt(np.mean(errors**2)))


def _surely_less(errors: Floats, others: Floats) -> bool:
    """True if the squared errors are less, on average, by more than one standard error."""
    gain = others**2 - errors**2
    return float(gain.mean()) > float(gain.std()) / math.sqrt(gain.size)
