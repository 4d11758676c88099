"""The iterate of a run: the current point x with its image z = Ax, and the point before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from frankwolfe.base.arrays import Array, Point
from frankwolfe.core.atoms import Atom
from frankwolfe.core.points import Compression, Terms
from frankwolfe.core.problem import Problem

__all__ = ["Iterate"]


class Iterate:
    """A point with its image; both move together and remember the point before.

    The array `x` that it is made of is its own from then on. Memory for the point before is made
    at the first move, and where A is the identity x and its image are one array until then: a run
    of no steps over a large x shall not copy it.
    """

    def __init__(self, problem: Problem, x: Point) -> None:
        objective = problem.objective
        self.image = objective.image_at(x)
        self._one = self.image is x
        self._previous_image: Array | None = None  # None before the first move
        self.point = objective.new_point(x, sparse=problem.region.sparse_atoms)
        self.fresh = True  # the image was computed from x, not moved along with it
        self._objective, self._region = objective, problem.region
        self._loops = objective.loops

    @property
    def previous_image(self) -> Array:
        """Image of the point before the last move."""
        return self._keep()

    @previous_image.setter
    def previous_image(self, image: Array) -> None:
        self._previous_image = image

    def _part(self) -> None:
        """Give the image an array of its own, which it needs before x moves."""
        if self._one:
            self.image, self._one = self.image.copy(), False

    def _keep(self) -> Array:
        """Image of the point before, in an array apart from that of x, which changes in place."""
        self._part()
        if self._previous_image is None:
            self._previous_image = self.image.copy()
        return self._previous_image

    def _room(self) -> Array:
        """Buffer for the next image: the one before is overwritten, so a move allocates none."""
        made = self._previous_image
        return self._objective.new_image() if made is None else made

    def _turn(self, ahead: Array) -> None:
        """Make `ahead`, written over the image before, the current image."""
        self.image, self._previous_image = ahead, self.image

    def make_room(self) -> Compression:
        """Prepare for a move: compress the terms of x; where that cuts its rank, z follows."""
        room = self.point.make_room()
        if room is Compression.TRUNCATED:
            form = self._region.factoring
            self.point.rescale(1.0 if form is None else form.scale_after_cut(self.point.array()))
            self.refresh()
        return room

    def move(self, atom: Atom, atom_image: Array, gamma: float) -> None:
        """Frank-Wolfe step x <- (1 - gamma) x + gamma s, z <- (1 - gamma) z + gamma As."""
        self._part()
        self.point.shift(1.0 - gamma, ((gamma, atom),))
        self._blend(atom_image, gamma)

    def leap(self, atom: Any, gamma: float, slope: Array, out: Array) -> tuple[float, float]:
        """Move toward a dense atom and evaluate f there, both in one pass over the data.

        Returns f(x) and <grad f(x), x>; phi' goes to `slope`, the gradient to `out`.
        """
        self._part()
        self.fresh, ahead = False, self._room()
        single_pass = self._objective.single_pass
        assert single_pass is not None  # `fast_path_for` has asked
        pair = single_pass.leap(atom.array, self.image, gamma, ahead, slope, out)
        self.point.shift(1.0 - gamma, ((gamma, atom),))
        self._turn(ahead)
        return pair

    def arrive(self, x: Point, atom_image: Array, gamma: float) -> None:
        """Frank-Wolfe step to a new point `x` that is given; z moves by the image of the atom."""
        self._part()
        self.point.jump(x)
        self._blend(atom_image, gamma)

    def _blend(self, atom_image: Array, gamma: float) -> None:
        """Image of the step: z <- (1 - gamma) z + gamma As."""
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
        """x <- a x + b x', with x' the point before; z alike."""
        self.fresh, before = False, self._keep()
        self.point.combine(a, b)
        self._loops.combine(self.image, a, b, before)

    def add(self, weight: float, x: Point, image: Array) -> None:
        """x <- x + weight * x', for a point x' with its image."""
        self.fresh = False
        self._keep()
        self.point.add(weight, x)
        self._loops.add_scaled(self.image, weight, image)

    def extend(self, momentum: float, x: Point, image: Array) -> None:
        """x <- x + momentum (x - x'), for a point x' with its image."""
        self.fresh = False
        self._keep()
        self.point.extend(momentum, x)
        self._loops.extend(self.image, momentum, image)

    def jump(self, x: Point, image: Array | None = None) -> None:
        """x <- another point, whose image is computed unless given; x becomes the point before."""
        self._part()
        self.point.jump(x)
        self.fresh, ahead = image is None, self._room()
        if image is None:
            self._objective.image(x, ahead)
        else:
            ahead[:] = image
        self._turn(ahead)

    def approach(self, y: Array, image: Array, t: float) -> None:
        """x <- x + t (y - x), for a point y whose image was computed from it."""
        if t == 1.0:
            self.jump(y, image)
            self.fresh = True
            return
        self.jump(_between(self.point.array(), y, t), _between(self.image, image, t))

    def snapshot(self, x: Point, image: Array) -> tuple[Point, Array]:
        """Copies of the current point and image, written into `x` and `image` where these fit."""
        if image.shape != self.image.shape:
            image = self._objective.new_image()
        image[:] = self.image
        return self.point.snapshot(x), image

    def here(self) -> Point:
        """Current point, as a new array (or factored matrix)."""
        return self.image.copy() if self._objective.carries_x else self.point.array()

    def before(self) -> Point:
        """Point before the last move, as a new array."""
        return self.previous_image.copy() if self._objective.carries_x else self.point.previous()

    def refresh(self) -> None:
        """Compute z = Ax from x, which takes away the rounding of many moves."""
        if self._objective.carries_x:
            return
        self._objective.image(self.point.array(), self.image)
        self.fresh = True

    def pack(self) -> dict[str, Array]:
        """Arrays of x, its image and the point before, from which `restore` makes the iterate."""
        point = {f"point.{name}": array for name, array in self.point.pack().items()}
        stored = self._objective.stored
        images = {"image": stored(self.image), "previous_image": stored(self.previous_image)}
        return {**point, **images, "fresh": np.asarray(float(self.fresh))}

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Restore the iterate from the arrays of `pack`."""
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
