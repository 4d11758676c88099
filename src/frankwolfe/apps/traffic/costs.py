"""Link performance functions: BPR, fixed, affine, conical, Davidson's and Akcelik's."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.apps.traffic import roads
from frankwolfe.apps.traffic.link_cost import LinkCost, columns, require

__all__ = ["BPR", "AffineCost", "Akcelik", "Conical", "Davidson", "FixedTime"]


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

    def __init__(
        self,
        free_flow_time: ArrayLike,
        capacity: ArrayLike,
        b: ArrayLike = 0.15,
        power: ArrayLike = 4.0,
    ) -> None:
        times, capacities, b, power = columns(
            free_flow_time=free_flow_time, capacity=capacity, b=b, power=power
        )
        require(times >= 0.0, "free_flow_time", ">= 0", times)
        require(b >= 0.0, "b", ">= 0, or the time falls with flow", b)
        read = b > 0.0  # capacity and power of other links have no effect: any number is taken
        require(np.where(read, capacities, 1.0) > 0.0, "capacity", "> 0", capacities)
        require(capacities >= 0.0, "capacity", "> 0", capacities)
        require(
            np.where(read, power, 0.0) >= 0.0, "power", ">= 0, or the time falls with flow", power
        )
        capacities, power = np.where(read, capacities, 1.0), np.where(read, power, 1.0)
        with np.errstate(over="ignore"):  # refused in the next line
            rise = times * b
        require(np.isfinite(rise), "b", "such that free_flow_time times b does not overflow", b)
        self._fill(roads.BPR, times, rise, capacities, power)


class FixedTime(BPR):
    """Times that do not depend on flow.

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

    def __init__(self, time: ArrayLike) -> None:
        super().__init__(time, 1.0, 0.0, 1.0)


class AffineCost(LinkCost):
    r"""Affine times :math:`t_0 + s x`, also with :math:`t_0 = 0`, which :class:`BPR` has not.

    Parameters
    ----------
    free_flow_time : float or array of m numbers
        :math:`t_0 \ge 0`.
    slope : float or array
        :math:`s \ge 0`.

    Examples
    --------
    >>> from frankwolfe import traffic
    >>> traffic.AffineCost([0.0, 50.0], [10.0, 1.0]).time([4.0, 2.0])
    array([40., 52.])
    """

    def __init__(self, free_flow_time: ArrayLike, slope: ArrayLike) -> None:
        times, slopes = columns(free_flow_time=free_flow_time, slope=slope)
        require(times >= 0.0, "free_flow_time", ">= 0", times)
        require(slopes >= 0.0, "slope", ">= 0, or the time falls with flow", slopes)
        ones = np.ones(times.size)
        self._fill(roads.BPR, times, slopes, ones, ones)  # t + k (x / 1)^1


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
    frankwolfe.base.errors.InvalidInput: x must have one flow for each of 1 links, got 2.
    >>> traffic.Conical([10.0, 10.0], 100.0).time([0.0, 100.0])
    array([10., 20.])
    """

    def __init__(
        self, free_flow_time: ArrayLike, capacity: ArrayLike, alpha: ArrayLike = 4.0
    ) -> None:
        times, capacities, alpha = columns(
            free_flow_time=free_flow_time, capacity=capacity, alpha=alpha
        )
        require(times >= 0.0, "free_flow_time", ">= 0", times)
        require(capacities > 0.0, "capacity", "> 0", capacities)
        require(alpha > 1.0, "alpha", "> 1", alpha)
        self._fill(roads.CONICAL, times, alpha, capacities, (2 * alpha - 1) / (2 * alpha - 2))


class Davidson(LinkCost):
    r"""Davidson's times, :math:`t_0 (1 + J r / (1 - r))` with :math:`r = x / c`.

    From a share of the capacity on it is replaced by its tangent, so that any flow has a time.

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
        self,
        free_flow_time: ArrayLike,
        capacity: ArrayLike,
        J: ArrayLike = 0.25,
        until: ArrayLike = 0.95,
    ) -> None:
        times, capacities, J, until = columns(
            free_flow_time=free_flow_time, capacity=capacity, J=J, until=until
        )
        require(times >= 0.0, "free_flow_time", ">= 0", times)
        require(capacities > 0.0, "capacity", "> 0", capacities)
        require(J >= 0.0, "J", ">= 0", J)
        require((until > 0.0) & (until < 1.0), "until", "between 0 and 1", until)
        self._fill(roads.DAVIDSON, times, J, capacities, until)


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

    def __init__(
        self,
        free_flow_time: ArrayLike,
        capacity: ArrayLike,
        J: ArrayLike = 0.1,
        period: ArrayLike = 1.0,
    ) -> None:
        times, capacities, J, period = columns(
            free_flow_time=free_flow_time, capacity=capacity, J=J, period=period
        )
        require(times >= 0.0, "free_flow_time", ">= 0", times)
        require(capacities > 0.0, "capacity", "> 0", capacities)
        require(J >= 0.0, "J", ">= 0", J)
        require(period > 0.0, "period", "> 0", period)
        self._fill(roads.AKCELIK, times, J, capacities, period)
