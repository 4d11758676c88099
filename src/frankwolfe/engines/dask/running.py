"""Context in which a Dask cluster runs."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker

from frankwolfe.engines.dask.cluster import Cluster, connected
from frankwolfe.interrupts import held_back

__all__ = ["running"]


@contextmanager
def running(workers: int | None = None, scheduler: str | None = None) -> Iterator[Cluster]:
    """Connection to a scheduler, or to a new cluster on this machine, closed when the block ends.

    Losses that are made within the block use it. A Ctrl-C is for this process alone: workers
    that it started go on, so that a run can end with its best point.

    Parameters
    ----------
    workers : int, optional
        Processes of one thread to start on this machine.
    scheduler : str, optional
        The address of a cluster that runs, as in "tcp://10.0.0.1:8786"; it goes on running.
    """
    cluster: Cluster | None = None
    try:
        with held_back(), _deaf():
            cluster = connected(workers, scheduler)
        yield cluster
    finally:
        if cluster is not None:
            with held_back():
                cluster.close()


@contextmanager
def _deaf() -> Iterator[None]:
    """Context whose new threads, and processes that these start, never get a Ctrl-C."""
    if not hasattr(signal, "pthread_sigmask"):  # not on Windows
        yield
        return
    resource_tracker.ensure_running()  # which would undo it, where a process is started first
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
