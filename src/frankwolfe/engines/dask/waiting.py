"""Waiting for what workers compute: as long as there is hope, and a sentence where it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from time import monotonic, time
from typing import Any, NoReturn

import numpy as np

from frankwolfe.base.clock import seconds_left
from frankwolfe.base.errors import InvalidInput, Unreachable
from frankwolfe.engines.dask.build import own_version

__all__ = ["ClusterLost", "Deadly", "Stuck", "check_there", "reached", "results"]

PATIENCE = 60.0  # seconds without a working worker; dask.config's "frankwolfe.patience" changes it
IDLE = 8.0  # seconds after which a task that nobody computes is forgotten by its scheduler
FRESH = 5.0  # seconds up to which what a worker said of itself is news
LOOK = 1.0  # seconds between looks at who is there
WORK = ("executing", "ready", "waiting", "fetch", "flight", "constrained", "long-running")
AT_WORK = ("running", "connecting")  # of a client: asked for, it may still answer


class ClusterLost(Unreachable):
    """The scheduler or all workers are gone, or one shard takes its workers down with it."""


class Deadly(ClusterLost):
    """So many workers died while they computed the same task that it may be the cause."""

    def __init__(self, task: str, deaths: int, what: str = "") -> None:
        times = "A worker" if deaths == 1 else f"{deaths} workers, one after the other,"
        super().__init__(
            f"{times} died at the same task of the Dask cluster ({what or task}), so that it must "
            "be the cause: its rows may need more memory than a worker has. Use smaller chunks, or "
            "give workers more memory."
        )
        self.task, self.deaths = task, deaths


class Stuck(ClusterLost):
    """Workers are there and idle, but what was asked of them is not computed."""

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"the Dask scheduler has let its workers idle for {seconds:.0f} seconds, while a task "
            "was waiting: restart it, and the run, from a Checkpoint where there is one."
        )


def results(client: Any, futures: Sequence[Any]) -> list[Any]:
    """What the futures hold."""
    from distributed import KilledWorker

    with reached(client):
        gathered = client.gather(list(futures), asynchronous=True)
        waiting = asyncio.run_coroutine_threadsafe(gathered, client.loop.asyncio_loop)
        try:
            _wait(waiting, _Hope(client))
            return list(waiting.result())
        except ClusterLost:
            raise
        except KilledWorker as error:
            raise Deadly(str(error.task), error.allowed_failures + 1) from None
        except (CancelledError, OSError) as error:
            if isinstance(error, OSError) and client.status == "running":  # a task's own
                _failed(error)
            _lost(client, futures)
        except Exception as error:
            _failed(error)


def _wait(waiting: Any, hope: _Hope) -> None:
    """Until it is done, or there is no hope; it ends by itself when its futures are released."""
    from concurrent.futures import wait

    while not wait([waiting], timeout=LOOK).done:
        hope.look()


@contextmanager
def reached(client: Any) -> Iterator[None]:
    """Calls of a client, which must be there still."""
    from distributed.client import ClosedClientError

    if client.status not in AT_WORK:
        raise ClusterLost(_gone(client))
    try:
        yield
    except Unreachable:
        raise
    except (ClosedClientError, OSError):
        raise ClusterLost(_gone(client)) from None


def check_there(client: Any, futures: Sequence[Any]) -> None:
    """Raise where what the futures hold is lost, so that no question need be asked of it."""
    if any(future.status == "cancelled" for future in futures):
        _lost(client, futures)


class _Hope:
    """Whether answers may still come."""

    def __init__(self, client: Any) -> None:
        from dask import config

        self._client = client
        self._since = self._busy = monotonic()
        self._there: set[Any] = set()  # who was there at the last look
        self._patience = float(config.get("frankwolfe.patience", PATIENCE))

    def look(self) -> None:
        """Raise where nobody has been there, or at work, for a while, or until time is up."""
        if self._client.status not in AT_WORK:
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
        elif now - self._busy > IDLE:
            raise Stuck(IDLE)


def _workers(client: Any) -> list[Any]:
    """What the scheduler says of its workers."""
    try:
        return list(client.scheduler_info(n_workers=-1)["workers"].values())
    except TypeError:  # before it took a number
        return list(client.scheduler_info()["workers"].values())
    except (OSError, RuntimeError, TimeoutError, KeyError):
        return []


def _busy(worker: Any) -> bool:
    """Whether a worker computes something, or has not said for a while what it does."""
    metrics = worker.get("metrics", {})
    if time() - worker.get("last_seen", 0.0) > FRESH or "task_counts" not in metrics:
        return True
    return any(metrics["task_counts"].get(state) for state in WORK)


def _nobody(seconds: float, *, paused: bool) -> str:
    if paused:
        return (
            f"all workers of the Dask cluster have been paused for {seconds:.0f} seconds for want "
            "of memory: give them more, add workers, or use smaller data."
        )
    return (
        f"the Dask cluster has had no worker for {seconds:.0f} seconds: start workers, and the run "
        "again, from a Checkpoint where there is one."
    )


def _gone(client: Any) -> str:
    if client.status == "closed" and getattr(client.scheduler, "address", None) is None:
        return "the Dask client was closed, and with it the data were let go: make the loss again."
    address = getattr(getattr(client, "scheduler", None), "address", "its address")
    return (
        f"the Dask scheduler at {address} is gone, or its client was closed, and the data with it: "
        "connect again, make the loss again, and resume from a Checkpoint where there is one."
    )


def _lost(client: Any, futures: Sequence[Any]) -> NoReturn:
    reasons = {getattr(future._state.exception, "reason", "") for future in futures}
    if client.status == "running" and "scheduler-connection-lost" not in reasons:
        raise ClusterLost(
            "rows that were put on a worker of the Dask cluster, and that nobody can compute "
            "again, are gone with it or were cancelled: make the Dask collection of files or "
            "functions, or scatter to more than one worker (broadcast=True)."
        ) from None
    raise ClusterLost(_gone(client)) from None


def _failed(error: Exception) -> NoReturn:
    """An exception of a task, in one sentence; what the library says itself stays as it is."""
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
