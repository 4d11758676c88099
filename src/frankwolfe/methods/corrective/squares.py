"""Fully corrective steps without second derivatives, with weights of atoms as squares."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import at_least_one
from frankwolfe.base.memory import Memory
from frankwolfe.base.roots import flat_enough
from frankwolfe.core.active_set import ActiveSet
from frankwolfe.core.atoms import Dense
from frankwolfe.core.problem import Problem, Start
from frankwolfe.core.state import State
from frankwolfe.methods import references
from frankwolfe.methods.base import OwnSteps, check_accepted, without_convexity
from frankwolfe.methods.corrective.policy import POLICY
from frankwolfe.methods.parts.directions import start_atoms
from frankwolfe.objectives import Objective
from frankwolfe.subproblems.lbfgs import lbfgs

__all__ = ["Squares", "squares"]


class AtomWeights(Memory):
    """Active set of the method, as its memory."""

    __slots__ = ("atoms",)

    def __init__(self, atoms: ActiveSet) -> None:
        self.atoms = atoms

    def pack(self) -> dict[str, Array]:
        return self.atoms.pack()

    def restore(self, arrays: Mapping[str, Array]) -> None:
        self.atoms.restore(arrays)


class WeightLoss:
    """Function u -> f(sum_a (u_a^2 / |u|^2) a) of the roots of the weights, with its gradient."""

    def __init__(self, objective: Objective, atoms: ActiveSet) -> None:
        self.objective, self.atoms = objective, atoms
        self._image, self._slope = objective.new_image(), objective.new_image()
        self._gradient = np.empty(objective.gradient_size, dtype=objective.dtype)

    def __call__(self, u: Array) -> tuple[float, Array]:
        """Value and gradient at u; an infinite value outside the domain of f."""
        objective, size = self.objective, float(u @ u)
        weights = u * u / size
        objective.image(self.atoms.combination(weights), self._image)
        if not objective.everywhere and not objective.in_domain(self._image):
            return math.inf, np.zeros_like(u)
        value, _ = objective.evaluate(self._image, self._slope, self._gradient)
        r = self.atoms.dots(self._gradient)
        return value, (2.0 / size) * u * (r - float(weights @ r))


@dataclass(frozen=True)
class Squares(OwnSteps):
    """Corrective steps on roots of the weights; made by :func:`squares`."""

    local_steps: int
    name: str = "corrective FW on squares"
    reference: str = references.LAUE

    def accepts(self, problem: Problem) -> str | None:
        """None for a convex f of a vector; else why not."""
        return without_convexity(self.name, problem)

    def init(self, problem: Problem, x0: Start = None) -> State[AtomWeights]:
        check_accepted(self, problem)
        atoms = ActiveSet(problem.n, problem.objective.dtype)
        start_atoms(problem, x0, atoms)
        if not problem.objective.everywhere:  # near the end of its domain f is too curved
            _move_inward(problem, atoms)
        return self.begin(problem, atoms.point(), AtomWeights(atoms), atoms)

    def advance(self, state: State[AtomWeights]) -> None:
        """Search toward the oracle's atom, then over the weights of all; evaluate."""
        objective, atoms = state.problem.objective, state.memory.atoms
        objective.image_of(state.atom, state.atom_image)
        z = state.iterate.image
        dz = state.atom_image - z
        t = state.step = flat_enough(state.line(dz), objective.max_step(z, dz, 1.0))
        atoms.toward(state.atom, t)
        gap = min(state.model_gap, state.shown)
        small = POLICY.min_decrease * max(gap, state.rounding)
        loss = WeightLoss(objective, atoms)
        found = lbfgs(loss, np.sqrt(atoms.weights), self.local_steps, small)
        state.gradient_calls += found.steps
        atoms.set_weights(found.x * found.x / float(found.x @ found.x))
        state.iterate.jump(atoms.point())
        state.k += 1
        self.evaluate(state)


def _move_inward(problem: Problem, atoms: ActiveSet) -> None:
    """Move halfway to the middle of the region, by its atoms where these are at hand."""
    middle = np.asarray(problem.region.middle(problem.n), dtype=problem.objective.dtype)
    parts = problem.region.decompose(middle) or [(1.0, Dense(middle))]
    atoms.weights[:] *= 0.5
    for weight, atom in parts:
        place = atoms.place(atom)  # may move the weights
        atoms.weights[place] += 0.5 * weight


def squares(local_steps: int = 300) -> Squares:
    r"""Fully corrective steps without second derivatives.

    .. code-block:: text

        for k = 0, 1, ...
            s <- argmin over C of <g, s>,   x <- the best point between x and s
            quasi-Newton on u, where x = sum of u_a^2 a / |u|^2 over the atoms so far

    On the simplex squares are what factors are on a spectraplex (`hybrid`): there are
    no bounds, and a loss whose curvature in a weight grows as it falls, as that of a
    logarithm, has about the same curvature in all roots.

    Parameters
    ----------
    local_steps : int
        Most quasi-Newton steps between oracle calls.

    References
    ----------
    S. Laue, *A Hybrid Algorithm for Convex Semidefinite Optimization*, ICML 2012.
    """
    return Squares(at_least_one("local_steps", local_steps))
