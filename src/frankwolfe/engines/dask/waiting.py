"""Waiting for the results of workers while they can still come, and errors that say why not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from concurrent.futures import Future as Pending
from contextlib import contextmanager
from time import monotonic, time
from typing import Any, NoReturn, Protocol, TypeAlias, TypeVar

import numpy as np

from frankwolfe.base.clock import seconds_left
from frankwolfe.base.errors import InvalidInput, Unreachable
from frankwolfe.engines.dask.build import own_version

__all__ = ["ClusterLost", "SchedulerStalled", "WorkerKilling", "check_there", "reached", "results"]

PATIENCE = 60.0  # seconds without a worker; dask.config "frankwolfe.patience" changes it
STALL_SECONDS = 8.0  # without work; a scheduler that has not forgotten a task hands it out sooner
FRESH_SECONDS = 5.0  # age of a worker's metrics; heartbeats of a busy one may come late
LOOK_SECONDS = 1.0  # between two looks at the workers
# states of tasks that a worker computes, or gets ready to
WORKING_STATES = ("executing", "ready", "waiting", "fetch", "flight", "constrained", "long-running")
LIVE_STATES = ("running", "connecting")  # of a client that may still answer

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

WorkerInfo: TypeAlias = Mapping[str, Any]
"""What the scheduler says of a worker, by Dask's keys."""


class Future(Protocol[T_co]):
    """Value of a task that workers compute: `distributed.Future`."""

    key: str
    status: str
    _state: Any

    def result(self) -> T_co:
        """The value, waited for."""

    def release(self) -> None:
        """Let workers forget the value."""


class Client(Protocol):
    """Connection to a Dask cluster: the part of `distributed.Client` that is used."""

    status: str
    scheduler: object
    loop: Any
    cluster: Any

    def nthreads(self) -> dict[str, int]:
        """Threads of each worker, by address."""

    def map(
        self,
        function: Callable[..., T],
        *lists: Sequence[object],
        key: list[str] | None = None,
        pure: bool = True,
    ) -> list[Future[T]]:
        """Tasks for each entry of the lists."""

    def submit(
        self,
        function: Callable[..., T],
        *arguments: object,
        pure: bool = True,
        workers: list[str] | None = None,
        allow_other_workers: bool = False,
    ) -> Future[T]:
        """One task; futures among the arguments are replaced by their values."""

    def compute(self, tasks: Any) -> Any:
        """Futures of delayed tasks."""

    def gather(
        self, futures: list[Future[T]], *, asynchronous: bool
    ) -> Coroutine[Any, Any, list[T]]:
        """Values of futures, to be awaited."""

    def who_has(self, futures: Sequence[Future[object]]) -> Mapping[str, Sequence[str]]:
        """Addresses of the workers that hold each value, by key."""

    def scheduler_info(self, n_workers: int = 5) -> Mapping[str, Any]:
        """State of the scheduler and its workers."""

    def close(self) -> None:
        """End the connection to the scheduler."""


class ClusterLost(Unreachable):
    """Error: the scheduler or all workers are gone, or one shard takes its workers down."""


class WorkerKilling(ClusterLost):
    """Error: workers died, one after the other, while they computed the same task."""

    def __init__(self, task: str, deaths: int, what: str = "") -> None:
        times = "A worker" if deaths == 1 else f"{deaths} workers, one after the other,"
        super().__init__(
            f"{times} died at the same task of the Dask cluster ({what or task}), so that it must "
            "be the cause: its rows may need more memory than a worker has. Use smaller chunks, or "
            "give workers more memory."
        )
        self.task, self.deaths = task, deaths


class SchedulerStalled(ClusterLost):
    """Error: workers are there and idle, but the scheduler gives them no task that waits."""

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"the Dask scheduler has let its workers idle for {seconds:.0f} seconds, while a task "
            "was waiting: restart it, and the run, from a Checkpoint where there is one."
        )


def results(client: Client, futures: Sequence[Future[T]]) -> list[T]:
    """Values of futures, waited for while workers are alive; ClusterLost if they cannot come."""
    from distributed import KilledWorker

    with reached(client):
        gathered = client.gather(list(futures), asynchronous=True)
        waiting = asyncio.run_coroutine_threadsafe(gathered, client.loop.asyncio_loop)
        try:
            _wait(waiting, Liveness(client))
            return list(waiting.result())
        except ClusterLost:
            raise
        except KilledWorker as error:
            raise WorkerKilling(str(error.task), error.allowed_failures + 1) from None
        except (CancelledError, OSError) as error:
            if isinstance(error, OSError) and client.status == "running":  # raised by a task
                _failed(error)
            _lost(client, futures)
        except Exception as error:
            _failed(error)


def _wait(waiting: Pending[Any], hope: Liveness) -> None:
    """Wait until the values are gathered; `hope` raises if they cannot come.

    What is left of the wait ends by itself when its futures are released.
    """
    from concurrent.futures import wait

    while not wait([waiting], timeout=LOOK_SECONDS).done:
        hope.look()


@contextmanager
def reached(client: Client) -> Iterator[None]:
    """Context of calls of a client; ClusterLost if its connection is gone."""
    from distributed.client import ClosedClientError

    if client.status not in LIVE_STATES:
        raise ClusterLost(_gone(client))
    try:
        yield
    except Unreachable:
        raise
    except (ClosedClientError, OSError):
        raise ClusterLost(_gone(client)) from None


def check_there(client: Client, futures: Sequence[Future[object]]) -> None:
    """Raise ClusterLost if a future was cancelled, before a question is put to it in vain."""
    if any(future.status == "cancelled" for future in futures):
        _lost(client, futures)


class Liveness:
    """Monitor of a cluster: raises when answers cannot come any more."""

    def __init__(self, client: Client) -> None:
        from dask import config

        self._client = client
        self._since = self._busy = monotonic()
        self._there: set[object] = set()  # workers at the last look, by their folders
        self._patience = float(config.get("frankwolfe.patience", PATIENCE))

    def look(self) -> None:
        """Raise if no worker has been there, or at work, for a while, or until time is up."""
        if self._client.status not in LIVE_STATES:
            raise ClusterLost(_gone(self._client))
        workers, now = _workers(self._client), monotonic()
        states = [worker.get("status", "running") for worker in workers]
        if "running" in states:
            self._since = now
        gone = now - self._since
        if gone > self._patience or (gone > 0.0 and seconds_left() <= 0.0):
            raise ClusterLost(_nobody(gone, paused="paused" in states))
        there = {worker.get("local_directory") for worker in workers}
        if "running" not in states or there != self._there or any(map(_busy, workers)):
            self._busy, self._there = now, there
        elif now - self._busy > STALL_SECONDS:
            raise SchedulerStalled(STALL_SECONDS)


def _workers(client: Client) -> list[WorkerInfo]:
    """Information on each worker, from the scheduler; none if that does not answer."""
    try:
        return list(client.scheduler_info(n_workers=-1)["workers"].values())
    except TypeError:  # before it took a number
        return list(client.scheduler_info()["workers"].values())
    except (OSError, RuntimeError, TimeoutError, KeyError):
        return []


def _busy(worker: WorkerInfo) -> bool:
    """True if a worker computes something, or has not said for a while what it does."""
    metrics = worker.get("metrics", {})
    if time() - worker.get("last_seen", 0.0) > FRESH_SECONDS or "task_counts" not in metrics:
        return True
    return any(metrics["task_counts"].get(state) for state in WORKING_STATES)


def _nobody(seconds: float, *, paused: bool) -> str:
    """Message for a cluster without a running worker."""
    if paused:
        return (
            f"all workers of the Dask cluster have been paused for {seconds:.0f} seconds for want "
            "of memory: give them more, add workers, or use smaller data."
        )
    return (
        f"the Dask cluster has had no worker for {seconds:.0f} seconds: start workers, and the run "
        "again, from a Checkpoint where there is one."
    )


def _gone(client: Client) -> str:
    """Message for a client without a scheduler."""
    if client.status == "closed" and getattr(client.scheduler, "address", None) is None:
        return "the Dask client was closed, and with it the data were let go: make the loss again."
    address = getattr(getattr(client, "scheduler", None), "address", "its address")
    return (
        f"the Dask scheduler at {address} is gone, or its client was closed, and the data with it: "
        "connect again, make the loss again, and resume from a Checkpoint where there is one."
    )


def _lost(client: Client, futures: Sequence[Future[object]]) -> NoReturn:
    """Raise ClusterLost for cancelled futures, with the likely reason."""
    reasons = {getattr(future._state.exception, "reason", "") for future in futures}
    if client.status == "running" and "scheduler-connection-lost" not in reasons:
        raise ClusterLost(
            "rows that were put on a worker of the Dask cluster, and that nobody can compute "
            "again, are gone with it or were cancelled: make the Dask collection of files or "
            "functions, or scatter to more than one worker (broadcast=True)."
        ) from None
    raise ClusterLost(_gone(client)) from None


def _failed(error: Exception) -> NoReturn:
    """Raise a task's exception in one sentence; errors of this library stay as they are."""
    if isinstance(error, InvalidInput | ArithmeticError | np.linalg.LinAlgError):
        raise type(error)(*error.args) from None
    if isinstance(error, ImportError) and "frankwolfe" in str(error):
        raise InvalidInput(
            f"a worker of the Dask cluster cannot load frankwolfe ({error}): install frankwolfe "
            f"{own_version()}, the version here, on each."
        ) from None
    if isinstance(error, MemoryError):
        raise ClusterLost(
            f"a worker of the Dask cluster has not enough memory for its rows ({error}): use more "
            "workers, more shards, or give them more memory."
        ) from None
    raise ClusterLost(
        f"a task on a worker of the Dask cluster failed, {type(error).__name__}: {error}"
    ) from error
