"""The attack on the bound beside a span: `python -m tests.attack.spans --seeds 0:2000`.

A seed makes a sparse matrix with leading singular values that are close together or far apart,
and vectors that are said to be near the leading ones.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from typing import Any

import numpy as np

import frankwolfe as fw
from frankwolfe.core.entries import CellMatrix
from frankwolfe.core.region_abilities import Accuracy
from frankwolfe.regions.matrices.spectral import TIGHT

__all__ = ["judged", "matrix", "span"]

ROUNDING = 1e-14  # of the norm
FAR = 7  # the last digit of seeds whose matrices have numbers of any size
SPANS = ("none", "random", "exact", "perturbed", "nearly all", "single", "zeros", "others")


def matrix(rng: np.random.Generator, *, square: bool) -> Any:
    """A dense matrix, some of its entries zero."""
    rows, columns = (int(n) for n in rng.integers(3, 40, 2))
    columns = rows if square else columns
    n = min(rows, columns)
    u = np.linalg.qr(rng.standard_normal((rows, n)))[0]
    v = np.linalg.qr(rng.standard_normal((columns, n)))[0]
    count = int(rng.integers(1, n + 1))
    close = 1.0 + 10.0 ** rng.uniform(-14, -1) * rng.random(count)
    values = np.concatenate([close, 10.0 ** rng.uniform(-12, 0) * rng.random(n - count)])
    full = (u * values) @ (v if not square or rng.random() < 0.5 else u * rng.choice([-1, 1], n)).T
    if rng.random() < 0.5:
        full = full * (rng.random(full.shape) < rng.uniform(0.2, 1.0))
    full[0, 0] += 1e-3
    return full * 10.0 ** rng.uniform(-10, 10)


def span(rng: np.random.Generator, how: str, leading: Any) -> Any:
    """Vectors as rows, of the leading ones, which are columns."""
    n = len(leading)
    count = int(rng.integers(1, n // 2 + 1))
    first, noise = leading[:, :count].T, rng.standard_normal((count, n))
    found = {
        "none": np.zeros((0, 0)),
        "random": noise,
        "exact": first,
        "perturbed": first + 10.0 ** rng.uniform(-14, -1) * noise,
        "nearly all": leading[:, : max(n // 2, 1)].T,
        "single": first.astype(np.float32),
        "zeros": np.zeros((count, n)),
        "others": leading[:, n - count :].T,  # nothing of what leads
    }
    return found[how]


def _least(full: Any, kind: str) -> tuple[float, Any]:
    """The oracle's minimum by a dense decomposition, and the vectors that lead to it, in order."""
    if kind == "ball":
        small = full @ full.T if full.shape[0] < full.shape[1] else full.T @ full
        return -float(np.linalg.norm(full, 2)), np.linalg.eigh(small)[1][:, ::-1]
    values, vectors = np.linalg.eigh(0.5 * (full + full.T))
    return min(float(values[0]), 0.0) if kind == "at most" else float(values[0]), vectors


def judged(seed: int) -> str:
    """What is wrong with the bound for the matrix of a seed."""
    rng = np.random.default_rng([seed, 3])
    kind = ("ball", "exact", "at most")[seed % 3]
    full = matrix(rng, square=kind != "ball")
    cells = np.nonzero(full)
    values = full[cells].astype(np.float32 if rng.random() < 0.2 else np.float64)
    if seed % 10 == FAR and values.dtype == np.float64:
        values *= 10.0 ** rng.uniform(-120.0, 120.0)
    f = fw.Completion((*cells, values), shape=full.shape)
    g = CellMatrix(f.cells, f.b)
    full = g.dense()
    options = {"exact_below": 0, "accuracy": float(rng.choice([0.01, 1.0])), "seed": seed}
    if rng.random() < 0.4:
        options["most_steps"] = int(rng.integers(1, 6))
    region: Any = fw.NuclearBall(1.0, **options)
    if kind != "ball":
        region = fw.Spectraplex(at_most=kind == "at most", **options)
    least, leading = _least(full, kind)
    memory = region.oracle_memory(full.shape, f.dtype)
    how = SPANS[int(rng.integers(len(SPANS)))]
    memory.near, memory.calls = span(rng, how, leading), int(rng.integers(3))
    if rng.random() < 0.5:
        memory.vector = leading[:, int(rng.integers(len(leading)))]
    above = least + abs(least) * 10.0 ** rng.uniform(-10, 0)
    wanted = TIGHT if rng.random() < 0.3 else Accuracy(above, np.inf, 1.0, 0)
    _, value, error = region.inexact_lmo(g, memory, wanted)
    wrong = (value - error - least) / float(np.linalg.norm(full))
    if not (np.isfinite([value, error]).all() and error >= 0.0 and wrong <= ROUNDING):
        return f"{seed} {kind} {how} {options}: {value} {error}, {wrong:.1e} of the norm too high"
    return ""


def main() -> int:
    """Run, print; 1 where a bound is none."""
    parser = argparse.ArgumentParser(prog="python -m tests.attack.spans", description=__doc__)
    parser.add_argument("--seeds", default="0:2000", help="a:b, the seeds from a up to b - 1")
    first, last = map(int, parser.parse_args().seeds.split(":"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = [wrong for wrong in map(judged, range(first, last)) if wrong]
    print("\n".join(found[:50]))
    print(f"{last - first} matrices, {len(found)} bounds that are none")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
