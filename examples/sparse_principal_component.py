"""
A principal component of few variables
======================================

The first principal component is :math:`vv'` for the leading eigenvector of the covariance, and it
mixes all variables. A component of few variables is easier to interpret. A. d'Aspremont, L. El
Ghaoui, M. Jordan and G. Lanckriet (*A Direct Formulation for Sparse PCA Using Semidefinite
Programming*, SIAM Review 49, 2007) bound the sum of the absolute values of the entries of the
matrix: maximize :math:`\\langle\\Sigma, X\\rangle` over semidefinite X with trace one and
:math:`\\sum|X_{ij}| \\le s`.

These are two regions at once, each with an oracle of its own: an eigenvector, and the largest
entry.
"""

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp

import frankwolfe as fw

rng = np.random.default_rng(1)
n, observations = 16, 40
data = rng.standard_normal((observations, n))
data[:, [2, 3, 7, 11]] += 0.8 * rng.standard_normal((observations, 1))  # what they share
data[:, 12:] += 0.5 * rng.standard_normal((observations, 1))
covariance = np.cov(data.T)
variance = fw.Quadratic(sp.csr_array((n * n, n * n)), -covariance.ravel(), convex=True)

# %%
# A component of k variables of equal weight has s = k. ``fw.Intersection`` takes a point of each
# region and requires them to be equal.

sums = np.array([1.0, 2.0, 3.0, 4.0, 6.0])
results = [
    fw.minimize(variance, fw.Intersection(fw.regions.Fantope(n, 1), fw.L1Ball(s)), tol=1e-4)
    for s in sums
]
assert all(result.success for result in results)


def component(result):
    """The leading eigenvector of X."""
    X = result.x.reshape(n, n)
    vector = np.linalg.eigh(0.5 * (X + X.T))[1][:, -1]
    return vector * np.sign(vector[np.abs(vector).argmax()])


loadings = np.array([component(result) for result in results])
plain = np.linalg.eigh(covariance)[1][:, -1]

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.0), layout="constrained")
picture = left.imshow(np.abs(loadings), cmap="viridis", aspect="auto", vmin=0.0)
left.set(xlabel="variable", ylabel="s", title="Sizes of the loadings", yticks=range(len(sums)))
left.set_yticklabels([f"{s:g}" for s in sums])
left.set_xticks(range(0, n, 2))
figure.colorbar(picture, ax=left)
most = np.linalg.eigvalsh(covariance)[-1]
right.plot(sums, [-r.lower_bound for r in results], "_", ms=14, mew=2, label="bound",
           color=fw.plots.PALETTE[1])  # fmt: skip
right.plot(sums, [-r.fun for r in results], "o", label="relaxation", color=fw.plots.PALETTE[0])
right.axhline(most, color="0.5", linestyle="--", label="largest eigenvalue")
right.set(xlabel="s", ylabel="variance", title="What few variables cost", ylim=(0, 1.1 * most))
right.legend(loc="lower right")
plt.show()

# %%
# What to make of it
# ------------------

print("   s   variance   bound      variables above 0.05   apart")
for s, result, loading in zip(sums, results, loadings, strict=True):
    used = np.flatnonzero(np.abs(loading) > 0.05)
    values = f"{-result.fun:8.4f}   {-result.lower_bound:8.4f}"
    print(f"{s:4.0f}   {values}   {used!s:20}  {result.infeasibility:.0e}")
print("all of them:", np.flatnonzero(np.abs(plain) > 0.05))

# %%
# The four variables that share something are found at s = 3 and 4. The bound is one on the variance
# of *every* component of at most s variables: a sum of s entries of a unit vector is at most
# :math:`\sqrt s`, so that its matrix is in both regions.
