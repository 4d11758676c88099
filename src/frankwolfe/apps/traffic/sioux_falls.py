"""The Sioux Falls network, on which most papers on traffic assignment test."""

from __future__ import annotations

import numpy as np

from frankwolfe.apps.traffic.costs import BPR
from frankwolfe.apps.traffic.network import Network
from frankwolfe.apps.traffic.trips import Trips

__all__ = ["sioux_falls"]

# of each street: its two ends, time, and capacity in one direction
STREETS = """
    1 2 6 25900.20064; 1 3 4 23403.47319; 2 6 5 4958.180928;
    3 4 4 17110.52372; 3 12 4 23403.47319; 4 5 2 17782.7941;
    4 11 6 4908.82673; 5 6 4 4947.995469; 5 9 5 10000;
    6 8 2 4898.587646; 7 8 3 7841.81131; 7 18 2 23403.47319;
    8 9 10 5050.193156; 8 16 5 5045.822583; 9 10 3 13915.78842;
    10 11 5 10000; 10 15 6 13512.00155; 10 16 4 4854.917717;
    10 17 8 4993.510694; 11 12 6 4908.82673; 11 14 4 4876.508287;
    12 13 3 25900.20064; 13 24 4 5091.256152; 14 15 5 5127.526119;
    14 23 4 4924.790605; 15 19 3 14564.75315; 15 22 3 9599.180565;
    16 17 2 5229.910063; 16 18 3 19679.89671; 17 19 2 4823.950831;
    18 20 4 23403.47319; 19 20 4 5002.607563; 20 21 6 5059.91234;
    20 22 5 5075.697193; 21 22 2 5229.910063; 21 24 3 4885.357564;
    22 23 4 5000; 23 24 2 5078.508436
"""

# in hundreds, a row for each origin
TRIPS = """
     0  1  1  5  2  3  5  8  5 13  5  2  5  3  5  5  4  1  3  3  1  4  3  1
     1  0  1  2  1  4  2  4  2  6  2  1  3  1  1  4  2  0  1  1  0  1  0  0
     1  1  0  2  1  3  1  2  1  3  3  2  1  1  1  2  1  0  0  0  0  1  1  0
     5  2  2  0  5  4  4  7  7 12 14  6  6  5  5  8  5  1  2  3  2  4  5  2
     2  1  1  5  0  2  2  5  8 10  5  2  2  1  2  5  2  0  1  1  1  2  1  0
     3  4  3  4  2  0  4  8  4  8  4  2  2  1  2  9  5  1  2  3  1  2  1  1
     5  2  1  4  2  4  0 10  6 19  5  7  4  2  5 14 10  2  4  5  2  5  2  1
     8  4  2  7  5  8 10  0  8 16  8  6  6  4  6 22 14  3  7  9  4  5  3  2
     5  2  1  7  8  4  6  8  0 28 14  6  6  6  9 14  9  2  4  6  3  7  5  2
    13  6  3 12 10  8 19 16 28  0 40 20 19 21 40 44 39  7 18 25 12 26 18  8
     5  2  3 15  5  4  5  8 14 39  0 14 10 16 14 14 10  1  4  6  4 11 13  6
     2  1  2  6  2  2  7  6  6 20 14  0 13  7  7  7  6  2  3  4  3  7  7  5
     5  3  1  6  2  2  4  6  6 19 10 13  0  6  7  6  5  1  3  6  6 13  8  8
     3  1  1  5  1  1  2  4  6 21 16  7  6  0 13  7  7  1  3  5  4 12 11  4
     5  1  1  5  2  2  5  6 10 40 14  7  7 13  0 12 15  2  8 11  8 26 10  4
     5  4  2  8  5  9 14 22 14 44 14  7  6  7 12  0 28  5 13 16  6 12  5  3
     4  2  1  5  2  5 10 14  9 39 10  6  5  7 15 28  0  6 17 17  6 17  6  3
     1  0  0  1  0  1  2  3  2  7  2  2  1  1  2  5  6  0  3  4  1  3  1  0
     3  1  0  2  1  2  4  7  4 18  4  3  3  3  8 13 17  3  0 12  4 12  3  1
     3  1  0  3  1  3  5  9  6 25  6  5  6  5 11 16 17  4 12  0 12 24  7  4
     1  0  0  2  1  1  2  4  3 12  4  3  6  4  8  6  6  1  4 12  0 18  7  5
     4  1  1  4  2  2  5  5  7 26 11  7 13 12 26 12 17  3 12 24 18  0 21 11
     3  0  1  5  1  1  2  3  5 18 13  7  8 11 10  5  6  1  3  7  7 21  0  7
     1  0  0  2  0  1  1  2  2  8  6  5  7  4  4  3  3  0  1  4  5 11  7  0
"""

# after the drawing in the paper
PLACES = """
    5,51  32,51  5,44  13,44  22,44  32,44  42,38  32,38
    22,38  22,32  13,32  5,32  5,5  13,19  22,19  32,32
    32,26  42,32  32,19  32,5  22,5  22,13  13,13  13,5
"""


def sioux_falls() -> tuple[Network, Trips]:
    """Sioux Falls: 24 nodes, all of them zones, 76 links and 528 pairs with trips.

    The numbers are those of the paper, in the form that the Transportation Networks collection
    gives them: a tenth of a day's trips, b = 0.15, and capacities that follow from it. Beckmann's
    function is 4231335.287 at the equilibrium.

    References
    ----------
    L. J. LeBlanc, E. K. Morlok and W. P. Pierskalla, *An efficient approach to solving the road
    network equilibrium traffic assignment problem*, Transportation Research 9, 1975;
    https://github.com/bstabler/TransportationNetworks.

    Examples
    --------
    >>> from frankwolfe import traffic
    >>> network, trips = traffic.sioux_falls()
    >>> network, trips
    (Network(24 nodes, 76 links, 24 zones), Trips(360,600 from 24 origins, 528 pairs))
    >>> round(traffic.equilibrium(network, trips, tol=1e-9).fun, 1)
    4231335.3
    """
    streets = np.array([street.split() for street in STREETS.split(";")], dtype=np.float64)
    links = np.concatenate([streets, streets[:, [1, 0, 2, 3]]])
    links = links[np.lexsort((links[:, 1], links[:, 0]))]
    tails, heads, times, capacities = links.T
    places = np.array([place.split(",") for place in PLACES.split()], dtype=np.float64)
    cost = BPR(times, capacities, 0.15, 4.0)
    network = Network(tails, heads, cost, length=times, coordinates=places)
    trips = 100.0 * np.array(TRIPS.split(), dtype=np.float64).reshape(24, 24)
    return network, Trips.of_matrix(trips)
