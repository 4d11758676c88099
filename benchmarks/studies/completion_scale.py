"""Cost of a Frank-Wolfe iteration on rating sets from 100 thousand to 25 million ratings.

Each iteration (gradient, oracle, exact line search, move) alternates with one scipy CSR
product of the same gradient in the same process; the figure is their ratio. Peak memory is
that of the whole process. Run with: python benchmarks/studies/completion_scale.py [--largest N]
"""

from __future__ import annotations

import resource

import numpy as np
from common import parser, timed
from problems import MOST_RATINGS, random_ratings
from scipy.sparse import csr_array

import frankwolfe as fw
from frankwolfe.visual.plots import PALETTE, new_axes


def measure(count: int, iterations: int) -> tuple[float, float, float]:
    """Seconds for an iteration and for a product (means), and the last certified gap over f."""
    problem = random_ratings(count)
    f, method = problem.objective, fw.frank_wolfe(fw.steps.ExactLineSearch())
    state = method.init(problem)
    method.advance(state)  # compiled from here on
    ours, theirs = [], []
    vector = np.ones(f.shape[1], dtype=np.float32)
    for _ in range(iterations):
        ours.append(timed(method.advance, state)[0])
        gradient = csr_array((state.gradient, f.cells.columns, f.cells.indptr), shape=f.shape)
        theirs.append(timed(gradient.__matmul__, vector)[0])
    return float(np.mean(ours)), float(np.mean(theirs)), state.gap / state.value


def main() -> None:
    """Print one row a size."""
    line = parser(__doc__)
    line.add_argument("--largest", type=int, default=MOST_RATINGS)
    line.add_argument("--iterations", type=int, default=50)
    line.add_argument("--plot", help="a PNG file to draw")
    options = line.parse_args()
    sizes = (100_000, 300_000, 1_000_000, 3_000_000, 10_000_000, MOST_RATINGS)
    print("     ratings  ms/iteration  ms/product   ratio  peak GB  gap/f")
    rows = []
    for count in (n for n in sizes if n <= options.largest):
        ours, theirs, gap = measure(count, options.iterations)
        rows.append((count, 1e3 * ours, 1e3 * theirs))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(
            f"{count:>12,}  {1e3 * ours:12.2f}  {1e3 * theirs:10.2f}  {ours / theirs:6.2f}  "
            f"{peak:7.2f}  {gap:.2e}",
            flush=True,
        )
    if options.plot:
        draw(np.array(rows), options.plot)


def draw(rows: np.ndarray, path: str) -> None:
    """Time of an iteration and of a product against the number of ratings."""
    figure, (ax,) = new_axes(1, size=(5.6, 3.8))
    count, ours, theirs = rows.T
    ax.loglog(count, ours, "o-", color=PALETTE[0], label="FW iteration (oracle, line search, move)")
    ax.loglog(count, theirs, "s--", color=PALETTE[1], label="one scipy CSR product")
    ax.loglog(count, ours[-1] * count / count[-1], color="0.6", lw=0.8, label="linear")
    ax.set_xlabel("ratings")
    ax.set_ylabel("milliseconds")
    ax.grid(True, which="both", alpha=0.3)
    ax.legend(fontsize=8)
    figure.savefig(path, dpi=140)


if __name__ == "__main__":
    main()
