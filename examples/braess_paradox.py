"""
A new road that makes everybody slower
======================================

Two routes lead from 1 to 4, via 3 and via 2. Each has a link that gets slow when many use it,
and a link that is always long. Then a fast road is built from 3 to 2, and every trip takes
longer than before. That is Braess' paradox: what is best for each is not best for all.
"""

import matplotlib.pyplot as plt
import numpy as np

from frankwolfe import plots, traffic

before, trips = traffic.braess(shortcut=False)
after, _ = traffic.braess()

# %%
# Six trips. Without the new road three use each route, and each trip takes 83. With it, two use
# each old route and two the new road; each trip takes 92, and nobody gains by switching back.

for name, network in (("without", before), ("with", after)):
    result = traffic.equilibrium(network, trips, tol=1e-12)
    print(f"{name} the new road: flows {result.flows.round(6)}, a trip takes ", end="")
    print(f"{result.total_cost / trips.total:.6g}")

# %%
# Nobody can do better alone, but all together could: the flows with the least total time leave the
# new road empty.

best = traffic.equilibrium(after, trips, tol=1e-12, system_optimum=True)
print(f"the best for all: flows {best.flows.round(6)}, a trip takes {best.fun / trips.total:.6g}")

# %%
# The paradox depends on demand. With few trips the new road helps; with very many nobody uses it.

amounts = np.linspace(0.25, 12.0, 48)
curves = {"without the new road": before, "with the new road": after}
times = {
    name: [
        traffic.equilibrium(network, trips.times(n / 6.0), tol=1e-10).total_cost / n
        for n in amounts
    ]
    for name, network in curves.items()
}
optimum = [
    traffic.equilibrium(after, trips.times(n / 6.0), tol=1e-10, system_optimum=True).fun / n
    for n in amounts
]
worse = amounts[
    np.array(times["with the new road"]) > np.array(times["without the new road"]) + 1e-6
]
print(f"it does harm between {worse.min():.3g} and {worse.max():.3g} trips")

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(10.0, 4.2), layout="constrained")
result = traffic.equilibrium(after, trips, tol=1e-12)
plots.network(after, result.flows, ax=left)
left.set_title("six trips, with the new road")
right.plot(amounts, times["without the new road"], color="#0072B2", label="without the new road")
right.plot(amounts, times["with the new road"], "--", color="#D55E00", label="with the new road")
right.plot(amounts, optimum, ":", color="#009E73", label="with it, best for all")
right.axvspan(worse.min(), worse.max(), color="#D55E00", alpha=0.08, lw=0)
right.set(xlabel="trips", ylabel="time of a trip", title="A trip takes longer in the shaded range")
right.legend(fontsize="small")
plt.show()

# %%
# What to make of it
# ------------------
# With three routes and linear costs the equilibrium is exact. In real networks the
# effect hides among thousands of links, and whether a road helps is a question of small
# differences. They need assignments whose own error is even smaller, and known.
#
# It is not a curiosity: roads that were closed in Stuttgart, New York and Seoul are said to have
# made traffic better, and the same happens to currents in circuits and to weights on springs.
