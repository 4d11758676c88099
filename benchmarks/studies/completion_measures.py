"""How well ratings are predicted and ranked, for completion_peers.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from completion_recipe import Floats, Ints, Sample

BLOCK = 500  # users at a time
GOOD = 0.75  # a rating in the upper quarter of the scale is one of something liked
TOP = 10


def discounts(count: int) -> Floats:
    """Of the places of a list."""
    return 1.0 / np.log2(np.arange(2, count + 2))


def ndcg_of_rated(scores: Callable[[Ints], Floats], test: Sample) -> float:
    """NDCG@10 of the order of each user's own test items, with ratings as gains 2^r - 1.

    Users with two test items or more count.
    """
    total, users = 0.0, 0
    for user, items, ratings in of_users(test):
        if items.size < 2:
            continue
        gains = 2.0**ratings - 1.0
        found = scores(np.column_stack([np.full(items.size, user), items]))
        order, count = np.argsort(-found, kind="stable"), min(TOP, items.size)
        ideal = np.sort(gains)[::-1][:count] @ discounts(count)
        total += float(gains[order[:count]] @ discounts(count) / ideal) if ideal > 0.0 else 1.0
        users += 1
    return total / users


def ndcg_of_all(scores: Callable[[Ints], Floats], train: Sample, test: Sample) -> float:
    """NDCG@10 of the first ten among all items the user has not rated in training.

    An item counts where the user has rated it in the test part and liked it.
    """
    low, high = float(train.y.min()), float(train.y.max())
    liked = test.part(test.y >= low + GOOD * (high - low))
    wanted = {user: items for user, items, _ in of_users(liked)}
    seen = {user: items for user, items, _ in of_users(train)}
    total, users = 0.0, np.array(sorted(wanted))
    for start in range(0, users.size, BLOCK):
        block = users[start : start + BLOCK]
        for user, line in zip(block.tolist(), np.array(scores(block)), strict=True):
            line[seen.get(user, [])] = -np.inf
            first = np.argpartition(-line, TOP)[:TOP]
            first = first[np.argsort(-line[first], kind="stable")]
            hits = np.isin(first, wanted[user])
            count = min(TOP, wanted[user].size)
            total += float(hits @ discounts(TOP) / discounts(count).sum())
    return total / users.size


def of_users(sample: Sample) -> Iterator[tuple[int, Ints, Floats]]:
    """Each user with items and ratings."""
    order = np.argsort(sample.cells[:, 0], kind="stable")
    users, starts = np.unique(sample.cells[order, 0], return_index=True)
    for user, where in zip(users.tolist(), np.split(order, starts[1:]), strict=True):
        yield user, sample.cells[where, 1], sample.y[where]
