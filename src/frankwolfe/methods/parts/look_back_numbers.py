r"""A step rule that learns the curvature from the slopes of past steps; it needs no value of f.

Plain functions of numbers, without Numba: the step rule calls them, and the fast path compiles
the same ones (`solver/kernels/fast_path.py`). What they remember is an array of numbers, the
*book*. Before a step `short_step`, `watch` and `next_step` are called, after it `learn`.

For :math:`f = \varphi(Ax)` and a step :math:`\gamma` along d, the slopes before and after it,
:math:`-g` and :math:`s`, give the curvature along d: :math:`\kappa = (g + s) / \gamma`. Over
:math:`\|Ad\|^2` that is the mean second derivative of :math:`\varphi`, which changes little from
one direction to the next. So the next step is the short step with the largest of the last ones.
"""

from __future__ import annotations

import math

import numpy as np

from frankwolfe.base.arrays import Array

__all__ = ["GAP", "book", "learn", "next_step", "short_step", "watch"]

(  # places in the book
    GAP,  # gap of the model at x
    CURVATURE,  # mean second derivative of phi, largest of the last ones; 0 before the first
    LENGTH,  # |Ad|^2 of the last direction
    TOP,  # largest curvature of f along a direction so far
    BOUND,  # upper bound on f(x) - min f
    OPEN,  # 1 while steps are at least those of Frank-Wolfe, 0 while they are short
    BEGIN,  # step at which the window begins
    END,  # step at which it ends
    EARLY,  # sum of log gap over the second third of the window
    EARLY_COUNT,
    LATE,  # sum of log gap over its last third
    LATE_COUNT,
    PACE,  # sum of the short step times k + 2 over its last third
    FACES,  # 1 if the region is watched: it has flat faces, or may have
    MAX_SCALED_STEP,  # upper bound on a step times k + 2
    EPS,  # machine epsilon of the numbers in which slopes are computed
    SCALE,  # largest term of which a slope was the difference
    CLOCK,  # number of steps 2/(k+2) that would have left as little of the start's weight
) = range(18)

# the rule with these figures was found by benchmarks/studies/look_back.py
BEHIND = 3.0  # times TOP/(k+2): a run with a larger bound is behind Frank-Wolfe's guarantee
FORGET = 0.9  # factor by which the largest curvature decays with each step
WINDOW, WINDOW_SHARE = 9.0, 0.08  # least number of steps in a window, and their share of k
FALL = 3.0  # power of k: short steps go on while the gap falls faster than k^-3
PERSISTS = 0.6  # over (k + 2)^2: and while the gap, over the curvature, is below this
FIRST_END = 60.0  # steps: where there are faces the run begins with Frank-Wolfe's
FIRST_END_MATRIX = 200.0  # steps: over matrices new atoms come for long, so none are judged earlier
RETRY_FACTOR = 4.0  # short steps are tried again when k has grown by this factor
MAX_PACE = 10.0  # a larger pace counts as this: one step must not decide a window
NOISE = 16.0  # times eps times SCALE: smaller differences of slopes may be rounding


def book(rounding: float, *, faces: bool, matrix: bool, most: float) -> Array:
    """New book for a region: with flat `faces` or not, of matrices or not; `most` bounds c."""
    numbers = np.zeros(18)
    numbers[GAP] = numbers[BOUND] = math.inf
    numbers[OPEN] = float(faces and not matrix)
    numbers[END] = FIRST_END_MATRIX if matrix else FIRST_END
    numbers[FACES], numbers[MAX_SCALED_STEP], numbers[EPS] = float(faces), most, rounding
    return numbers


def short_step(numbers: Array, descent: float, length: float) -> float:
    r"""Minimizer of f along a direction, if the curvature of phi is the one in the book.

    `descent` is minus the slope along d, and `length` is :math:`\|Ad\|^2`. Infinity where no
    curvature has been seen.
    """
    numbers[LENGTH] = length
    curvature = numbers[CURVATURE] * length
    return max(descent, 0.0) / curvature if curvature > 0.0 else math.inf


def watch(numbers: Array, k: int, gap: float, short: float) -> None:
    """Decide at the end of a window whether short steps still pay, or zigzag toward a face.

    The first third of a window is for settling; the mean log gaps of the others are compared.
    """
    if numbers[FACES] == 0.0 or short == math.inf:
        return
    if numbers[OPEN] == 0.0 and gap > 0.0:
        part = (k - numbers[BEGIN]) * 3.0 / (numbers[END] - numbers[BEGIN])
        if part >= 2.0:
            numbers[LATE] += math.log(gap)
            numbers[PACE] += min(short * (k + 2.0), MAX_PACE)
            numbers[LATE_COUNT] += 1.0
        elif part >= 1.0:
            numbers[EARLY] += math.log(gap)
            numbers[EARLY_COUNT] += 1.0
    if k < numbers[END]:
        return
    early, late = max(numbers[EARLY_COUNT], 1.0), max(numbers[LATE_COUNT], 1.0)
    span = (numbers[END] - numbers[BEGIN]) / 3.0
    fall = numbers[EARLY] / early - numbers[LATE] / late
    slow = fall < FALL * math.log1p(span / (k - 1.5 * span + 2.0))
    pace = numbers[PACE] / late
    persists = pace * (k + 2.0) > PERSISTS and pace < 2.0
    stuck = numbers[OPEN] == 0.0 and numbers[LATE_COUNT] > 0.0 and slow and persists
    numbers[OPEN] = 1.0 if stuck else 0.0
    numbers[BEGIN] = k
    numbers[END] = RETRY_FACTOR * k if stuck else k + max(WINDOW, math.floor(WINDOW_SHARE * k))
    numbers[EARLY] = numbers[EARLY_COUNT] = 0.0
    numbers[LATE] = numbers[LATE_COUNT] = numbers[PACE] = 0.0


def next_step(numbers: Array, k: int, short: float) -> float:
    r"""Length of the next step toward an atom, after k steps; at most 1.

    Where the run is behind what Frank-Wolfe guarantees, it is 2/(k+2). Else it is at most
    :math:`\sqrt{2/(k+2)}`; with that `docs/jacobi.md` proves the rate.
    """
    plain = min(1.0, 2.0 / (k + 2.0))
    if short == math.inf or numbers[BOUND] > BEHIND * numbers[TOP] / (k + 2.0):
        return plain
    if numbers[OPEN] > 0.0:
        if numbers[BEGIN] == 0.0:  # nothing was tried yet
            return plain
        short = max(short, 2.0 / (numbers[CLOCK] + 2.0))
    most = min(numbers[MAX_SCALED_STEP] / (k + 2.0), math.sqrt(2.0 / (k + 2.0)), 1.0)
    return float(min(short, most))


def learn(
    numbers: Array, gamma: float, before: float, behind: float, gap: float, size: float
) -> None:
    """Record a step of length gamma: update bound, curvature and clock.

    Parameters
    ----------
    numbers : array
        The book.
    gamma : float
        The step.
    before, behind : float
        Minus the slope at its start, and the slope at its end, both along its direction.
    gap : float
        The model's gap at its end.
    size : float
        Size of the products of which the slopes are differences.
    """
    numbers[GAP] = gap
    bound = numbers[BOUND] + gamma * behind  # f is convex: f(x) - f(before) <= gamma * behind
    numbers[BOUND] = gap if gap < bound else bound
    numbers[SCALE] = max(numbers[SCALE], size)
    numbers[CLOCK] += 0.5 * gamma * (numbers[CLOCK] + 2.0)  # by 1 with a step of 2/(CLOCK+2)
    length, noise = numbers[LENGTH], NOISE * numbers[EPS] * numbers[SCALE]
    if not (gamma > 0.0 and length > 0.0):
        return
    if before + behind > noise:
        along = (before + behind) / gamma
        numbers[TOP] = max(numbers[TOP], along)
        numbers[CURVATURE] = max(along / length, FORGET * numbers[CURVATURE])
    elif (
        noise < numbers[CURVATURE] * length * gamma
    ):  # no curvature seen where it would show: decay
        numbers[CURVATURE] *= FORGET
