"""Directions: toward the atom, away from an atom, between atoms, or along a gradient of weights."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from frankwolfe.base.arrays import Array, Point
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.memory import M, Memory
from frankwolfe.core.active_set import ActiveSet
from frankwolfe.core.atoms import Atom, Dense, Sparse
from frankwolfe.core.evaluate import Memoryless
from frankwolfe.core.problem import Problem, Start
from frankwolfe.core.region_abilities import Accuracy
from frankwolfe.core.state import SearchDirection, State
from frankwolfe.methods.parts.base import Direction

__all__ = [
    "Away",
    "BlendedGradient",
    "BlendedPairwise",
    "Pairwise",
    "ToAtom",
    "Toward",
    "aim_between",
    "start_atoms",
    "start_vertex",
]

MAX_DRIFT = 100.0  # roundings of x, in steps; then x and Ax are computed anew from the atoms
MIN_SLOPE = 1e-300  # spread of <g, a> over active atoms, below which squares underflow


@dataclass(frozen=True)
class ToAtom(Direction[M]):
    """Base of directions d = s - x that end at an atom s; the largest step is 1."""

    needs_tangent = False

    def start(self, problem: Problem, x0: Start, memory: M) -> tuple[Point, ActiveSet | None]:
        return problem.start(x0), None

    def aim(self, state: State, memory: M) -> None:
        state.aim_at_atom()

    def moved(self, state: State, gamma: float, memory: M) -> None:
        return None


@dataclass(frozen=True)
class Toward(Memoryless, ToAtom[Memory]):
    """The Frank-Wolfe direction d = s - x toward the oracle's atom; the largest step is 1."""


@dataclass(frozen=True)
class _Active(Direction[ActiveSet]):
    """Base of directions that know x = sum_a lambda_a a: their memory is the active set."""

    needs_tangent = True

    def memory(self, problem: Problem) -> ActiveSet:
        objective = problem.objective
        if not isinstance(objective.shape, int):
            raise InvalidInput(
                f"{type(self).__name__} keeps the vertices of which x is made, which takes "
                "vectors, not matrices: use in_face() or hybrid()."
            )
        return ActiveSet(objective.shape, objective.dtype)

    def start(
        self, problem: Problem, x0: Start, memory: ActiveSet
    ) -> tuple[Point, ActiveSet | None]:
        return start_atoms(problem, x0, memory), memory

    def moved(self, state: State, gamma: float, memory: ActiveSet) -> None:
        """Move the weights as x has moved; where atoms are dropped x is made of the rest."""
        self._move(state, memory, gamma)
        # a step adds rounding, and multiplies that of earlier ones: by 1 + gamma going away
        memory.drift = 1.0 + memory.drift * (1.0 + gamma * state.direction.own)
        dropped = memory.drop()
        if memory.drift > MAX_DRIFT:
            state.iterate.point.snap_to(memory.point())
            state.iterate.refresh()
            memory.drift = 0.0
        elif dropped is not None:
            state.iterate.point.snap_at(dropped, memory.point_at(dropped))

    def _move(self, state: State, active: ActiveSet, gamma: float) -> None:
        """Move the weights of the active set by a step of size `gamma`."""
        direction = state.direction
        if direction.toward:
            active.toward(state.atom, gamma)
            return
        loses, gains = direction.loses, direction.gains
        if direction.own:
            active.away(loses, gamma)
        else:
            gains = active.place(direction.terms[0][1]) if gains < 0 else gains
            if gains == loses:  # by rounding only are the two apart: nothing moves
                return
            active.shift(loses, gains, gamma)
        if gamma >= direction.largest:  # a drop step: exactly zero, whatever rounding says
            active.weights[loses] = 0.0


def _check_atoms(problem: Problem, x0: ActiveSet) -> None:
    """Raise InvalidInput unless the atoms of `x0` lie in the region: steps go to them."""
    if abs(float(x0.weights.sum()) - 1.0) > 1e-6:
        raise InvalidInput(
            f"the weights of x0 must sum to 1, got {x0.weights.sum():g} over {len(x0)} atoms."
        )
    problem.check_start(x0)
    if x0.source is problem.region:
        return
    for _, atom in x0:
        if not problem.region.contains(atom.dense(problem.n), tol=max(1e-6, problem.nearness)):
            raise InvalidInput(
                f"the atoms of x0 must lie in the region {problem.region!r}, but one does not: "
                "pass the point itself, x0.point()."
            )


def start_vertex(problem: Problem) -> Atom | None:
    """First vertex of a run without a start: the oracle's at the own start; None where f ends."""
    region, g = problem.region, problem.objective.grad(problem.start())
    if region.costly_oracle:  # a limit of time may end it early, with another vertex
        memory = region.oracle_memory(problem.objective.shape, g.dtype)
        vertex = region.inexact_lmo(g, memory, Accuracy(0.0, math.inf, 0.0, 0, 0.0))[0]
    else:
        vertex = region.ask(g)
    if problem.objective.everywhere:
        return vertex
    inside = problem.in_domain(vertex.dense(problem.n).astype(problem.objective.dtype))
    return vertex if inside else None


def start_atoms(problem: Problem, x0: Start, atoms: ActiveSet) -> Array:
    """Fill `atoms` with the start as a combination of atoms; return the point.

    Without a start: a vertex, if f is finite there. Else the atoms into which the region
    decomposes the start, or the start as one atom.
    """
    if isinstance(x0, ActiveSet):
        _check_atoms(problem, x0)
        atoms.restore(x0.pack())
        return atoms.point()
    vertex = start_vertex(problem) if x0 is None else None
    if vertex is not None:
        atoms.toward(vertex, 1.0)
        return atoms.point()
    x: Array = problem.start(x0)
    parts = problem.region.decompose(x)
    if parts is None:
        atoms.toward(Dense(x), 1.0)
        return x
    for weight, atom in parts:
        place = atoms.place(atom)  # may move the weights
        atoms.weights[place] += weight
    atoms.drop()
    return atoms.point()


def aim_between(
    state: State, new: Atom, old: Atom, slope: float, largest: float, *places: int
) -> None:
    """Set the direction from `old` to `new`; `places` are their indices in the active set."""
    image, terms = _image(state, new), ((1.0, new), (-1.0, old))
    image -= _image(state, old)
    direction = SearchDirection(0.0, terms, slope, largest, False, None, *places)
    state.set_direction(direction, image)


def _image(state: State, atom: Atom) -> Array:
    """Image of an atom, in a new array."""
    out = np.empty_like(state.iterate.image)
    state.problem.objective.image_of(atom, out)
    return out


@dataclass(frozen=True)
class Away(_Active):
    """Toward the oracle's atom, or away from the worst active one, whichever is steeper.

    Algorithm 1 of Lacoste-Julien and Jaggi, 2015 (see :func:`~frankwolfe.methods.away_step`).
    """

    def aim(self, state: State, memory: ActiveSet) -> None:
        dots = memory.dots(state.gradient)
        worst = int(dots.argmax())
        slope = state.above - float(dots[worst])  # <g, x - a>
        weight = float(memory.weights[worst])
        if -slope <= state.model_gap or weight >= 1.0:  # at weight 1 x is that atom
            state.aim_at_atom()
            return
        atom = memory.atom(worst)
        image = state.iterate.image - _image(state, atom)
        largest = weight / (1.0 - weight)  # there the weight of the atom is zero
        state.set_direction(
            SearchDirection(1.0, ((-1.0, atom),), slope, largest, loses=worst), image
        )


@dataclass(frozen=True)
class Pairwise(_Active):
    """Pairwise direction d = s - a, from the worst active atom a to the oracle's s.

    Algorithm 2 of Lacoste-Julien and Jaggi, 2015 (see :func:`~frankwolfe.pairwise`).
    """

    def aim(self, state: State, memory: ActiveSet) -> None:
        dots = memory.dots(state.gradient)
        worst = int(dots.argmax())
        slope = state.above - state.model_gap - float(dots[worst])  # <g, s - a>
        if slope >= 0.0:  # the two may be one atom, which would lose its weight to itself
            state.aim_at_atom()
        else:
            weight = float(memory.weights[worst])
            aim_between(state, state.atom, memory.atom(worst), slope, weight, worst)


@dataclass(frozen=True)
class BlendedPairwise(_Active):
    """Pairwise among active atoms while that is steep enough, else toward the oracle's atom.

    No step swaps a new atom for an old one.
    """

    def aim(self, state: State, memory: ActiveSet) -> None:
        dots = memory.dots(state.gradient)
        worst, best = int(dots.argmax()), int(dots.argmin())
        slope = float(dots[best] - dots[worst])
        if slope >= 0.0 or -slope < state.model_gap:
            state.aim_at_atom()
        else:
            new, old = memory.atom(best), memory.atom(worst)
            aim_between(state, new, old, slope, float(memory.weights[worst]), worst, best)


@dataclass(frozen=True)
class BlendedGradient(_Active):
    """Along the gradient in the weights of the active atoms while these are apart enough.

    The weights move against c - mean(c), where c holds the product of each active atom with
    the gradient; where that is less steep than the oracle's atom, toward the latter.
    """

    def aim(self, state: State, memory: ActiveSet) -> None:
        dots = memory.dots(state.gradient)
        dots -= dots.min()  # else rounding of their mean: the shares shall sum to zero
        if dots.max() < state.model_gap or dots.max() <= MIN_SLOPE:
            state.aim_at_atom()
            return
        shares = dots.mean() - dots
        falls = shares < 0.0
        if not falls.any():  # rounding, or products that are not finite
            state.aim_at_atom()
            return
        largest = float((memory.weights[falls] / -shares[falls]).min())
        d = memory.combination(shares)
        places = np.flatnonzero(d)
        # the image of a sparse atom reads columns one by one: worth it for a quarter of them
        few = state.problem.region.sparse_atoms or 4 * places.size <= d.size
        move: Atom = Sparse(places, d[places]) if few else Dense(d)
        slope = -float(shares.dot(shares))  # <g, d> = <shares, dots>
        direction = SearchDirection(0.0, ((1.0, move),), slope, largest, shares=shares)
        state.set_direction(direction, _image(state, move))

    def _move(self, state: State, active: ActiveSet, gamma: float) -> None:
        direction = state.direction
        if direction.shares is None:
            super()._move(state, active, gamma)
            return
        before = active.weights.copy()
        active.weights[:] += gamma * direction.shares
        if gamma >= direction.largest:  # at least one weight is now zero
            active.weights[int((active.weights / before).argmin())] = 0.0
