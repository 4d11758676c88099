"""
A portfolio with limits for sectors, and their prices
=====================================================

Shares that sum to one form a simplex. Limits on groups of them are linear constraints, which the
oracle of the simplex cannot handle. They go beside the region, and the result has a bound that is
valid under them, and the price of each.

The returns are random: two hundred assets in eight sectors. Nothing here is advice.
"""

import matplotlib.pyplot as plt
import numpy as np

import frankwolfe as fw

rng = np.random.default_rng(4)
assets, sectors = 200, 8
sector = np.arange(assets) % sectors
market = rng.uniform(0.05, 0.3, assets)
moves = 0.1 * rng.standard_normal((sectors, 3))[sector] + 0.02 * rng.standard_normal((assets, 3))
own = rng.uniform(0.05, 0.25, assets)
covariance = np.outer(market, market) + moves @ moves.T + np.diag(own**2)
expected = 0.02 + 0.2 * market + 0.03 * rng.standard_normal(sectors)[sector]
cost = fw.Quadratic(covariance, -0.3 * expected)  # half the variance, less a part of the return

# %%
# One row for each sector: the sum of its shares. ``fw.Affine(A, lower, upper)`` bounds it on both
# sides.

members = np.eye(sectors)[:, sector]
limits = np.array([0.15, 0.18, 0.22, 0.28, 0.4, 1.0])
results = [
    fw.minimize(cost, fw.Simplex(), tol=1e-9, subject_to=fw.Affine(members, 0.0, limit))
    for limit in limits
]
assert all(result.success for result in results)

# %%
# A multiplier is the price of its row: by how much the least cost falls for each unit by which the
# limit is raised. So their sum is the slope of the curve on the right, drawn as a short line at
# each limit; it is not fitted to the curve.

figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.0), layout="constrained")
places = np.arange(sectors)
for shift, result, limit, color in zip(
    (-0.2, 0.2), (results[-1], results[1]), ("none", "18 %"), fw.plots.PALETTE, strict=False
):
    shares = 100 * members @ result.x
    left.bar(places + shift, shares, 0.38, color=color, label=f"limit: {limit}")
left.axhline(18, color="0.4", linewidth=0.8, linestyle="--")
left.set(xlabel="sector", ylabel="share, %", title="Shares of the sectors", xticks=places)
left.legend()
costs = np.array([result.fun for result in results])
right.plot(100 * limits[:-1], costs[:-1], "o", color=fw.plots.PALETTE[0], label="least cost")
for limit, result in zip(limits[:-1], results[:-1], strict=True):
    ends = np.array([-0.012, 0.012])
    label = "slope by multipliers" if limit == limits[0] else None
    price = result.multipliers.sum()
    line = result.fun - price * ends
    right.plot(100 * (limit + ends), line, color=fw.plots.PALETTE[1], linewidth=2, label=label)
right.set(xlabel="limit for every sector, %", ylabel="cost", title="What a limit costs")
right.legend()
plt.show()

# %%
# What to make of it
# ------------------

print("limit   cost        bound below   sectors at their limit   largest violation")
for limit, result in zip(limits, results, strict=True):
    held = int((result.multipliers > 1e-9).sum())
    gap = f"{result.fun:.7f}   {result.lower_bound:.7f}"
    print(f"{limit:5.2f}   {gap}   {held:22d}   {result.infeasibility:17.1e}")
tight = fw.minimize(cost, fw.Simplex(), subject_to=fw.Affine(members, 0.0, 0.12))
print(f"at most 12 % each: {tight.status.name.lower()}")

# %%
# Eight sectors of at most 12 % sum to 96 %, but shares sum to one. So the last limits are
# infeasible: the run has not failed to converge but found a proof, by multipliers that anyone can
# check. The page "Constraints beside a region" says how.

# %%
# CVXPY, where it is installed, finds the same cost. It has no lower bound of its own to show beside
# it, but it has the duals of the rows, which are the multipliers.

try:
    import cvxpy as cp
except ImportError:
    print("CVXPY is not installed")
else:
    x = cp.Variable(len(expected))
    row = members @ x <= limits[1]
    least = 0.5 * cp.quad_form(x, cp.psd_wrap(covariance)) - 0.3 * expected @ x
    program = cp.Problem(cp.Minimize(least), [x >= 0, cp.sum(x) == 1, row])
    program.solve(solver="CLARABEL")
    apart = np.abs(row.dual_value - results[1].multipliers).max()
    print(f"CVXPY: {program.value:.7f}, here {results[1].fun:.7f}; duals differ by {apart:.0e}")
