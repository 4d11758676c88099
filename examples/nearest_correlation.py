"""
The nearest correlation matrix
==============================

Correlations that are estimated pair by pair, each from the observations that have both, need not
be the correlations of anything: their matrix may have negative eigenvalues. N. Higham (*Computing
the Nearest Correlation Matrix*, IMA Journal of Numerical Analysis 22, 2002) asks for the nearest
semidefinite matrix with ones on its diagonal.

It is a spectraplex of trace n under n linear constraints, and f is the squared distance.
"""

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp

import frankwolfe as fw

rng = np.random.default_rng(5)
n = 40
truth = rng.standard_normal((n, 4)) @ rng.standard_normal((4, 150))
data = truth + 0.7 * rng.standard_normal((n, 150))
data[rng.random(data.shape) < 0.7] = np.nan  # two of three are missing


def pairwise(a, b):
    """The correlation of two series over what both have."""
    both = ~(np.isnan(a) | np.isnan(b))
    return np.corrcoef(a[both], b[both])[0, 1]


given = np.array([[1.0 if i == j else pairwise(data[i], data[j]) for j in range(n)]
                  for i in range(n)])  # fmt: skip
print(f"smallest eigenvalue of what was estimated: {np.linalg.eigvalsh(given)[0]:.3f}")

# %%
# ``fw.Completion`` with all cells is half the squared distance. The result is feasible to rounding
# (``feasible_x``), and no correlation matrix is nearer than its bound says.

result = fw.minimize(
    fw.Completion(sp.coo_array(given), shape=(n, n), loss="squared"),
    fw.Spectraplex(float(n)),
    subject_to=fw.Affine(fw.diagonal(n), 1.0),
    tol=1e-7,
)
print(result)
nearest = result.feasible_x.toarray()
distance = np.linalg.norm(nearest - given)
least = np.sqrt(2.0 * result.lower_bound)
print(f"distance {distance:.6f}, of every correlation matrix at least {least:.6f}")

# %%
# The usual repair cuts negative eigenvalues and scales the diagonal back.

values, vectors = np.linalg.eigh(given)
cut = (vectors * np.maximum(values, 0.0)) @ vectors.T
scale = 1.0 / np.sqrt(np.diag(cut))
repaired = scale[:, None] * cut * scale
print(f"the usual repair is at {np.linalg.norm(repaired - given):.6f}")

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.0), layout="constrained")
for matrix, name, marker in (
    (given, "estimated", "o"),
    (repaired, "cut and scaled", "x"),
    (nearest, "nearest", "."),
):
    left.plot(np.linalg.eigvalsh(matrix)[:25], marker, label=name)
left.axhline(0.0, color="0.5", linewidth=0.8)
left.set(xlabel="number", ylabel="eigenvalue", title="The smallest eigenvalues")
left.legend()
picture = right.imshow(nearest - given, cmap="RdBu_r", vmin=-0.3, vmax=0.3)
right.set(title="What was changed", xticks=[], yticks=[])
figure.colorbar(picture, ax=right)
plt.show()

assert result.success
assert distance <= np.linalg.norm(repaired - given)
np.testing.assert_allclose(np.diag(nearest), 1.0, atol=1e-12)
