r"""A primal-dual path through the inside of a set (predictor and corrector, Mehrotra 1992).

Minimize :math:`\varphi(Fy + Ub + z_0)` over the coefficients y of a `Frame` and free b. Slopes
:math:`u = \varphi'` are variables where the loss is separable (`Conjugate`); elsewhere its
Hessian stands for them. The distances to both bounds are variables too, so that a coefficient
next to a bound keeps its digits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.core.standard_form.balls import Cone
from frankwolfe.core.standard_form.form import Frame
from frankwolfe.subproblems.interior.inside import Inside, Program
from frankwolfe.subproblems.interior.system import Equations, Sides, System

__all__ = ["advance"]

NEAR = 0.995  # of the way to the nearest bound
SHORT = 0.1  # a step so short is made again, toward the middle of the path
BACK = 40
PACE = 0.1  # of what is left of the conditions, which the products do not fall below
UNEVEN = 0.1  # of what slopes that do not cancel may be worth
FAR = 0.3  # outside a ball, as its function sees it


class _Targets(NamedTuple):
    """What the product of each distance with its multiplier is to be."""

    low: Array
    high: Array
    below: Array
    above: Array
    room: Array


class _Move(NamedTuple):
    """How everything changes."""

    y: Array
    u: Array
    r: Array
    b: Array
    at_low: Array
    at_high: Array
    at_below: Array
    at_above: Array
    room: Array


class _Step:
    """The equations at one point."""

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
        H = _bent(frame, y, now.hold, H)
        E_R = np.concatenate([np.zeros(frame.totals.size), now.room / now.hold])
        plan, r = frame.plan, np.concatenate([now.level, now.hold])
        over = np.array([value for value, _, _ in balls])
        self.system = System(Equations(plan, program.rows, border, program.free, D, E, E_R, H))
        self.right = Sides(
            -(plan.spread(slope) + border.T @ r),
            -left,
            -np.concatenate([frame.equations @ y - frame.totals, over]),
            -(program.free.T @ now.u),
        )
        self.off = float(np.abs(over + now.room) @ now.hold)
        if balls:  # a step may change their normals, and leave the slopes uneven
            uneven = self.right.y + now.at_low - now.at_high
            self.off += UNEVEN * float(np.abs(uneven) @ np.abs(y))

    def move(self, to: _Targets) -> _Move:
        """The move that makes the conditions hold to first order, with these products."""
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

    def targets(self, product: float, after: _Move | None = None) -> _Targets:
        """One product for all, less what a move to first order has left out."""
        now = self.now
        if after is None:
            return _Targets(*(np.where(np.isfinite(d), product, 0.0) for d, _ in now.pairs()))
        second = (
            *(after.y * after.at_low, -after.y * after.at_high),
            *(after.u * after.at_below, -after.u * after.at_above),
            after.room * after.r[now.level.size :],
        )
        plain = self.targets(product)
        return _Targets(
            *(np.where(p > 0.0, p - s, 0.0) for p, s in zip(plain, second, strict=True))
        )

    def moved(self, move: _Move, t: float) -> Inside:
        """The point after a step."""
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
        """How far nothing becomes negative, at most 1."""
        now, most = self.now, 0.0
        whole = self.moved(move, 1.0)
        for (d, v), (d1, v1) in zip(now.pairs(), whole.pairs(), strict=True):
            for before, after in ((d, d1), (v, v1)):
                falls = after < before
                if falls.any():
                    share = (before[falls] - after[falls]) / before[falls]
                    most = max(most, float(share.max()))
        return min(1.0, 1.0 / most) if most > 0.0 else 1.0


def _bent(frame: Frame, y: Array, hold: Array, H: Array | None) -> Array | None:
    """H with the second derivatives of cones, which are variables without negative parts."""
    cones = [(c, h) for c, h in zip(frame.balls, hold, strict=True) if isinstance(c, Cone)]
    if not cones:
        return H
    whole = np.zeros((y.size, y.size))
    for cone, weight in cones:
        cone.bend(y, float(weight), whole)
    plus = frame.plan.plus
    inner = whole[np.ix_(plus, plus)]
    return np.asarray(inner if H is None else H + inner)


def advance(program: Program, now: Inside) -> Inside:
    """The next point: a predictor says how far the path can be shortened, a corrector goes."""
    step, mean = _Step(program, now), now.mean()
    ahead = step.move(step.targets(0.0))
    t = step.longest(ahead)
    share = (max(step.moved(ahead, t).mean(), 0.0) / mean) ** 3 if mean > 0.0 else 0.0
    # not ahead of the balls' conditions, which are not linear: else one holds x too early
    product = max(min(share, 1.0) * mean, PACE * step.off / now.low.size)
    move = step.move(step.targets(product, ahead))
    t = step.longest(move)
    if t < SHORT:
        middle = step.move(step.targets(0.5 * mean))
        longer = step.longest(middle)
        move, t = (middle, longer) if longer > t else (move, t)
    return _kept_inside(step, move, min(1.0, NEAR * t))


def _kept_inside(step: _Step, move: _Move, t: float) -> Inside:
    """The point after a step, short enough for the balls, and for f where it may rise."""
    for _ in range(BACK):
        ahead = step.moved(move, t)
        if _near(step, ahead) and _falls(step, ahead):
            return ahead
        t *= 0.7
    return step.moved(move, 0.0)


def _near(step: _Step, ahead: Inside) -> bool:
    """Whether no ball is left behind: outside, its powers say little about where it is."""
    frame = step.program.frame
    y = ahead.y(frame)
    return all(
        ball.at(y)[0] <= max(FAR * ball.unit, 0.9 * ball.at(step.y)[0]) for ball in frame.balls
    )


def _falls(step: _Step, ahead: Inside) -> bool:
    """Whether f, where it is not quadratic, rises by no more than its error may be."""
    curved = step.program.curved
    if curved is None or curved.quadratic:
        return True
    before = curved.value(step.now.x)
    return curved.value(ahead.x) <= before + 1e-12 * abs(before) + step.now.total()
