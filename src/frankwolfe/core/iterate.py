"""The current point x and its image z = Ax, and the step before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from frankwolfe.core.problem import Problem
from frankwolfe.numerics.arrays import Array
from frankwolfe.numerics.atoms import Atom
from frankwolfe.numerics.points import Room, Terms

__all__ = ["Iterate"]


class Iterate:
    """A point with its image; both move together and remember the step before."""

    def __init__(self, problem: Problem, x: Any) -> None:
        objective = problem.objective
        self.point = objective.new_point(x, sparse=problem.region.sparse_atoms)
        self.image = objective.new_image()
        objective.image(x, self.image)
        self.previous_image = self.image.copy()
        self.fresh = True  # whether the image was made of x, and not moved along with it
        self._objective, self._region = objective, problem.region
        self._loops = objective.loops

    def make_room(self) -> Room:
        """Prepare for a move; where x is cut to its rank cap the image follows."""
        room = self.point.make_room()
        if room is Room.CUT:
            self.point.rescale(self._region.scale_after_cut(self.point.array()))
            self.refresh()
        return room

    def move(self, atom: Atom, atom_image: Array, gamma: float) -> None:
        """x <- (1 - gamma) x + gamma s, and the same for z with the image of s."""
        self.point.shift(1.0 - gamma, ((gamma, atom),))
        self._blend(atom_image, gamma)

    def leap(self, atom: Any, gamma: float, slope: Array, out: Array) -> tuple[float, float]:
        """`move`, and `evaluate` there, by the objective's one pass."""
        self.fresh = False
        pair = self._objective.leap(atom.array, self.image, gamma, self.previous_image, slope, out)
        self.point.shift(1.0 - gamma, ((gamma, atom),))
        self.image, self.previous_image = self.previous_image, self.image
        return pair

    def arrive(self, x: Any, atom_image: Array, gamma: float) -> None:
        """The same move, with the new x given in terms of its own."""
        self.point.jump(x)
        self._blend(atom_image, gamma)

    def _blend(self, atom_image: Array, gamma: float) -> None:
        self.fresh = False
        self._loops.blend(self.previous_image, self.image, gamma, atom_image)
        self.image, self.previous_image = self.previous_image, self.image

    def shift(self, keep: float, terms: Terms, direction: Array, gamma: float) -> None:
        """x <- keep x + weighted atoms, which is x + gamma d; `direction` is the image of d."""
        self.fresh = False
        self.point.shift(keep, terms)
        self._loops.ahead(self.previous_image, self.image, gamma, direction)
        self.image, self.previous_image = self.previous_image, self.image

    def combine(self, a: float, b: float) -> None:
        """x <- a x + b previous."""
        self.fresh = False
        self.point.combine(a, b)
        self._loops.combine(self.image, a, b, self.previous_image)

    def add(self, weight: float, x: Any, image: Array) -> None:
        """x <- x + weight * x', for a point x' with its image."""
        self.fresh = False
        self.point.add(weight, x)
        self._loops.add_scaled(self.image, weight, image)

    def extend(self, momentum: float, x: Any, image: Array) -> None:
        """x <- x + momentum (x - x'), for a point x' with its image."""
        self.fresh = False
        self.point.extend(momentum, x)
        self._loops.extend(self.image, momentum, image)

    def jump(self, x: Any, image: Array | None = None) -> None:
        """x <- another point, whose image may be known; the old one becomes the previous."""
        self.point.jump(x)
        self.image, self.previous_image = self.previous_image, self.image
        self.fresh = image is None
        if image is None:
            self._objective.image(x, self.image)
        else:
            self.image[:] = image

    def approach(self, y: Array, image: Array, t: float) -> None:
        """x <- x + t (y - x), for a point y with an image that was made of it."""
        if t == 1.0:
            self.jump(y, image)
            self.fresh = True
            return
        x = self.point.array()
        self.jump(x + t * (y - x), self.image + t * (image - self.image))

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
        self.point.restore(
            {name[6:]: array for name, array in arrays.items() if name.startswith("point.")}
        )
        recalled = self._objective.recalled
        self.image[:] = recalled(arrays["image"])
        self.previous_image[:] = recalled(arrays["previous_image"])
        self.fresh = bool(arrays["fresh"])
