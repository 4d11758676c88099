r"""A primal-dual path through the inside of a set (predictor and corrector, Mehrotra 1992).

Minimize :math:`\varphi(Fy + Ub + z_0)` over the coefficients y of a `StandardForm` and free b.
Slopes :math:`u = \varphi'` are variables where the loss is separable (`ConjugateFunction`);
elsewhere its Hessian stands for them. The distances to both bounds are variables too, so that a
coefficient next to a bound keeps its digits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.core.standard_form.balls import Cone
from frankwolfe.core.standard_form.form import StandardForm
from frankwolfe.subproblems.interior.inside import Inside, Program
from frankwolfe.subproblems.interior.system import Equations, NewtonSystem, Sides

__all__ = ["advance"]

BOUNDARY_SHARE = 0.995  # of the way to the nearest bound: on it a distance would be zero
MIN_STEP = 0.1  # a shorter step is made again, toward the middle of the path
MAX_BACKTRACKS = 40  # by a factor of 0.7 each: down to 6e-7 of the step
RESIDUAL_SHARE = 0.1  # of the balls' residual: the target of the mean product stays above it
UNEVEN_SHARE = 0.1  # of the dual residual, counted as part of the balls' one
MAX_OUTSIDE = 0.3  # of a ball's unit: its value beyond the surface at a trial point


class _TargetProducts(NamedTuple):
    """Target of the product of each distance with its multiplier."""

    low: Array
    high: Array
    below: Array
    above: Array
    room: Array


class _Move(NamedTuple):
    """A move of all primal and dual variables."""

    y: Array
    u: Array
    r: Array
    b: Array
    at_low: Array
    at_high: Array
    at_below: Array
    at_above: Array
    room: Array


class _NewtonStep:
    """Newton's equations at one point of the path."""

    def __init__(self, program: Program, now: Inside) -> None:
        self.program, self.now = program, now
        frame = program.frame
        self.y = y = now.y(frame)
        balls = [ball.at(y) for ball in frame.balls]
        D = now.at_low / now.low + now.at_high / now.high
        for (_, _, second), hold in zip(balls, now.hold, strict=True):
            D = D + hold * second
        normals = np.array([first for _, first, _ in balls]).reshape(len(balls), y.size)
        border = np.vstack([frame.equations, normals])
        if program.loss is None:
            assert program.curved is not None
            H, E, left = program.curved.hessian(now.x), np.empty(0), np.empty(0)
            slope = program.curved.gradient(now.x)
        else:
            places, rate = program.loss.places(now.u, now.below, now.above)
            E = rate + now.at_below / now.below + now.at_above / now.above
            left = program.image(now.x) + program.free @ now.b - places
            H, slope = None, program.rows.T @ now.u + program.linear
        H = _with_cones(frame, y, now.hold, H)
        E_R = np.concatenate([np.zeros(frame.totals.size), now.room / now.hold])
        plan, r = frame.plan, np.concatenate([now.level, now.hold])
        over = np.array([value for value, _, _ in balls])
        self.system = NewtonSystem(
            Equations(plan, program.rows, border, program.free, D, E, E_R, H)
        )
        self.right = Sides(
            -(plan.spread(slope) + border.T @ r),
            -left,
            -np.concatenate([frame.equations @ y - frame.totals, over]),
            -(program.free.T @ now.u),
        )
        self.off = float(np.abs(over + now.room) @ now.hold)
        if balls:  # a step may change their normals, and leave the slopes uneven
            uneven = self.right.y + now.at_low - now.at_high
            self.off += UNEVEN_SHARE * float(np.abs(uneven) @ np.abs(y))

    def move(self, to: _TargetProducts) -> _Move:
        """Newton move: the conditions hold to first order, with these target products."""
        now, k = self.now, self.now.level.size
        third = self.right.r.copy()
        third[k:] -= to.room / now.hold
        right = Sides(
            self.right.y + to.low / now.low - to.high / now.high,
            self.right.u + to.above / now.above - to.below / now.below,
            third,
            self.right.b,
        )
        found = self.system.solve(right)
        return _Move(
            *found,
            (to.low - now.at_low * found.y) / now.low - now.at_low,
            (to.high + now.at_high * found.y) / now.high - now.at_high,
            (to.below - now.at_below * found.u) / now.below - now.at_below,
            (to.above + now.at_above * found.u) / now.above - now.at_above,
            (to.room - now.room * found.r[k:]) / now.hold - now.room,
        )

    def targets(self, product: float, after: _Move | None = None) -> _TargetProducts:
        """Equal target products, less the second-order terms of a predictor (Mehrotra)."""
        now = self.now
        if after is None:
            return _TargetProducts(
                *(np.where(np.isfinite(d), product, 0.0) for d, _ in now.pairs())
            )
        second = (
            *(after.y * after.at_low, -after.y * after.at_high),
            *(after.u * after.at_below, -after.u * after.at_above),
            after.room * after.r[now.level.size :],
        )
        plain = self.targets(product)
        return _TargetProducts(
            *(np.where(p > 0.0, p - s, 0.0) for p, s in zip(plain, second, strict=True))
        )

    def moved(self, move: _Move, t: float) -> Inside:
        """Point after a step of length t along a move."""
        now, k = self.now, self.now.level.size
        program = self.program
        return Inside(
            now.x + t * (program.points @ program.frame.plan.gather(move.y)),
            *(now.low + t * move.y, now.high - t * move.y),
            *(now.at_low + t * move.at_low, now.at_high + t * move.at_high),
            *(now.u + t * move.u, now.below + t * move.u, now.above - t * move.u),
            *(now.at_below + t * move.at_below, now.at_above + t * move.at_above),
            *(now.b + t * move.b, now.level + t * move.r[:k]),
            *(now.room + t * move.room, now.hold + t * move.r[k:]),
            step=t,
        )

    def longest(self, move: _Move) -> float:
        """Largest step length <= 1 at which no distance or multiplier is negative."""
        now, most = self.now, 0.0
        whole = self.moved(move, 1.0)
        for (d, v), (d1, v1) in zip(now.pairs(), whole.pairs(), strict=True):
            for before, after in ((d, d1), (v, v1)):
                falls = after < before
                if falls.any():
                    share = (before[falls] - after[falls]) / before[falls]
                    most = max(most, float(share.max()))
        return min(1.0, 1.0 / most) if most > 0.0 else 1.0


def _with_cones(frame: StandardForm, y: Array, hold: Array, H: Array | None) -> Array | None:
    """H plus the Hessians of cones times their multipliers, in the variables x.

    Coefficients in cones have no negative parts, so that they are variables themselves.
    """
    cones = [(c, h) for c, h in zip(frame.balls, hold, strict=True) if isinstance(c, Cone)]
    if not cones:
        return H
    whole = np.zeros((y.size, y.size))
    for cone, weight in cones:
        cone.add_curvature(y, float(weight), whole)
    plus = frame.plan.plus
    inner = whole[np.ix_(plus, plus)]
    return np.asarray(inner if H is None else H + inner)


def advance(program: Program, now: Inside) -> Inside:
    """Next point of the path, by a predictor, which chooses the target, and a corrector."""
    step, mean = _NewtonStep(program, now), now.mean()
    ahead = step.move(step.targets(0.0))
    t = step.longest(ahead)
    share = (max(step.moved(ahead, t).mean(), 0.0) / mean) ** 3 if mean > 0.0 else 0.0
    # not ahead of the balls' conditions, which are not linear: else one holds x too early
    product = max(min(share, 1.0) * mean, RESIDUAL_SHARE * step.off / now.low.size)
    move = step.move(step.targets(product, ahead))
    t = step.longest(move)
    if t < MIN_STEP:
        middle = step.move(step.targets(0.5 * mean))
        longer = step.longest(middle)
        move, t = (middle, longer) if longer > t else (move, t)
    return _kept_inside(step, move, min(1.0, BOUNDARY_SHARE * t))


def _kept_inside(step: _NewtonStep, move: _Move, t: float) -> Inside:
    """Point after a step, shortened until balls and, where it may rise, f accept it."""
    for _ in range(MAX_BACKTRACKS):
        ahead = step.moved(move, t)
        if _near(step, ahead) and _falls(step, ahead):
            return ahead
        t *= 0.7
    return step.moved(move, 0.0)


def _near(step: _NewtonStep, ahead: Inside) -> bool:
    """True if no ball is left by far: outside, its powers grow too fast for first-order moves."""
    frame = step.program.frame
    y = ahead.y(frame)
    return all(
        ball.at(y)[0] <= max(MAX_OUTSIDE * ball.unit, 0.9 * ball.at(step.y)[0])
        for ball in frame.balls
    )


def _falls(step: _NewtonStep, ahead: Inside) -> bool:
    """True if f is quadratic, or rises by at most the bound on its present error."""
    curved = step.program.curved
    if curved is None or curved.quadratic:
        return True
    before = curved.value(step.now.x)
    return curved.value(ahead.x) <= before + 1e-12 * abs(before) + step.now.total()
