"""Completion problems, each made of a seed."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import frankwolfe as fw

__all__ = ["Ratings", "misled", "ratings"]

SCALES = (1.0, 1.0, 1.0, 1e-8, 1e-4, 1e-2, 1e3, 1e8)
LARGE = 8  # the last digit of seeds whose matrices are larger
SPANS = (None, None, None, "random", "stale", "many", "twice", "axes")


@dataclass
class Ratings:
    """Observed cells with their loss, a region, and how its oracle is held back."""

    seed: int
    shape: tuple[int, int]
    cells: tuple[Any, Any]
    values: Any
    loss: str
    delta: float
    weights: Any
    reduction: str
    rank_cap: int
    kind: str
    size: float  # radius or trace
    sides: tuple[Any, Any]  # weights of rows and columns, for the weighted norm
    scale: float
    single: bool
    oracle: dict[str, Any] = field(default_factory=dict)
    span: str | None = None

    @property
    def forced(self) -> bool:
        """Whether a run may fall short of what was asked for."""
        few = "most_steps" in self.oracle or self.oracle.get("accuracy", 0.0) > 0.5
        return few or self.span is not None or self.rank_cap < min(self.shape)

    def objective(self) -> fw.Completion:
        values = self.values if self.loss == "logistic" else self.values * self.scale
        values = values.astype(np.float32 if self.single else np.float64)
        return fw.Completion(
            (*self.cells, values),
            shape=self.shape,
            loss=self.loss,
            delta=self.delta * self.scale,
            reduction=self.reduction,
            sample_weight=self.weights,
            rank_cap=self.rank_cap,
        )

    def region(self) -> Any:
        size = self.size if self.loss == "logistic" else self.size * self.scale
        if self.kind == "nuclear":
            region: Any = fw.NuclearBall(size, **self.oracle)
        elif self.kind == "weighted":
            region = fw.regions.WeightedNuclearBall(size, *self.sides, **self.oracle)
        else:
            region = fw.Spectraplex(size, at_most=self.kind == "at most", **self.oracle)
        return region if self.span is None else misled(region, self.span, self.seed)

    def __str__(self) -> str:
        parts = (self.loss, self.kind, self.shape, f"{self.values.size} cells")
        more = (f"size {self.size:.3g}", f"scale {self.scale:g}", f"delta {self.delta:g}")
        kept = f"cap {self.rank_cap}", "float32" if self.single else "float64"
        weights = "weights" if self.weights is not None else ""
        return " ".join(map(str, (*parts, *more, *kept, weights, self.oracle, self.span)))


def misled(region: Any, how: str, seed: int) -> Any:
    """The region with an oracle that is told wrong vectors to be near the leading ones."""
    rng, asked = np.random.default_rng([seed, 7]), region.inexact_lmo
    kept: list[Any] = []

    def near(n: int, told: Any) -> Any:
        if how == "stale":
            kept.append(told)
            return kept[0] if kept[0].size else told
        if how == "twice":
            return np.vstack([told, told]) if told.size else told
        count = n // 2 if how == "many" else max(1, n // 5)
        return np.eye(n)[:count] if how == "axes" else rng.standard_normal((count, n))

    def inexact_lmo(g: Any, memory: Any, wanted: Any) -> Any:
        memory.near = near(min(g.shape), memory.near)
        return asked(g, memory, wanted)

    region.inexact_lmo = inexact_lmo
    return region


def ratings(seed: int) -> Ratings:
    """The problem of a seed."""
    rng = np.random.default_rng([seed, 18])
    kind = rng.choice(["nuclear", "nuclear", "weighted", "exact", "at most"])
    shape = _shape(rng, square=kind in ("exact", "at most"))
    shape = (2 * shape[0], 2 * shape[1]) if seed % 10 == LARGE else shape
    rank = int(rng.integers(1, min(shape) + 1)) if rng.random() < 0.5 else 1
    left, right = rng.standard_normal((shape[0], rank)), rng.standard_normal((shape[1], rank))
    truth = left @ (left if kind in ("exact", "at most") else right).T / math.sqrt(rank)
    cells = _cells(rng, shape)
    values = truth[cells] + rng.choice([0.0, 0.1, 1.0]) * rng.standard_normal(cells[0].size)
    loss = str(rng.choice(["huber", "squared", "logistic"] if values.size > 1 else ["squared"]))
    if rng.random() < 0.1:
        values = np.full(values.size, float(rng.integers(-1, 6)))
    if loss == "logistic":
        values = np.where(values > np.median(values), 1.0, -1.0)
        values[0] = -1.0
        values[-1] = 1.0
    count = values.size
    size = float(np.linalg.norm(truth, "nuc")) * 10.0 ** rng.uniform(-3.0, 1.0)
    weights = [None, None, rng.random(count), 10.0 ** rng.uniform(-3.0, 3.0, count)]
    cap = int(rng.integers(1, 6)) if rng.random() < 0.15 else 500
    return Ratings(
        seed, shape, cells, values, loss, float(rng.choice([0.1, 1.0, 5.0])),
        weights[int(rng.integers(4))], str(rng.choice(["sum", "mean"])), cap, str(kind), size,
        (rng.uniform(0.1, 2.0, shape[0]), rng.uniform(0.1, 2.0, shape[1])),
        float(rng.choice(SCALES)), bool(rng.random() < 0.15), _oracle(rng),
        SPANS[int(rng.integers(len(SPANS)))],
    )  # fmt: skip


def _shape(rng: np.random.Generator, *, square: bool) -> tuple[int, int]:
    if square:
        n = int(rng.integers(2, 25))
        return n, n
    wide = 1 if rng.random() < 0.1 else int(rng.integers(2, 21))
    long = int(rng.integers(wide, 31))
    return (wide, long) if rng.random() < 0.5 else (long, wide)


def _cells(rng: np.random.Generator, shape: tuple[int, int]) -> tuple[Any, Any]:
    """Cells in any order, some rows and columns left out at times, some cells twice."""
    share = rng.choice([0.05, 0.3, 0.6, 1.0])
    seen = rng.random(shape) < share
    if rng.random() < 0.3:
        seen[rng.random(shape[0]) < 0.3] = False
        seen[:, rng.random(shape[1]) < 0.3] = False
    if not seen.any():
        seen[tuple(rng.integers(shape))] = True
    rows, columns = np.nonzero(seen)
    order = rng.permutation(rows.size)
    if rng.random() < 0.2:
        order = np.concatenate([order, order[: 1 + rows.size // 4]])
    return rows[order], columns[order]


def _oracle(rng: np.random.Generator) -> dict[str, Any]:
    """Options of an oracle: full decompositions, Lanczos, and Lanczos held back."""
    way = rng.random()
    if way < 0.3:
        return {}
    options: dict[str, Any] = {"exact_below": 0, "seed": int(rng.integers(100))}
    if way > 0.6:
        options["accuracy"] = float(rng.choice([1e-3, 0.3, 1.0]))
    if way > 0.75:
        options["most_steps"] = int(rng.integers(1, 6))
    return options
