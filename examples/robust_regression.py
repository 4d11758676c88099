"""
Robust regression
=================

One measurement in six is badly wrong. Least squares tries to fit them all; the Huber loss limits
the influence of those that are far off. Both are fitted here by the same call, over the same
region.
"""

import matplotlib.pyplot as plt
import numpy as np

import frankwolfe as fw

rng = np.random.default_rng(3)
t = np.sort(rng.uniform(-1.0, 1.0, 120))
truth = np.sin(3 * t) + 0.5 * t
y = truth + 0.1 * rng.standard_normal(t.size)
broken = rng.random(t.size) < 1 / 6
y[broken] += rng.uniform(2.0, 6.0, broken.sum())
print(f"{broken.sum()} of {t.size} measurements are broken, all of them upward")

# %%
# The model is a polynomial of degree 9 in Chebyshev's basis. Its coefficients lie in an ℓ1 ball,
# which keeps the curve from following every point. The Huber loss is a parabola up to ``delta`` and
# a line beyond. ``scaling="usual"`` is the textbook definition, with the factor one half.

A = np.polynomial.chebyshev.chebvander(t, 9)
ball = fw.L1Ball(4.0)
squared = fw.minimize(fw.SquaredError(A, y), ball, tol=1e-9)
huber = fw.minimize(fw.Huber(A, y, delta=0.2, scaling="usual"), ball, tol=1e-9)
print(squared, huber, sep="\n")

# %%
# Both gaps are certificates: each curve is the best one for its loss, to nine digits. The curves
# differ because the losses differ, not because one fit is less accurate.

grid = np.linspace(-1.0, 1.0, 400)
basis = np.polynomial.chebyshev.chebvander(grid, 9)
figure, ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
ax.plot(t[~broken], y[~broken], ".", color="0.4", label="good measurements")
ax.plot(t[broken], y[broken], "x", color="0.4", label="broken measurements")
ax.plot(grid, np.sin(3 * grid) + 0.5 * grid, color="0.7", linewidth=5, label="truth")
ax.plot(grid, basis @ squared.x, "--", color=fw.plots.PALETTE[1], label="squared error")
ax.plot(grid, basis @ huber.x, color=fw.plots.PALETTE[0], label="Huber")
ax.set(xlabel="t", ylabel="y", title="One measurement in six is wrong")
ax.legend(fontsize="small")
plt.show()

# %%
# What to make of it
# ------------------
# Distance of each curve from the truth, on the measured points:

for name, result in {"squared error": squared, "Huber": huber}.items():
    error = np.sqrt(np.mean((A @ result.x - truth) ** 2))
    print(f"{name:14s} root mean squared error {error:.3f}")

# %%
# The Huber fit still leans toward the outliers a little: each of them pulls with the constant force
# delta, and here all pull the same way. With a smaller delta they pull less, but the fit is less
# precise where the data are clean. The loss is convex for every delta, so the gap is always
# certified.
