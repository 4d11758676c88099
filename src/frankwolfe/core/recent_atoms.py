"""Cache of the atoms that an oracle has returned, for oracles that try those first."""

from __future__ import annotations

from frankwolfe.base.arrays import Array
from frankwolfe.core.active_set import ActiveSet
from frankwolfe.core.atoms import Atom

__all__ = ["RecentAtoms"]

MAX_ENTRIES = 10_000_000  # of all atoms of a cache together: 80 MB of doubles


class RecentAtoms(ActiveSet):
    """Past atoms of an oracle, of which the least recently used ones leave first.

    In the place of a weight each atom has the time of its last use.

    References
    ----------
    G. Braun, S. Pokutta and D. Zink, *Lazifying Conditional Gradient Algorithms*, ICML 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from frankwolfe.core.atoms import Vertex
    >>> from frankwolfe.core.recent_atoms import RecentAtoms
    >>> atoms = RecentAtoms(3)
    >>> for time, place in enumerate((0, 1, 2)):
    ...     atoms.keep(Vertex(place, 1.0), time, most=2)
    >>> place, product = atoms.best(np.array([-9.0, 1.0, 2.0]))
    >>> atoms.use(place, 3).dense(3), product
    (array([0., 1., 0.]), 1.0)
    """

    __slots__ = ()

    def keep(self, atom: Atom, time: int, most: int) -> None:
        """Add an atom used at `time`; beyond `most` atoms or `MAX_ENTRIES` the oldest leave."""
        if most == 0:
            return
        before = len(self)
        place = self.place(atom)  # may move the weights
        self._weights[place] = time
        if len(self) == before:
            return
        excess = max(len(self) - most, 0)
        if self.stored > MAX_ENTRIES:
            excess = max(excess, len(self) // 2)
        if excess:
            self.remove(sorted(self.weights.argsort(kind="stable")[:excess]))

    def best(self, g: Array) -> tuple[int, float]:
        """Place of the atom s with the least <g, s>, and that product; there is at least one."""
        dots = self.dots(g)
        place = int(dots.argmin())
        return place, float(dots[place])

    def use(self, place: int, time: int) -> Atom:
        """The atom at a place, used at `time`."""
        self._weights[place] = time
        return self.atom(place)
