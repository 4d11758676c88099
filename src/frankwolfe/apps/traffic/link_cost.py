"""How long each link takes, as a function of how many use it."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from frankwolfe.apps.traffic.kernels import link_costs, link_integrals
from frankwolfe.base.arrays import Array, Indices
from frankwolfe.base.checks import as_float_array
from frankwolfe.base.errors import InvalidInput

__all__ = ["InvalidLink", "LinkCost", "columns", "require"]

# kinds, as `apps.traffic.kernels.link_costs` has them, which is not loaded until it is used
BPR, CONICAL, DAVIDSON, AKCELIK, LOGARITHM, MARGINAL = 0, 1, 2, 3, 4, 8

ROUNDING = 1e-9  # of the largest flow, what others may be below zero by


class InvalidLink(InvalidInput):
    """A number of a link is wrong.

    Attributes
    ----------
    link : int
        Which link, counted from 0.
    reason : str
        What is wrong with it, without the link.
    """

    def __init__(self, link: int, reason: str) -> None:
        super().__init__(f"link {link}: {reason}.")
        self.link, self.reason = link, reason


class LinkCost:
    """Times of m links: t(x), which must not fall as flows x >= 0 grow.

    Use one of :class:`BPR`, :class:`Affine`, :class:`Conical`, :class:`Davidson`,
    :class:`Akcelik` and :class:`FixedTime`; :meth:`replaced` mixes them.

    Attributes
    ----------
    kinds : array of m integers
        Which function each link has.
    table : array of shape (m, 4)
        Its time without flow, and three more parameters.
    """

    kinds: Indices
    table: Array

    @property
    def size(self) -> int:
        """How many links there are."""
        return self.kinds.size

    @property
    def free_flow_time(self) -> Array:
        """The times of empty links."""
        return self.time(np.zeros(self.size))

    @property
    def capacity(self) -> Array:
        """The capacities."""
        return self.table[:, 2].copy()

    def time(self, x: Any) -> Array:
        """The time of each link with the flows x."""
        out = np.empty(self.size)
        link_costs.times(self.kinds, self.table, self._flows(x), out)
        return out

    def slope(self, x: Any) -> Array:
        """The derivative of each time."""
        out = np.empty(self.size)
        link_costs.slopes(self.kinds, self.table, self._flows(x), out)
        return out

    def integral(self, x: Any) -> float:
        """The sum over links of the integral of the time from 0 to its flow."""
        return float(link_integrals.integrals(self.kinds, self.table, self._flows(x)))

    def _flows(self, x: Any) -> Array:
        flows = as_float_array("x", x).astype(np.float64, copy=False)
        if flows.shape != (self.size,):
            raise InvalidInput(
                f"x must have one flow for each of {self.size} links, got {flows.size}."
            )
        require(np.isfinite(flows), "x", "finite", flows)
        require(flows >= -ROUNDING * np.abs(flows).max(initial=0.0), "x", ">= 0", flows)
        return np.maximum(flows, 0.0)

    def marginal(self) -> LinkCost:
        """The times t(x) + x t'(x), whose equilibrium is the system optimum."""
        if (self.kinds >= MARGINAL).any():
            raise InvalidInput("these costs are marginal already: take those of the links.")
        kink = (self.kinds == AKCELIK) & (self.table[:, 1] == 0.0)
        require(~kink, "J", "> 0, or the marginal time jumps at capacity", self.table[:, 1])
        other = LinkCost()
        other.kinds, other.table = self.kinds.copy(), self.table.copy()
        plain = self.kinds == BPR  # t + k (s + 1) r^s is one again
        other.table[plain, 1] *= 1.0 + other.table[plain, 3]
        other.kinds[~plain] |= MARGINAL
        return other

    def replaced(self, places: Any, other: LinkCost) -> LinkCost:
        """The same, but with the times of `other` for the links `places`.

        Examples
        --------
        >>> from frankwolfe import traffic
        >>> both = traffic.BPR([1.0, 1.0], 10.0).replaced([1], traffic.FixedTime([3.0]))
        >>> both.time([10.0, 10.0])
        array([1.15, 3.  ])
        """
        if not isinstance(other, LinkCost):
            raise InvalidInput(f"other must be times of links, got {type(other).__name__}.")
        where = self._places(places)
        if where.size != other.size:
            raise InvalidInput(
                f"other must have the times of {where.size} links, as places has, got {other.size}."
            )
        mixed = LinkCost()
        mixed.kinds, mixed.table = self.kinds.copy(), self.table.copy()
        mixed.kinds[where], mixed.table[where] = other.kinds, other.table
        return mixed

    def at(self, places: Any) -> LinkCost:
        """The times of these links alone."""
        few, where = LinkCost(), self._places(places)
        few.kinds, few.table = self.kinds[where], self.table[where]
        return few

    def _places(self, places: Any) -> Indices:
        try:
            wanted = np.asarray(places if np.size(places) else np.zeros(0, dtype=np.intp))
            return np.atleast_1d(np.arange(self.size)[wanted])
        except (IndexError, TypeError, ValueError):
            raise InvalidInput(
                f"places must be numbers of links below {self.size}, got {str(places)[:40]}."
            ) from None

    def _fill(self, kind: int, *columns: Array) -> Self:
        self.table = np.ascontiguousarray(np.stack(columns, axis=1), dtype=np.float64)
        self.kinds = np.full(len(self.table), kind, dtype=np.int64)
        return self

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.size} links)"


def columns(**given: Any) -> list[Array]:
    """Numbers of links as vectors of one length, once they are finite; one number is for all."""
    arrays = {name: as_float_array(name, value).astype(np.float64) for name, value in given.items()}
    lengths = {array.size for array in arrays.values() if array.ndim}
    for name, array in arrays.items():
        if array.ndim > 1 or not array.size:
            raise InvalidInput(
                f"{name} must be a number, or a vector with one for each link, got shape "
                f"{array.shape}."
            )
    if len(lengths) > 1:
        sizes = ", ".join(f"{name} {array.size}" for name, array in arrays.items() if array.ndim)
        raise InvalidInput(f"links must all have a number of each kind, got {sizes}.")
    for name, array in arrays.items():
        require(np.isfinite(array), name, "a finite number", array)
    return [np.broadcast_to(array, (max(lengths, default=1),)) for array in arrays.values()]


def require(fine: Any, name: str, wanted: str, values: Array) -> None:
    """Raise for the first link whose number is not fine."""
    wrong = np.flatnonzero(~np.atleast_1d(fine))
    if wrong.size:
        value = np.atleast_1d(values)[wrong[0]]
        raise InvalidLink(int(wrong[0]), f"{name} must be {wanted}, got {value:g}")
