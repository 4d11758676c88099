"""Questions to the workers: rounds of plain futures, asked again where workers die."""

from __future__ import annotations

import logging
import weakref
from collections.abc import Sequence
from time import monotonic, sleep
from typing import Any
from uuid import uuid4
from weakref import WeakKeyDictionary

from frankwolfe.base.errors import InvalidInput, MissingExtra
from frankwolfe.core.objective_abilities import Traffic
from frankwolfe.engines.dask.named import Each, Named, Recent, Unknown
from frankwolfe.engines.dask.origins import Origin, changed
from frankwolfe.engines.dask.places import Places
from frankwolfe.engines.dask.shard import answer
from frankwolfe.engines.dask.told import told
from frankwolfe.engines.dask.waiting import (
    ClusterLost,
    Deadly,
    Stuck,
    check_there,
    reached,
    results,
)

__all__ = ["Cluster", "ClusterLost", "connected"]

AGAIN = 3  # times that a shard may say that a name is new to it in one round
SOON = 1.0  # seconds until news of a task have come
PREFIX = "frankwolfe-"  # of the names of questions
DEATHS = 3  # of workers in a row at one shard, after which it is the cause

log = logging.getLogger(__name__)


class Cluster:
    """A client of Dask, what has gone to and fro, and what shards have heard of."""

    def __init__(self, client: Any, *, own: bool) -> None:
        self.client, self.own = client, own
        self.rounds = self.bytes = 0
        self._told = Recent()
        self._places = Places(client)
        self._origins: WeakKeyDictionary[Any, Origin] = WeakKeyDictionary()
        if own:
            self._close = weakref.finalize(self, _close, client)

    def close(self) -> None:
        """End a cluster that was started here; another one stays as it is."""
        if self.own:
            self._close()

    @property
    def traffic(self) -> Traffic:
        """Rounds and bytes so far."""
        return Traffic(self.rounds, self.bytes)

    @property
    def threads(self) -> int:
        """Of all workers together; at least one."""
        with reached(self.client):
            return int(max(sum(self.client.nthreads().values()), 1))

    def results(self, futures: Sequence[Any]) -> list[Any]:
        """What the futures hold, waited for as long as there is hope."""
        return told(results(self.client, futures))

    def made(self, origin: Origin, rows: Any = None) -> Any:
        """A future of a shard; of its rows where these are there."""
        with reached(self.client):
            shard = origin.made(self.client, rows)
        self._origins[shard] = origin
        return shard

    def changed(self, shard: Any, change: str, *arguments: Any) -> Any:
        """A future of the shard that a method of a shard returns."""
        with reached(self.client):
            other = self.client.submit(changed, shard, change, arguments, pure=False)
        self._origins[other] = self._origins[shard].changed(change, arguments)
        return other

    def ask(self, shards: list[Any], question: str, *arguments: Any) -> list[Any]:
        """What the shards answer, in their order: one round.

        Vectors that all have heard of go by name alone. A future in the list is replaced where
        its shard had better be elsewhere.
        """
        self.rounds += 1
        self._settle(shards)
        brief = [
            tuple(self._shortened(argument, k) for argument in arguments)
            for k in range(len(shards))
        ]
        found = self._replies(shards, question, brief)
        for _ in range(AGAIN):
            new = [k for k, reply in enumerate(found) if isinstance(reply, Unknown)]
            if not new:
                break
            some = [shards[k] for k in new]
            whole = [tuple(_whole(argument, k) for argument in arguments) for k in new]
            more = self._replies(some, question, whole)
            for k, shard, reply in zip(new, some, more, strict=True):
                shards[k], found[k] = shard, reply
        for argument in arguments:
            if isinstance(argument, Named):
                self._told.keep(argument.name, True)
        return found

    def _settle(self, shards: list[Any]) -> None:
        """See to it that the shards are there, and none where it had better not be."""
        check_there(self.client, shards)
        with reached(self.client):
            for old, new in self._places.level(shards):
                self._origins[new] = self._origins[old]

    def _shortened(self, argument: Any, k: int) -> Any:
        """An argument for the k-th shard, by name where that is known."""
        if isinstance(argument, Each):
            return argument.brief(k)
        known = isinstance(argument, Named) and self._told.find(argument.name)
        return argument.alone() if known else argument

    def _replies(
        self, shards: list[Any], question: str, arguments: Sequence[tuple[Any, ...]]
    ) -> list[Any]:
        """The answers; the question is put again where workers died, but not for ever."""
        deaths, stuck = 0, False
        while True:
            try:
                return self._once(shards, question, arguments)
            except Deadly as error:
                at_rows = not error.task.startswith(PREFIX)
                deaths += 1 if at_rows else error.deaths
                if deaths >= DEATHS:
                    raise
            except Stuck:
                if stuck:
                    raise
                at_rows = stuck = True
            if at_rows:  # the deaths may lie far apart: the shard has answered in between
                self._make_again(shards, everything=stuck)

    def _make_again(self, shards: list[Any], *, everything: bool) -> None:
        """Have shards that were given up, or all, made anew."""
        until = monotonic() + SOON
        lost: list[int] = list(range(len(shards))) if everything else []
        while not lost and monotonic() < until:  # news are on their way
            lost = [k for k, shard in enumerate(shards) if shard.status == "error"]
            sleep(SOON / 20)
        for k in lost:
            shards[k] = self.made(self._origins[shards[k]])

    def _once(
        self, shards: Sequence[Any], question: str, arguments: Sequence[tuple[Any, ...]]
    ) -> list[Any]:
        found = self._computed(shards, question, arguments)
        self.bytes += sum(getattr(part, "nbytes", 8) for each in arguments for part in each)
        self.bytes += sum(_size(reply) for reply in found)
        return found

    def _computed(
        self, shards: Sequence[Any], question: str, arguments: Sequence[tuple[Any, ...]]
    ) -> list[Any]:
        keys = [f"{PREFIX}{question}-{uuid4().hex}" for _ in shards]
        asked = [question] * len(shards), list(arguments)
        with reached(self.client):
            futures = self.client.map(answer, shards, *asked, key=keys, pure=False)
        try:
            return self.results(futures)
        finally:
            for future in futures:  # at once, whoever holds them
                future.release()


def _whole(argument: Any, k: int) -> Any:
    """An argument for the k-th shard, in full."""
    return argument.full(k) if isinstance(argument, Each) else argument


def _size(reply: Any) -> int:
    """About how many bytes an answer takes."""
    if isinstance(reply, tuple):
        return sum(map(_size, reply))
    return int(getattr(reply, "nbytes", 8))


def connected(workers: int | None = None, scheduler: str | None = None) -> Cluster:
    """The client that there is, or a new one: of a scheduler, or of a cluster on this machine."""
    try:
        from distributed import Client, LocalCluster, get_client
    except ImportError:
        raise MissingExtra("data in Dask collections", "distributed", "dask") from None
    if scheduler is not None:
        try:
            return Cluster(Client(scheduler), own=True)
        except (OSError, ValueError) as error:
            raise InvalidInput(
                f"no Dask scheduler answers at {scheduler!r} ({error}): start one, or pass the "
                "address that it prints."
            ) from None
    if workers is None:
        try:
            return Cluster(get_client(), own=False)
        except ValueError:
            pass
    local = LocalCluster(
        n_workers=workers,
        threads_per_worker=1 if workers else None,
        processes=bool(workers),
        dashboard_address=":0",
        silence_logs=logging.ERROR,  # of workers that start again: that is what they are for
    )
    client = Client(local)
    log.warning("A Dask cluster is started on this machine for the data, %s.", _described(client))
    return Cluster(client, own=True)


def _described(client: Any) -> str:
    threads = client.nthreads()
    return f"with {len(threads)} workers and {sum(threads.values())} threads; it ends with them"


def _close(client: Any) -> None:
    cluster = client.cluster
    client.close()
    if cluster is not None:
        cluster.close()
