"""Equilibrium: the result of an assignment, with skims, select-link analysis and used paths."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from frankwolfe.apps.everyday import ResultRecord
from frankwolfe.apps.traffic.bush_memory import Bushes
from frankwolfe.apps.traffic.network import Network
from frankwolfe.apps.traffic.paths import Path, paths
from frankwolfe.apps.traffic.select_link import SelectedLinks, select_link
from frankwolfe.apps.traffic.skims import Skims, skims
from frankwolfe.apps.traffic.trips import Demand
from frankwolfe.base import Array
from frankwolfe.solver import History, Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import ArrayLike

    from frankwolfe.apps.traffic.select_link import LinkChoice
    from frankwolfe.apps.traffic.tables import DataFrame

__all__ = ["Equilibrium"]


@dataclass(frozen=True, eq=False, repr=False)
class Equilibrium(ResultRecord):
    """The outcome of :func:`frankwolfe.apps.traffic.equilibrium`.

    Attributes
    ----------
    flows : array of m numbers
        Flow of each link, in the network's order: the weighted sum over classes.
    costs : array of m numbers
        Cost of each link: its time with the network's own tolls and lengths.
    fun : float
        Beckmann's function; the total time with ``system_optimum=True``.
    relative_gap : float
        (TSTT - SPTT) / TSTT: the share of the total cost that shortest paths at these costs would
        save. At marginal costs for a system optimum.
    gap : float
        An upper bound on how far `fun` is above the minimum, where `certified`.
    lower_bound : float
        Lower bound on the minimum of `fun`.
    certified : bool
        True if `gap` is a bound, up to rounding.
    average_excess_cost : float
        Average saving of a trip on shortest paths: (TSTT - SPTT) / trips.
    total_cost : float
        TSTT: the total cost of all trips.
    shortest_cost : float
        SPTT: the total cost of all trips on the shortest paths of these costs.
    success : bool
        True if the tolerance was reached.
    status : Status
        Reason why the run ended, an integer enum.
    message : str
        Reason why the run ended, in words.
    nit : int
        Number of steps.
    seconds : float
        Seconds spent in the method.
    history : History
        Columns with a row for each step.
    excess : array
        Relative gap after each step.
    method : str
        The name of the method.
    class_flows : array of shape (classes, m)
        Flows of each class, in its own vehicles.
    system_optimum : bool
        True if the least total time was asked for.
    network : Network
        The links.
    demand : Demand
        The trips, as they were assigned.
    bushes : Bushes or None
        Flows by origin, where the method keeps them.
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
        """Draw the network, flow as width and congestion as colour; return matplotlib axes.

        Options go to :func:`frankwolfe.visual.plots.network`.
        """
        from frankwolfe.visual.plots import network

        return network(self.network, self.flows, **options)

    def frame(self) -> DataFrame:
        """Pandas DataFrame of the links: ends, flow, cost; flows by class if there are several."""
        try:
            import pandas
        except ImportError:
            from frankwolfe.base import MissingExtra

            raise MissingExtra("A DataFrame", "pandas", "all") from None
        links = self.network.links
        table = {"from": links[:, 0], "to": links[:, 1], "flow": self.flows, "cost": self.costs}
        if len(self.class_flows) > 1:
            for k, (each, own) in enumerate(
                zip(self.demand.classes, self.class_flows, strict=True)
            ):
                table[each.name or f"class {k + 1}"] = own
        return pandas.DataFrame(table)

    def way_costs(self, k: int = 0) -> Array:
        """Link costs by which class k chose its ways; marginal ones for a system optimum."""
        cost = self.network.cost.marginal() if self.system_optimum else self.network.cost
        found: Array = cost.time(self.flows) + self.demand.fixed[k]
        return found

    def skims(
        self,
        quantities: Iterable[str] | Mapping[str, ArrayLike] = "cost",
        *,
        user_class: int | str = 0,
        ways: str = "shortest",
    ) -> Skims:
        """Matrices of cost, time, length or toll from each zone to each other one.

        Parameters
        ----------
        quantities : str, several of these, or dict
            "cost" (times with the tolls and lengths of the class), "time", "length", "toll"; or
            arrays with a number for each link, by name.
        user_class : int or str
            Index or name of the class whose ways these are.
        ways : str
            "shortest": sums along a path that is shortest in the costs of the result (in the
            marginal costs for a system optimum). "used": averages over the ways that the trips
            of the class from that zone use, by flow; where none of these comes, as "shortest".
            Costs agree by either, up to the gap; but ways that cost the same may differ in length
            or toll, of which "shortest" picks one and "used" averages.

        Returns
        -------
        Skims
            With ``matrix(name)``, ``zones`` and ``frame(name)``; 0 on the diagonal, infinity
            where no way leads.

        Examples
        --------
        >>> from frankwolfe import traffic
        >>> result = traffic.equilibrium(*traffic.braess(), tol=1e-12)
        >>> skims = result.skims(["cost", "time"])
        >>> skims
        Skims(cost, time; 4 zones)
        >>> skims.matrix("cost").round(6)
        array([[ 0., 52., 40., 92.],
               [inf,  0., inf, 40.],
               [inf, 12.,  0., 52.],
               [inf, inf, inf,  0.]])
        >>> links = result.skims({"links": [1, 1, 1, 1, 1]}, ways="used")
        >>> round(float(links.matrix()[0, 3]), 6)
        2.333333
        """
        return skims(self, quantities, user_class, ways)

    def select_link(self, links: LinkChoice, *, use: str = "any") -> SelectedLinks:
        """Select-link analysis: trips that use chosen links, and their flows on all links.

        Parameters
        ----------
        links : int, pair, or several of these
            Links by their index in the network's order, or as tuples (from, to) of nodes, which
            mean all links from the one to the other.
        use : str
            "any": trips that use at least one of them. "all": trips that use each of them.

        Returns
        -------
        SelectedLinks
            With ``trips``, ``matrix``, ``flows`` and ``share``.

        Notes
        -----
        Link flows of an equilibrium are unique where times rise, and those of ways are not: the
        trips of an origin that come to a node are taken to have used the links that enter it in
        proportion to their flows, wherever they go on to. For an origin with one destination, or
        where its ways do not meet again, there is nothing to choose.

        Examples
        --------
        >>> from frankwolfe import traffic
        >>> result = traffic.equilibrium(*traffic.braess(), tol=1e-12)
        >>> result.select_link((3, 2)).flows.round(6)          # the road from 3 to 2
        array([2., 0., 2., 0., 2.])
        >>> result.select_link([0, 4]).trips, result.select_link([0, 4], use="all").trips
        (Trips(6 from 1 origins, 1 pairs), Trips(2 from 1 origins, 1 pairs))
        """
        return select_link(self, links, use)

    def paths(
        self, origin: object, destination: object, *, most: int = 10, user_class: int | str = 0
    ) -> list[Path]:
        """Ways that trips from one zone to another use, the most used first.

        Flows are divided among ways in the proportions that :meth:`select_link` describes.

        Parameters
        ----------
        origin, destination : labels
            The zones.
        most : int
            Largest number of ways to return.
        user_class : int or str
            Index or name of the class.

        Returns
        -------
        list of Path
            Each with ``flow``, ``cost``, ``nodes`` and ``links``.

        Examples
        --------
        >>> from frankwolfe import traffic
        >>> result = traffic.equilibrium(*traffic.braess(), tol=1e-12)
        >>> for path in sorted(result.paths(1, 4), key=lambda path: len(path.links)):
        ...     print(f"{path.flow:.4f} trips at {path.cost:.4f} by {path.links.size} links")
        2.0000 trips at 92.0000 by 2 links
        2.0000 trips at 92.0000 by 2 links
        2.0000 trips at 92.0000 by 3 links
        """
        return paths(self, origin, destination, most, user_class)
