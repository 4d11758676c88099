"""A case: an objective, a region and how they are run, as plain numbers that can be cut down."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import frankwolfe as fw

__all__ = ["Case", "Part", "make_objective", "make_region"]


@dataclass(frozen=True)
class Part:
    """A name of the library and what its constructor is fed."""

    name: str
    options: dict[str, Any]

    def with_options(self, **changes: Any) -> Part:
        return replace(self, options={**self.options, **changes})


@dataclass(frozen=True)
class Case:
    """A problem, the method it is given (None: the default) and where the run starts."""

    seed: int
    objective: Part
    region: Part
    labels: dict[str, str] = field(default_factory=dict)  # what kind of data, for the tables
    method: str | None = None
    from_vertex: int | None = None  # seed of the gradient whose atom is the start
    tol: float = 1e-8

    def build(self) -> tuple[fw.Objective, fw.Region]:
        return make_objective(self.objective), make_region(self.region)

    def start(self, problem: fw.Problem) -> Any:
        """The start of the run: None for the region's own."""
        if self.from_vertex is None or problem.objective.matrix:
            return None
        g = np.random.default_rng(self.from_vertex).standard_normal(problem.n)
        return problem.region.lmo(g).dense(problem.n)

    def __str__(self) -> str:
        kinds = ", ".join(f"{key} {value}" for key, value in self.labels.items())
        return (
            f"seed {self.seed}: {self.objective.name} over {self.region.name}, "
            f"{self.method or 'default'} ({kinds})"
        )


def root_sum(target: Any) -> fw.Function:
    """The sum of sqrt(1 + (x - target)^2), as a plain function."""
    target = np.asarray(target, dtype=float)

    def fun(x: Any) -> Any:
        root = np.hypot(1.0, x - target)
        return float(root.sum()), (x - target) / root

    return fw.Function(fun, True, n=target.size, smoothness=1.0)


def negative_logs(weights: Any) -> fw.Function:
    """Minus the weighted sum of logarithms, finite for x > 0 only."""
    weights = np.asarray(weights, dtype=float)
    return fw.Function(
        lambda x: -float(weights @ np.log(x)),
        lambda x: -weights / x,
        n=weights.size,
        domain=lambda x: bool(x.min() > 0.0),
    )


def completion(rows: Any, columns: Any, values: Any, **options: Any) -> fw.Completion:
    """A loss over the listed cells."""
    return fw.Completion((rows, columns, values), **options)


def make_objective(part: Part) -> fw.Objective:
    """The objective that a part names: `Profiled.Huber` is Profiled(Huber(...))."""
    outer, _, inner = part.name.partition(".")
    if outer == "Profiled":
        return fw.Profiled(make_objective(Part(inner, part.options)))
    if inner == "gram":
        return make_objective(Part(outer, part.options)).gram()  # type: ignore[attr-defined]
    own: dict[str, Callable[..., fw.Objective]] = {
        "Function": root_sum,
        "Function_logs": negative_logs,
        "Completion": completion,
    }
    return own.get(part.name, getattr(fw.objectives, outer, None))(**part.options)  # type: ignore[misc]


def cheapest(scale: float, n: int) -> fw.regions.OracleRegion:
    """The simplex, by an oracle of one's own."""

    def lmo(g: Any) -> Any:
        return scale * np.eye(g.size)[g.argmin()]

    middle = np.full(n, scale / n)
    return fw.regions.OracleRegion(lmo, n=n, diameter=scale * 2**0.5, start=middle, polytope=True)


def against(radius: float, n: int) -> fw.regions.OracleRegion:
    """The Euclidean ball, by an oracle of one's own."""

    def lmo(g: Any) -> Any:
        g = np.asarray(g, dtype=np.float64)
        norm = float(np.linalg.norm(g))
        return -g * (radius / norm) if norm > 0.0 else np.zeros(g.size)

    return fw.regions.OracleRegion(lmo, n=n, diameter=2.0 * radius, start=np.zeros(n))


def make_region(part: Part) -> fw.Region:
    """The region that a part names."""
    if part.name == "Product":
        return fw.Product([(make_region(block), size) for block, size in part.options["blocks"]])
    own: dict[str, Callable[..., fw.Region]] = {
        "OracleRegion_simplex": cheapest,
        "OracleRegion_ball": against,
    }
    return own.get(part.name, getattr(fw.regions, part.name, None))(**part.options)  # type: ignore[misc]
