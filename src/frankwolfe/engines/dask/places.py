"""Which worker has which shard: evened out where workers have died or joined."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from time import monotonic
from typing import Any

__all__ = ["Places", "homes"]

LOOK = 2.0  # seconds between looks


class Places:
    """Looks from time to time whether workers have more than their share, and moves shards.

    The shards of a worker that died are made again where there is room at that moment, often all
    on one worker; without a move the worker that is started in its place would stay idle.
    """

    def __init__(self, client: Any) -> None:
        self._client, self._looked = client, -math.inf

    def level(self, shards: list[Any]) -> list[tuple[Any, Any]]:
        """Replace futures in the list by futures of the same shards elsewhere: old, new."""
        if monotonic() - self._looked < LOOK:
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

    def _moved(self, shard: Any, home: str) -> Any:
        options = {"workers": [home], "allow_other_workers": True}
        return self._client.submit(_same, shard, pure=False, **options)


def homes(holders: Sequence[Sequence[str]], threads: Mapping[str, int]) -> list[str | None]:
    """The worker that each shard should be on: one that has it, unless that has its share.

    None for a shard that nobody has at the moment.
    """
    total = sum(threads.values())
    room = {name: math.ceil(len(holders) * count / total) for name, count in threads.items()}
    found: list[str | None] = [None] * len(holders)
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


def _same(shard: Any) -> Any:
    return shard
