"""Ridges and a radius, chosen on a part of the ratings that is held out."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from frankwolfe.apps.completion.effects import Floats, Ridges
from frankwolfe.apps.completion.joint import Joint, JointProblem, Ratings

__all__ = ["Choice", "HeldOut"]

GRID = (0.25, 0.5, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0)
USUAL = 3.0  # the ridge to begin with
RIDGES = (0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
ROUNDS = 2  # in which the ridges of rows and of columns are chosen in turn
ROUGH = 0.05  # gap at which a radius is judged
FAR = 1.003  # a score that much above the best is past it
LESS = 0.9999  # a larger radius must do better by that much: where it is slack, all do alike


@dataclass(frozen=True, eq=False)
class Choice:
    """A radius over the length of what effects leave, its score, and the fit to go on from."""

    scale: float  # zero for effects alone
    score: float
    fit: Joint
    scores: dict[float, float] = field(default_factory=dict)  # by radius


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Ratings to fit to, and a part that is held out to judge by."""

    kept: Ratings
    held: Ratings

    @classmethod
    def of(cls, ratings: Ratings, share: float, seed: int) -> HeldOut | None:
        """About that share held out, one at least; None where nothing else would be left."""
        draw = np.random.default_rng(seed).random(ratings.values.size)
        held = draw <= max(share, draw.min())
        return None if held.all() else cls(ratings.part(~held), ratings.part(held))

    def errors(self, fit: Joint) -> Floats:
        """What a fit leaves of the part held out."""
        return np.asarray(self.held.values - fit.at(self.held.rows, self.held.columns))

    def ridges(self) -> Ridges:
        """The ridges with which effects alone do best, for rows and columns in turn."""

        @cache
        def score(pair: Ridges) -> float:
            effects = self.kept.effects(pair)
            return _root_mean_square(
                self.held.values - effects.at(self.held.rows, self.held.columns)
            )

        best, least = (USUAL, USUAL), score((USUAL, USUAL))
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

    def radius(self, problem: Callable[[Ratings], JointProblem], tol: float) -> Choice:
        """The best radius, from zero on, until two are no better than the best before them.

        Zero stays unless another does better by more than chance.
        """
        kept = problem(self.kept)
        alone = fit = kept.alone()
        size, target = float(np.linalg.norm(kept.rest(alone.effects))), self.errors(alone)
        best = Choice(0.0, _root_mean_square(target), alone)
        scores, worse = {0.0: best.score}, 0
        for scale in GRID if size > 0.0 else ():
            fit = kept.solve(scale * size, fit, max(tol, ROUGH))
            errors = self.errors(fit)
            score = scores[scale * size] = _root_mean_square(errors)
            if score < LESS * best.score and (best.scale > 0.0 or _surely_less(errors, target)):
                best, worse = Choice(scale, score, fit), 0
                continue
            worse += 1
            if worse == 2 or score > FAR * best.score:
                break  # past the best radius
        return Choice(best.scale, best.score, best.fit, scores)


def _root_mean_square(errors: Floats) -> float:
    return float(np.sqrt(np.mean(errors**2)))


def _surely_less(errors: NDArray[np.float64], others: NDArray[np.float64]) -> bool:
    """Whether errors are less than others of the same cells by more than chance makes them."""
    gain = others**2 - errors**2
    return float(gain.mean()) > float(gain.std()) / math.sqrt(gain.size)
