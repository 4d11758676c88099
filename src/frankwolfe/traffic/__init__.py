"""Traffic assignment: user equilibrium and system optimum, certified.

.. code-block:: python

    from frankwolfe import traffic

    network, trips = traffic.read_tntp("net.tntp", "trips.tntp")
    result = traffic.equilibrium(network, trips, tol=1e-6)
"""

# ruff: noqa: I001  (the order below is the one in which they are listed)
from __future__ import annotations

from frankwolfe.numerics.rooms import exported

from frankwolfe.traffic.network import Network as Network
from frankwolfe.traffic.trips import Trips as Trips
from frankwolfe.traffic.trips import UserClass as UserClass
from frankwolfe.traffic.link_cost import LinkCost as LinkCost
from frankwolfe.traffic.costs import BPR as BPR
from frankwolfe.traffic.costs import Affine as Affine
from frankwolfe.traffic.costs import Conical as Conical
from frankwolfe.traffic.costs import Davidson as Davidson
from frankwolfe.traffic.costs import Akcelik as Akcelik
from frankwolfe.traffic.costs import FixedTime as FixedTime
from frankwolfe.traffic.beckmann import Beckmann as Beckmann
from frankwolfe.traffic.flows import Flows as Flows
from frankwolfe.traffic.bushes import bushes as bushes
from frankwolfe.traffic.equilibrium import equilibrium as equilibrium
from frankwolfe.traffic.result import Equilibrium as Equilibrium
from frankwolfe.traffic.excess import RelativeExcess as RelativeExcess
from frankwolfe.traffic.skims import Skims as Skims
from frankwolfe.traffic.select_link import SelectedLinks as SelectedLinks
from frankwolfe.traffic.paths import Path as Path
from frankwolfe.traffic.elastic_demand import ElasticDemand as ElasticDemand
from frankwolfe.traffic.elastic_demand import LinearDemand as LinearDemand
from frankwolfe.traffic.elastic_demand import ExponentialDemand as ExponentialDemand
from frankwolfe.traffic.elastic import ElasticEquilibrium as ElasticEquilibrium
from frankwolfe.traffic.elastic import elastic_equilibrium as elastic_equilibrium
from frankwolfe.traffic.tntp import read_tntp as read_tntp
from frankwolfe.traffic.tntp import read_network as read_network
from frankwolfe.traffic.tntp import read_trips as read_trips
from frankwolfe.traffic.tntp import read_flow as read_flow
from frankwolfe.traffic.frames import network_from_frame as network_from_frame
from frankwolfe.traffic.frames import trips_from_frame as trips_from_frame
from frankwolfe.traffic.examples import braess as braess
from frankwolfe.traffic.examples import parallel_links as parallel_links
from frankwolfe.traffic.examples import sioux_falls as sioux_falls
from frankwolfe.traffic.examples import grid as grid

globals()["__all__"] = exported(globals())
