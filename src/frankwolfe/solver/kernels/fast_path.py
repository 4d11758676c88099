"""Many Frank-Wolfe steps in one call: the iterate stays in compiled code between them.

Each step computes what the plain path does, from the same functions, here compiled: `losses` for
the loss, `vectors` for the moves, `certificate`, `scalar` and `vertices` for the formulas.
A comes transposed, its columns contiguous, so that both products are vector loops; where it is
large it comes as it is, and both products are made in one pass (`one_pass`). Few functions and
plain loops: compiling them is most of the time of a first run.
"""

from __future__ import annotations

import math

from numba import njit

from frankwolfe.base import roots as scalar
from frankwolfe.base.kernels import losses, vectors
from frankwolfe.core import certificate, tolerance, vertices
from frankwolfe.core.vertices import BOX, CORNER, L1, L2, UNIT_SIMPLEX
from frankwolfe.methods.parts import look_back_numbers as look_back
from frankwolfe.solver.kernels import one_pass

__all__ = ["BLOCKS", "march"]

VALUE, ABOVE, SUPPORT, LOWER_BOUND, EPSILON, GAIN, INDEX, TRIALS = range(8)  # places in `found`
MAX_TRIALS = scalar.MAX_TRIALS
REASSOCIATE = {"reassoc", "contract", "nsz"}

_linearize, _along = losses.linearize, losses.along
_blend, _subtract, _l2_vertex = vectors.blend, vectors.subtract, vectors.l2_vertex
_compiled = njit(inline="always", error_model="numpy")
_certify, _improves = _compiled(certificate.certify), _compiled(certificate.improves)
_enough = _compiled(tolerance.enough)
_first_trial, _next_trial = _compiled(scalar.first_trial), _compiled(scalar.next_trial)
_short_step, _watch = _compiled(look_back.short_step), _compiled(look_back.watch)
_next_step, _learn, GAP = _compiled(look_back.next_step), _compiled(look_back.learn), look_back.GAP
_l1_vertex = _compiled(vertices.l1_vertex)
_unit_simplex_vertex = _compiled(vertices.unit_simplex_vertex)
_one_pass, BLOCKS = one_pass.one_pass, one_pass.BLOCKS


@njit(cache=True, nogil=True, error_model="numpy", fastmath=REASSOCIATE)
def image(columns, s, index, out):
    """out = A s, where s has its only entry at `index`, or is dense if `index` is negative."""
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


@njit(cache=True, nogil=True, error_model="numpy", fastmath=REASSOCIATE)
def adjoint(columns, slope, out):
    """out = A' slope."""
    for j in range(out.size):
        total = 0.0
        for i in range(slope.size):
            total += columns[j, i] * slope[i]
        out[j] = total


@njit(cache=True, nogil=True, error_model="numpy")
def ask(region, g, s):
    """s = the region's vertex with the smallest <g, s>; return its only entry's place, or -1.

    `low` and `high` are the bounds of a box; for a ball `low` is its centre, or empty.
    """
    kind, size, low, high = region
    if kind == L2:
        _l2_vertex(s, g, size)
    elif kind == BOX:
        for j in range(g.size):
            s[j] = high[j] if g[j] < 0.0 else low[j]
        return -1
    else:
        place, top, entry = 0, 0, size
        for j in range(g.size):
            s[j] = -math.copysign(size, g[j]) if kind == CORNER else 0.0
            if g[j] < g[place]:
                place = j
            if g[j] > g[top]:
                top = j
        if kind == L1:
            place, entry = _l1_vertex(place, g[place], top, g[top], size)
        elif kind == UNIT_SIMPLEX:
            place, entry = _unit_simplex_vertex(place, g[place], size)
        if kind != CORNER:
            s[place] = entry
            if low.size == 0:
                return place
    for j in range(low.size):
        s[j] += low[j]
    return -1


@njit(cache=True, nogil=True, error_model="numpy")
def newton(loss, z, dz, exact):
    """Minimizer of t -> phi(z + t dz) on [0, 1], as `scalar.newton`, and the number of trials."""
    code, delta, b, w = loss
    _, slope, curvature = _along(code, delta, z, dz, 0.0, b, w)
    if slope >= 0.0:
        return 0.0, 1
    t, low, high, done = _first_trial(slope, curvature, 1.0), 0.0, 1.0, exact
    trials = 1
    while not done and trials <= MAX_TRIALS:
        _, slope, curvature = _along(code, delta, z, dz, t, b, w)
        t, low, high, done = _next_trial(t, slope, curvature, low, high, 1.0)
        trials += 1
    return t, trials


@njit(cache=True, nogil=True, error_model="numpy", fastmath=REASSOCIATE)
def apart(a, b):
    """Squared distance |a - b|^2."""
    total = 0.0
    for i in range(a.size):
        total += (a[i] - b[i]) * (a[i] - b[i])
    return total


@njit(cache=True, nogil=True, error_model="numpy", fastmath=REASSOCIATE)
def inner(g, s, index):
    """<g, s>, where s has its only entry at `index`, or is dense if `index` is negative."""
    if index >= 0:
        return g[index] * s[index]
    total = 0.0
    for j in range(g.size):
        total += g[j] * s[j]
    return total


@_compiled
def step_size(planned, search, book, loss, k, now, atom_image, found):
    """Step size: as planned, by a line search, or by the look-back rule with its `book`.

    `search` and `book` are None where they are not in use; Numba then compiles no code for them.
    """
    if search is not None:
        _subtract(search[1], atom_image, now)
        planned, trials = newton(loss, now, search[1], search[0])
        found[TRIALS] += trials
    if book is not None:
        short = _short_step(book, book[GAP], apart(atom_image, now))
        _watch(book, k, book[GAP], short)
        planned = _next_step(book, k, short)
    return planned


@njit(cache=True, nogil=True, error_model="numpy")
def _cancelling(value, gain, eps):
    """Size of the terms that may cancel in a sum of squares f (`Rounding.cancelling`)."""
    return gain * math.sqrt(abs(value)) + (eps * gain) * (eps * gain) / eps


@njit(cache=True, nogil=True, error_model="numpy")
def march(data, steps, search, book, parts, first, points, images, found, top, levels, rows):
    """Take steps of the given sizes until all are taken or a level is reached; return their number.

    With a line search, or the book of the look-back rule, `steps` is filled in. With `parts`, room
    for `one_pass`, the data are A by rows; without, A by columns. `first` has the index k of the
    first step, the number of steps after which the image is computed afresh, and whether threads
    may be used.

    The arrays are those of the state, and change; after an odd number of steps x and `before`,
    and the two images, have changed places. The last evaluation is left in `found`, for the state
    to certify; `rows` gets value, gap, lower bound and step of those before it. `top` holds value
    and gap of the best point, whether x is that point, and whether `best` has become it.
    """
    columns, loss, region = data
    code, delta, b, w = loss
    x, before, s, g, best = points
    now, then, atom_image, slope = images
    k, refresh, threads = first
    index = int(found[INDEX])
    done = 0
    while True:
        if parts is None:
            image(columns, s, index, atom_image)
        gamma = step_size(steps[done], search, book, loss, k + done, now, atom_image, found)
        steps[done] = gamma
        _blend(before, x, gamma, s)
        x, before = before, x
        done += 1
        again = (k + done) % refresh == 0
        if parts is None:
            _blend(then, now, gamma, atom_image)
            if again:  # -1 in the type of `index`, or `image` would be compiled once more
                image(columns, x, 0 * index - 1, then)
            value, above = _linearize(code, delta, then, b, w, slope)
            adjoint(columns, slope, g)
        else:
            moved, share = (x, 1.0) if again else (s, gamma)
            value, above = _one_pass(
                threads, columns, moved, share, now, then, code, delta, b, w, slope, g, parts
            )
        now, then = then, now
        at_atom = 0.0 if book is None else inner(g, s, index)  # the atom of this step
        index = ask(region, g, s)
        support = 0.0
        for j in range(g.size):  # over all entries, so that NaN is seen
            support += s[j] * g[j]
        if book is not None:
            behind, size = (at_atom - above) / (1.0 - gamma), abs(above) + abs(support)
            _learn(book, gamma, book[GAP], behind, above - support, size)
        found[VALUE], found[ABOVE], found[SUPPORT] = value, above, support
        eps = found[EPSILON]
        cancelling = _cancelling(value, found[GAIN], eps)
        gap, bound = _certify(value, above, support, 0.0, found[LOWER_BOUND], eps, cancelling, 0.0)
        wanted = _enough(levels[1], value, levels[3], levels[4], levels[5], eps)
        if done == steps.size or gap < 0.0 or gap <= max(levels[0], wanted) or value <= levels[2]:
            break
        found[LOWER_BOUND] = bound
        if _improves(value, top[0]):
            top[0], top[1], top[2], top[3] = value, max(above - support, 0.0), 1.0, 0.0
        elif top[2] == 1.0:
            top[2], top[3] = 0.0, 1.0
            for j in range(best.size):
                best[j] = before[j]
        rows[done - 1, 0], rows[done - 1, 1] = value, gap
        rows[done - 1, 2], rows[done - 1, 3] = bound, gamma
    found[INDEX] = index
    return done
