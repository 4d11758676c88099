"""Images of matrices by name: combinations of terms, whose values at cells workers compute."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.base.errors import InvalidInput
from frankwolfe.core.atoms import RankOne
from frankwolfe.core.low_rank import FactoredMatrix

__all__ = ["LOOPS", "Mixture", "Sent", "Term"]


class Term(NamedTuple):
    """A thin matrix L R' by name, with a row for each row and column."""

    name: bytes
    left: Array
    right: Array

    @classmethod
    def of(cls, x: FactoredMatrix | RankOne) -> Term:
        """That of a factored matrix, or of an atom."""
        if isinstance(x, RankOne):
            left, right = (x.scale * x.u)[:, None], x.v[:, None]
        else:
            left, right = x.factors()
        found = blake2b(digest_size=16)
        for part in (left, right):
            found.update(np.ascontiguousarray(part).data)
        return cls(found.digest(), left, right)


class Sent(NamedTuple):
    """A mixture on its way to a shard: names with their shares, and the terms that are new."""

    name: bytes
    shares: tuple[tuple[bytes, float], ...]
    terms: dict[bytes, tuple[Array, Array]]  # of the shard's rows

    @property
    def nbytes(self) -> int:
        """What it takes to send it."""
        sides = (side for pair in self.terms.values() for side in pair)
        return 24 * len(self.shares) + sum(side.nbytes for side in sides)


class Mixture:
    """The image of a sum of thin matrices, each by name; arithmetic is that of their shares.

    It stands where others have an array: a line search or a step changes shares, and what a
    worker computes is a function of the shares and terms alone.
    """

    __slots__ = ("_name", "_terms")

    def __init__(self, terms: Mapping[bytes, tuple[float, Term]] | None = None) -> None:
        self._terms = dict(terms or {})
        self._name: bytes | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Nothing to compare: all have the same cells."""
        return ()

    @property
    def name(self) -> bytes:
        """That of its terms and shares."""
        if self._name is None:
            found = blake2b(digest_size=16)
            for name, (share, _) in self._terms.items():
                found.update(name)
                found.update(np.float64(share).data)
            self._name = found.digest()
        return self._name

    def terms(self) -> Iterable[Term]:
        """The terms, in order."""
        return (term for _, term in self._terms.values())

    def sent(self, rows: Indices, known: Any) -> Sent:
        """For a shard with these rows; `known` says which terms it has heard of."""
        new = {
            term.name: (term.left[rows], term.right)
            for term in self.terms()
            if not known(term.name)
        }
        shares = tuple((name, share) for name, (share, _) in self._terms.items())
        return Sent(self.name, shares, new)

    def put(self, x: Any) -> None:
        """Become the image of x."""
        term = Term.of(x)
        self.become({term.name: (1.0, term)})

    def become(self, terms: Mapping[bytes, tuple[float, Term]]) -> None:
        """Take these terms."""
        self._terms, self._name = dict(terms), None

    def mixed(self, a: float, b: float, other: Mixture) -> dict[bytes, tuple[float, Term]]:
        """The terms of a times this plus b times another."""
        found = {name: (a * share, term) for name, (share, term) in self._terms.items()}
        for name, (share, term) in other._terms.items():
            found[name] = (found[name][0] + b * share if name in found else b * share, term)
        return {name: pair for name, pair in found.items() if pair[0] != 0.0}

    def copy(self) -> Mixture:
        """Another one with the same terms."""
        return Mixture(self._terms)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.become(value._terms if isinstance(value, Mixture) else {})

    def __sub__(self, other: Mixture) -> Mixture:
        return Mixture(self.mixed(1.0, -1.0, other))

    def __add__(self, other: Mixture) -> Mixture:
        return Mixture(self.mixed(1.0, 1.0, other))

    def __rmul__(self, factor: float) -> Mixture:
        return Mixture(self.mixed(factor, 0.0, Mixture()))

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise InvalidInput(
            "the image of a matrix whose cells are on a cluster cannot be written to a file: run "
            "without a Checkpoint, and pass result.x as x0 to go on."
        )


class _Loops:
    """The vector loops of `kernels.vectors`, on shares."""

    @staticmethod
    def blend(out: Mixture, z: Mixture, gamma: float, s: Mixture) -> None:
        out.become(z.mixed(1.0 - gamma, gamma, s))

    @staticmethod
    def ahead(out: Mixture, z: Mixture, gamma: float, d: Mixture) -> None:
        out.become(z.mixed(1.0, gamma, d))

    @staticmethod
    def combine(z: Mixture, a: float, b: float, other: Mixture) -> None:
        z.become(z.mixed(a, b, other))

    @staticmethod
    def add_scaled(z: Mixture, weight: float, other: Mixture) -> None:
        z.become(z.mixed(1.0, weight, other))

    @staticmethod
    def extend(z: Mixture, momentum: float, other: Mixture) -> None:
        z.become(z.mixed(1.0 + momentum, -momentum, other))

    @staticmethod
    def subtract(out: Mixture, a: Mixture, b: Mixture) -> None:
        out.become(a.mixed(1.0, -1.0, b))


LOOPS = _Loops()
