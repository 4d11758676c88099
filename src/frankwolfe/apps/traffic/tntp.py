"""Networks and trips from text files of the TNTP format."""

from __future__ import annotations

import os

from frankwolfe.apps.traffic.network import Network
from frankwolfe.apps.traffic.tntp_net import read_flow, read_network
from frankwolfe.apps.traffic.tntp_trips import read_trips
from frankwolfe.apps.traffic.trips import Trips

__all__ = ["read_flow", "read_network", "read_tntp", "read_trips"]


def read_tntp(
    net: str | os.PathLike[str],
    trips: str | os.PathLike[str],
    *,
    nodes: str | os.PathLike[str] | None = None,
    toll_factor: float | None = None,
    distance_factor: float | None = None,
) -> tuple[Network, Trips]:
    """Network and trips from two TNTP text files.

    Nodes are numbered from 1, zones come first, and those below the first through node may not
    be passed. Links keep the order of the file. Columns are those that the header names, or the
    usual ones: init_node, term_node, capacity, length, free_flow_time, b, power, speed, toll,
    link_type. Files may be compressed by gzip, bzip2 or xz.

    Parameters
    ----------
    net, trips : path
        The files.
    nodes : path, optional
        A file with the coordinates of the nodes, for pictures.
    toll_factor, distance_factor : float, optional
        Cost of a unit of toll, and of length, in units of time; by default what the file says
        in ``<TOLL FACTOR>`` and ``<DISTANCE FACTOR>``, or else 0.

    Returns
    -------
    (Network, Trips)

    References
    ----------
    Transportation Networks for Research Core Team, *Transportation Networks for Research*,
    https://github.com/bstabler/TransportationNetworks.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from frankwolfe import traffic
    >>> net, trips = (pathlib.Path(tempfile.mkdtemp(), name) for name in ("net", "trips"))
    >>> _ = net.write_text('''<NUMBER OF ZONES> 2
    ... <NUMBER OF NODES> 2
    ... <FIRST THRU NODE> 1
    ... <NUMBER OF LINKS> 2
    ... <END OF METADATA>
    ... ~ init_node term_node capacity length free_flow_time b power speed toll link_type ;
    ... 1 2 10 1 1.0 1.0 1 0 0 1 ;
    ... 1 2 10 1 2.0 1.0 1 0 0 1 ;
    ... ''')
    >>> _ = trips.write_text('''<NUMBER OF ZONES> 2
    ... <TOTAL OD FLOW> 20.0
    ... <END OF METADATA>
    ... Origin 1
    ...     2 : 20.0;
    ... ''')
    >>> traffic.read_tntp(net, trips)
    (Network(2 nodes, 2 links, 2 zones), Trips(20 from 1 origins, 1 pairs))
    """
    network = read_network(net, nodes, toll_factor=toll_factor, distance_factor=distance_factor)
    return network, read_trips(trips, network)
