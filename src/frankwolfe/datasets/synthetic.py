"""Random ratings of any size with power-law popularity, as real ones have."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from frankwolfe.base.checks import at_least_one
from frankwolfe.base.errors import InvalidInput
from frankwolfe.datasets.movielens import Ratings

__all__ = ["synthetic_ratings"]


def synthetic_ratings(
    movies: int = 59_047, users: int = 162_541, count: int = 25_000_095, *, seed: int = 0
) -> Ratings:
    """Random ratings with power-law degrees; by default in the shape of MovieLens 25M.

    A movie of rank i is rated in proportion to (i + 50)^-1.2, a user of rank j rates in
    proportion to (j + 1000)^-0.8; no cell occurs twice. A rating is a mean, plus movie and
    user effects, plus a product of five hidden features, plus noise, rounded to halves.

    Examples
    --------
    >>> from frankwolfe.datasets import synthetic_ratings
    >>> synthetic_ratings(100, 200, 3000)
    Ratings(synthetic: 3,000 ratings, 100 movies x 200 users)
    """
    movies, users = at_least_one("movies", movies), at_least_one("users", users)
    if at_least_one("count", count) > 0.5 * movies * users:
        raise InvalidInput(f"count must be at most half of the {movies * users} cells.")
    rng = np.random.default_rng(seed)
    keys = _cells(rng, movies, users, count)
    rows, columns = (keys // users).astype(np.int32), (keys % users).astype(np.int32)
    del keys
    values = _values(rng, rows, columns, movies, users)
    return Ratings(rows, columns, values, (movies, users), "synthetic", "made up")


def _cells(rng: np.random.Generator, movies: int, users: int, count: int) -> NDArray[np.int64]:
    """Distinct cells, sorted by movie."""
    movie_law = np.cumsum((np.arange(movies) + 50.0) ** -1.2)
    user_law = np.cumsum((np.arange(users) + 1000.0) ** -0.8)
    keys = np.empty(0, dtype=np.int64)
    while keys.size < count:  # the law draws popular cells again and again: draw 30 percent more
        more = int(1.3 * (count - keys.size)) + 1000
        drawn = np.searchsorted(movie_law, rng.random(more) * movie_law[-1]).astype(np.int64)
        drawn *= users
        drawn += np.searchsorted(user_law, rng.random(more) * user_law[-1])
        keys = np.unique(np.concatenate([keys, drawn]))
    keep = np.ones(keys.size, dtype=bool)
    keep[rng.choice(keys.size, keys.size - count, replace=False)] = False
    return keys[keep]


def _values(
    rng: np.random.Generator,
    rows: NDArray[np.int32],
    columns: NDArray[np.int32],
    movies: int,
    users: int,
) -> NDArray[np.float32]:
    """Ratings of cells, rounded to halves and clipped to 0.5 ... 5."""

    def draw(*shape: int) -> NDArray[np.float32]:
        return rng.standard_normal(shape, dtype=np.float32)

    values = 3.5 + 0.4 * draw(movies)[rows] + 0.4 * draw(users)[columns]
    for _ in range(5):
        values += 0.25 * draw(movies)[rows] * draw(users)[columns]
    values += 0.8 * draw(rows.size)
    np.round(2.0 * values, out=values)
    values *= 0.5
    return np.clip(values, 0.5, 5.0, out=values)
