"""Losses of `losses` and `logs` in double-double arithmetic, each with a bound on its error.

An argument z is a pair with an error e; value and slope of a term are pairs, and their errors
hold for any argument within e of z. The exponential is a Taylor series of an argument halved
eight times; logarithms are one Newton step on it from the double's own, whose error is cubed.
"""

from __future__ import annotations

import math

from numba import njit

from frankwolfe.base.kernels.double_double import (
    STEP,
    UNDERFLOW,
    UNIT,
    add,
    divide,
    multiply,
    split,
)
from frankwolfe.base.kernels.terms import LOGARITHM, LOGISTIC, SQUARED

__all__ = ["ELEMENTARY", "exponential", "linearize", "logarithm", "powers", "softmax"]

ELEMENTARY = 2.0**-84  # relative error of the exponential, absolute of the logarithm, from above
LN2 = (0.6931471805599453, 2.3190468138462996e-17, 5.707708438416212e-34)
TERMS = 14  # of the Taylor series: (ln 2 / 2^9)^15 / 15! is far below ELEMENTARY
HALVINGS = 8  # of the argument of the series; each squaring back doubles the error


@njit(cache=True, nogil=True, error_model="numpy")
def exponential(h, l):  # noqa: E741
    """exp(h + l) for h <= 0 (or small); 0 below -745, where its value is below 2^-1074."""
    if h < -745.0:
        return 0.0, 0.0
    k = math.floor(h / LN2[0] + 0.5)
    rh, rl = multiply(-k, 0.0, LN2[0], LN2[1])
    rh, rl = add(rh, rl, h, l)
    rh, rl = split(rh, rl - k * LN2[2])
    scale = 2.0**-HALVINGS
    rh *= scale
    rl *= scale
    # exp(r) - 1 by Horner's rule, then (1 + y)^2 - 1 = 2 y + y^2
    yh, yl = 1.0, 0.0
    for i in range(TERMS, 1, -1):
        yh, yl = multiply(yh, yl, rh, rl)
        yh, yl = divide(yh, yl, float(i), 0.0)
        yh, yl = add(1.0, 0.0, yh, yl)
    yh, yl = multiply(yh, yl, rh, rl)
    for _ in range(HALVINGS):
        sh, sl = multiply(yh, yl, yh, yl)
        yh, yl = add(2.0 * yh, 2.0 * yl, sh, sl)
    yh, yl = add(1.0, 0.0, yh, yl)
    return math.ldexp(yh, int(k)), math.ldexp(yl, int(k))


@njit(cache=True, nogil=True, error_model="numpy")
def logarithm(h, l):  # noqa: E741
    """log(h + l) for h > 0; the argument is scaled to [1/2, 1) first."""
    share, exponent = math.frexp(h)
    low, start = math.ldexp(l, -exponent), math.log(share)
    # (share + low) exp(-start) - 1 is of the size of the error of `start`
    eh, el = exponential(start, 0.0)
    qh, ql = divide(share, low, eh, el)
    dh, dl = add(qh, ql, -1.0, 0.0)
    sh, sl = multiply(dh, dl, 0.5 * dh, 0.5 * dl)
    dh, dl = add(dh, dl, -sh, -sl)
    yh, yl = add(start, 0.0, dh, dl)
    ph, pl = multiply(float(exponent), 0.0, LN2[0], LN2[1])
    return add(yh, yl, ph, pl)


@njit(cache=True, nogil=True, error_model="numpy")
def log1p(h, l):  # noqa: E741
    """log(1 + h + l) for 0 <= h <= 1, with a small relative, not only absolute, error."""
    if h < 2.0**-8:  # h - h^2 / 2 + h^3 / 3 - ..., by Horner's rule
        yh, yl = 0.0, 0.0
        for i in range(TERMS, 0, -1):
            ch, cl = divide(1.0, 0.0, float(i), 0.0)
            yh, yl = multiply(yh, yl, -h, -l)
            yh, yl = add(ch, cl, yh, yl)
        return multiply(yh, yl, h, l)
    start = math.log1p(h)
    eh, el = exponential(-start, 0.0)
    oh, ol = add(1.0, 0.0, h, l)
    qh, ql = multiply(oh, ol, eh, el)
    dh, dl = add(qh, ql, -1.0, 0.0)
    sh, sl = multiply(dh, dl, 0.5 * dh, 0.5 * dl)
    dh, dl = add(dh, dl, -sh, -sl)
    return add(start, 0.0, dh, dl)


@njit(cache=True, nogil=True, error_model="numpy")
def logistic(zh, zl, error, sign):
    """Value and slope of log(1 + exp(-sign z)), each with its error."""
    th, tl = -sign * zh, -sign * zl
    if th > 0.0 or (th == 0.0 and tl > 0.0):
        eh, el = exponential(-th, -tl)
    else:
        eh, el = exponential(th, tl)
    oh, ol = add(1.0, 0.0, eh, el)
    vh, vl = log1p(eh, el)
    if th > 0.0:
        vh, vl = add(th, tl, vh, vl)
        sh, sl = divide(1.0, 0.0, oh, ol)
    else:
        sh, sl = divide(eh, el, oh, ol)
    small = ELEMENTARY * eh + 2.0**-1074
    # both derivatives are at most the slope, which grows by exp(error)
    steep = sh * (1.0 + 4.0 * error) if error < 0.25 else 1.0
    value_error = steep * error + small + STEP * abs(vh)
    return vh, vl, value_error, -sign * sh, -sign * sl, min(0.25, steep) * error + small


@njit(cache=True, nogil=True, error_model="numpy")
def huber(ch, cl, error, turns):
    """Value and slope of the paper's Huber loss at c, each with its error.

    `turns` holds the thresholds for c < 0 and for c > 0, as pairs.
    """
    sign = 1.0 if ch > 0.0 else -1.0
    ah, al = sign * ch, sign * cl
    dh, dl = (turns[2], turns[3]) if ch > 0.0 else (turns[0], turns[1])
    if ah < dh or (ah == dh and al <= dl):
        vh, vl = multiply(ah, al, ah, al)
        sh, sl = 2.0 * ah, 2.0 * al
    else:
        vh, vl = add(2.0 * ah, 2.0 * al, -dh, -dl)
        vh, vl = multiply(vh, vl, dh, dl)
        sh, sl = 2.0 * dh, 2.0 * dl
    bound = (abs(sh) + 2.0 * error) * error + 4.0 * STEP * abs(vh) + UNDERFLOW
    off = 0.0 if ah - error > dh * (1.0 + 1e-9) else 2.0 * error  # the line has one slope
    return vh, vl, bound, sign * sh, sign * sl, off + STEP * abs(sh)


@njit(cache=True, nogil=True, error_model="numpy")
def term(code, turns, zh, zl, error, b):
    """Value and slope of one term, each a pair with its error."""
    if code == LOGISTIC:
        return logistic(zh, zl, error, b)
    if code == LOGARITHM:  # c z - b log z, with c in `turns`
        ch, cl = multiply(turns[0], 0.0, zh, zl)
        if b == 0.0:
            return ch, cl, turns[0] * error + STEP * abs(ch), turns[0], 0.0, 0.0
        least = zh - error
        if not least > 0.0:
            return math.inf, 0.0, math.inf, math.nan, 0.0, math.inf
        lh, ll = logarithm(zh, zl)
        ph, pl = multiply(-b, 0.0, lh, ll)
        vh, vl = add(ch, cl, ph, pl)
        qh, ql = divide(-b, 0.0, zh, zl)
        sh, sl = add(turns[0], 0.0, qh, ql)
        slope_error = b / least * (error / least) * (1.0 + 1e-9) + STEP * abs(qh)
        bound = (turns[0] + b / least) * error * (1.0 + 1e-9)
        bound += b * ELEMENTARY * (1.0 + abs(lh)) + STEP * (abs(ch) + abs(ph) + abs(vh))
        return vh, vl, bound, sh, sl, slope_error + STEP * abs(sh)
    ch, cl = add(zh, zl, -b, 0.0)
    error = error + STEP * abs(ch)
    if code == SQUARED:
        vh, vl = multiply(ch, cl, 0.5 * ch, 0.5 * cl)
        bound = (abs(ch) * (1.0 + 1e-9) + error) * error + STEP * abs(vh) + UNDERFLOW
        return vh, vl, bound, ch, cl, error
    return huber(ch, cl, error, turns)


@njit(cache=True, nogil=True, error_model="numpy")
def linearize(code, turns, zh, zl, errors, b, wh, wl, high, low, slopes):
    """Sum of the weighted terms, a pair with its error; their slopes are high + low +- slopes."""
    h = l = error = size = 0.0  # noqa: E741
    same = wh.size == 1
    for i in range(zh.size):
        vh, vl, bound, sh, sl, slack = term(code, turns, zh[i], zl[i], errors[i], float(b[i]))
        k = 0 if same else i
        vh, vl = multiply(vh, vl, wh[k], wl[k])
        h, l = add(h, l, vh, vl)  # noqa: E741
        error += bound * wh[k] * (1.0 + 1e-9)
        size += abs(vh)
        high[i], low[i] = multiply(sh, sl, wh[k], wl[k])
        slopes[i] = slack * wh[k] * (1.0 + 1e-9) + 2.0 * STEP * abs(high[i]) + UNDERFLOW
    margin = 1.0 + 4.0 * UNIT * zh.size
    return h, l, (error + (zh.size + 3) * 2.0 * STEP * size) * margin + zh.size * UNDERFLOW


@njit(cache=True, nogil=True, error_model="numpy")
def softmax(zh, zl, errors, labels, wh, wl, high, low, slopes):
    """Sum of the weighted softmax losses, a pair with its error; slopes are high + low +- slopes.

    Arrays have a row of scores for each observation.
    """
    h = l = error = size = 0.0  # noqa: E741
    same, count = wh.size == 1, zh.shape[1]
    for i in range(zh.shape[0]):
        k = 0 if same else i
        top = 0
        off = 0.0
        for j in range(count):
            off = max(off, errors[i, j])
            if zh[i, j] > zh[i, top]:
                top = j
        rh, rl = 0.0, 0.0  # the sum of the others: the top one is exactly 1
        for j in range(count):
            dh, dl = add(zh[i, j], zl[i, j], -zh[i, top], -zl[i, top])
            high[i, j], low[i, j] = exponential(dh, dl)
            if j != top:
                rh, rl = add(rh, rl, high[i, j], low[i, j])
        sh, sl = add(1.0, 0.0, rh, rl)
        mine = labels[i]
        mine_h, mine_l = others(high[i], low[i], mine, sh, sl)
        dh, dl = add(zh[i, top], zl[i, top], -zh[i, mine], -zl[i, mine])
        vh, vl = log1p(rh, rl) if rh <= 1.0 else logarithm(sh, sl)
        vh, vl = add(vh, vl, dh, dl)
        vh, vl = multiply(vh, vl, wh[k], wl[k])
        h, l = add(h, l, vh, vl)  # noqa: E741
        size += abs(vh)
        # derivatives of the value add up to 2 (1 - p) in size, those of a probability to 2 p
        grown = 1.0 + 8.0 * off if off < 0.125 else math.inf
        steep = min(2.0, 2.0 * abs(mine_h) * grown)
        small = 4.0 * ELEMENTARY * (max(rh, 2.0**-900) + (0.0 if rh <= 1.0 else math.log(sh)))
        error += wh[k] * (steep * off + small + STEP * (abs(dh) + abs(vh))) * (1.0 + 1e-9)
        for j in range(count):
            ph, pl = divide(high[i, j], low[i, j], sh, sl)
            if j == mine:  # minus the others' share, not 1 - p, which cancels
                ph, pl = mine_h, mine_l
            slack = min(1.0, 2.0 * abs(ph) * grown) * off
            slack += 4.0 * ELEMENTARY * abs(ph) + 2.0**-1074
            high[i, j], low[i, j] = multiply(ph, pl, wh[k], wl[k])
            slopes[i, j] = slack * wh[k] * (1.0 + 1e-9) + 4.0 * STEP * abs(high[i, j]) + UNDERFLOW
    margin = 1.0 + 4.0 * UNIT * zh.size
    return h, l, (error + (zh.size + 3) * 2.0 * STEP * size) * margin + zh.size * UNDERFLOW


@njit(cache=True, nogil=True, error_model="numpy")
def others(high, low, mine, sh, sl):
    """Minus the share of all entries but `mine` in their sum s."""
    h = l = 0.0  # noqa: E741
    for j in range(high.size):
        if j != mine:
            h, l = add(h, l, high[j], low[j])  # noqa: E741
    return divide(-h, -l, sh, sl)


@njit(cache=True, nogil=True, error_model="numpy")
def powers(ah, al, th, tl, qh, ql, high, low):
    """high + low = (a / t)^q for a >= 0; return a bound on the relative errors.

    t is the largest entry, or one.
    """
    worst = 0.0
    for i in range(ah.size):
        high[i] = low[i] = 0.0
        if ah[i] > 0.0:
            rh, rl = divide(ah[i], al[i], th, tl)
            lh, ll = logarithm(rh, rl)
            eh, el = multiply(lh, ll, qh, ql)
            high[i], low[i] = exponential(eh, el)
            off = ELEMENTARY * (1.0 + abs(lh)) + 2.0 * STEP  # of the logarithm, and the quotient
            worst = max(worst, abs(qh) * off + STEP * abs(eh))
    return 2.0 * (worst + ELEMENTARY)
