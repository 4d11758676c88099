"""Iterations to 1e-3 of FW, JFW with the paper's parameters, and jacobi("auto").

Suboptimality is relative, (f - f*) / (f(x0) - f*), f* from the default method. Run with:
python benchmarks/studies/jacobi_auto.py [--data FOLDER] [--seconds 2]
"""

from __future__ import annotations

from common import header, parser, row, steps
from problems import ours, present

import frankwolfe as fw

METHODS = {"FW": fw.frank_wolfe(), "JFW": fw.jacobi(), "auto": fw.jacobi("auto")}


def main() -> None:
    """Print a line a problem; > where time was up."""
    line = parser(__doc__, "duke.xz, a9a.xz, w8a.xz")
    line.add_argument("--only", default="", help="a word in a problem's name")
    line.add_argument("--seconds", type=float, default=2.0)
    options = line.parse_args()
    header("problem", *METHODS)
    for name in (name for name in present(options.data) if options.only in name):
        problem = ours(name, options.data)
        start = problem.objective(problem.start())
        sure = fw.Gap(1e-6 * abs(start)) | fw.Seconds(2.0) | fw.Stalled(300)
        best = fw.minimize(problem.objective, problem.region, stop=sure).fun
        stop = fw.Target(best + 1e-3 * (start - best)) | fw.Seconds(options.seconds)
        row(name, *(steps(fw.solve(problem, method, stop)) for method in METHODS.values()))


if __name__ == "__main__":
    main()
