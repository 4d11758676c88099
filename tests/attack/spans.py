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
from frankwolfe.numerics.entries import CellMatrix
from frankwolfe.regions.abilities import Accuracy
from frankwolfe.regions.spectral import TIGHT

__all__ = ["judged", "matrix", "span"]

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
    if how == "random":
        return rng.standard_normal((count, n))
    if how == "perturbed":
        noise = 10.0 ** rng.uniform(-14, -1) * rng.standard_normal((count, n))
        return leading[:, :count].T + noise
    if how == "nearly all":
        return leading[:, : max(n // 2, 1)].T
    if how == "single":
        return leading[:, :count].T.astype(np.float32)
    if how == "zeros":
        return np.zeros((count, n))
    if how == "others":  # the last ones: nothing of what leads
        return leading[:, n - count :].T
    return leading[:, :count].T if how == "exact" else np.zeros((0, 0))


def judged(seed: int) -> str:
    """What is wrong with the bound for the matrix of a seed."""
    rng = np.random.default_rng([seed, 3])
    kind = ("ball", "exact", "at most")[seed % 3]
    full = matrix(rng, square=kind != "ball")
    cells = np.nonzero(full)
    single = rng.random() < 0.2
    f = fw.Completion((*cells, full[cells].astype(np.float32 if single else np.float64)), shape=full.shape)
    g = CellMatrix(f.cells, f.b)
    full = g.dense()
    steps = {"most_steps": int(rng.integers(1, 6))} if rng.random() < 0.4 else {}
    options = {"exact_below": 0, "accuracy": float(rng.choice([0.01, 1.0])), "seed": seed, **steps}
    region = fw.NuclearBall(1.0, **options) if kind == "ball" else fw.Spectraplex(at_most=kind == "at most", **options)
    if kind == "ball":
        least = -float(np.linalg.norm(full, 2))
        small = full @ full.T if full.shape[0] < full.shape[1] else full.T @ full
    else:
        small = -0.5 * (full + full.T)
        least = -float(np.linalg.eigvalsh(small)[-1])
        least = min(least, 0.0) if kind == "at most" else least
    leading = np.linalg.eigh(small)[1][:, ::-1]
    memory = region.oracle_memory(full.shape, f.dtype)
    how = SPANS[int(rng.integers(len(SPANS)))]
    memory.near = span(rng, how, leading)
    memory.vector = leading[:, int(rng.integers(len(leading)))] if rng.random() < 0.5 else memory.vector
    memory.calls = int(rng.integers(3))
    above = -least * 10.0 ** rng.uniform(-10, 0)
    wanted = TIGHT if rng.random() < 0.3 else Accuracy(least + above, np.inf, 1.0, 0)
    _, value, error = region.inexact_lmo(g, memory, wanted)
    size = float(np.linalg.norm(full))
    wrong = value - error - least
    if not (np.isfinite([value, error]).all() and error >= 0.0):
        return f"{seed} {kind} {how}: {value} {error}"
    if wrong > 1e-14 * size:
        return f"{seed} {kind} {how} {options}: bound {wrong / size:.1e} of the norm too high"
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
