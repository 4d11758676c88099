"""Workers killed at random moments of a run over Dask: the same bits, no hang, and what it costs.

For each seed ten workers of a cluster of processes are killed (SIGKILL) while one problem is
solved; its undisturbed run, of the same shards, comes first. A kill may cost the time to make the
loss on new workers, and three seconds.
"""

from __future__ import annotations

import json
import logging
import os
import random
import signal
import sys
import threading
from pathlib import Path
from time import perf_counter
from typing import Any

from common import header, parser, row

SPARE = 3.0  # seconds that a kill may cost beside making the loss again
QUIET = {"dashboard_address": None, "silence_logs": logging.CRITICAL}
LIMIT = 300.0  # seconds after which a run counts as hanging


class Killer(threading.Thread):
    """Kills workers, one at a time, at random moments until the run ends."""

    def __init__(self, cluster: Any, seed: int, kills: int, seconds: float) -> None:
        super().__init__(daemon=True)
        self.cluster, self.random = cluster, random.Random(seed)
        self.moments = sorted(self.random.uniform(0.0, seconds) for _ in range(kills))
        self.killed: list[float] = []
        self.ended = threading.Event()

    def at_work(self) -> list[int]:
        """The processes to choose from; one that dies while it starts Dask gives up for good."""
        nannies = [nanny for nanny in self.cluster.workers.values() if nanny.process is not None]
        return [n.pid for n in nannies if n.process.status.name == "running" and n.pid]

    def run(self) -> None:
        """Wait for each moment, and for a worker to be there."""
        began = perf_counter()
        for moment in self.moments:
            if self.ended.wait(max(moment - (perf_counter() - began), 0.0)):
                return
            while not (there := self.at_work()):
                if self.ended.wait(0.02):
                    return
            try:
                os.kill(self.random.choice(there), signal.SIGKILL)
            except ProcessLookupError:
                continue
            self.killed.append(perf_counter() - began)


def problem(rows: int, columns: int) -> tuple[Any, Any]:
    """Data that workers make themselves, from seeds: as good as files that can be read again."""
    import dask.array as da

    rng = da.random.default_rng(0)
    A = rng.standard_normal((rows, columns), chunks=(rows // 8, columns))
    return A, da.sign(A[:, 0] + rng.standard_normal(rows, chunks=rows // 8))


def solve(f: Any, method: str) -> Any:
    """Some hundred rounds of Frank-Wolfe with 2/(k+2) or of pairwise steps, or the default."""
    import frankwolfe as fw

    if method == "default":
        return fw.minimize(f, fw.L1Ball(20.0), tol=1e-9)
    made = {"frank_wolfe": fw.frank_wolfe, "pairwise": fw.pairwise}[method]()
    steps = {"frank_wolfe": 300, "pairwise": 80}[method]
    return fw.minimize(f, fw.L1Ball(5.0), method=made, tol=1e-14, max_iter=steps)


def trial(cluster: Any, data: Any, method: str, seed: int, kills: int) -> dict[str, Any]:
    """One seed: undisturbed, then with kills."""
    import numpy as np

    import frankwolfe as fw
    from frankwolfe.engines.dask import shards

    began = perf_counter()
    with shards(4):
        f = fw.Logistic(*data)
    reload = perf_counter() - began
    began = perf_counter()
    calm = solve(f, method)
    undisturbed = perf_counter() - began
    span = max(undisturbed, 4.0)
    killer = Killer(cluster, seed, kills, span)
    watch = threading.Timer(LIMIT, lambda: (print(f"seed {seed} hangs", flush=True), os._exit(1)))
    watch.daemon = True
    watch.start()
    killer.start()
    began, same, runs = perf_counter(), True, 0
    while runs == 0 or len(killer.killed) < kills:  # a short method is run until all are dead
        found = solve(f, method)
        runs += 1
        same &= bool(np.array_equal(found.x, calm.x) and found.fun == calm.fun)
        if not killer.is_alive() and len(killer.killed) < kills:
            break
    disturbed = perf_counter() - began
    killer.ended.set()
    watch.cancel()
    cost = (disturbed - runs * undisturbed) / max(len(killer.killed), 1)
    return {
        "seed": seed,
        "method": method,
        "kills": len(killer.killed),
        "runs": runs,
        "same bits": same,
        "undisturbed": round(undisturbed, 2),
        "disturbed": round(disturbed, 2),
        "reload": round(reload, 2),
        "cost of a kill": round(cost, 2),
        "within": bool(cost <= reload + SPARE),
    }


def main() -> None:
    """All seeds, a row each."""
    made = parser(__doc__)
    made.add_argument("--seeds", type=int, default=20)
    made.add_argument("--kills", type=int, default=10)
    made.add_argument("--rows", type=int, default=40_000)
    made.add_argument("--json", type=Path)
    options = made.parse_args()
    from distributed import Client, LocalCluster

    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    rows, methods = [], ("frank_wolfe", "default", "pairwise")
    for seed in range(options.seeds):
        workers = 2 + seed % 2
        with (
            LocalCluster(n_workers=workers, threads_per_worker=1, **QUIET) as cluster,
            Client(cluster),
        ):
            data = problem(options.rows, 200)
            rows.append(trial(cluster, data, methods[seed % 3], seed, options.kills))
        if seed == 0:
            header(*rows[0])
        row(*rows[-1].values())
    good = sum(r["same bits"] and r["within"] for r in rows)
    print(
        f"{good} of {len(rows)} seeds: the same bits, and each kill within reload and {SPARE:g} s"
    )
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))
    sys.exit(good < len(rows))


if __name__ == "__main__":
    main()
