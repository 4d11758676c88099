"""Skims: cost, time, length and toll from each zone to each other one at the equilibrium."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from frankwolfe.apps.traffic.flows import MIN_THREADED_WORK
from frankwolfe.apps.traffic.kernels import bush_paths
from frankwolfe.apps.traffic.network import Network
from frankwolfe.apps.traffic.roads import StoredBushes
from frankwolfe.base import AnyArray, Array, Indices, InvalidInput, MissingExtra, finite_vector
from frankwolfe.base.kernels import may_thread

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from frankwolfe.apps.traffic.bush_memory import Bushes
    from frankwolfe.apps.traffic.result import Equilibrium
    from frankwolfe.apps.traffic.tables import DataFrame

__all__ = ["Skims", "class_place", "kept_bushes", "link_quantities", "skims", "zone_sums"]

_NO_BUSHES = StoredBushes(np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32), np.zeros(0))
QUANTITIES = ("cost", "time", "length", "toll")


@dataclass(frozen=True, eq=False)
class Skims:
    """Zone-to-zone matrices of cost, time, length or toll, from :meth:`Equilibrium.skims`.

    Attributes
    ----------
    names : tuple of str
        Names of the quantities.
    zones : array of labels
        Labels of the rows and columns.
    values : array of shape (quantities, zones, zones)
        Sum from the zone of a row to that of a column; 0 on the diagonal, and infinity where no way
        leads.
    """

    names: tuple[str, ...]
    zones: AnyArray
    values: Array

    def matrix(self, name: str | None = None) -> Array:
        """Matrix of one quantity; of the first by default."""
        if name is not None and name not in self.names:
            raise InvalidInput(f"name must be one of {', '.join(self.names)}, got {name!r}.")
        found: Array = self.values[0 if name is None else self.names.index(name)]
        return found

    def frame(self, name: str | None = None) -> DataFrame:
        """Matrix of one quantity as a pandas DataFrame, labelled by the zones."""
        try:
            import pandas
        except ImportError:
            raise MissingExtra("A DataFrame", "pandas", "all") from None
        rows, columns = (pandas.Index(self.zones, name=end) for end in ("from", "to"))
        return pandas.DataFrame(self.matrix(name), rows, columns)

    def __repr__(self) -> str:
        return f"Skims({', '.join(self.names)}; {len(self.zones):,} zones)"


def skims(
    result: Equilibrium,
    quantities: Iterable[str] | Mapping[str, ArrayLike],
    user_class: int | str,
    ways: str,
) -> Skims:
    """Skims of a result; :meth:`Equilibrium.skims` describes the arguments."""
    k = class_place(result, user_class)
    found = link_quantities(result, quantities, k)
    if ways not in ("shortest", "used"):
        raise InvalidInput(f"ways must be 'shortest' or 'used', got {ways!r}.")
    network, bushes = result.network, None
    block = np.full(network.zones.size, -1)
    if ways == "used":
        bushes = kept_bushes(result, "skims over used ways")
        block = _blocks(result, k, network.zones)
    sums = zone_sums(network, result.way_costs(k), np.stack(list(found.values())), block, bushes)
    return Skims(tuple(found), network.nodes[network.zones], sums)


def zone_sums(
    network: Network, costs: Array, quantities: Array, block: Indices, bushes: Bushes | None
) -> Array:
    """Sums of quantities from zone to zone along the shortest paths of these costs.

    Averages over the ways of a zone's bush where `block` has the number of that, and not -1.
    """
    zones, roads = network.zones, network.roads
    kept = _NO_BUSHES if bushes is None else bushes.kept
    given = costs, quantities, roads, zones, block, kept
    out = np.empty((len(quantities), zones.size, zones.size))
    if may_thread() and network.size * zones.size > MIN_THREADED_WORK:
        bush_paths.skims_in_parts(*given, out)
    else:
        bush_paths.skims(*given, 0, zones.size, out)
    return out


def _blocks(result: Equilibrium, k: int, zones: Indices) -> Indices:
    """Number of the bush of each zone in class k; -1 where it has none."""
    demand = result.demand
    mine = np.flatnonzero(demand.of == k)
    by_node = np.full(result.network.nodes.size, -1)
    by_node[demand.origins[mine]] = mine
    return by_node[zones]


def link_quantities(
    result: Equilibrium, given: Iterable[str] | Mapping[str, ArrayLike], k: int
) -> dict[str, Array]:
    """Link quantities by name: cost, time, length and toll for class k, or the caller's arrays."""
    network = result.network
    if isinstance(given, Mapping):
        own = {str(name): finite_vector(str(name), v, network.size) for name, v in given.items()}
    else:
        names = (given,) if isinstance(given, str) else tuple(given)
        time = network.cost.time(result.flows)
        known = (time + result.demand.fixed[k], time, network.length, network.toll)
        strange = [name for name in names if name not in QUANTITIES]
        if strange:
            raise InvalidInput(
                f"quantities must be of {', '.join(QUANTITIES)}, or a dictionary of arrays with a "
                f"number for each link, got {strange[0]!r}."
            )
        own = {name: known[QUANTITIES.index(name)] for name in names}
    if not own:
        raise InvalidInput("quantities must have at least one, such as 'time'.")
    return own


def class_place(result: Equilibrium, which: int | str) -> int:
    """Index of a class that is given by its index or name."""
    classes = result.demand.classes
    if isinstance(which, str):
        places = [k for k, each in enumerate(classes) if each.name == which]
        if len(places) == 1:
            return places[0]
    elif 0 <= which < len(classes):
        return int(which)
    names = ", ".join(repr(each.name) for each in classes if each.name)
    raise InvalidInput(
        f"user_class must be a number from 0 to {len(classes) - 1}"
        f"{f', or one of {names}' if names else ''}, got {which!r}."
    )


def kept_bushes(result: Equilibrium, purpose: str) -> Bushes:
    """Bushes of a result; an error that says how to get them where it has none."""
    if result.bushes is None:
        raise InvalidInput(
            f"{purpose} needs the flows by origin, which method {result.method!r} does not keep: "
            "use equilibrium(network, trips), whose method 'bushes' does."
        )
    return result.bushes
