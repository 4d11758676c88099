"""
Movie ratings
=============

In a table of movies and users, six cells in a hundred are known. We fill in the rest by a matrix
whose singular values have a small sum: a point of the nuclear ball. No array of the table's size is
ever formed, and the oracle computes one pair of singular vectors.

MovieLens 100K may not be redistributed. If the environment variable ``FRANKWOLFE_DATA`` names a
folder with ``ml-100k/u.data``, it is used; otherwise the script makes synthetic ratings of the same
shape. The picture's title says which.
"""

import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import frankwolfe as fw

folder = Path(os.environ.get("FRANKWOLFE_DATA", "."))
if (folder / "ml-100k" / "u.data").is_file():
    ratings = fw.datasets.movielens("100k", path=folder)
else:
    ratings = fw.datasets.synthetic_ratings(1682, 943, 100_000)
print(ratings)

# %%
# A fifth of the ratings is held out. From the others we estimate the mean, and the effect of each
# movie and each user, shrunk toward zero where there are few ratings.

rng = np.random.default_rng(0)
test = rng.random(len(ratings)) < 0.2
cells = np.column_stack([ratings.movies, ratings.users])
y = ratings.values.astype(float)
mean = y[~test].mean()


def shrunken(index, rest, count):
    """The mean of `rest` for each index, as if three more ratings were zero."""
    return np.bincount(index, rest, count) / (np.bincount(index, minlength=count) + 3.0)


movie, user = np.zeros(ratings.shape[0]), np.zeros(ratings.shape[1])
(i, j), known = cells[~test].T, y[~test] - mean
for _ in range(10):
    movie = shrunken(i, known - user[j], movie.size)
    user = shrunken(j, known - movie[i], user.size)
rest = known - movie[i] - user[j]

# %%
# The rest is completed, at growing radii. Each fit starts at the solution of the one before, and a
# rough gap is enough: held-out errors stop changing long before the gaps do.

objective = fw.Completion((i, j, rest), shape=ratings.shape, loss="squared")
(p, q), truth = cells[test].T, y[test]
baseline = mean + movie[p] + user[q]


def error(prediction):
    """Root mean squared error on the held-out ratings."""
    return float(np.sqrt(np.mean((np.clip(prediction, 1, 5) - truth) ** 2)))


print(f"effects alone: {error(baseline):.4f}")
print("radius   held-out error   rank   gap / f   seconds")
size = np.sqrt(rest @ rest)
radii, fits, X = size * np.array([1.0, 1.5, 2.2, 3.2]), [], None
for radius in radii:
    result = fw.minimize(
        objective, fw.NuclearBall(radius), x0=X, stop=fw.RelativeGap(0.05) | fw.Iterations(20)
    )
    X = result.x
    score = error(baseline + X.predict(p, q))
    fits.append((score, X.singular_values()))
    print(
        f"{radius:6.0f}   {score:14.4f}   {fits[-1][1].size:4d}   {result.gap / result.fun:7.3f}"
        f"   {result.seconds:7.2f}"
    )

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9.0, 3.8), layout="constrained")
scores = [score for score, _ in fits]
left.plot(radii, scores, "o-", color=fw.plots.PALETTE[0], label="completed")
left.axhline(error(baseline), color="0.5", linestyle="--", label="movie and user effects alone")
left.set(xlabel="radius of the nuclear ball", ylabel="held-out error", title=ratings.name)
left.legend(fontsize="small")
best = int(np.argmin(scores))
styles = ("-", "--", "-.", ":", "-")
for place, (_, values) in enumerate(fits):
    width = 2.5 if place == best else 1.0
    right.plot(
        np.arange(1, values.size + 1), values, styles[place], linewidth=width,
        color=fw.plots.PALETTE[place], label=f"radius {radii[place]:.0f}",
    )  # fmt: skip
right.set(xlabel="number", ylabel="singular value", title="Thick: the best radius")
right.legend(fontsize="small")
plt.show()

# %%
# What to make of it
# ------------------

print(
    f"best radius {radii[best]:.0f}: error {scores[best]:.4f}, "
    f"{1 - scores[best] / error(baseline):.1%} below the effects alone"
)

# %%
# Movie and user effects do most of the work; completion adds a few per cent. On MovieLens the error
# rises again beyond the best radius, because noise is fitted. On the synthetic ratings it only
# stops falling, and five large singular values stand out, because the ratings were made from five
# hidden features. Here the radius was chosen on the held-out ratings, for the picture, so its error
# is a little too good. ``frankwolfe.sklearn.MatrixCompletion`` chooses it on a part of the
# *training* ratings and does all of this in one call.
