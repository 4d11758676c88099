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
    found["weighted_columns_ms"] = timed(lambda: cells.weighted_columns(values, left, rooms[1]))
    return found


def low_rank(rows, columns, values, shape, terms):
    """Add a matrix of low rank to the values; its nuclear norm, about, or that of one term."""
    import cupy

    rng = cupy.random.default_rng(1)
    part = 2**26
    for _ in range(terms):
        u, v = (rng.standard_normal(side, dtype=np.float32) for side in shape)
        for first in range(0, values.size, part):
            here = slice(first, first + part)
            values[here] += u[rows[here]] * v[columns[here]]
    return max(terms, 1) * float(np.sqrt(shape[0] * shape[1]))


def posed(count=RATINGS, shape=SHAPE, terms=3):
    """The objective of generated ratings, and a ball that holds their matrix."""
    import frankwolfe as fw

    rows, columns, values = generated(count, shape)
    size = low_rank(rows, columns, values, shape, terms)
    start = time.perf_counter()
    f = fw.Completion((rows, columns, values), shape=shape)
    return f, fw.NuclearBall(size), time.perf_counter() - start


def waited(call, repeats=10):
    """Milliseconds until it is done, by the clock: the median."""
    import cupy

    found = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        cupy.cuda.get_current_stream().synchronize()
        found.append(1e3 * (time.perf_counter() - start))
    return float(np.median(found))


def memory():
    """Gigabytes of the device in use, and what CuPy's pool holds."""
    import cupy

    free, total = cupy.cuda.runtime.memGetInfo()
    pool = cupy.get_default_memory_pool()
    return {"device_GB": (total - free) / 1e9, "pool_GB": pool.total_bytes() / 1e9}


def steps(count=RATINGS, shape=SHAPE, most=45, terms=3):
    """Frank-Wolfe steps by the clock, and what they consist of."""
    import frankwolfe as fw
    from frankwolfe.regions.matrices import spectral

    f, ball, seconds = posed(count, shape, terms)
    method, problem = fw.frank_wolfe(), fw.Problem(f, ball)
    state = method.init(problem)
    asked, lanczos = spectral.top_pair, []

    def counted(*given, **options):
        found = asked(*given, **options)
        lanczos.append(found.steps)
        return found

    spectral.top_pair = counted
    times, tight = [], []
    for _ in range(most):
        due = state.oracle_memory.bound_due(20)
        start, before = time.perf_counter(), f.place.moved
        method.advance(state)
        (tight if due else times).append(1e3 * (time.perf_counter() - start))
        moved = f.place.moved[1] - before[1]
    found = {"pose_s": seconds, "step_ms": float(np.median(times)), "value": state.value}
    found |= {"slowest_ms": max(times), "tight_step_ms": tight, "gap": state.gap}
    spectral.top_pair = asked
    found |= {"bytes_a_step": moved, "lanczos_steps": float(np.mean(lanczos)), **memory()}
    found["linearize_ms"] = waited(lambda: state.linearize(state.iterate.image, state.gradient))
    found["oracle_ms"] = waited(lambda: state.ask(tangent=True, between=10**9))
    found["image_ms"] = waited(lambda: f.image_of(state.atom, state.atom_image))
    found["move_ms"] = waited(lambda: state.iterate.move(state.atom, state.atom_image, 1e-3))
    searched = fw.frank_wolfe(fw.steps.ExactLineSearch())
    state = searched.init(problem)
    found["line_search_step_ms"] = waited(lambda: searched.advance(state), 15)
    return found


def noise():
    """The same for noise alone: no singular value stands out."""
    return steps(terms=0)


def passes(count=RATINGS, shape=SHAPE):
    """Rank-50 passes: value, <G, X>, G R and G' L; and whether they give the same bits twice."""
    import cupy

    f, _, _ = posed(count, shape)
    found = {}
    for rank in (10, 50, 100):
        left, right = (cupy.random.standard_normal((side, rank), dtype="f4") for side in shape)
        rooms = [cupy.empty_like(part) for part in (left, right, left, right)]
        pair = f.linearize_factors(0.1, left, right, *rooms[:2])
        same = pair == f.linearize_factors(0.1, left, right, *rooms[2:])
        same = same and all(bool((rooms[k] == rooms[k + 2]).all()) for k in (0, 1))
        given = left, right, *rooms[:2]
        taken = waited(lambda given=given: f.linearize_factors(0.1, *given))
        found[f"rank_{rank}"] = {"ms": taken, "same_bits": same}
    return found


def hybrid(count=RATINGS, shape=SHAPE, seconds=25.0):
    """The default method for some seconds: how small the certified gap becomes."""
    import frankwolfe as fw

    f, ball, _ = posed(count, shape)
    result = fw.minimize(f, ball, stop=fw.Seconds(seconds))
    history = result.history
    return {
        "steps": result.nit, "gradients": result.njev, "seconds": result.seconds,
        "value": result.fun, "gap": result.gap, "share": result.gap / result.fun,
        "rank": result.x.terms, "values": [float(v) for v in history.value][:20],
        "gaps": [float(g) for g in history.gap][:20], **memory(),
    }  # fmt: skip


def billion():
    """10^9 ratings: the memory that they take, a step, a pass."""
    import cupy

    import frankwolfe as fw

    shape = 4_000_000, 100_000
    f, ball, seconds = posed(10**9, shape)
    cupy.get_default_memory_pool().free_all_blocks()
    found = {"pose_s": seconds, "posed": memory()}
    method = fw.frank_wolfe()
    state = method.init(fw.Problem(f, ball))
    found["step_ms"] = waited(lambda: method.advance(state), 5)
    found["stepped"] = memory()
    left, right = (cupy.random.standard_normal((side, 50), dtype="f4") for side in shape)
    rooms = cupy.empty_like(left), cupy.empty_like(right)
    found["pass_ms"] = waited(lambda: f.linearize_factors(0.1, left, right, *rooms), 2)
    found["passed"] = memory()
    return found


def against_cpu(count=10**7, shape=(200_000, 15_000), most=6):
    """The same steps on the CPU: how much longer they take, and how far they are apart."""
    import cupy

    import frankwolfe as fw

    rows, columns, values = generated(count, shape)
    ball, found = fw.NuclearBall(low_rank(rows, columns, values, shape, 3)), {}
    there = rows, columns, values.astype("f8")
    for name, ratings in (("device", there), ("cpu", tuple(map(cupy.asnumpy, there)))):
        method = fw.frank_wolfe()
        state = method.init(fw.Problem(fw.Completion(ratings, shape=shape), ball))
        times = []
        for _ in range(most):
            start = time.perf_counter()
            method.advance(state)
            times.append(1e3 * (time.perf_counter() - start))
        found[name] = {"step_ms": float(np.median(times)), "value": state.value}
    found["apart"] = abs(found["cpu"]["value"] / found["device"]["value"] - 1.0)
    found["ratio"] = found["cpu"]["step_ms"] / found["device"]["step_ms"]
    return found


SECTIONS = {
    "loops": loops,
    "steps": steps,
    "noise": noise,
    "passes": passes,
    "hybrid": hybrid,
    "billion": billion,
    "against_cpu": against_cpu,
}


def _free():
    """What a section held; peaks are its own."""
    try:
        import cupy

        cupy.get_default_memory_pool().free_all_blocks()
    except ImportError:
        pass


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
        _free()
        options.out.write_text(json.dumps(results, indent=1))
        print(name, json.dumps(results[name], indent=1), flush=True)


if __name__ == "__main__":
    main()
