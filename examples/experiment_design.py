"""
Experiment design
=================

You may measure at any point of a grid, and you have a budget of measurements. Where do you measure
to estimate the coefficients of a model as precisely as possible? The answer of D-optimal design:
choose the shares x of the budget with the largest determinant of the information matrix. The shares
lie in the simplex, and Frank-Wolfe over it is the classical method of this field (Fedorov and Wynn
found it independently).
"""

import matplotlib.pyplot as plt
import numpy as np

import frankwolfe as fw

side = np.linspace(-1.0, 1.0, 41)
points = np.array([(u, v) for u in side for v in side if u**2 + v**2 <= 1.0 and u + v <= 0.9])
u, v = points.T
model = np.column_stack([np.ones(len(u)), u, v, u * v, u**2, v**2])
print(f"{len(u)} points where we may measure, {model.shape[1]} coefficients")

# %%
# The points are a disc with a piece cut off, where we cannot measure. The model is a full
# quadratic in two variables. A gap of 1e-4 in the logarithm of the determinant is small enough: it
# is worth 0.002 % of the budget.

result = fw.minimize(fw.DOptimal(model), fw.Simplex(), stop=fw.Gap(1e-4) | fw.Seconds(10))
x = result.x
print(result)

# %%
# The certificate has a statistical meaning here. Kiefer and Wolfowitz proved that a design is
# optimal if and only if no point has a prediction variance above the number of coefficients. The
# Frank-Wolfe gap *is* that excess.

information = model.T @ (x[:, None] * model)
variance = np.einsum("ij,ij->i", model @ np.linalg.inv(information), model)
print(f"largest variance - {model.shape[1]} = {variance.max() - model.shape[1]:.1e}")
print(f"certified gap             = {result.gap:.1e}")

# %%
# The picture shows the variance of a prediction at every point where we may measure, and the shares
# of the budget as circles. They are where the variance reaches its bound, and nowhere else.

figure, ax = plt.subplots(figsize=(6.0, 4.8), layout="constrained")
field = ax.scatter(u, v, c=variance, cmap="cividis", marker="s", s=34, linewidths=0)
chosen = x > 1e-4
ax.scatter(
    u[chosen], v[chosen], s=1500 * x[chosen], facecolors="none", edgecolors="#D55E00", linewidths=2
)
figure.colorbar(field, label="variance of a prediction")
ax.set(xlabel="u", ylabel="v", aspect="equal", title="Where to measure (size: share of the budget)")
plt.show()

# %%
# What to make of it
# ------------------
# How much of the budget is wasted if we measure equally often everywhere?

everywhere = fw.DOptimal(model)(np.full(len(u), 1 / len(u)))
efficiency = np.exp((result.fun - everywhere) / model.shape[1])
print(f"{chosen.sum()} grid points have weight")
print(
    f"uniform design: {efficiency:.0%} efficient, so it needs {1 / efficiency:.1f} times the data"
)

# %%
# The design is for shares. A real budget consists of whole measurements, and rounding the shares
# loses a little. And the design is optimal for this model only: if the truth is not quadratic,
# measurements at so few points will not show it.
