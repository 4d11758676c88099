"""
A portfolio with a limit on each share
======================================

Markowitz's question: of all portfolios, which one has the least risk for its expected return? We
solve it for many trade-offs, with and without the rule that no asset may have more than a tenth of
the money. That rule is a region of its own, and its oracle is one partial sort.

The returns are random: forty assets, five hidden factors. Nothing here is advice.
"""

import matplotlib.pyplot as plt
import numpy as np

import frankwolfe as fw

rng = np.random.default_rng(2)
assets, factors = 40, 5
loadings = 0.05 * rng.standard_normal((assets, factors))
loadings[:, 0] = rng.uniform(0.02, 0.3, assets)  # the market moves everything, some things more
own = rng.uniform(0.03, 0.25, assets)
covariance = loadings @ loadings.T + np.diag(own**2)
expected = 0.02 + 0.2 * loadings[:, 0] + 0.01 * rng.standard_normal(assets)

# %%
# Shares are at least zero and sum to one: :class:`frankwolfe.Simplex`. If each is also at most a
# tenth, they are a mixture of vectors with ten entries of one tenth: ``Hypersimplex(10,
# scale=0.1)``.

regions = {"any shares": fw.Simplex(), "at most 10 % each": fw.Hypersimplex(10, scale=0.1)}

# %%
# A portfolio's cost is its variance, minus its expected return times the appetite for return: one
# quadratic function for each appetite. For small appetites the cost is flat, and moving along
# single directions would take many thousands of steps; the default solves jointly for all shares
# that are not at a bound.

appetites = np.concatenate([[0.0], np.geomspace(0.01, 10.0, 30)])
frontiers = {}
for name, region in regions.items():
    points = []
    for appetite in appetites:
        objective = fw.Quadratic(2 * covariance, -appetite * expected)
        result = fw.minimize(objective, region, tol=1e-9)
        assert result.success, result.message
        x = result.x
        points.append((np.sqrt(x @ covariance @ x), expected @ x, np.sum(x > 1e-9)))
    frontiers[name] = np.array(points)

# %%
# Every point on the curves below is within 1e-9 of the best possible cost: that is what ``success``
# means, since the gap is certified.

figure, ax = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
ax.plot(100 * np.sqrt(np.diag(covariance)), 100 * expected, ".", color="0.6", label="single assets")
for (name, points), style, color in zip(
    frontiers.items(), ("-", "--"), fw.plots.PALETTE[:2], strict=True
):
    ax.plot(100 * points[:, 0], 100 * points[:, 1], style, color=color, label=name)
    ax.plot(100 * points[0, 0], 100 * points[0, 1], "o", color=color)
ax.set(
    xlabel="risk: standard deviation of the return, %",
    ylabel="expected return, %",
    title="Best portfolios, with and without a limit (dots: least risk)",
)
ax.legend(loc="lower right")
plt.show()

# %%
# What to make of it
# ------------------

print("appetite   assets held, any shares   assets held, at most 10 %")
for place in (0, 10, 20, 30):
    held = [int(points[place, 2]) for points in frontiers.values()]
    print(f"{appetites[place]:8.3f}   {held[0]:23d}   {held[1]:25d}")
least, limited = (points[0, 0] for points in frontiers.values())
print(f"least risk: {100 * least:.2f} % without the limit, {100 * limited:.2f} % with it")

# %%
# The limit costs something everywhere: a little more risk for small appetites, where a few assets
# of low risk would get more than a tenth, and some return at the other end, where the best asset
# may have only a tenth. All of this assumes that the covariance is known. If it is estimated from
# few returns it is not, and then the limit, which looks like a cost here, often makes the portfolio
# more reliable.
