"""Pool of atoms: f restricted to their hull, minimized over their weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from frankwolfe.base.arrays import Array, Flags
from frankwolfe.base.clock import Pieces, due
from frankwolfe.base.memory import Memory
from frankwolfe.base.roots import Along, full_or_newton
from frankwolfe.core.active_set import ActiveSet
from frankwolfe.core.atoms import Atom, Dense
from frankwolfe.methods.corrective.model import toward_model
from frankwolfe.methods.corrective.policy import POLICY, Stalling
from frankwolfe.objectives import Objective

__all__ = ["Pool"]

Line: TypeAlias = Callable[[Array, Array, Objective], Along]
"""Type of :meth:`frankwolfe.core.state.State.line`: dz, z, f -> the line along dz."""


class Pool(Memory):
    """Atoms with weights >= 0, the images of the atoms, and for a quadratic f their Hessian.

    Minimizing f over the hull of the atoms is a problem over the probability simplex, with
    as many variables as there are atoms; it never touches A.
    """

    __slots__ = ("columns", "kept")

    def __init__(self, objective: Objective) -> None:
        self.kept = ActiveSet(objective.n, objective.dtype)
        self.columns = objective.columns()

    def open(self) -> None:
        """Compute the columns of the atoms that are already kept."""
        self.columns.add([atom for _, atom in self.kept])

    def add(self, atoms: Sequence[Atom]) -> None:
        """Add the atoms that are new, with weight zero, as far as there is time."""
        for few in self.columns.portions(atoms, len(self.kept)):
            self.columns.add(self.kept.extend(few))

    def keep(self, keep: Flags) -> None:
        """Keep the flagged atoms alone."""
        self.columns.keep(keep)
        self.kept.select(keep)

    def draw_together(self, share: float) -> None:
        """Draw the atoms toward their combination, which stays: weights then have more digits.

        Where a region is far larger than the way to the best point, the rounding of weights is
        farther than that.
        """
        x = self.kept.point()
        near = [(w, Dense(x + share * (a.dense(x.size) - x))) for w, a in self.kept if w > 0.0]
        self._replace(near)

    def condense(self) -> None:
        """Make one atom of their combination, so that there is room for others."""
        self._replace([(1.0, Dense(self.kept.point()))])

    def _replace(self, atoms: Sequence[tuple[float, Atom]]) -> None:
        """Replace all atoms and weights by these."""
        self.kept.select(np.zeros(len(self.kept), dtype=bool))
        for weight, atom in atoms:
            place = self.kept.place(atom)  # may move the weights
            self.kept.weights[place] += weight
        self.columns = self.columns.whole.columns()
        self.open()

    def correct(self, z: Array, enough: float, line: Line, due: Callable[[], bool] = due) -> Array:
        """Minimize f over the hull of the atoms until its gap is `enough`; return the image.

        Newton's method: a quadratic model over the simplex, then a line search toward its
        minimizer by `line`, the state's own. It ends early where `due`.
        """
        columns = self.columns
        objective = columns.objective
        weights, z = self.kept.weights.copy(), z[columns.places]
        slope = np.empty_like(z)
        stalling, steps = Stalling(), Pieces()
        for _ in range(POLICY.newton_steps):
            r = columns.derivative(z, slope)
            gap = float(weights @ r - r.min())
            stalled = stalling.after(gap)
            if gap <= enough or stalled or due() or steps.due():
                break
            away = toward_model(columns.hessian(z), weights, r, 0.01 * gap) - weights
            dz = columns.combine(away)
            t = full_or_newton(line(dz, z, objective), objective.max_step(z, dz, 1.0))
            if t == 0.0:
                break
            weights += t * away
            z = columns.ahead(z, dz, t)
        self.kept.set_weights(np.maximum(weights, 0.0) / weights.sum())
        return columns.image(self.kept.weights)

    def pack(self) -> dict[str, Array]:
        """Atoms, weights and Hessian; images are computed again."""
        return {**self.kept.pack(), **self.columns.pack()}

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Restore the pool from the arrays of `pack`."""
        self.kept.restore(arrays)
        self.columns.restore([atom for _, atom in self.kept], arrays["hessian"])
