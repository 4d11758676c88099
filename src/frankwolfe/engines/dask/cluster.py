"""Questions to the workers: rounds of plain futures, patience, and sentences where it ends."""

from __future__ import annotations

import asyncio
import logging
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as Late
from time import monotonic
from typing import Any
from uuid import uuid4

from frankwolfe.engines.dask.named import Each, Named, Recent, Unknown
from frankwolfe.engines.dask.shard import answer
from frankwolfe.engines.dask.told import told
from frankwolfe.numerics.errors import InvalidInput, MissingExtra, Unreachable
from frankwolfe.objectives.abilities import Traffic

__all__ = ["Cluster", "ClusterLost", "connected"]

PATIENCE = 60.0  # seconds without a working worker after which a round is given up
LOOK = 2.0  # seconds between looks at who is there
AGAIN = 3  # times that a shard may say that a name is new to it in one round

log = logging.getLogger(__name__)


class ClusterLost(Unreachable):
    """The scheduler or all workers are gone, or one shard takes its workers down with it."""


class Cluster:
    """A client of Dask, what has gone to and fro, and what shards have heard of."""

    def __init__(self, client: Any, *, own: bool) -> None:
        self.client, self.own = client, own
        self.rounds = self.bytes = 0
        self._told = Recent()
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
        return int(max(sum(self.client.nthreads().values()), 1))

    def ask(self, shards: Sequence[Any], question: str, *arguments: Any) -> list[Any]:
        """What the shards answer, in their order: one round.

        Vectors that all have heard of go by name alone.
        """
        self.rounds += 1
        found = self._replies(
            shards,
            question,
            [
                tuple(self._shortened(argument, k) for argument in arguments)
                for k in range(len(shards))
            ],
        )
        for _ in range(AGAIN):
            new = [k for k, reply in enumerate(found) if isinstance(reply, Unknown)]
            if not new:
                break
            whole = [tuple(_whole(argument, k) for argument in arguments) for k in new]
            more = self._replies([shards[k] for k in new], question, whole)
            for k, reply in zip(new, more, strict=True):
                found[k] = reply
        for argument in arguments:
            if isinstance(argument, Named):
                self._told.keep(argument.name, True)
        return found

    def _shortened(self, argument: Any, k: int) -> Any:
        """An argument for the k-th shard, by name where that is known."""
        if isinstance(argument, Each):
            return argument.brief(k)
        known = isinstance(argument, Named) and self._told.find(argument.name)
        return argument.alone() if known else argument

    def _replies(
        self, shards: Sequence[Any], question: str, arguments: Sequence[tuple[Any, ...]]
    ) -> list[Any]:
        keys = [f"frankwolfe-{question}-{uuid4().hex}" for _ in shards]
        asked = [question] * len(shards), list(arguments)
        futures = self.client.map(answer, shards, *asked, key=keys, pure=False)
        self.bytes += sum(getattr(part, "nbytes", 8) for each in arguments for part in each)
        found = self.results(futures)
        self.bytes += sum(_size(reply) for reply in found)
        return found

    def results(self, futures: Sequence[Any]) -> list[Any]:
        """What the futures hold, waited for as long as there is hope."""
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError

        loop = self.client.loop.asyncio_loop
        waiting = asyncio.run_coroutine_threadsafe(self.client._gather(list(futures)), loop)
        hope = _Hope(self.client)
        while True:
            try:
                return told(waiting.result(timeout=LOOK))
            except Late:
                hope.look(waiting.cancel)
            except KilledWorker as error:
                raise ClusterLost(_deadly(error)) from None
            except (CancelledError, FutureCancelledError, OSError):
                raise ClusterLost(_gone(self.client)) from None


class _Hope:
    """Whether answers may still come."""

    def __init__(self, client: Any) -> None:
        self._client, self._since = client, monotonic()

    def look(self, give_up: Callable[[], Any]) -> None:
        """Raise where there has been nobody to answer for a while."""
        try:
            workers = self._client.scheduler_info(n_workers=-1)["workers"].values()
        except TypeError:  # before it took a number
            workers = self._client.scheduler_info()["workers"].values()
        except (OSError, RuntimeError, TimeoutError):
            workers = []
        if any(worker.get("status", "running") == "running" for worker in workers):
            self._since = monotonic()
        elif monotonic() - self._since > PATIENCE:
            give_up()
            raise ClusterLost(
                f"no worker of the Dask cluster has been at work for {PATIENCE:.0f} seconds: all "
                "are gone, or paused for want of memory. Start workers, give them more memory, "
                "or use smaller data."
            )


def _gone(client: Any) -> str:
    address = getattr(getattr(client, "scheduler", None), "address", "its address")
    return (
        f"the Dask scheduler at {address} is gone, and the run with it: start it again, and the "
        "run too, from a Checkpoint where there is one."
    )


def _deadly(error: Any) -> str:
    failed = getattr(error, "allowed_failures", 3)
    return (
        f"workers died {failed + 1} times at the same task ({error.task}), so that it must be the "
        "cause: its rows may need more memory than a worker has. Use smaller chunks, or give "
        "workers more memory."
    )


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
