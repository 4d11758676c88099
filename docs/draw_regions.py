"""Draw every registered region for the gallery: python docs/draw_regions.py [NAME ...]

Each picture is computed from the oracle's points alone (`frankwolfe.plots.shadow`). Sets in more
than three dimensions are projected; `SKETCHES` lists those that need a particular size or view.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

import frankwolfe as fw
from frankwolfe.base.registry import key_of
from frankwolfe.regions import MATRIX_REGIONS, REGIONS

FOLDER = Path(__file__).parent / "regions" / "pictures"
SIZE, DPI = (2.6, 2.6), 100
SYMMETRIC = np.array([[1.0, 0.0, 0.0, -1.0], [0.0, 1.0, 1.0, 0.0], [1.0, 0.0, 0.0, 1.0]]) / 2.0


class Sketch(NamedTuple):
    """Region, its projection for the picture, and a number of variables if it has none."""

    region: fw.Region
    onto: Any = None
    shape: Any = None


def side(n: int, seed: int = 0, dimensions: int = 3) -> np.ndarray:
    """Random orthonormal projection of a set in n dimensions."""
    turned = np.linalg.qr(np.random.default_rng(seed).standard_normal((n, n)))[0]
    return np.asarray(turned[:dimensions])


def across(n: int) -> np.ndarray:
    """Orthonormal basis of the hyperplane of vectors with sum zero."""
    return np.asarray(np.linalg.svd(np.eye(n) - 1.0 / n)[2][: n - 1])


SKETCHES: dict[str, Callable[[], Sketch]] = {
    "hypersimplex": lambda: Sketch(fw.Hypersimplex(2), across(4)),
    "unit_hypersimplex": lambda: Sketch(fw.regions.UnitHypersimplex(2), None, 3),
    "k_sparse": lambda: Sketch(fw.KSparse(2), None, 3),
    "birkhoff": lambda: Sketch(fw.Birkhoff(3), side(9, 2)),
    "permutahedron": lambda: Sketch(fw.Permutahedron([0.0, 1.0, 2.0, 3.0]), across(4)),
    "group_ball": lambda: Sketch(fw.GroupBall([0, 0, 1])),
    "nuclear_ball": lambda: Sketch(fw.NuclearBall(), SYMMETRIC, (2, 2)),
    "spectraplex": lambda: Sketch(fw.Spectraplex(), SYMMETRIC, (2, 2)),
    "unit_spectraplex": lambda: Sketch(fw.regions.UnitSpectraplex(), SYMMETRIC, (2, 2)),
    "weighted_nuclear_ball": lambda: Sketch(
        fw.regions.WeightedNuclearBall(1.0, [0.3, 0.7], [0.5, 0.5]), SYMMETRIC, (2, 2)
    ),
    "spectral_ball": lambda: Sketch(fw.regions.SpectralBall(2, 2), SYMMETRIC),
    "fantope": lambda: Sketch(fw.regions.Fantope(3, 2), np.eye(9)[[0, 4, 1]]),
    "elliptope": lambda: Sketch(fw.regions.Elliptope(3), np.eye(9)[[1, 2, 5]]),
    "minkowski_sum": lambda: Sketch(
        fw.MinkowskiSum([fw.ConvexHull([[0.0, 0.0], [2.0, 0.0], [0.0, 1.5]]), fw.L2Ball(0.4)])
    ),
    "linear_image": lambda: Sketch(fw.regions.LinearImage(side(6, 4), fw.Box())),
    "lp_ball": lambda: Sketch(fw.LpBall(1.5), None, 3),
    "box": lambda: Sketch(fw.Box(0.0, 1.0), None, 3),
    "oracle_region": lambda: Sketch(fw.regions.OracleRegion(_half_ball, n=3)),
    "convex_hull": lambda: Sketch(fw.ConvexHull(side(8, 3, 8)[:, :3])),
    "product": lambda: Sketch(fw.Product([(fw.L2Ball(), 2), (fw.Box(-1.0, 1.0), 1)])),
}


def _half_ball(g: np.ndarray) -> np.ndarray:
    """Oracle of the lower half of a ball."""
    flat = g if g[2] >= 0.0 else np.array([g[0], g[1], 0.0])
    return -flat / max(float(np.linalg.norm(flat)), 1e-300)


def sketch(kind: type[fw.Region]) -> Sketch:
    """Entry of `SKETCHES`, or else the first example of at least two variables."""
    key = key_of(kind)
    if key in SKETCHES:
        return SKETCHES[key]()
    made = [r for size in (3, 6, 9) for r in kind.examples(size, np.random.default_rng(1))]
    least = 5 if kind.family in ("graphs", "transport") else 2  # smaller ones are points or lines
    region = next(r for r in made if r.dimension is None or r.dimension >= least)
    n = region.dimension
    if kind.matrix:
        return Sketch(region, SYMMETRIC, (2, 2))
    return Sketch(region, None if n in (None, 2, 3) else side(n, 1), None if n else 3)


def draw(kind: type[fw.Region]) -> Path:
    """Write the picture of a region."""
    region, onto, shape = sketch(kind)
    figure = Figure(figsize=SIZE, layout="constrained")
    seen = len(onto) if onto is not None else min(shape or region.dimension or 3, 3)
    ax = figure.add_subplot(projection="3d" if seen == 3 else None)
    fw.plots.shadow(region, onto, shape=shape, ax=ax)
    path = FOLDER / f"{key_of(kind)}.png"
    figure.savefig(path, dpi=DPI, metadata={"Software": None})
    return path


def main() -> None:
    """Draw all regions, or the named ones."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for key, kind in {**REGIONS, **MATRIX_REGIONS}.items():
        if not sys.argv[1:] or {key, kind.__name__} & set(sys.argv[1:]):
            print(draw(kind).name, flush=True)


if __name__ == "__main__":
    main()
