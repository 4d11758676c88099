"""User equilibrium and system optimum of fixed trips: :func:`equilibrium`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from frankwolfe.apps.traffic.beckmann import Beckmann
from frankwolfe.apps.traffic.bush_memory import Bushes
from frankwolfe.apps.traffic.bushes import bushes
from frankwolfe.apps.traffic.excess import RelativeExcess, excess_share
from frankwolfe.apps.traffic.flows import Flows
from frankwolfe.apps.traffic.network import Network
from frankwolfe.apps.traffic.result import Equilibrium
from frankwolfe.base import Array, InvalidInput, at_least_one, number
from frankwolfe.core import State
from frankwolfe.methods import METHODS, Method, frank_wolfe
from frankwolfe.methods.steps import ExactLineSearch
from frankwolfe.solver import (
    Callback,
    Callbacks,
    Iterations,
    Result,
    Run,
    Spent,
    StoppingRule,
    callback_context,
    minimize,
)

if TYPE_CHECKING:
    import os

    from frankwolfe.apps.traffic.trips import TripsLike

__all__ = ["equilibrium"]


class _Course(Callback):
    """Callback that records the relative gap after each step, and the current state."""

    def __init__(self) -> None:
        self.excess: list[float] = []
        self.last: State | None = None

    @property
    def bushes(self) -> Bushes | None:
        """Bushes at the last step; None where the method keeps none."""
        memory = None if self.last is None else self.last.memory
        return memory if isinstance(memory, Bushes) else None

    def on_step(self, run: Run) -> None:
        self.excess.append(excess_share(run.state))
        self.last = run.state

    def end(self, result: Result) -> tuple[Array, float, float]:
        """Point to return, its value and its gap.

        A result has the point with the least value. The last point is taken instead where the run
        reached its tolerance (the relative gap is that of the last point, not of the least value),
        or where there are bushes, whose flows are those of the last point.
        """
        state = self.last
        own = self.bushes is not None or result.success
        if state is not None and own and math.isfinite(state.value):
            return np.array(state.x), state.value, max(state.gap, state.value - state.lower_bound)
        return np.asarray(result.x), result.fun, result.gap


def equilibrium(
    network: Network,
    trips: TripsLike,
    *,
    tol: float = 1e-6,
    system_optimum: bool = False,
    method: Method | str | None = None,
    max_iter: int = 1000,
    stop: StoppingRule | None = None,
    callback: Callbacks = None,
    resume: str | os.PathLike[str] | None = None,
) -> Equilibrium:
    r"""User equilibrium: link flows in which every used way is a cheapest one.

    Parameters
    ----------
    network : Network
        The links.
    trips : Trips, UserClass, or several of these
        The demand: trips between zones, by class of users.
    tol : float
        Stop when the relative gap (TSTT - SPTT) / TSTT is at most this.
    system_optimum : bool
        Find the flows with the least total time instead: the equilibrium of marginal costs
        t(x) + x t'(x).
    method : method or str, optional
        :func:`bushes` by default. Or "frank_wolfe" (with a line search), "conjugate_fw",
        "biconjugate_fw", or any other method of :func:`frankwolfe.minimize`.
    max_iter : int
        Largest number of steps.
    stop : StoppingRule, optional
        A rule that ends the run as well, such as ``Seconds(60)``.
    callback : Callback, callable, or several of them
        As in :func:`frankwolfe.minimize`, such as ``Progress()`` or ``Checkpoint(path)``.
    resume : str or path-like, optional
        A file of ``Checkpoint``, of the same network, trips and method, to go on from. The relative
        gaps before it (``excess``) are NaN: a checkpoint does not keep them.

    Returns
    -------
    Equilibrium
        With ``flows``, ``costs``, ``fun``, ``relative_gap``, ``gap``, ``certified``, ``history``
        and more. Ctrl-C ends the run early, and returns the flows so far with their gap.

    Examples
    --------
    Braess' paradox: a new road makes every trip longer.

    >>> from frankwolfe import traffic
    >>> network, trips = traffic.braess()
    >>> round(traffic.equilibrium(network, trips, tol=1e-12).total_cost / trips.total, 6)
    92.0
    >>> network, trips = traffic.braess(shortcut=False)
    >>> round(traffic.equilibrium(network, trips, tol=1e-12).total_cost / trips.total, 6)
    83.0
    """
    tol = number("tol", tol, low=0.0)
    flows = Flows(network, trips)
    f = Beckmann(network, flows.demand.fixed, system_optimum=system_optimum)
    rule: StoppingRule = RelativeExcess(tol) | Iterations(at_least_one("max_iter", max_iter))
    rule = rule | Spent()
    rule = rule if stop is None else rule | stop
    course = _Course()
    chosen = _method(method)
    with callback_context(course):
        result = minimize(f, flows, method=chosen, stop=rule, callback=callback, resume=resume)
    return _answer(f, flows, result, course)


def _method(given: Method | str | None) -> Method | str:
    """Method by name, bushes by default; "frank_wolfe" has a line search, as in the field."""
    if given is None or given == "bushes":
        return bushes()
    if isinstance(given, str) and given not in METHODS:
        names = ", ".join(sorted(METHODS))
        raise InvalidInput(f"method must be bushes, or one of {names}, got {given!r}.")
    return frank_wolfe(ExactLineSearch()) if given == "frank_wolfe" else given


def _excess(f: Beckmann, region: Flows, x: Array) -> tuple[Array, float, float]:
    """Excess cost (x - s) * grad f(x) of each entry, s all-or-nothing at x; TSTT; and SPTT."""
    costs = f.grad(x)
    least = region.lmo(costs).dense(region.dimension)
    spent = float(costs.dot(x))
    # SPTT <= TSTT but for rounding
    return (x - least) * costs, spent, min(float(least.dot(costs)), spent)


def _answer(f: Beckmann, region: Flows, result: Result, course: _Course) -> Equilibrium:
    """The answer at the point where a run ended, with costs and gaps of that very point."""
    network, demand = region.network, region.demand
    x, value, gap = course.end(result)
    own = x.reshape(region.shape)
    flows: Array = own.sum(axis=0)
    saved, spent, shortest = _excess(f, region, x)
    real = spent, shortest
    if f.system_optimum:  # f has marginal costs, which nobody pays
        real = _excess(Beckmann(network, f.fixed), region, x)[1:]
    weights = np.array([each.weight for each in demand.classes])
    excess = float((saved.reshape(own.shape).sum(axis=1) / weights).sum())
    people = float(sum(each.trips.total for each in demand.classes))
    if not np.isfinite([spent, value]).all():
        raise InvalidInput("the costs of links overflow with these trips: scale them.")
    return Equilibrium(
        flows=flows,
        costs=network.cost_of(flows),
        fun=value,
        relative_gap=(spent - shortest) / spent if spent > 0.0 else 0.0,
        gap=gap,
        lower_bound=result.lower_bound,
        certified=result.certified,
        average_excess_cost=max(excess, 0.0) / people if people else 0.0,
        total_cost=real[0],
        shortest_cost=real[1],
        success=result.success,
        status=result.status,
        message=result.message,
        nit=result.nit,
        seconds=result.seconds,
        history=result.history,
        excess=np.append(np.full(len(result.history) - len(course.excess), np.nan), course.excess),
        method=result.method,
        class_flows=own / weights[:, None],
        system_optimum=f.system_optimum,
        network=network,
        demand=demand,
        bushes=course.bushes,
    )
