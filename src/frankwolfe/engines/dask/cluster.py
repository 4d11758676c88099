"""Rounds of questions to the shards on workers, asked again when workers die."""

from __future__ import annotations

import logging
import weakref
from collections.abc import Sequence
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar
from uuid import uuid4
from weakref import WeakKeyDictionary

from frankwolfe.base.errors import InvalidInput, MissingExtra
from frankwolfe.core.objective_abilities import Traffic
from frankwolfe.engines.dask.named import Each, NamedVector, Recent, Unknown
from frankwolfe.engines.dask.origins import Origin, changed
from frankwolfe.engines.dask.places import Places
from frankwolfe.engines.dask.shard import answer
from frankwolfe.engines.dask.told import Refused, raise_refusal
from frankwolfe.engines.dask.waiting import (
    ClusterLost,
    SchedulerStalled,
    WorkerKilling,
    check_there,
    reached,
    results,
)

if TYPE_CHECKING:
    from frankwolfe.engines.dask.waiting import Client, Future

__all__ = ["Cluster", "ClusterLost", "connected"]

MAX_RESENDS = 3  # times that vectors are sent in full to shards that do not know their names
NEWS_SECONDS = 1.0  # until the client has heard of a task that failed
PREFIX = "frankwolfe-"  # of the keys of questions, which tells them from loading rows
MAX_DEATHS = 3  # of workers at one shard, after which it counts as the cause

log = logging.getLogger(__name__)

T = TypeVar("T")

Answer: TypeAlias = Any
"""What the method of a shard returns that is named by a question."""


class Cluster:
    """Connection to a Dask cluster: its traffic, and the names that shards know."""

    def __init__(self, client: Client, *, own: bool) -> None:
        self.client, self.own = client, own
        self.rounds = self.bytes = 0
        self._sent_names: Recent[bytes, bool] = Recent()
        self._places = Places(client)
        self._origins: WeakKeyDictionary[Future[object], Origin] = WeakKeyDictionary()
        if own:
            self._close = weakref.finalize(self, _close, client)

    def close(self) -> None:
        """End the cluster if this process started it; any other goes on."""
        if self.own:
            self._close()

    @property
    def traffic(self) -> Traffic:
        """Number of rounds and bytes so far."""
        return Traffic(self.rounds, self.bytes)

    @property
    def threads(self) -> int:
        """Number of threads of all workers together, at least 1."""
        with reached(self.client):
            return int(max(sum(self.client.nthreads().values()), 1))

    def results(self, futures: Sequence[Future[T | Refused]]) -> list[T]:
        """Values of futures; InvalidInput if a worker refused data, ClusterLost if all is lost."""
        return raise_refusal(results(self.client, futures))

    def made(self, origin: Origin, rows: Future[object] | None = None) -> Future[object]:
        """Future of a shard, made of `rows` or, without these, of rows loaded anew."""
        with reached(self.client):
            shard = origin.made(self.client, rows)
        self._origins[shard] = origin
        return shard

    def changed(self, shard: Future[object], change: str, *arguments: object) -> Future[object]:
        """Future of the shard that the method `change` of a shard returns."""
        with reached(self.client):
            other = self.client.submit(changed, shard, change, arguments, pure=False)
        self._origins[other] = self._origins[shard].changed(change, arguments)
        return other

    def ask(self, shards: list[Future[object]], question: str, *arguments: object) -> list[Answer]:
        """Answers of all shards to a question, a method of shards, in their order: one round.

        Vectors that all shards know go by name alone. Futures in the list are replaced when
        their shards are moved or made again.
        """
        self.rounds += 1
        self._settle(shards)
        brief = [
            tuple(self._shortened(argument, k) for argument in arguments)
            for k in range(len(shards))
        ]
        found = self._replies(shards, question, brief)
        for _ in range(MAX_RESENDS):
            new = [k for k, reply in enumerate(found) if isinstance(reply, Unknown)]
            if not new:
                break
            some = [shards[k] for k in new]
            whole = [tuple(_whole(argument, k) for argument in arguments) for k in new]
            more = self._replies(some, question, whole)
            for k, shard, reply in zip(new, some, more, strict=True):
                shards[k], found[k] = shard, reply
        for argument in arguments:
            if isinstance(argument, NamedVector):
                self._sent_names.keep(argument.name, True)
        return found

    def _settle(self, shards: list[Future[object]]) -> None:
        """Check that no shard is lost, and even out where they are."""
        check_there(self.client, shards)
        with reached(self.client):
            for old, new in self._places.level(shards):
                self._origins[new] = self._origins[old]

    def _shortened(self, argument: object, k: int) -> object:
        """Argument for the k-th shard, by name alone if shards know that."""
        if isinstance(argument, Each):
            return argument.brief(k)
        if isinstance(argument, NamedVector) and self._sent_names.find(argument.name):
            return argument.alone()
        return argument

    def _replies(
        self,
        shards: list[Future[object]],
        question: str,
        arguments: Sequence[tuple[object, ...]],
    ) -> list[Answer]:
        """Answers; if workers die the question is put again, at most `MAX_DEATHS` times."""
        deaths, stalled = 0, False
        while True:
            try:
                return self._once(shards, question, arguments)
            except WorkerKilling as error:
                at_rows = not error.task.startswith(PREFIX)
                deaths += 1 if at_rows else error.deaths
                if deaths >= MAX_DEATHS:
                    raise
            except SchedulerStalled:
                if stalled:
                    raise
                at_rows = stalled = True
            if at_rows:  # the deaths may lie far apart: the shard has answered in between
                self._make_again(shards, everything=stalled)

    def _make_again(self, shards: list[Future[object]], *, everything: bool) -> None:
        """Make shards that the scheduler gave up, or all, again from their origins."""
        until = monotonic() + NEWS_SECONDS
        lost: list[int] = list(range(len(shards))) if everything else []
        while not lost and monotonic() < until:  # the client hears of failures with a delay
            lost = [k for k, shard in enumerate(shards) if shard.status == "error"]
            sleep(NEWS_SECONDS / 20)
        for k in lost:
            shards[k] = self.made(self._origins[shards[k]])

    def _once(
        self,
        shards: Sequence[Future[object]],
        question: str,
        arguments: Sequence[tuple[object, ...]],
    ) -> list[Answer]:
        """Answers to a question put once, with its bytes counted."""
        found = self._computed(shards, question, arguments)
        self.bytes += sum(getattr(part, "nbytes", 8) for each in arguments for part in each)
        self.bytes += sum(_size(reply) for reply in found)
        return found

    def _computed(
        self,
        shards: Sequence[Future[object]],
        question: str,
        arguments: Sequence[tuple[object, ...]],
    ) -> list[Answer]:
        """Answers to a question put once, by plain futures."""
        keys = [f"{PREFIX}{question}-{uuid4().hex}" for _ in shards]
        asked = [question] * len(shards), list(arguments)
        with reached(self.client):
            futures = self.client.map(answer, shards, *asked, key=keys, pure=False)
        try:
            return self.results(futures)
        finally:
            for future in futures:  # at once, even if a traceback holds them
                future.release()


def _whole(argument: object, k: int) -> object:
    """Argument for the k-th shard, in full."""
    return argument.full(k) if isinstance(argument, Each) else argument


def _size(reply: object) -> int:
    """Bytes of an answer, up to what pickling adds."""
    if isinstance(reply, tuple):
        return sum(map(_size, reply))
    return int(getattr(reply, "nbytes", 8))


def connected(workers: int | None = None, scheduler: str | None = None) -> Cluster:
    """Connection by the current client, or by a new one.

    A new one is of the scheduler at an address, or of a cluster started on this machine: if
    `workers` says so, or if there is no client.
    """
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
        except ValueError:  # there is none
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


def _described(client: Client) -> str:
    """Number of workers and threads, in words."""
    threads = client.nthreads()
    return f"with {len(threads)} workers and {sum(threads.values())} threads; it ends with them"


def _close(client: Client) -> None:
    """Close a client, then the local cluster that was started for it."""
    cluster = client.cluster
    client.close()
    if cluster is not None:
        cluster.close()
