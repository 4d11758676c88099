"""
Sparse logistic regression
==========================

Who earns more than $50,000 a year? The a9a data set (the census data *Adult*, in 123 yes-or-no
features) has the answer for 32,561 people. We fit a logistic model over the ℓ1 ball: a small radius
leaves most coefficients at exactly zero, so the model is easy to interpret.

We may not redistribute the file. If the environment variable ``FRANKWOLFE_DATA`` names a folder
with ``a9a.xz`` (LIBSVM format), it is used. Otherwise the script makes random data of the same
shape: fourteen ones in each row, and labels from a model with ten non-zero coefficients. The title
of the picture says which of the two you see.
"""

import lzma
import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy import sparse
from sklearn.datasets import load_svmlight_file

import frankwolfe as fw


def a9a():
    """Features, labels and the name of the data."""
    file = Path(os.environ.get("FRANKWOLFE_DATA", ".")) / "a9a.xz"
    if file.is_file():
        with lzma.open(file, "rb") as lines:
            return *load_svmlight_file(lines), "a9a"
    rng = np.random.default_rng(0)
    rows, ones, features = 32_561, 14, 123
    columns = rng.random((rows, features)).argpartition(ones, axis=1)[:, :ones]
    A = sparse.csr_array(
        (np.ones(rows * ones), columns.ravel(), np.arange(0, rows * ones + 1, ones)),
        shape=(rows, features),
    )
    x = np.zeros(features)
    x[rng.permutation(features)[:10]] = rng.choice([-3.0, -2.0, 2.0, 3.0], size=10)
    b = np.where(rng.random(rows) < 1 / (1 + np.exp(1.5 - A @ x)), 1.0, -1.0)
    return A, b, "a synthetic stand-in for a9a"


A, b, name = a9a()
print(f"{name}: {A.shape[0]:,} rows, {A.shape[1]} features, {(b > 0).mean():.0%} positive")

# %%
# A fifth of the rows is held out. A column of ones gives the intercept. It is in the ball with the
# other coefficients, which is simple, and shrinks it a little.

A = sparse.hstack([A, np.ones((A.shape[0], 1))], format="csr")
order = np.random.default_rng(1).permutation(A.shape[0])
held_out, training = order[: A.shape[0] // 5], order[A.shape[0] // 5 :]
objective = fw.Logistic(A[training], b[training])

# %%
# Each line of the table is one model. Each radius starts at the solution of the one before. The
# method is the library's default. The gap is a bound on what a longer run could still gain.

radii = [0.5, 1.0, 2.0, 4.0, 8.0, 12.0, 20.0, 40.0]
paths, scores = [], []
x = np.zeros(A.shape[1])
print("radius   loss     gap      non-zero  held-out accuracy")
for radius in radii:
    result = fw.minimize(objective, fw.L1Ball(radius), x0=x, tol=1e-7)
    x = result.x
    accuracy = np.mean(np.sign(A[held_out] @ x) == b[held_out])
    paths.append(x)
    scores.append(accuracy)
    print(
        f"{radius:6.1f}   {result.fun:.4f}   {result.gap:.0e}    {np.sum(x != 0):4d}"
        f"      {accuracy:.4f}"
    )

# %%
# In the picture above, each line is a coefficient as the radius grows. Below is the accuracy on
# rows that the model has not seen.

figure, (top, bottom) = plt.subplots(
    2, 1, sharex=True, figsize=(6.4, 6.4), height_ratios=[2, 1], layout="constrained"
)
lines = np.array(paths)
largest = np.argsort(-np.abs(lines[-1]))
top.plot(radii, lines[:, largest[8:]], color="0.75", linewidth=0.8)
for place, column in enumerate(largest[:8]):
    label = "intercept" if column == A.shape[1] - 1 else f"feature {column + 1}"
    style = ("-", "--")[place // 4]
    top.plot(radii, lines[:, column], style, color=fw.plots.PALETTE[place % 4], label=label)
top.set(ylabel="coefficient", title=f"Logistic regression over the ℓ1 ball: {name}")
top.legend(fontsize="small", ncols=2, loc="lower left")
bottom.plot(radii, scores, "o-", color=fw.plots.PALETTE[0])
for radius, line, score in zip(radii, lines, scores, strict=True):
    bottom.annotate(
        f"{np.sum(line != 0)}",
        (radius, score),
        xytext=(0, 6),
        textcoords="offset points",
        ha="center",
    )
bottom.margins(y=0.25)
bottom.set(xscale="log", xlabel="radius", ylabel="held-out accuracy\n(above: non-zeros)")
bottom.set_xticks(radii, [f"{r:g}" for r in radii], minor=False)
bottom.minorticks_off()
plt.show()

# %%
# What to make of it
# ------------------
# The smallest radius whose accuracy is within 0.2 points of the best one:

best = max(scores)
choice = next(i for i, score in enumerate(scores) if score >= best - 0.002)
print(
    f"radius {radii[choice]:g}: {np.sum(paths[choice] != 0)} of {A.shape[1]} coefficients, "
    f"accuracy {scores[choice]:.4f} (best: {best:.4f})"
)

# %%
# The accuracy flattens long before the loss does. Beyond that radius the model has more
# coefficients but is no more accurate. One split of the data is a rough measure: differences of a
# few tenths of a point are within its noise, so choose the radius by cross-validation where it
# matters.
