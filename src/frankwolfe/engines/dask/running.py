"""A cluster for as long as it is needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from frankwolfe.engines.dask.cluster import Cluster, connected

__all__ = ["running"]


@contextmanager
def running(workers: int | None = None, scheduler: str | None = None) -> Iterator[Cluster]:
    """A client of a scheduler, or of a new cluster on this machine, closed when the block ends.

    Losses that are made within the block use it.

    Parameters
    ----------
    workers : int, optional
        Processes of one thread to start on this machine.
    scheduler : str, optional
        The address of a cluster that runs, as in "tcp://10.0.0.1:8786"; it goes on running.
    """
    cluster = connected(workers, scheduler)
    try:
        yield cluster
    finally:
        cluster.close()
