"""Matrix completion on a GPU: what a step and a pass over generated ratings take.

``python benchmarks/gpu_completion.py --out completion.json`` writes one section after another, so
that a run that is cut short leaves what it has; a section that fails says why and the next begins.
"""

from __future__ import annotations

import argparse
import json
import time
import traceback
from pathlib import Path

import numpy as np

RATINGS = 10**8
SHAPE = 480_189, 17_770  # of the Netflix prize, which had as many


def generated(count, shape, seed=0):
    """Ratings on the device, sorted by row: few rows and columns have many."""
    import cupy

    rng = cupy.random.default_rng(seed)
    rows, columns, values = (cupy.empty(count, kind) for kind in ("i4", "i4", "f4"))
    part = 2**26
    for first in range(0, count, part):
        size = min(part, count - first)
        here = slice(first, first + size)
        share = rng.random(size, dtype=np.float32)
        rows[here] = cupy.minimum(shape[0] * share**1.5, shape[0] - 1)
        share = rng.random(size, dtype=np.float32)
        columns[here] = cupy.minimum(shape[1] * share**1.3, shape[1] - 1)
        values[here] = rng.standard_normal(size, dtype=np.float32)
    rows.sort()
    columns *= 7919  # a prime: popular columns are not neighbours
    columns %= shape[1]
    return rows, columns, values


def timed(call, repeats=20):
    """Milliseconds on the device: the median of single calls."""
    import cupy

    call()
    found = []
    for _ in range(repeats):
        start, stop = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        call()
        stop.record()
        stop.synchronize()
        found.append(cupy.cuda.get_elapsed_time(start, stop))
    return float(np.median(found))


def loops(count=RATINGS, shape=SHAPE, rank=50):
    """Each loop over the cells, beside what it reads and writes."""
    import cupy

    from frankwolfe.engines.cuda.cells import DeviceCells

    rows, columns, values = generated(count, shape)
    start = time.perf_counter()
    cells = DeviceCells(shape, rows, columns, np.float32)
    cupy.cuda.Device().synchronize()
    found = {"layout_s": time.perf_counter() - start, "multiplicity": cells.multiplicity}
    del rows, columns
    for name in ("by_row", "by_column"):
        side = getattr(cells, f"_{name}")
        found[name] = {"pieces": side.pieces, "panels": len(side.borders) - 1}
    turned, out = cupy.empty_like(values), cupy.empty_like(values)
    u, v = cupy.random.random(shape[0]), cupy.random.random(shape[1])
    a, b = cupy.empty(shape[0]), cupy.empty(shape[1])
    single = u.astype("f4"), v.astype("f4")
    found["copy_ms"] = timed(lambda: cupy.copyto(out, values))
    found["copy_TB_s"] = 8e-9 * count / found["copy_ms"]
    found["turned_ms"] = timed(lambda: cells.turned(values, turned))
    found["product_ms"] = timed(lambda: cells.product(values, v, a))
    found["transposed_product_ms"] = timed(lambda: cells.transposed_product(turned, u, b))
    found["rank_one_ms"] = timed(lambda: cells.rank_one(2.0, *single, out))
    left, right = (cupy.random.random((side, rank), dtype="f4") for side in shape)
    rooms = cupy.empty_like(left), cupy.empty_like(right)
    found["factored_ms"] = timed(lambda: cells.factors.factored(left, right, out))
    loss = 2, 1.0, values, cupy.ones(1)
    found["pass_ms"] = timed(lambda: cells.factors.loss_gradient(loss, 0.1, left, right, *rooms))
    found["weighted_rows_ms"] = timed(lambda: cells.weighted_rows(values, right, rooms[0]))
    found["weighted_columns_ms"] = timed(
        lambda: cells.weighted_columns(values, left, rooms[1])
    )
    return found


SECTIONS = {"loops": loops}


def main() -> None:
    """Run the sections that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("completion.json"))
    parser.add_argument("--only", nargs="*", choices=SECTIONS, default=list(SECTIONS))
    options = parser.parse_args()
    results = {}
    for name in options.only:
        start = time.perf_counter()
        try:
            results[name] = SECTIONS[name]()
        except Exception:
            results[name] = {"error": traceback.format_exc()}
        results[name]["seconds"] = time.perf_counter() - start
        options.out.write_text(json.dumps(results, indent=1))
        print(name, json.dumps(results[name], indent=1), flush=True)


if __name__ == "__main__":
    main()
