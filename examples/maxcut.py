"""
MaxCut: a bound on every cut, and a cut that is close to it
===========================================================

Split the nodes of a graph into two camps such that as many edges as possible run between them.
There are :math:`2^{n-1}` ways, and nobody knows a fast method that finds the best. But a
semidefinite program bounds them all: with the Laplacian L of the graph a cut has
:math:`\\frac14\\langle L, xx'\\rangle` edges, x being its signs, and :math:`xx'` is a semidefinite
matrix with ones on its diagonal.

Such matrices are a spectraplex, whose oracle is an eigenvector, under n linear constraints.
"""

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp

import frankwolfe as fw

rng = np.random.default_rng(3)
n = 300
places = rng.random((n, 2))
distances = np.linalg.norm(places[:, None] - places[None], axis=2)
adjacency = sp.csr_array(np.triu((distances < 0.12) & (rng.random((n, n)) < 0.6), 1).astype(float))
adjacency = adjacency + adjacency.T
laplacian = sp.diags_array(adjacency.sum(axis=1)) - adjacency
print(f"{n} nodes, {adjacency.nnz // 2} edges")

# %%
# The matrix is never formed: it stays a product of thin factors, of which ``fw.diagonal`` computes
# only the diagonal. ``lower_bound`` bounds the semidefinite program, and hence all cuts.

result = fw.minimize(
    fw.objectives.TraceProduct(-0.25 * laplacian),
    fw.Spectraplex(float(n)),
    subject_to=fw.Affine(fw.diagonal(n), 1.0),
    tol=1e-4,
)
print(result)
most = -result.lower_bound

# %%
# Each node has a vector, a row of the factors. A hyperplane through the origin splits them, and a
# random one cuts at least 0.878 of the bound on average (Goemans and Williamson 1995).

x = result.feasible_x
vectors = (x.left * np.sqrt(x.weights)[:, None]).T
signs = np.sign(vectors @ rng.standard_normal((x.terms, 1000)))
cuts = 0.25 * (signs * (laplacian @ signs)).sum(axis=0)
best = signs[:, cuts.argmax()]
print(f"no cut has more than {most:.2f} edges; the best of 1000 hyperplanes has {cuts.max():.0f}")

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.4), layout="constrained")
edges = sp.triu(adjacency).tocoo()
for i, j in zip(*edges.coords, strict=True):
    between = best[i] != best[j]
    left.plot(
        *places[[i, j]].T,
        color="0.75" if between else fw.plots.PALETTE[3],
        linewidth=0.5 if between else 1.2,
        zorder=0,
    )
colors = np.where(best > 0, fw.plots.PALETTE[0], fw.plots.PALETTE[1])
left.scatter(*places.T, c=colors, s=14)
left.set(title="The best cut; edges that it misses are coloured", xticks=[], yticks=[])
right.hist(cuts, bins=30, color=fw.plots.PALETTE[0])
right.axvline(most, color="0.2", linestyle="--", label="bound on every cut")
right.axvline(0.878 * most, color="0.6", linestyle=":", label="0.878 of it")
right.set(xlabel="edges cut", ylabel="hyperplanes", title="A thousand hyperplanes")
right.legend(loc="upper center", bbox_to_anchor=(0.68, 1.0))
plt.show()

# %%
# The bound fails with probability at most ``result.failure_probability``, since an eigenvalue of a
# large matrix is bounded from a random start; small matrices are decomposed in full.

print(f"the cut is within {100 * (1 - cuts.max() / most):.1f} % of the best there is")
assert result.success
assert cuts.max() <= most
