"""The current point x and its image z = Ax, and the step before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.core.atoms import Atom
from frankwolfe.core.points import Compression, Terms
from frankwolfe.core.problem import Problem

__all__ = ["Iterate"]


class Iterate:
    """A point with its image; both move together and remember the step before.

    It is made of an `x` that is its own from then on. Room for the step before is made when there
    is one, and where A is the identity x and its image are one array until then.
    """

    def __init__(self, problem: Problem, x: Any) -> None:
        objective = problem.objective
        self.image = objective.image_at(x)
        self._one = self.image is x
        self._previous_image: Array | None = None  # None: as the image is
        self.point = objective.new_point(x, sparse=problem.region.sparse_atoms)
        self.fresh = True  # whether the image was made of x, and not moved along with it
        self._objective, self._region = objective, problem.region
        self._loops = objective.loops

    @property
    def previous_image(self) -> Array:
        """The image of the point before."""
        return self._keep()

    @previous_image.setter
    def previous_image(self, image: Array) -> None:
        self._previous_image = image

    def _part(self) -> None:
        """Before x moves: its image is an array of its own."""
        if self._one:
            self.image, self._one = self.image.copy(), False

    def _keep(self) -> Array:
        """The image of the point before, apart from that of x, which may change in place."""
        self._part()
        if self._previous_image is None:
            self._previous_image = self.image.copy()
        return self._previous_image

    def _room(self) -> Array:
        """Where the next image is written, over the one before."""
        made = self._previous_image
        return self._objective.new_image() if made is None else made

    def _turn(self, ahead: Array) -> None:
        """The image is `ahead` now, which was written over the one before."""
        self.image, self._previous_image = ahead, self.image

    def make_room(self) -> Compression:
        """Prepare for a move; where x is cut to its rank cap the image follows."""
        room = self.point.make_room()
        if room is Compression.TRUNCATED:
            self.point.rescale(self._region.scale_after_cut(self.point.array()))
            self.refresh()
        return room

    def move(self, atom: Atom, atom_image: Array, gamma: float) -> None:
        """x <- (1 - gamma) x + gamma s, and the same for z with the image of s."""
        self._part()
        self.point.shift(1.0 - gamma, ((gamma, atom),))
        self._blend(atom_image, gamma)

    def leap(self, atom: Any, gamma: float, slope: Array, out: Array) -> tuple[float, float]:
        """`move`, and `evaluate` there, by the objective's one pass."""
        self._part()
        self.fresh, ahead = False, self._room()
        pair = self._objective.leap(atom.array, self.image, gamma, ahead, slope, out)
        self.point.shift(1.0 - gamma, ((gamma, atom),))
        self._turn(ahead)
        return pair

    def arrive(self, x: Any, atom_image: Array, gamma: float) -> None:
        """The same move, with the new x given in terms of its own."""
        self._part()
        self.point.jump(x)
        self._blend(atom_image, gamma)

    def _blend(self, atom_image: Array, gamma: float) -> None:
        self.fresh, ahead = False, self._room()
        self._loops.blend(ahead, self.image, gamma, atom_image)
        self._turn(ahead)

    def shift(self, keep: float, terms: Terms, direction: Array, gamma: float) -> None:
        """x <- keep x + weighted atoms, which is x + gamma d; `direction` is the image of d."""
        self._part()
        self.fresh, ahead = False, self._room()
        self.point.shift(keep, terms)
        self._loops.ahead(ahead, self.image, gamma, direction)
        self._turn(ahead)

    def combine(self, a: float, b: float) -> None:
        """x <- a x + b previous."""
        self.fresh, before = False, self._keep()
        self.point.combine(a, b)
        self._loops.combine(self.image, a, b, before)

    def add(self, weight: float, x: Any, image: Array) -> None:
        """x <- x + weight * x', for a point x' with its image."""
        self.fresh = False
        self._keep()
        self.point.add(weight, x)
        self._loops.add_scaled(self.image, weight, image)

    def extend(self, momentum: float, x: Any, image: Array) -> None:
        """x <- x + momentum (x - x'), for a point x' with its image."""
        self.fresh = False
        self._keep()
        self.point.extend(momentum, x)
        self._loops.extend(self.image, momentum, image)

    def jump(self, x: Any, image: Array | None = None) -> None:
        """x <- another point, whose image may be known; the old one becomes the previous."""
        self._part()
        self.point.jump(x)
        self.fresh, ahead = image is None, self._room()
        if image is None:
            self._objective.image(x, ahead)
        else:
            ahead[:] = image
        self._turn(ahead)

    def approach(self, y: Array, image: Array, t: float) -> None:
        """x <- x + t (y - x), for a point y with an image that was made of it."""
        if t == 1.0:
            self.jump(y, image)
            self.fresh = True
            return
        self.jump(_between(self.point.array(), y, t), _between(self.image, image, t))

    def snapshot(self, x: Any, image: Array) -> tuple[Any, Array]:
        """The current point and image, written into `x` and `image` where these fit."""
        if image.shape != self.image.shape:
            image = self._objective.new_image()
        image[:] = self.image
        return self.point.snapshot(x), image

    def here(self) -> Any:
        """The current point, as a new array (or factored matrix)."""
        return self.image.copy() if self._objective.carries_x else self.point.array()

    def before(self) -> Any:
        """The point before the last move, as a new array."""
        return self.previous_image.copy() if self._objective.carries_x else self.point.previous()

    def refresh(self) -> None:
        """Compute z = Ax from x, to take away the rounding of many moves."""
        if self._objective.carries_x:
            return
        self._objective.image(self.point.array(), self.image)
        self.fresh = True

    def pack(self) -> dict[str, Array]:
        """Arrays from which `restore` makes the same iterate."""
        point = {f"point.{name}": array for name, array in self.point.pack().items()}
        stored = self._objective.stored
        images = {"image": stored(self.image), "previous_image": stored(self.previous_image)}
        return {**point, **images, "fresh": np.asarray(float(self.fresh))}

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Take the state that `pack` gave."""
        self._part()
        self.point.restore(
            {name[6:]: array for name, array in arrays.items() if name.startswith("point.")}
        )
        recalled = self._objective.recalled
        self.image[:] = recalled(arrays["image"])
        self.previous_image[:] = recalled(arrays["previous_image"])
        self.fresh = bool(arrays["fresh"])


def _between(x: Array, y: Array, t: float) -> Array:
    """x + t (y - x)."""
    between = y - x
    between *= t
    between += x
    return between
