"""
Rush hour in a round town
=========================

A town has rings and spokes, and in the morning most people drive to its centre. Each of them takes
the route that is fastest *with everybody else on the road*. Such flows are a user equilibrium:
nobody has a faster route than the one taken. Beckmann showed in 1956 that they minimize a convex
function over the flows that satisfy the demand. Shortest paths are the oracle of that set: this
is the oldest industrial use of the Frank-Wolfe method.
"""

import matplotlib.pyplot as plt
import numpy as np

from frankwolfe import plots, traffic

rng = np.random.default_rng(1)
rings, spokes = 7, 18

# %%
# Node 0 is the centre; ring r has a node on every spoke. Roads lead along rings and spokes, in both
# directions, and some are wider than others.

ring, spoke = (a.ravel() for a in np.mgrid[1 : rings + 1, 0:spokes])
angle = 2 * np.pi * (spoke + 0.15 * ring) / spokes
places = np.vstack([[0.0, 0.0], (ring * [np.cos(angle), np.sin(angle)]).T])
node = 1 + np.arange(rings * spokes).reshape(rings, spokes)
inward = np.vstack([np.zeros(spokes, dtype=int), node[:-1]])
pairs = np.concatenate(
    [np.stack([node, inward], axis=-1), np.stack([node, np.roll(node, 1, axis=1)], axis=-1)]
).reshape(-1, 2)
pairs = np.vstack([pairs, pairs[:, ::-1]])
tails, heads = pairs.T
length = np.linalg.norm(places[tails] - places[heads], axis=1)
capacity = rng.choice([400.0, 800.0, 1600.0], len(pairs) // 2, p=[0.4, 0.4, 0.2])
cost = traffic.BPR(2.0 * length, np.tile(capacity, 2))
network = traffic.Network(tails, heads, cost, length=length, coordinates=places)

# %%
# Trips between all pairs of nodes, more between near ones, and most of all to the centre.

distance = np.linalg.norm(places[:, None] - places, axis=2)
matrix = 3.0 * np.exp(-distance / 3.0)
matrix[:, 0] += 90.0
np.fill_diagonal(matrix, 0.0)
trips = traffic.Trips.of_matrix(matrix, zones=np.arange(len(places)))
print(network, trips)

# %%
# Nobody has a better route, up to one part in a hundred million, and the function is within ``gap``
# of its minimum: a certified bound.

result = traffic.equilibrium(network, trips, tol=1e-8)
print(f"relative gap {result.relative_gap:.0e} after {result.nit} iterations of {result.method}")
print(f"objective {result.fun:.4f}, above the minimum by at most {result.gap:.1e}")

# %%
# All would be better off if some took a detour. The system optimum is the least total time; the
# ratio is the price of anarchy.

best = traffic.equilibrium(network, trips, tol=1e-8, system_optimum=True)
print(f"all together drive {result.total_cost:,.0f}, and could drive {best.fun:,.0f}")
print(f"price of anarchy: {result.total_cost / best.fun:.3f}")

# %%
# How does one get there? By a toll on each link that makes everybody pay for the time that others
# lose: :math:`x\,t'(x)` at the optimum. The equilibrium *with* tolls is then the optimum.

toll = best.flows * cost.slope(best.flows)
payers = traffic.UserClass(trips, fixed=toll)
tolled = traffic.equilibrium(network, payers, tol=1e-8)
driven = tolled.flows @ cost.time(tolled.flows)
print(f"with tolls all together drive {driven:,.0f}")

# %%
figure, axes = plt.subplots(1, 2, figsize=(11.0, 6.6), layout="constrained")
for ax, flows, title in (
    (axes[0], result.flows, "everybody for themselves"),
    (axes[1], best.flows, "the best for all"),
):
    plots.network(network, flows, ax=ax)
    ax.set_title(title)
plt.show()

# %%
# What to make of it
# ------------------
# The two maps differ little and the totals by a few per cent, which is typical: where roads are not
# congested there is nothing to gain, and where all are, there is no detour.
#
# The answer to a planner's question is often the *difference* of two assignments, with and without
# a road. It is worthless if the error of each is larger; so the tolerance matters more here than
# elsewhere, and 1e-8 takes only a few more steps than 1e-4.
