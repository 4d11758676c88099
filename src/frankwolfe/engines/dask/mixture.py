"""Images of matrices as combinations of named terms, which workers evaluate at their cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from hashlib import blake2b
from typing import NamedTuple, NoReturn

import numpy as np

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.base.errors import InvalidInput
from frankwolfe.core.atoms import RankOne
from frankwolfe.core.low_rank import FactoredMatrix

__all__ = ["LOOPS", "Mixture", "MixtureLoops", "NamedTerm", "Sent"]


class NamedTerm(NamedTuple):
    """Low-rank matrix LR' with its name, the hash of L and R."""

    name: bytes
    left: Array
    right: Array

    @classmethod
    def of(cls, x: FactoredMatrix | RankOne) -> NamedTerm:
        """Term of a factored matrix or of a rank-one atom."""
        if isinstance(x, RankOne):
            left, right = (x.scale * x.u)[:, None], x.v[:, None]
        else:
            left, right = x.factors()
        found = blake2b(digest_size=16)
        for part in (left, right):
            found.update(np.ascontiguousarray(part).data)
        return cls(found.digest(), left, right)


class Sent(NamedTuple):
    """Mixture on its way to a shard: names with their coefficients, and the terms that are new."""

    name: bytes
    shares: tuple[tuple[bytes, float], ...]
    terms: dict[bytes, tuple[Array, Array]]  # L for the shard's rows alone, and R

    @property
    def nbytes(self) -> int:
        """Bytes to send the mixture."""
        sides = (side for pair in self.terms.values() for side in pair)
        return 24 * len(self.shares) + sum(side.nbytes for side in sides)


class Mixture:
    """Image of a linear combination of named terms; its arithmetic is that of the coefficients.

    It stands where other objectives have an array. A line search or a step changes coefficients,
    and what a worker computes is a function of these and the terms alone.
    """

    __slots__ = ("_name", "_terms")

    def __init__(self, terms: Mapping[bytes, tuple[float, NamedTerm]] | None = None) -> None:
        self._terms = dict(terms or {})
        self._name: bytes | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Empty tuple, equal for all: every image has the same cells."""
        return ()

    @property
    def name(self) -> bytes:
        """Hash of the terms' names and their coefficients."""
        if self._name is None:
            found = blake2b(digest_size=16)
            for name, (share, _) in self._terms.items():
                found.update(name)
                found.update(np.float64(share).data)
            self._name = found.digest()
        return self._name

    def terms(self) -> Iterable[NamedTerm]:
        """Terms in their order."""
        return (term for _, term in self._terms.values())

    def sent(self, rows: Indices, known: Callable[[bytes], bool | None]) -> Sent:
        """Message for a shard with these rows; `known` is true of the terms that it has."""
        new = {
            term.name: (term.left[rows], term.right)
            for term in self.terms()
            if not known(term.name)
        }
        shares = tuple((name, share) for name, (share, _) in self._terms.items())
        return Sent(self.name, shares, new)

    def put(self, x: FactoredMatrix | RankOne) -> None:
        """Become the image of x."""
        term = NamedTerm.of(x)
        self.become({term.name: (1.0, term)})

    def become(self, terms: Mapping[bytes, tuple[float, NamedTerm]]) -> None:
        """Replace all terms by these, each with its coefficient."""
        self._terms, self._name = dict(terms), None

    def mixed(self, a: float, b: float, other: Mixture) -> dict[bytes, tuple[float, NamedTerm]]:
        """Terms of a self + b other, without those that cancel."""
        found = {name: (a * share, term) for name, (share, term) in self._terms.items()}
        for name, (share, term) in other._terms.items():
            found[name] = (found[name][0] + b * share if name in found else b * share, term)
        return {name: pair for name, pair in found.items() if pair[0] != 0.0}

    def copy(self) -> Mixture:
        """Mixture of the same terms that can be changed by itself."""
        return Mixture(self._terms)

    def __setitem__(self, key: object, value: object) -> None:
        # callers write whole images (z[:] = other), or zero
        self.become(value._terms if isinstance(value, Mixture) else {})

    def __sub__(self, other: Mixture) -> Mixture:
        return Mixture(self.mixed(1.0, -1.0, other))

    def __add__(self, other: Mixture) -> Mixture:
        return Mixture(self.mixed(1.0, 1.0, other))

    def __rmul__(self, factor: float) -> Mixture:
        return Mixture(self.mixed(factor, 0.0, Mixture()))

    def __array__(self, *_: object, **__: object) -> NoReturn:
        raise InvalidInput(
            "the image of a matrix whose cells are on a cluster cannot be written to a file: run "
            "without a Checkpoint, and pass result.x as x0 to go on."
        )


class MixtureLoops:
    """Vector loops of `kernels.vectors` for mixtures, on their coefficients."""

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


LOOPS = MixtureLoops()
