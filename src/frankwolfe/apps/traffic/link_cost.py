"""Link times as functions of link flows, by kinds and parameters that compiled loops read."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.apps.traffic.kernels import link_costs, link_integrals
from frankwolfe.apps.traffic.roads import AKCELIK, BPR, MARGINAL
from frankwolfe.base import Array, Flags, Indices, InvalidInput, as_float_array

__all__ = ["InvalidLink", "LinkCost", "columns", "require"]

NEGATIVE_FLOW_TOL = 1e-9  # of the largest flow; rounding leaves sums of flows this far below 0


class InvalidLink(InvalidInput):
    """Error about a number of one link.

    Attributes
    ----------
    link : int
        Index of the link, from 0.
    reason : str
        The message without the link.
    """

    def __init__(self, link: int, reason: str) -> None:
        super().__init__(f"link {link}: {reason}.")
        self.link, self.reason = link, reason


class LinkCost:
    """Times t_a(x_a) of m links, nondecreasing in their flows x_a >= 0.

    Use one of :class:`BPR`, :class:`AffineCost`, :class:`Conical`, :class:`Davidson`,
    :class:`Akcelik` and :class:`FixedTime`; :meth:`replaced` mixes them.

    Attributes
    ----------
    kinds : array of m integers
        Kind of each link's function.
    table : array of shape (m, 4)
        Time without flow, and three more parameters, of each link.
    """

    kinds: Indices
    table: Array

    @property
    def size(self) -> int:
        """Number of links."""
        return self.kinds.size

    @property
    def free_flow_time(self) -> Array:
        """Time of each link without flow."""
        return self.time(np.zeros(self.size))

    @property
    def capacity(self) -> Array:
        """Capacity of each link."""
        return self.table[:, 2].copy()

    def time(self, x: ArrayLike) -> Array:
        """Time t_a(x_a) of each link at the flows x."""
        out = np.empty(self.size)
        link_costs.times(self.kinds, self.table, self._flows(x), out)
        return out

    def slope(self, x: ArrayLike) -> Array:
        """Derivative t_a'(x_a) of each time at the flows x."""
        out = np.empty(self.size)
        link_costs.slopes(self.kinds, self.table, self._flows(x), out)
        return out

    def integral(self, x: ArrayLike) -> float:
        """Sum over links of the integral of t_a from 0 to x_a."""
        return float(link_integrals.integrals(self.kinds, self.table, self._flows(x)))

    def _flows(self, x: ArrayLike) -> Array:
        """Flows as a vector of m finite numbers, rounding below 0 taken away."""
        flows = as_float_array("x", x).astype(np.float64, copy=False)
        if flows.shape != (self.size,):
            raise InvalidInput(
                f"x must have one flow for each of {self.size} links, got {flows.size}."
            )
        require(np.isfinite(flows), "x", "finite", flows)
        require(flows >= -NEGATIVE_FLOW_TOL * np.abs(flows).max(initial=0.0), "x", ">= 0", flows)
        return np.maximum(flows, 0.0)

    def marginal(self) -> LinkCost:
        """Marginal times t(x) + x t'(x), whose equilibrium is the system optimum."""
        if (self.kinds >= MARGINAL).any():
            raise InvalidInput("these costs are marginal already: take those of the links.")
        kink = (self.kinds == AKCELIK) & (self.table[:, 1] == 0.0)
        require(~kink, "J", "> 0, or the marginal time jumps at capacity", self.table[:, 1])
        other = LinkCost()
        other.kinds, other.table = self.kinds.copy(), self.table.copy()
        plain = self.kinds == BPR  # t + k (s + 1) r^s is a BPR function again
        other.table[plain, 1] *= 1.0 + other.table[plain, 3]
        other.kinds[~plain] |= MARGINAL
        return other

    def replaced(self, places: ArrayLike, other: LinkCost) -> LinkCost:
        """These times, with those of `other` for the links `places`.

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

    def at(self, places: ArrayLike) -> LinkCost:
        """Times of the links `places` alone."""
        few, where = LinkCost(), self._places(places)
        few.kinds, few.table = self.kinds[where], self.table[where]
        return few

    def _places(self, places: ArrayLike) -> Indices:
        """Indices of links from indices or a mask."""
        try:
            wanted = np.asarray(places if np.size(places) else np.zeros(0, dtype=np.intp))
            return np.atleast_1d(np.arange(self.size)[wanted])
        except (IndexError, TypeError, ValueError):
            raise InvalidInput(
                f"places must be numbers of links below {self.size}, got {str(places)[:40]}."
            ) from None

    def _fill(self, kind: int, *columns: Array) -> Self:
        """Set the kind of all links and the four columns of their table."""
        self.table = np.ascontiguousarray(np.stack(columns, axis=1), dtype=np.float64)
        self.kinds = np.full(len(self.table), kind, dtype=np.int64)
        return self

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.size} links)"


def columns(**given: ArrayLike) -> list[Array]:
    """Parameters of links as finite vectors of one length; one number is for all links."""
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


def require(fine: Flags | np.bool_, name: str, wanted: str, values: Array) -> None:
    """Raise InvalidLink for the first link whose number is not fine."""
    wrong = np.flatnonzero(~np.atleast_1d(fine))
    if wrong.size:
        value = np.atleast_1d(values)[wrong[0]]
        raise InvalidLink(int(wrong[0]), f"{name} must be {wanted}, got {value:g}")
