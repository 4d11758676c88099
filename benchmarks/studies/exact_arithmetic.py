"""JFW on experiment (a) in double precision and in many digits.

After some 300 steps the course of JFW on (a) hangs on the last bit of a double: this script
computes it with Python's decimal numbers, for growing precision, until the figures agree.
Run with: python benchmarks/studies/exact_arithmetic.py (about a minute for the default digits)
"""

from __future__ import annotations

from decimal import Decimal, getcontext

import numpy as np
from common import parser, timed
from problems import paper_a

import frankwolfe as fw

OPTIMUM = Decimal("0.38555909424527324")
SHOWN = (10, 100, 300, 301, 400, 500, 501, 700, 701, 1000, 1001)
RADIUS = 50


def coefficient(k: int, alpha: Decimal) -> Decimal:
    """a_k of equation (4) for alpha = beta, where b_k = 0."""
    if k == 0:
        return Decimal(1)
    tau = k + 2 * alpha + 1
    return (tau + k) * (tau + k + 1) / (2 * tau * (tau - alpha))


def jfw_errors(digits: int) -> dict[int, float]:
    """f(x_k) - f* of JFW with alpha = beta = 6/5, gamma = 2/3, in so many digits."""
    getcontext().prec = digits
    A, b = fw.datasets.breast_cancer().paper()
    signed = [[Decimal(int(v)) for v in row] for row in A * b[:, None]]
    columns = list(zip(*signed, strict=True))
    m, n = A.shape
    alpha, keep = Decimal(12) / 10, Decimal(1) / 3
    x = [Decimal(0)] * n
    errors = {}
    for k in range(max(SHOWN) + 1):
        margins = [sum(map(Decimal.__mul__, row, x), Decimal(0)) for row in signed]
        powers = [(-t).exp() for t in margins]
        if k in SHOWN:
            value = sum(((1 + e).ln() for e in powers), Decimal(0)) / m
            errors[k] = float(value - OPTIMUM)
        weights = [e / (1 + e) for e in powers]
        g = [-sum(map(Decimal.__mul__, c, weights), Decimal(0)) for c in columns]
        norm = sum((v * v for v in g), Decimal(0)).sqrt()
        step = coefficient(k, alpha) * keep * 2 / (k + 2)
        x = [u + step * (-RADIUS * v / norm - u) for u, v in zip(x, g, strict=True)]
    return errors


def double_errors() -> dict[int, float]:
    """The same in double precision, by the library."""
    history = fw.solve(
        paper_a(fw.L2Ball(RADIUS)), fw.jacobi(1.2, 1.2, 2 / 3), fw.Iterations(max(SHOWN))
    ).history
    return {k: float(history["value"][k] - float(OPTIMUM)) for k in SHOWN}


def main() -> None:
    """Print one row a precision."""
    line = parser(__doc__)
    line.add_argument("--digits", type=int, nargs="+", default=[17, 24, 40, 80])
    options = line.parse_args()
    print(f"{'digits':>8}  " + "  ".join(f"{'k=' + str(k):>9}" for k in SHOWN))
    rows: list[tuple[str, dict[int, float]]] = [("double", double_errors())]
    for digits in options.digits:
        seconds, errors = timed(jfw_errors, digits)
        rows.append((str(digits), errors))
        print(f"({digits} digits took {seconds:.0f} s)", flush=True)
    for name, errors in rows:
        print(f"{name:>8}  " + "  ".join(f"{errors[k]:9.2e}" for k in SHOWN))
    assert np.isclose(rows[-1][1][100], rows[0][1][100], rtol=1e-6)


if __name__ == "__main__":
    main()
