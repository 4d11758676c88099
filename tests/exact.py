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


def dot(a, b):
    return sum((p * q for p, q in zip(a, b, strict=True)), Fraction(0))


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
        value = sum((w * v for w, (v, _) in zip(self.w, terms, strict=True)), Fraction(0))
        slope = [w * s for w, (_, s) in zip(self.w, terms, strict=True)]
        columns = zip(*self.A, strict=True)
        return value, [dot(column, slope) for column in columns]


class ExactQuadratic:
    def __init__(self, Q, c, constant):
        self.Q, self.c, self.constant = rows(Q), fractions(c), Fraction(constant)

    def value_and_gradient(self, x):
        product = [dot(row, x) for row in self.Q]
        value = dot(product, x) / 2 + dot(self.c, x) + self.constant
        return value, [p + c for p, c in zip(product, self.c, strict=True)]


def squared(z, b):
    return (z - b) ** 2 / 2, z - b


def huber(below, above):
    def term(z, b):
        c = z - b
        turn = above if c > 0 else below
        if abs(c) <= turn:
            return c * c, 2 * c
        return turn * (2 * abs(c) - turn), 2 * turn * (1 if c > 0 else -1)

    return term


def logistic(z, b):
    t = -b * z
    e = elementary("exp", -abs(t))
    value = elementary("ln", 1 + e) + max(t, Fraction(0))
    share = (1 if t > 0 else e) / (1 + e)
    return value, -b * share


def poisson(z, b):
    return z - b * elementary("ln", z), 1 - b / z


def uniform(m):
    return [Fraction(1, m)] * m


def least(region, g):
    """The smallest <g, s> over a region, exactly or to 80 digits."""
    center = getattr(region, "center", None)
    shift = Fraction(0) if center is None else dot(fractions(center), g)
    kind = type(region)
    if kind is fw.Product:
        return sum(
            (least(r, g[block]) for r, block in zip(region.regions, region.blocks, strict=True)),
            Fraction(0),
        )
    if kind is fw.ConvexHull:
        return min(dot(fractions(region.point(i)), g) for i in range(region.count))
    if kind is fw.Box:
        lower, upper = (fractions(bound) for bound in region.bounds(len(g)))
        return sum(
            (min(p * low, p * high) for p, low, high in zip(g, lower, upper, strict=True)),
            Fraction(0),
        )
    if kind is fw.Simplex:
        return Fraction(region.scale) * min(g)
    if kind is fw.UnitSimplex:
        return Fraction(region.scale) * min(*g, Fraction(0))
    if kind is fw.Hypersimplex:
        return Fraction(region.scale) * sum(sorted(g)[: region.k])
    if kind is fw.UnitHypersimplex:
        return Fraction(region.scale) * sum(p for p in sorted(g)[: region.k] if p < 0)
    if kind is fw.Birkhoff:
        n = region.n
        return min(sum(g[i * n + p[i]] for i in range(n)) for p in permutations(range(n)))
    sizes = sorted((abs(p) for p in g), reverse=True)
    if kind is fw.KSparse:
        return -Fraction(region.radius) * sum(sizes[: region.k])
    if kind is fw.GroupBall:
        squares = [Fraction(0)] * region.count
        for place, p in zip(region.groups, g, strict=True):
            squares[place] += p * p
        return -Fraction(region.radius) * elementary("sqrt", max(squares))
    return shift - Fraction(region.radius) * dual_norm(sizes, region.p)


def dual_norm(sizes, p):
    if p == 1.0:
        return sizes[0]
    if p == np.inf:
        return sum(sizes, Fraction(0))
    if p == 2.0:
        return elementary("sqrt", dot(sizes, sizes))
    q = Fraction(p) / (Fraction(p) - 1)
    if sizes[0] == 0:
        return Fraction(0)
    powers = [elementary("exp", q * elementary("ln", s / sizes[0])) for s in sizes if s > 0]
    return sizes[0] * elementary("exp", elementary("ln", sum(powers)) / q)


def ulp(value):
    """The distance of doubles near a number."""
    size = abs(float(value))
    return Fraction(float(np.spacing(size if np.isfinite(size) else 1.0)))
