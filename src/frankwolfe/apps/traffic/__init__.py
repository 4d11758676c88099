"""Traffic assignment: user equilibrium and system optimum, certified.

.. code-block:: python

    from frankwolfe import traffic

    network, trips = traffic.read_tntp("net.tntp", "trips.tntp")
    result = traffic.equilibrium(network, trips, tol=1e-6)
"""

# ruff: noqa: I001  (the order below is the one in which they are listed)
from __future__ import annotations

from frankwolfe.base import exported

from frankwolfe.apps.traffic.network import Network as Network
from frankwolfe.apps.traffic.trips import Trips as Trips
from frankwolfe.apps.traffic.trips import UserClass as UserClass
from frankwolfe.apps.traffic.link_cost import LinkCost as LinkCost
from frankwolfe.apps.traffic.costs import BPR as BPR
from frankwolfe.apps.traffic.costs import AffineCost as AffineCost
from frankwolfe.apps.traffic.costs import Conical as Conical
from frankwolfe.apps.traffic.costs import Davidson as Davidson
from frankwolfe.apps.traffic.costs import Akcelik as Akcelik
from frankwolfe.apps.traffic.costs import FixedTime as FixedTime
from frankwolfe.apps.traffic.beckmann import Beckmann as Beckmann
from frankwolfe.apps.traffic.flows import Flows as Flows
from frankwolfe.apps.traffic.bushes import bushes as bushes
from frankwolfe.apps.traffic.equilibrium import equilibrium as equilibrium
from frankwolfe.apps.traffic.result import Equilibrium as Equilibrium
from frankwolfe.apps.traffic.excess import RelativeExcess as RelativeExcess
from frankwolfe.apps.traffic.skims import Skims as Skims
from frankwolfe.apps.traffic.select_link import SelectedLinks as SelectedLinks
from frankwolfe.apps.traffic.paths import Path as Path
from frankwolfe.apps.traffic.elastic_demand import ElasticDemand as ElasticDemand
from frankwolfe.apps.traffic.elastic_demand import LinearDemand as LinearDemand
from frankwolfe.apps.traffic.elastic_demand import ExponentialDemand as ExponentialDemand
from frankwolfe.apps.traffic.elastic import ElasticEquilibrium as ElasticEquilibrium
from frankwolfe.apps.traffic.elastic import elastic_equilibrium as elastic_equilibrium
from frankwolfe.apps.traffic.tntp import read_tntp as read_tntp
from frankwolfe.apps.traffic.tntp import read_network as read_network
from frankwolfe.apps.traffic.tntp import read_trips as read_trips
from frankwolfe.apps.traffic.tntp import read_flow as read_flow
from frankwolfe.apps.traffic.frames import network_from_frame as network_from_frame
from frankwolfe.apps.traffic.frames import trips_from_frame as trips_from_frame
from frankwolfe.apps.traffic.examples import braess as braess
from frankwolfe.apps.traffic.examples import parallel_links as parallel_links
from frankwolfe.apps.traffic.examples import sioux_falls as sioux_falls
from frankwolfe.apps.traffic.examples import grid as grid

globals()["__all__"] = exported(globals())
