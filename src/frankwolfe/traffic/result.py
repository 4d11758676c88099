"""What an assignment returns, and how its course is measured."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from frankwolfe.core.state import State
from frankwolfe.numerics.arrays import Array
from frankwolfe.solver.everyday.answer import Answer
from frankwolfe.solver.result import Status
from frankwolfe.solver.run import History
from frankwolfe.solver.stopping import Stop, _Within
from frankwolfe.traffic.bushes import Bushes
from frankwolfe.traffic.network import Network
from frankwolfe.traffic.trips import Demand

__all__ = ["Equilibrium", "RelativeExcess"]


def excess_share(state: State) -> float:
    """(TSTT - SPTT) / TSTT at the current point; 0 where nobody travels."""
    return max(state.model_gap, 0.0) / state.above if state.above > 0.0 else 0.0


@dataclass(frozen=True)
class RelativeExcess(_Within):
    """The relative gap of the field, (TSTT - SPTT) / TSTT, is at most `tolerance`."""

    def check(self, state: State, history: History) -> Stop | None:
        share = excess_share(state)
        if not share <= self.tolerance:
            return None
        return Stop(Status.CONVERGED, f"relative gap {share:.2e} <= {self.tolerance:.2e}", True)


@dataclass(frozen=True, eq=False, repr=False)
class Equilibrium(Answer):
    """The outcome of :func:`frankwolfe.traffic.equilibrium`.

    Attributes
    ----------
    flows, costs : arrays of m numbers
        Flow and cost of each link, in the network's order: all classes together, weighted, and
        the time with the network's own tolls and lengths.
    fun : float
        Beckmann's function; the time of all with ``system_optimum=True``.
    relative_gap : float
        (TSTT - SPTT) / TSTT: what all would save on the shortest paths of these costs, as a share
        of what they spend. By the marginal costs for a system optimum.
    gap : float
        An upper bound on how far `fun` is above the minimum, where `certified`.
    lower_bound : float
        What the minimum is not below.
    certified : bool
        Whether `gap` is a bound, up to rounding.
    average_excess_cost : float
        What a trip would save on average: (TSTT - SPTT) / trips.
    total_cost, shortest_cost : float
        TSTT and SPTT.
    success, status, message : bool, Status, str
        Whether the tolerance was reached, and why the run ended.
    nit, seconds : int, float
        Steps, and time in the method.
    history : History
        One row a step.
    excess : array
        The relative gap after each step.
    method : str
        The name of the method.
    class_flows : array of shape (classes, m)
        The flows of each class, in its own vehicles.
    network, demand : Network, Demand
        What was asked.
    bushes : Bushes or None
        The flows by origin, where the method keeps them.
    """

    flows: Array
    costs: Array
    fun: float
    relative_gap: float
    gap: float
    lower_bound: float
    certified: bool
    average_excess_cost: float
    total_cost: float
    shortest_cost: float
    success: bool
    status: Status
    message: str
    nit: int
    seconds: float
    history: History
    excess: Array = field(repr=False)
    method: str
    class_flows: Array = field(repr=False)
    system_optimum: bool = field(repr=False)
    network: Network = field(repr=False)
    demand: Demand = field(repr=False)
    bushes: Bushes | None = field(repr=False)

    def plot(self, **options: Any) -> Any:
        """Draw the network, flow as width and congestion as colour; returns matplotlib axes.

        Options are those of :func:`frankwolfe.visual.plots.network`.
        """
        from frankwolfe.visual.plots import network

        return network(self.network, self.flows, **options)

    def frame(self) -> Any:
        """The links as a pandas DataFrame: ends, flow, cost, and flow by class where several."""
        try:
            import pandas
        except ImportError:
            from frankwolfe.numerics.errors import MissingExtra

            raise MissingExtra("A DataFrame", "pandas", "all") from None
        links = self.network.links
        table = {"from": links[:, 0], "to": links[:, 1], "flow": self.flows, "cost": self.costs}
        if len(self.class_flows) > 1:
            for k, (each, own) in enumerate(
                zip(self.demand.classes, self.class_flows, strict=True)
            ):
                table[each.name or f"class {k + 1}"] = own
        return pandas.DataFrame(table)
