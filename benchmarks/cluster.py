"""Losses over Dask: rounds, overhead of a round, memory, two workers beside one, and dask-glm.

Sections run on clusters of processes on this machine, with one thread a worker. Times are best of
several, by turns. `--quick` has smaller data and fewer turns; its times mean little.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import threading
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent / "studies"))

from common import by_turns, header, row, timed

LIMIT = 1.5e9  # bytes a worker may have
ONE = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


@contextmanager
def cluster(workers: int, **options: Any) -> Iterator[Any]:
    """A client of a new cluster."""
    from distributed import Client, LocalCluster

    os.environ.update(ONE)  # of the workers, which are started from here
    quiet = {"dashboard_address": ":0", "silence_logs": logging.CRITICAL}
    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, **quiet, **options) as made,
        Client(made) as c,
    ):
        yield c


def gaussian(rows: int, columns: int, chunks: int, seed: int = 0) -> tuple[Any, Any]:
    """A and a target that follows ten of its columns, made on the workers."""
    import dask.array as da

    rng = da.random.default_rng(seed)
    A = rng.standard_normal((rows, columns), chunks=(-(-rows // chunks), columns))
    noise = rng.standard_normal(rows, chunks=A.chunks[0])
    return A, A[:, :10].sum(axis=1) + 3.0 * noise


def rounds(quick: bool) -> list[dict[str, Any]]:
    """Rounds and bytes to a certified 1e-6."""
    import dask.array as da

    import frankwolfe as fw

    found = []
    with cluster(2):
        A, y = gaussian(20_000 // (4 if quick else 1), 1000, 4)
        for name, f, region in (
            ("lasso", fw.SquaredError(A, y), fw.L1Ball(8.0)),
            ("logistic, l1", fw.Logistic(A, da.sign(y)), fw.L1Ball(8.0)),
            ("logistic, l2", fw.Logistic(A, da.sign(y)), fw.L2Ball(2.0)),
        ):
            seconds, result = timed(partial(fw.minimize, f, region, tol=1e-6))
            found.append(
                {
                    "problem": name,
                    "rounds": result.traffic.rounds,
                    "MB": round(result.traffic.bytes / 1e6, 2),
                    "seconds": round(seconds, 2),
                    "success": result.success,
                }
            )
    return found


def overhead(quick: bool) -> list[dict[str, Any]]:
    """Milliseconds a round of two shards where there is next to nothing to compute."""
    import frankwolfe as fw

    found, times = [], 100 if quick else 300
    with cluster(2) as client:
        for n in (1000, 10**6):
            A, y = gaussian(2 * 20, n, 2)
            f, x = fw.SquaredError(A, y), np.linspace(-1.0, 1.0, n)
            count = times if n == 1000 else max(times // 15, 5)
            for k in range(3):
                f.grad(x + k)
            before = tasks(client)
            spent = [timed(f.grad, x / (k + 2.0))[0] for k in range(count)]
            found.append(
                {
                    "n": n,
                    "rounds": count,
                    "median ms": round(1e3 * float(np.median(spent)), 1),
                    "mean ms": round(1e3 * float(np.mean(spent)), 1),
                    "best ms": round(1e3 * min(spent), 1),
                    "MB a round": round(4 * 8 * n / 1e6, 2),
                    "tasks before": before,
                    "tasks after": tasks(client),
                }
            )
    return found


def tasks(client: Any) -> int:
    """How many tasks the scheduler keeps."""

    def count(dask_scheduler: Any) -> int:
        return len(dask_scheduler.tasks)

    sleep(0.2)
    return int(client.run_on_scheduler(count))


def memory(quick: bool) -> list[dict[str, Any]]:
    """3 GB over four workers of 1.5 GB each: what is spilled, and the most that one has."""
    import dask.array as da

    import frankwolfe as fw

    found, size = [], 3.0 / (8 if quick else 1)
    for chunks in (16,) if quick else (32, 16):
        rows, columns = int(size * 1e9 / 8 / 500) // chunks * chunks, 500
        with cluster(4, memory_limit=int(LIMIT)) as client, Watch(client) as watch:
            A, y = gaussian(rows, columns, chunks)
            began = perf_counter()
            f = fw.Logistic(A, da.sign(y))
            making = perf_counter() - began
            result = fw.minimize(f, fw.L1Ball(8.0), stop=fw.RelativeGap(1e-6) | fw.Seconds(60))
            found.append(
                {
                    "GB": round(8e-9 * rows * columns, 2),
                    "chunks": chunks,
                    "gap": f"{result.gap:.1e}",
                    "making s": round(making, 1),
                    "seconds": round(result.seconds, 1),
                    "rounds": result.traffic.rounds,
                    "most of a worker GB": round(watch.most / 1e9, 3),
                    "limit GB": LIMIT / 1e9,
                    "spilled bytes": watch.spilled,
                    "workers lost": watch.lost,
                }
            )
    return found


class Watch(threading.Thread):
    """The largest resident memory of a worker, and what they spilled, while it is open."""

    def __init__(self, client: Any) -> None:
        super().__init__(daemon=True)
        self.client = client
        self.first = self.pids()
        self.most, self.spilled, self.lost = 0, 0, 0
        self.ended = threading.Event()

    def pids(self) -> list[int]:
        """Of the workers."""
        return [worker.pid for worker in self.client.cluster.workers.values() if worker.pid]

    def run(self) -> None:
        """Look every twentieth of a second."""
        while not self.ended.wait(0.05):
            for pid in self.pids():
                self.most = max(self.most, resident(pid))
            with suppress(KeyError):  # one that leaves at this moment
                for state in list(self.client.cluster.scheduler.workers.values()):
                    self.spilled = max(self.spilled, state.memory.spilled)

    def __enter__(self) -> Watch:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self.join()
        self.lost = len(set(self.first) - set(self.pids()))


def resident(pid: int) -> int:
    """The most memory that a process has had, as the system says."""
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                return 1024 * int(line.split()[1])
    except OSError:
        pass
    return 0


def scaling(quick: bool) -> list[dict[str, Any]]:
    """Two workers beside one, with the same two shards, where a round computes a while."""
    import dask.array as da

    import frankwolfe as fw
    from frankwolfe.engines.dask import shards

    rows, columns, turns = (60_000 if quick else 400_000), 400, (2 if quick else 5)
    steps = 3 if quick else 6
    A, y = gaussian(rows, columns, 8)
    with cluster(1) as one, cluster(2) as two:
        losses = {}
        for name, client in (("1", one), ("2", two)):
            with client.as_current(), shards(2):
                losses[name] = fw.Logistic(A, da.sign(y))
        runs: dict[str, Callable[[], Any]] = {
            name: partial(
                fw.minimize, f, fw.L2Ball(2.0), method=fw.frank_wolfe(), stop=fw.Iterations(steps)
            )
            for name, f in losses.items()
        }
        for run in runs.values():
            run()
        times = by_turns(runs, turns)
    best = {name: min(each) / (steps + 1) for name, each in times.items()}
    return [
        {
            "rows": rows,
            "columns": columns,
            "s a round, 1 worker": round(best["1"], 3),
            "s a round, 2 workers": round(best["2"], 3),
            "ratio of bests": round(best["1"] / best["2"], 2),
            "ratios by turn": [
                round(a / b, 2) for a, b in zip(times["1"], times["2"], strict=True)
            ],
        }
    ]


SECTIONS = {"rounds": rounds, "overhead": overhead, "memory": memory, "scaling": scaling}


def main() -> None:
    """The sections that are named, or all."""
    from cluster_glm import dask_glm

    sections = {**SECTIONS, "dask-glm": dask_glm}
    made = ArgumentParser(description=(__doc__ or "").splitlines()[0])
    made.add_argument("sections", nargs="*", help=", ".join(sections))
    made.add_argument("--quick", action="store_true")
    made.add_argument("--json", type=Path)
    options = made.parse_args()
    unknown = set(options.sections) - set(sections)
    if unknown:
        made.error(f"no section {', '.join(unknown)}; there are {', '.join(sections)}")
    found = {}
    for name in options.sections or sections:
        print(f"\n## {name}\n", flush=True)
        found[name] = sections[name](options.quick)
        if found[name]:
            header(*found[name][0])
        for each in found[name]:
            row(*each.values())
        if options.json:
            options.json.write_text(json.dumps(found, indent=1, default=str))


if __name__ == "__main__":
    main()
