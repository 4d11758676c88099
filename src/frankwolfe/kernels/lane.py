"""Many Frank-Wolfe steps in one call: the iterate stays in compiled code between them.

What one step computes is that of the plain path: `losses` for the loss, `vectors` for the
moves and the balls' points. A comes transposed, its columns contiguous, so that both products
are vector loops.
"""

from __future__ import annotations

import math

from numba import njit

from frankwolfe.kernels import losses, vectors

__all__ = ["BOX", "CORNER", "L1", "L2", "LP", "SIMPLEX", "UNIT_SIMPLEX", "march"]

L2, LP, CORNER, BOX, L1, SIMPLEX, UNIT_SIMPLEX = range(7)
REASSOCIATE = {"reassoc", "contract", "nsz"}
EPS = 2.0**-52

VALUE, ABOVE, SUPPORT, LOWER_BOUND, EPSILON, INDEX = range(6)  # places in `look`

_linearize, _blend, _dot = losses.linearize, vectors.blend, vectors.dot
_l2_vertex, _lp_vertex = vectors.l2_vertex, vectors.lp_vertex


@njit(cache=True, error_model="numpy", fastmath=REASSOCIATE)
def image(columns, s, index, out):  # type: ignore[no-untyped-def]
    """out = A s, for a point with one entry at `index`, or a full one where that is -1."""
    if index >= 0:
        value = s[index]
        for i in range(out.size):
            out[i] = value * columns[index, i]
        return
    for i in range(out.size):
        out[i] = s[0] * columns[0, i]
    for j in range(1, s.size):
        value = s[j]
        for i in range(out.size):
            out[i] += value * columns[j, i]


@njit(cache=True, error_model="numpy", fastmath=REASSOCIATE)
def gradient(columns, slope, out):  # type: ignore[no-untyped-def]
    """out = A' slope."""
    for j in range(out.size):
        total = 0.0
        for i in range(slope.size):
            total += columns[j, i] * slope[i]
        out[j] = total


@njit(inline="always")
def _least(g, sign):  # type: ignore[no-untyped-def]
    """Where sign g is least; NaN is seen."""
    place = 0
    for j in range(g.size):
        if sign * g[j] < sign * g[place] or (math.isnan(g[j]) and not math.isnan(g[place])):
            place = j
    return place


@njit(cache=True, error_model="numpy")
def vertex(kind, size, g, s):  # type: ignore[no-untyped-def]
    """The same for regions whose points have one entry."""
    for j in range(s.size):
        s[j] = 0.0
    place = _least(g, 1.0)
    s[place] = size
    if kind == L1:
        top = _least(g, -1.0)
        if g[top] > -g[place]:
            s[place] = 0.0
            s[top] = -size
            place = top
    elif kind == UNIT_SIMPLEX and g[place] >= 0.0:
        s[place] = 0.0
        place = 0
    return place


@njit(cache=True, error_model="numpy")
def ask(region, g, s):  # type: ignore[no-untyped-def]
    """s = the region's point with the smallest <g, s>; return its only entry's place, or -1.

    `low` and `high` are the bounds of a box; for a ball `low` is its centre, if it has one.
    """
    kind, size, p, low, high = region
    if kind >= L1:
        place = vertex(kind, size, g, s)
        if low.size == 0:
            return place
    elif kind == L2:
        _l2_vertex(s, g, size)
    elif kind == LP:
        _lp_vertex(s, g, size, p)
    elif kind == CORNER:
        for j in range(g.size):
            s[j] = -math.copysign(size, g[j])
    else:
        for j in range(g.size):
            s[j] = high[j] if g[j] < 0.0 else low[j]
        return -1
    for j in range(low.size):
        s[j] += low[j]
    return -1


@njit(cache=True, error_model="numpy")
def certify(look):  # type: ignore[no-untyped-def]
    """The gap and the lower bound, as `State.certify`; a gap of -1 leaves the case to it."""
    value, above, support = look[VALUE], look[ABOVE], look[SUPPORT]
    bound, eps = look[LOWER_BOUND], look[EPSILON]
    gap = above - support
    if not math.isfinite(value + gap):
        return -1.0, bound
    noise = 8.0 * eps * (abs(above) + abs(support))
    noise += (8.0 * EPS + 0.1 * eps) * abs(value)
    slack = value - bound
    least = math.sqrt(eps) * max(1.0, abs(value)) + 100.0 * noise
    if min(slack, gap) < -least:
        return -1.0, bound
    return max(min(gap + noise, slack), 0.0), max(bound, value - gap - noise)


@njit(cache=True, error_model="numpy")
def note_best(look, top, before, best):  # type: ignore[no-untyped-def]
    """Compare with the best point so far, as `Incumbent.see`.

    `top` holds its value and gap, whether x is that point, and whether `best` is.
    """
    if look[VALUE] <= top[0]:
        top[0], top[1] = look[VALUE], max(look[ABOVE] - look[SUPPORT], 0.0)
        top[2], top[3] = 1.0, 0.0
    elif top[2] == 1.0:
        for j in range(best.size):
            best[j] = before[j]
        top[2], top[3] = 0.0, 1.0


@njit(cache=True, error_model="numpy")
def march(data, steps, first, points, images, look, top, levels, rows):  # type: ignore[no-untyped-def]
    """Steps of the given sizes, until they are done or a level is reached; return how many.

    The arrays are those of the state, and change. The last look is left in `look`, for the
    state to certify; `rows` gets value, gap, lower bound and step of those before it. After an
    odd number of steps x and `before`, and the two images, have changed places.
    """
    columns, (code, delta, b, w), region = data
    x, before, s, g, best = points
    now, then, atom_image, slope = images
    k, refresh = first
    index = int(look[INDEX])
    done = 0
    while True:
        gamma = steps[done]
        image(columns, s, index, atom_image)
        _blend(then, now, gamma, atom_image)
        now, then = then, now
        before, x = x, before
        _blend(x, before, gamma, s)
        done += 1
        if (k + done) % refresh == 0:
            image(columns, x, -1, now)
        look[VALUE], look[ABOVE] = _linearize(code, delta, now, b, w, slope)
        gradient(columns, slope, g)
        index = ask(region, g, s)
        look[SUPPORT] = s[index] * g[index] if index >= 0 else _dot(s, g)
        gap, bound = certify(look)
        enough = max(levels[0], levels[1] * max(1.0, abs(look[VALUE])))
        if done == steps.size or gap < 0.0 or gap <= enough or look[VALUE] <= levels[2]:
            break
        look[LOWER_BOUND] = bound
        note_best(look, top, before, best)
        row = rows[done - 1]
        row[0], row[1], row[2], row[3] = look[VALUE], gap, bound, gamma
    look[INDEX] = index
    return done
