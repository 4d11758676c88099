r"""How long the next step is to be, from what the last ones have shown; no value of f.

Plain functions of numbers, without Numba: the step rule calls them, and the fast path compiles
the same ones (`kernels/fast_path.py`). What they remember is an array of numbers, the *book*.
Before a step `short_step`, `watch` and `next_step` are called, after it `learn`.

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
    GAP,  # of the model at x
    CURVATURE,  # of phi, the largest of the last ones; 0 before the first
    LENGTH,  # |Ad|^2 of the last direction
    TOP,  # the largest curvature along a direction so far
    BOUND,  # f(x) - min f is at most so much
    OPEN,  # whether the steps are at least those of Frank-Wolfe
    BEGIN,  # a window of short steps begins
    END,  # and end here
    EARLY,  # sums over the second third of the window: of log gap
    EARLY_COUNT,
    LATE,  # over the last third: of log gap
    LATE_COUNT,
    PACE,  # and of the short step times k + 2
    FACES,  # whether the region is watched: it has flat faces, or may have
    MOST,  # the largest step times k + 2
    ROUNDING,  # eps of the numbers in which slopes are computed
    SCALE,  # the largest terms of which a slope was the difference
    CLOCK,  # steps of 2/(k+2) that would have left as little of the start
) = range(18)

BEHIND = 3.0  # the run is behind where its bound exceeds so many times TOP/(k+2)
FORGET = 0.9  # what stays of the largest curvature with each step
WINDOW, SHARE = 9.0, 0.08  # steps in a window, at least, and as a share of k
FALL = 3.0  # short steps go on while the gap falls faster than so a power of k
PERSISTS = 0.6  # and while the gap, over the curvature, is below that over (k + 2)^2
FIRST = 60.0  # where there are faces the run is Frank-Wolfe's up to here
LATER = 200.0  # and over matrices, where new atoms come for long, are not judged before
AGAIN = 4.0  # short steps are tried again when k has grown by so much
LONG = 10.0  # a pace beyond it counts as this
NOISE = 16.0  # times eps, of such terms: a difference of slopes so small may be rounding


def book(rounding: float, *, faces: bool, matrix: bool, most: float) -> Array:
    """A new book: nothing is known but the region's kind, the limit of c, and eps."""
    numbers = np.zeros(18)
    numbers[GAP] = numbers[BOUND] = math.inf
    numbers[OPEN] = float(faces and not matrix)
    numbers[END] = LATER if matrix else FIRST
    numbers[FACES], numbers[MOST], numbers[ROUNDING] = float(faces), most, rounding
    return numbers


def short_step(numbers: Array, descent: float, length: float) -> float:
    r"""The minimizer of f along a direction if its curvature is the one expected.

    `descent` is minus the slope along d, and `length` is :math:`\|Ad\|^2`. Infinity where no
    curvature has been seen.
    """
    numbers[LENGTH] = length
    curvature = numbers[CURVATURE] * length
    return max(descent, 0.0) / curvature if curvature > 0.0 else math.inf


def watch(numbers: Array, k: int, gap: float, short: float) -> None:
    """Tell whether short steps still pay, or zigzag toward a face, at the end of a window.

    The first third of a window is for settling; over the others the gap is compared.
    """
    if numbers[FACES] == 0.0 or short == math.inf:
        return
    if numbers[OPEN] == 0.0 and gap > 0.0:
        part = (k - numbers[BEGIN]) * 3.0 / (numbers[END] - numbers[BEGIN])
        if part >= 2.0:
            numbers[LATE] += math.log(gap)
            numbers[PACE] += min(short * (k + 2.0), LONG)
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
    numbers[END] = AGAIN * k if stuck else k + max(WINDOW, math.floor(SHARE * k))
    numbers[EARLY] = numbers[EARLY_COUNT] = 0.0
    numbers[LATE] = numbers[LATE_COUNT] = numbers[PACE] = 0.0


def next_step(numbers: Array, k: int, short: float) -> float:
    r"""The step after k steps, toward an atom; at most 1.

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
    most = min(numbers[MOST] / (k + 2.0), math.sqrt(2.0 / (k + 2.0)), 1.0)
    return float(min(short, most))


def learn(
    numbers: Array, gamma: float, before: float, behind: float, gap: float, size: float
) -> None:
    """Take in a step of length gamma.

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
    length, noise = numbers[LENGTH], NOISE * numbers[ROUNDING] * numbers[SCALE]
    if not (gamma > 0.0 and length > 0.0):
        return
    if before + behind > noise:
        along = (before + behind) / gamma
        numbers[TOP] = max(numbers[TOP], along)
        numbers[CURVATURE] = max(along / length, FORGET * numbers[CURVATURE])
    elif noise < numbers[CURVATURE] * length * gamma:  # less than that, however it is rounded
        numbers[CURVATURE] *= FORGET
