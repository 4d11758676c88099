"""Placement of shards on workers, evened out when workers have died or joined."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from frankwolfe.engines.dask.waiting import Client, Future

__all__ = ["Places", "homes"]

LOOK_SECONDS = 2.0  # between two looks at the workers: a look costs a round to the scheduler


class Places:
    """Balancer that moves shards from workers with more than their share.

    The shards of a worker that died are made again where there is room at that moment, often all
    on one worker; without a move the worker that is started in its place would stay idle.
    """

    def __init__(self, client: Client) -> None:
        self._client, self._looked = client, -math.inf

    def level(self, shards: list[Future[object]]) -> list[tuple[Future[object], Future[object]]]:
        """Move shards to other workers, in the list too; return pairs of old and new futures."""
        if monotonic() - self._looked < LOOK_SECONDS:
            return []
        self._looked = monotonic()
        threads = self._client.nthreads()
        if len(threads) < 2:
            return []
        has = self._client.who_has(shards)
        holders = [tuple(has.get(shard.key, ())) for shard in shards]
        moves = []
        for k, home in enumerate(homes(holders, threads)):
            if home is not None and home not in holders[k]:
                moves.append((shards[k], self._moved(shards[k], home)))
                shards[k] = moves[-1][1]
        return moves

    def _moved(self, shard: Future[object], home: str) -> Future[object]:
        """Copy of a shard on the worker `home`, or on another if that dies."""
        return self._client.submit(
            _same, shard, pure=False, workers=[home], allow_other_workers=True
        )


def homes(holders: Sequence[Sequence[str]], threads: Mapping[str, int]) -> list[str | None]:
    """Address of the worker for each shard: one that has it, unless that has its share.

    None for a shard that no worker has at the moment.
    """
    total = sum(threads.values())
    room = {name: math.ceil(len(holders) * count / total) for name, count in threads.items()}
    found: list[str | None] = [None] * len(holders)
    # first whoever may stay where it is, then the others where most room is left
    for k, names in enumerate(holders):
        free = [name for name in names if room.get(name, 0) > 0]
        if free:
            found[k] = max(free, key=lambda name: (room[name], name))
            room[found[k]] -= 1  # type: ignore[index]
    for k, names in enumerate(holders):
        if found[k] is None and names:
            found[k] = max(room, key=lambda name: (room[name], name))
            room[found[k]] -= 1  # type: ignore[index]
    return found


def _same(shard: object) -> object:
    """Identity, as a task that makes a worker fetch the shard."""
    return shard
