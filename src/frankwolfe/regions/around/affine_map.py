"""Maps y -> cy + a of points, and of all that belongs to a region of points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from frankwolfe.base.arrays import Array, Indices
from frankwolfe.base.checks import all_finite
from frankwolfe.core.atoms import Atom, Dense, Sparse, Vertex

__all__ = ["AffineMap", "multiple"]


def multiple(atom: Atom, factor: float, out: Array | None) -> Atom:
    """Multiple of an atom, as sparse as the atom; a dense one is written into `out`, or new."""
    if isinstance(atom, Vertex):
        return Vertex(atom.index, factor * atom.value)
    if isinstance(atom, Sparse):
        return Sparse(atom.indices, factor * atom.values)
    assert isinstance(atom, Dense)
    return Dense(np.multiply(atom.array, factor, out=out))


@dataclass(frozen=True, slots=True)
class AffineMap:
    """Map y -> factor·y + offset of the points y of a region; factor is 1 or offset is None."""

    factor: float
    offset: Array | None

    @property
    def size(self) -> float:
        """Factor of distances, and of |<g, y>|."""
        return abs(self.factor)

    @property
    def sign(self) -> float:
        """Sign of the factor."""
        return 1.0 if self.factor > 0.0 else -1.0

    def back(self, x: Array, places: Indices | slice = slice(None)) -> Array:
        """Preimage y = (x - offset)/factor of some of the entries of x, of the type of x."""
        y = x if self.offset is None else x - self.offset[places]
        return (y / self.factor).astype(x.dtype, copy=False)

    def image(self, y: Array) -> Array:
        """Image x = factor·y + offset, of the type of y."""
        x = self.factor * y
        return (x if self.offset is None else x + self.offset).astype(y.dtype, copy=False)

    def toward(self, g: Array) -> Array:
        """Gradient ± g for y with the same minimizers; entries that are not finite become NaN."""
        if self.sign > 0.0:
            return g
        turned = -g
        return turned if all_finite(turned) else np.where(np.isfinite(turned), turned, np.nan)

    def along(self, g: Array) -> float:
        """Inner product <g, offset>, zero without an offset."""
        return 0.0 if self.offset is None else float(g.dot(self.offset))

    def placed(self, atom: Atom, n: int, out: Array | None) -> Atom:
        """Image of an atom; a dense one is written into `out`, or into a new vector."""
        if self.offset is None:
            return multiple(atom, self.factor, out)
        assert out is not None
        if isinstance(atom, Dense):
            np.add(atom.array, self.offset, out=out)
        else:
            out[:] = self.offset
            atom.add_to(out, 1.0)
        return Dense(out)

    def beside(self, atom: Atom, g: Array) -> Atom:
        """Image of an atom in the type of a gradient, rounded as the oracle rounds it.

        Coordinates have no type; rounded in two ways, one vertex would differ from itself.
        """
        return self.placed(atom, g.size, None if self.offset is None else np.empty_like(g))
