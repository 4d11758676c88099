"""Many Frank-Wolfe steps in one call: the iterate stays in compiled code between them.

What one step computes is that of the plain path: `losses` for the loss, `vectors` for the
moves. A comes transposed, its columns contiguous, so that both products are vector loops;
where it is large it comes as it is, and both products are made in one pass (`one_pass`).
Few functions and plain loops: compiling them is most of the time of a first run.
"""

from __future__ import annotations

import math

from numba import njit

from frankwolfe.numerics.kernels import losses, one_pass, vectors

__all__ = ["BLOCKS", "BOX", "CORNER", "L1", "L2", "SIMPLEX", "UNIT_SIMPLEX", "march"]

L2, CORNER, BOX, L1, SIMPLEX, UNIT_SIMPLEX = range(6)
VALUE, ABOVE, SUPPORT, LOWER_BOUND, EPSILON, INDEX, TRIALS = range(7)  # places in `look`
EPS = 2.0**-52
REASSOCIATE = {"reassoc", "contract", "nsz"}

_linearize, _along = losses.linearize, losses.along
_blend, _subtract, _l2_vertex = vectors.blend, vectors.subtract, vectors.l2_vertex
_one_pass, BLOCKS = one_pass.one_pass, one_pass.BLOCKS


@njit(cache=True, error_model="numpy", fastmath=REASSOCIATE)
def image(columns, s, index, out):  # type: ignore[no-untyped-def]
    """out = A s, for a point with one entry at `index`, or a full one where that is negative."""
    first = max(index, 0)
    value, column = s[first], columns[first]
    for i in range(out.size):
        out[i] = value * column[i]
    if index < 0:
        j = 1
        while j + 1 < s.size:  # two at a time: half the reads and writes of `out`
            value, column, other, beside = s[j], columns[j], s[j + 1], columns[j + 1]
            for i in range(out.size):
                out[i] += value * column[i] + other * beside[i]
            j += 2
        if j < s.size:
            value, column = s[j], columns[j]
            for i in range(out.size):
                out[i] += value * column[i]


@njit(cache=True, error_model="numpy", fastmath=REASSOCIATE)
def adjoint(columns, slope, out):  # type: ignore[no-untyped-def]
    """out = A' slope."""
    for j in range(out.size):
        total = 0.0
        for i in range(slope.size):
            total += columns[j, i] * slope[i]
        out[j] = total


@njit(cache=True, error_model="numpy")
def ask(region, g, s):  # type: ignore[no-untyped-def]
    """s = the region's point with the smallest <g, s>; return its only entry's place, or -1.

    `low` and `high` are the bounds of a box; for a ball `low` is its centre, if it has one.
    """
    kind, size, low, high = region
    if kind == L2:
        _l2_vertex(s, g, size)
    elif kind == BOX:
        for j in range(g.size):
            s[j] = high[j] if g[j] < 0.0 else low[j]
        return -1
    else:
        place, top = 0, 0
        for j in range(g.size):
            s[j] = -math.copysign(size, g[j]) if kind == CORNER else 0.0
            if g[j] < g[place]:
                place = j
            if g[j] > g[top]:
                top = j
        if kind == L1 and g[top] > -g[place]:
            place = top
            s[place] = -size
        elif kind == UNIT_SIMPLEX and g[place] >= 0.0:
            place = 0
        elif kind != CORNER:
            s[place] = size
        if kind != CORNER and low.size == 0:
            return place
    for j in range(low.size):
        s[j] += low[j]
    return -1


@njit(cache=True, error_model="numpy")
def certify(look):  # type: ignore[no-untyped-def]
    """The gap and the lower bound, as `State.certify`; a gap of -1 leaves the case to it."""
    value, above, support = look[VALUE], look[ABOVE], look[SUPPORT]
    bound, eps = look[LOWER_BOUND], look[EPSILON]
    size = abs(value)
    gap, slack = above - support, value - bound
    noise = 8.0 * eps * (abs(above) + abs(support))
    noise += (8.0 * EPS + 0.1 * eps) * size
    least = math.sqrt(eps) * max(1.0, size) + 100.0 * noise
    if not (math.isfinite(value + gap) and slack >= -least and gap >= -least):
        return -1.0, bound
    return max(min(gap + noise, slack), 0.0), max(bound, value - gap - noise)


@njit(cache=True, error_model="numpy")
def newton(loss, z, dz, exact):  # type: ignore[no-untyped-def]
    """The minimizer along dz in [0, 1], as `parts.scalar.newton`, and the number of trials."""
    code, delta, b, w = loss
    _, slope, curvature = _along(code, delta, z, dz, 0.0, b, w)
    if slope >= 0.0:
        return 0.0, 1
    low, high = 0.0, 1.0
    t = 1.0 if curvature <= -slope else -slope / curvature
    if exact:
        return t, 1
    for trial in range(60):
        _, slope, curvature = _along(code, delta, z, dz, t, b, w)
        if not math.isfinite(slope):
            high, t = t, 0.5 * (low + t)
            continue
        if slope <= 0.0 and t == 1.0:
            return t, trial + 2
        if slope < 0.0:
            low = t
        else:
            high = t
        ahead = t - slope / curvature if curvature != 0.0 else low
        if slope == 0.0 or abs(ahead - t) <= 1e-10 * t:
            return (min(max(ahead, low), high) if slope != 0.0 else t), trial + 2
        if not low < ahead < high:
            ahead = 0.5 * (low + high)
        t = ahead
    return t, 61


@njit(cache=True, error_model="numpy")
def march(data, steps, search, parts, threads, first, points, images, look, top, levels, rows):  # type: ignore[no-untyped-def]
    """Steps of the given sizes, until they are done or a level is reached; return how many.

    With a line search `steps` is filled in; where `search` is None its code is not compiled.
    With `parts`, room for `one_pass`, the data are A by rows; without, A by columns. `threads`
    says whether others than this one may be used.

    The arrays are those of the state, and change; after an odd number of steps x and `before`,
    and the two images, have changed places. The last look is left in `look`, for the state to
    certify; `rows` gets value, gap, lower bound and step of those before it. `top` holds value
    and gap of the best point, whether x is that point, and whether `best` has become it.
    """
    columns, loss, region = data
    code, delta, b, w = loss
    x, before, s, g, best = points
    now, then, atom_image, slope = images
    k, refresh = first
    index = int(look[INDEX])
    done = 0
    while True:
        if parts is None:
            image(columns, s, index, atom_image)
        if search is not None:
            _subtract(search[1], atom_image, now)
            steps[done], trials = newton(loss, now, search[1], search[0])
            look[TRIALS] += trials
        gamma = steps[done]
        _blend(before, x, gamma, s)
        x, before = before, x
        done += 1
        again = (k + done) % refresh == 0
        if parts is None:
            _blend(then, now, gamma, atom_image)
            if again:
                image(columns, x, 0 * index - 1, then)
            value, above = _linearize(code, delta, then, b, w, slope)
            adjoint(columns, slope, g)
        else:
            moved, share = (x, 1.0) if again else (s, gamma)
            value, above = _one_pass(
                threads, columns, moved, share, now, then, code, delta, b, w, slope, g, parts
            )
        now, then = then, now
        index = ask(region, g, s)
        support = 0.0
        for j in range(g.size):  # over all entries, so that NaN is seen
            support += s[j] * g[j]
        look[VALUE], look[ABOVE], look[SUPPORT] = value, above, support
        gap, bound = certify(look)
        enough = max(levels[0], levels[1] * max(1.0, abs(value)))
        if done == steps.size or gap < 0.0 or gap <= enough or value <= levels[2]:
            break
        look[LOWER_BOUND] = bound
        if value <= top[0]:
            top[0], top[1], top[2], top[3] = value, max(above - support, 0.0), 1.0, 0.0
        elif top[2] == 1.0:
            top[2], top[3] = 0.0, 1.0
            for j in range(best.size):
                best[j] = before[j]
        rows[done - 1, 0], rows[done - 1, 1] = value, gap
        rows[done - 1, 2], rows[done - 1, 3] = bound, gamma
    look[INDEX] = index
    return done
