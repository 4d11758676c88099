"""Objectives and regions once more, in exact arithmetic: fractions, and decimals of 80 digits."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import permutations

import numpy as np
from scipy import sparse

import frankwolfe as fw

DIGITS = 80


def fractions(x):
    """A vector of doubles as fractions."""
    return [Fraction(float(v)) for v in np.asarray(x).ravel()]


def total(numbers):
    return sum(numbers, Fraction(0))


def dot(a, b):
    return total(p * q for p, q in zip(a, b, strict=True))


def elementary(function, value):
    """exp, ln or sqrt of a fraction, to 80 digits."""
    with localcontext() as context:
        context.prec = DIGITS + 20
        number = Decimal(value.numerator) / Decimal(value.denominator)
        return Fraction(getattr(number, function)())


def rows(A):
    A = A.toarray() if sparse.issparse(A) else np.asarray(A)
    return [fractions(row) for row in A]


class ExactLoss:
    """A separable loss of Ax: `term` gives value and slope."""

    def __init__(self, A, b, weights, term):
        self.A, self.b, self.w, self.term = rows(A), fractions(b), weights, term

    def value_and_gradient(self, x):
        z = [dot(row, x) for row in self.A]
        terms = [self.term(p, q) for p, q in zip(z, self.b, strict=True)]
        value = dot(self.w, [v for v, _ in terms])
        slope = [w * s for w, (_, s) in zip(self.w, terms, strict=True)]
        return value, [dot(column, slope) for column in zip(*self.A, strict=True)]


class ExactQuadratic:
    """x'Qx/2 + c'x + constant."""

    def __init__(self, Q, c, constant):
        self.Q, self.c, self.constant = rows(Q), fractions(c), Fraction(constant)

    def value_and_gradient(self, x):
        product = [dot(row, x) for row in self.Q]
        value = dot(product, x) / 2 + dot(self.c, x) + self.constant
        return value, [p + c for p, c in zip(product, self.c, strict=True)]


def squared(z, b):
    return (z - b) ** 2 / 2, z - b


def huber(below, above):
    """The paper's, with a threshold on each side."""

    def term(z, b):
        c = z - b
        turn = above if c > 0 else below
        if abs(c) <= turn:
            return c * c, 2 * c
        return turn * (2 * abs(c) - turn), 2 * turn * (1 if c > 0 else -1)

    return term


def logistic(z, b):
    t = -b * z
    e = elementary("exp", -abs(t)) if abs(t) < 2000 else Fraction(0)  # below 1e-868
    value = elementary("ln", 1 + e) + max(t, Fraction(0))
    return value, -b * (1 if t > 0 else e) / (1 + e)


def poisson(z, b):
    return z - b * elementary("ln", z), 1 - b / z


def least(region, g):
    """The smallest <g, s> over a region, exactly or to 80 digits."""
    return MINIMA[type(region)](region, g)


def _product(region, g):
    pairs = zip(region.regions, region.blocks, strict=True)
    return total(least(one, g[block]) for one, block in pairs)


def _hull(region, g):
    return min(dot(fractions(region.point(i)), g) for i in range(region.count))


def _box(region, g):
    lower, upper = (fractions(bound) for bound in region.bounds(len(g)))
    return total(min(p * a, p * b) for p, a, b in zip(g, lower, upper, strict=True))


def _birkhoff(region, g):
    n = region.n
    return min(total(g[i * n + p[i]] for i in range(n)) for p in permutations(range(n)))


def _groups(region, g):
    squares = [Fraction(0)] * region.count
    for place, p in zip(region.groups, g, strict=True):
        squares[place] += p * p
    return -Fraction(region.radius) * elementary("sqrt", max(squares))


def _ball(region, g):
    shift = 0 if region.center is None else dot(fractions(region.center), g)
    return shift - Fraction(region.radius) * _dual_norm(sorted(map(abs, g)), region.p)


def _dual_norm(sizes, p):
    if p in (1.0, np.inf):
        return sizes[-1] if p == 1.0 else total(sizes)
    if p == 2.0 or sizes[-1] == 0:
        return elementary("sqrt", dot(sizes, sizes))
    q = Fraction(p) / (Fraction(p) - 1)
    logs = [q * elementary("ln", s / sizes[-1]) for s in sizes if s > 0]
    powers = [elementary("exp", log) for log in logs if log > -2000]
    return sizes[-1] * elementary("exp", elementary("ln", total(powers)) / q)


MINIMA = {
    fw.Product: _product,
    fw.ConvexHull: _hull,
    fw.Box: _box,
    fw.Birkhoff: _birkhoff,
    fw.GroupBall: _groups,
    fw.Simplex: lambda r, g: Fraction(r.scale) * min(g),
    fw.UnitSimplex: lambda r, g: Fraction(r.scale) * min(*g, Fraction(0)),
    fw.Hypersimplex: lambda r, g: Fraction(r.scale) * total(sorted(g)[: r.k]),
    fw.regions.UnitHypersimplex: lambda r, g: (
        Fraction(r.scale) * total(p for p in sorted(g)[: r.k] if p < 0)
    ),
    fw.KSparse: lambda r, g: -Fraction(r.radius) * total(sorted(map(abs, g))[-r.k :]),
    **dict.fromkeys((fw.L1Ball, fw.L2Ball, fw.LInfBall, fw.LpBall), _ball),
}


def spacing(value):
    """The distance of doubles near a number."""
    return Fraction(float(np.spacing(abs(float(value)))))
