"""How long each link takes, as a function of how many use it."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from frankwolfe.numerics.arrays import Array, Indices
from frankwolfe.numerics.checks import as_float_array
from frankwolfe.numerics.errors import InvalidInput
from frankwolfe.numerics.kernels import link_costs, link_integrals

__all__ = [
    "BPR",
    "Affine",
    "Akcelik",
    "Conical",
    "Davidson",
    "FixedTime",
    "InvalidLink",
    "LinkCost",
]

# kinds, as `numerics.kernels.link_costs` has them, which is not loaded until it is used
_BPR, _CONICAL, _DAVIDSON, _AKCELIK, _MARGINAL = 0, 1, 2, 3, 8

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
        if (self.kinds >= _MARGINAL).any():
            raise InvalidInput("these costs are marginal already: take those of the links.")
        kink = (self.kinds == _AKCELIK) & (self.table[:, 1] == 0.0)
        require(~kink, "J", "> 0, or the marginal time jumps at capacity", self.table[:, 1])
        other = LinkCost()
        other.kinds, other.table = self.kinds.copy(), self.table.copy()
        plain = self.kinds == _BPR  # t + k (s + 1) r^s is one again
        other.table[plain, 1] *= 1.0 + other.table[plain, 3]
        other.kinds[~plain] |= _MARGINAL
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


def _columns(**given: Any) -> list[Array]:
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


class BPR(LinkCost):
    r"""The times of the Bureau of Public Roads, :math:`t_0 (1 + b (x / c)^p)`.

    Parameters
    ----------
    free_flow_time : float or array of m numbers
        :math:`t_0 \ge 0`, the time of an empty link; zero is allowed.
    capacity : float or array
        c > 0; where b = 0 it is not read.
    b : float or array
        :math:`b \ge 0`.
    power : float or array
        :math:`p \ge 0`: a time that falls with flow has no unique equilibrium. Where b = 0 it is
        not read.

    References
    ----------
    Bureau of Public Roads, *Traffic Assignment Manual*, 1964.

    Examples
    --------
    >>> from frankwolfe import traffic
    >>> traffic.BPR(10.0, [100.0, 200.0]).time([100.0, 100.0])
    array([11.5    , 10.09375])
    """

    def __init__(self, free_flow_time: Any, capacity: Any, b: Any = 0.15, power: Any = 4.0) -> None:
        times, capacities, b, power = _columns(
            free_flow_time=free_flow_time, capacity=capacity, b=b, power=power
        )
        require(times >= 0.0, "free_flow_time", ">= 0", times)
        require(b >= 0.0, "b", ">= 0, or the time falls with flow", b)
        read = b > 0.0
        require(np.where(read, capacities, 1.0) > 0.0, "capacity", "> 0", capacities)
        require(capacities >= 0.0, "capacity", "> 0", capacities)
        require(
            np.where(read, power, 0.0) >= 0.0, "power", ">= 0, or the time falls with flow", power
        )
        capacities, power = np.where(read, capacities, 1.0), np.where(read, power, 1.0)
        with np.errstate(over="ignore"):
            rise = times * b
        require(np.isfinite(rise), "b", "such that free_flow_time times b does not overflow", b)
        self._fill(_BPR, times, rise, capacities, power)


class FixedTime(BPR):
    """Times that no flow changes.

    Parameters
    ----------
    time : float or array of m numbers
        >= 0.

    Examples
    --------
    >>> from frankwolfe import traffic
    >>> traffic.FixedTime([2.0, 3.0]).time([0.0, 50.0])
    array([2., 3.])
    """

    def __init__(self, time: Any) -> None:
        super().__init__(time, 1.0, 0.0, 1.0)


class Affine(LinkCost):
    r"""Times that grow as a line, :math:`t_0 + s x`; :class:`BPR` has none that begins at 0.

    Parameters
    ----------
    free_flow_time : float or array of m numbers
        :math:`t_0 \ge 0`.
    slope : float or array
        :math:`s \ge 0`.

    Examples
    --------
    >>> from frankwolfe import traffic
    >>> traffic.Affine([0.0, 50.0], [10.0, 1.0]).time([4.0, 2.0])
    array([40., 52.])
    """

    def __init__(self, free_flow_time: Any, slope: Any) -> None:
        times, slopes = _columns(free_flow_time=free_flow_time, slope=slope)
        require(times >= 0.0, "free_flow_time", ">= 0", times)
        require(slopes >= 0.0, "slope", ">= 0, or the time falls with flow", slopes)
        ones = np.ones(times.size)
        self._fill(_BPR, times, slopes, ones, ones)


class Conical(LinkCost):
    r"""Conical times, :math:`t_0 (2 + \sqrt{\alpha^2 (1-r)^2 + \beta^2} - \alpha (1-r) - \beta)`.

    With :math:`r = x / c` and :math:`\beta = (2\alpha - 1) / (2\alpha - 2)`. At capacity the time
    is doubled, as with a BPR of b = 1, and far beyond it rises no faster than a line.

    Parameters
    ----------
    free_flow_time, capacity : float or array
        As for :class:`BPR`; capacities > 0.
    alpha : float or array
        > 1, the steepness.

    References
    ----------
    H. Spiess, *Conical volume-delay functions*, Transportation Science, 1990.

    Examples
    --------
    >>> from frankwolfe import traffic
    >>> traffic.Conical(10.0, 100.0).time([0.0, 100.0])
    Traceback (most recent call last):
    ...
    frankwolfe.numerics.errors.InvalidInput: x must have one flow for each of 1 links, got 2.
    >>> traffic.Conical([10.0, 10.0], 100.0).time([0.0, 100.0])
    array([10., 20.])
    """

    def __init__(self, free_flow_time: Any, capacity: Any, alpha: Any = 4.0) -> None:
        times, capacities, alpha = _columns(
            free_flow_time=free_flow_time, capacity=capacity, alpha=alpha
        )
        require(times >= 0.0, "free_flow_time", ">= 0", times)
        require(capacities > 0.0, "capacity", "> 0", capacities)
        require(alpha > 1.0, "alpha", "> 1", alpha)
        self._fill(_CONICAL, times, alpha, capacities, (2 * alpha - 1) / (2 * alpha - 2))


class Davidson(LinkCost):
    r"""Davidson's times, :math:`t_0 (1 + J r / (1 - r))` with :math:`r = x / c`.

    Beyond a share of the capacity its tangent goes on, so that any flow has a time.

    Parameters
    ----------
    free_flow_time, capacity : float or array
        As for :class:`BPR`; capacities > 0.
    J : float or array
        >= 0, how much queues cost.
    until : float or array
        The share of the capacity, in (0, 1), from which on the tangent is taken.

    References
    ----------
    K. B. Davidson, *A flow travel time relationship for use in transportation planning*, 1966;
    P. Tisato, *Suggestions for an improved Davidson travel time function*, Australian Road
    Research, 1991.

    Examples
    --------
    >>> from frankwolfe import traffic
    >>> traffic.Davidson([10.0, 10.0], 100.0, J=0.1).time([50.0, 100.0]).round(3)
    array([11., 49.])
    """

    def __init__(
        self, free_flow_time: Any, capacity: Any, J: Any = 0.25, until: Any = 0.95
    ) -> None:
        times, capacities, J, until = _columns(
            free_flow_time=free_flow_time, capacity=capacity, J=J, until=until
        )
        require(times >= 0.0, "free_flow_time", ">= 0", times)
        require(capacities > 0.0, "capacity", "> 0", capacities)
        require(J >= 0.0, "J", ">= 0", J)
        require((until > 0.0) & (until < 1.0), "until", "between 0 and 1", until)
        self._fill(_DAVIDSON, times, J, capacities, until)


class Akcelik(LinkCost):
    r"""Akcelik's times, :math:`t_0 + \frac T4 (r - 1 + \sqrt{(r-1)^2 + 8 J r / (c T)})`.

    Parameters
    ----------
    free_flow_time, capacity : float or array
        As for :class:`BPR`; capacities > 0, in vehicles a unit of time.
    J : float or array
        >= 0, the delay parameter; > 0 for a system optimum.
    period : float or array
        T > 0, how long the flow lasts, in the units of the times.

    References
    ----------
    R. Akcelik, *Travel time functions for transport planning purposes: Davidson's function, its
    time-dependent form and an alternative travel time function*, Australian Road Research, 1991.

    Examples
    --------
    >>> from frankwolfe import traffic
    >>> traffic.Akcelik([1.0, 1.0], 1000.0, J=0.1).time([0.0, 1000.0]).round(4)
    array([1.    , 1.0071])
    """

    def __init__(self, free_flow_time: Any, capacity: Any, J: Any = 0.1, period: Any = 1.0) -> None:
        times, capacities, J, period = _columns(
            free_flow_time=free_flow_time, capacity=capacity, J=J, period=period
        )
        require(times >= 0.0, "free_flow_time", ">= 0", times)
        require(capacities > 0.0, "capacity", "> 0", capacities)
        require(J >= 0.0, "J", ">= 0", J)
        require(period > 0.0, "period", "> 0", period)
        self._fill(_AKCELIK, times, J, capacities, period)
