"""Plain functions with right and wrong gradients.

`python -m tests.attack.gradients --seeds 0:1000`. A wrong gradient must not be certified: of what a
run says, the error of x is at most the gap. A right one must raise no alarm, whatever the scale,
the precision or the rounding of the function.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

import frankwolfe as fw

__all__ = ["RIGHT", "WRONG", "function", "judged", "region"]

Rng = np.random.Generator
Pair = tuple[Callable[[Any], float], Callable[[Any], Any], Any]


def _squares(rng: Rng, n: int) -> Pair:
    A = rng.standard_normal((n + 5, n)) / math.sqrt(n)
    b = rng.standard_normal(n + 5)
    return lambda x: float(0.5 * np.sum((A @ x - b) ** 2)), lambda x: A.T @ (A @ x - b), None


def _logistic(rng: Rng, n: int) -> Pair:
    A = rng.standard_normal((3 * n, n))
    return (
        lambda x: float(np.logaddexp(0.0, A @ x).mean()),
        lambda x: A.T @ (0.5 * (1.0 + np.tanh(0.5 * (A @ x)))) / (3 * n),
        None,
    )


def _huber(rng: Rng, n: int) -> Pair:
    A, b = rng.standard_normal((2 * n, n)) / math.sqrt(n), rng.standard_normal(2 * n)
    delta = 10.0 ** rng.uniform(-6, 0)

    def fun(x: Any) -> float:
        r = np.abs(A @ x - b)
        return float(np.where(r <= delta, 0.5 * r * r / delta, r - 0.5 * delta).sum())

    return fun, lambda x: A.T @ np.clip((A @ x - b) / delta, -1.0, 1.0), None


def _powers(rng: Rng, n: int) -> Pair:
    c, w = rng.uniform(0.0, 1.0, n), rng.uniform(0.5, 2.0, n)
    return lambda x: float(w @ (x - c) ** 4), lambda x: 4.0 * w * (x - c) ** 3, None


def _exponentials(rng: Rng, n: int) -> Pair:
    a = rng.standard_normal(n)
    return lambda x: float(np.exp(a * x).sum()), lambda x: a * np.exp(a * x), None


def _logs(rng: Rng, n: int) -> Pair:
    w = rng.uniform(0.5, 2.0, n)
    return lambda x: -float(w @ np.log(x)), lambda x: -w / x, lambda x: bool(x.min() > 0.0)


MADE = (_squares, _logistic, _huber, _powers, _exponentials, _logs)


def region(rng: Rng, n: int, *, positive: bool) -> fw.Region:
    """A region of about the size one."""
    makers = [
        fw.Simplex,
        lambda: fw.Simplex(float(n)),
        lambda: fw.Box(0.05, rng.uniform(0.5, 2.0, n)),
        lambda: fw.Hypersimplex(max(1, n // 2)),
    ]
    others = [
        lambda: fw.L2Ball(10.0 ** rng.uniform(-1, 1)),
        lambda: fw.L1Ball(10.0 ** rng.uniform(-1, 1)),
        lambda: fw.Box(-1.0, 1.0),
        lambda: fw.KSparse(max(1, n // 3), 1.0),
        lambda: fw.LpBall(3.0, 1.0),
    ]
    every = makers if positive else makers + others
    return every[int(rng.integers(len(every)))]()


def function(rng: Rng, n: int) -> tuple[Pair, bool]:
    """Values, a right gradient and the domain; and whether points must be positive."""
    make = MADE[int(rng.integers(len(MADE)))]
    fun, jac, domain = make(rng, n)
    scale = 10.0 ** rng.choice([0.0, 0.0, 0.0, -7.0, 9.0, -12.0])
    shift = float(rng.choice([0.0, 0.0, 1.0, -3.0])) * scale
    return (lambda x: scale * fun(x) + shift, lambda x: scale * jac(x), domain), domain is not None


def _one_coordinate(change: Callable[[float], float]) -> Callable[..., Any]:
    def wrong(rng: Rng, n: int, jac: Any) -> Any:
        j = int(rng.integers(n))

        def told(x: Any) -> Any:
            g = jac(x).copy()
            g[j] = change(g[j])
            return g

        return told

    return wrong


def _stale(rng: Rng, n: int, jac: Any) -> Any:
    last: list[Any] = []

    def told(x: Any) -> Any:
        last.append(x.copy())
        return jac(last[max(0, len(last) - 2)])

    return told


def _shuffled(rng: Rng, n: int, jac: Any) -> Any:
    order = np.roll(np.arange(n), 1)
    return lambda x: jac(x)[order]


def _shifted(rng: Rng, n: int, jac: Any) -> Any:
    c = rng.standard_normal(n) * np.abs(jac(np.full(n, 0.5 / n + 0.05))).max() * 0.3
    return lambda x: jac(x) + c


def _noisy(rng: Rng, n: int, jac: Any) -> Any:
    return lambda x: (g := jac(x)) + 0.1 * np.abs(g).max() * rng.standard_normal(n)


WRONG: dict[str, Callable[[Rng, int, Any], Any]] = {
    "half": lambda rng, n, jac: lambda x: 0.5 * jac(x),
    "scaled": lambda rng, n, jac: lambda x: jac(x) * 10.0,
    "negative": lambda rng, n, jac: lambda x: -jac(x),
    "sign of one": _one_coordinate(lambda g: -g),
    "one is zero": _one_coordinate(lambda g: 0.0),
    "shuffled": _shuffled,
    "shifted": _shifted,
    "reversed": lambda rng, n, jac: lambda x: jac(x)[::-1].copy(),
    "of another point": lambda rng, n, jac: lambda x: jac(0.9 * x + 0.05),
    "stale": _stale,
    "noise": _noisy,
}
"""Ways in which gradients are wrong."""


def _single(rng: Rng, n: int, fun: Any, jac: Any) -> Any:
    return lambda x: float(np.float32(fun(x))), lambda x: jac(x).astype(np.float32)


def _grainy(rng: Rng, n: int, fun: Any, jac: Any) -> Any:
    return lambda x: fun(x) * (1.0 + 1e-13 * rng.standard_normal()), jac


def _differences(rng: Rng, n: int, fun: Any, jac: Any) -> Any:
    def told(x: Any) -> Any:
        steps = 6e-6 * np.maximum(np.abs(x), 1e-2)
        return np.array(
            [
                (fun(x + h * e) - fun(x - h * e)) / (2 * h)
                for h, e in zip(steps, np.eye(n), strict=True)
            ]
        )

    return fun, told


RIGHT: dict[str, Callable[[Rng, int, Any, Any], Any]] = {
    "exact": lambda rng, n, fun, jac: (fun, jac),
    "single precision": _single,
    "rounding": _grainy,
    "differences": _differences,
}
"""Ways in which gradients are right."""


def judged(seed: int, *, right: bool, largest: int = 60) -> tuple[str, str]:
    """The kind of a gradient, and what became of it: refused, not certified, sound or FALSE."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, largest))
    (fun, jac, domain), positive = function(rng, n)
    C = region(rng, n, positive=positive)
    method = rng.choice([None, None, "frank_wolfe", "pairwise", "blended_pairwise"])
    method = None if method is None else str(method)
    if right:
        kind = str(rng.choice(list(RIGHT)))
        if domain is not None and kind == "differences":
            kind = "exact"
        values, told = RIGHT[kind](rng, n, fun, jac)
    else:
        kind = str(rng.choice(list(WRONG)))
        values, told = fun, WRONG[kind](rng, n, jac)
    x0 = C.middle(n)

    def run(values: Any, told: Any, **options: Any) -> fw.Result:
        f = fw.Function(values, told, n=n, domain=domain)
        return fw.minimize(f, C, x0=x0, **options)

    try:
        with np.errstate(all="ignore"):
            result = run(values, told, method=method, max_iter=300)
    except fw.InvalidInput as error:
        return kind, "refused" if "gradient" in str(error) else f"ERROR {error}"
    except Exception as error:
        return kind, f"ERROR {type(error).__name__} {error}"
    if not result.certified:
        return kind, "not certified"
    best = _best(fun, jac, domain, C, n, x0)
    slack = 1e-9 * max(abs(best), abs(result.fun)) + (
        1e-6 * abs(best) if kind == "single precision" else 0.0
    )
    return kind, "sound" if fun(result.x) - best <= result.gap + slack else "FALSE"


def _best(fun: Any, jac: Any, domain: Any, C: fw.Region, n: int, x0: Any) -> float:
    f = fw.Function(fun, jac, n=n, domain=domain, check_gradient=False)
    return fw.minimize(f, C, x0=x0, stop=fw.RelativeGap(1e-9) | fw.Iterations(1000)).fun


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.attack.gradients", description=__doc__)
    parser.add_argument("--seeds", default="0:1000")
    parser.add_argument("--largest", type=int, default=60)
    options = parser.parse_args()
    first, last = map(int, options.seeds.split(":"))
    bad = 0
    for right in (False, True):
        counts: Counter[tuple[str, str]] = Counter()
        for seed in range(first, last):
            kind, verdict = judged(seed, right=right, largest=options.largest)
            counts[kind, verdict[:60]] += 1
            wrong = verdict.startswith(("FALSE", "ERROR")) or (right and verdict == "refused")
            bad += wrong
            if wrong:
                print("seed", seed, "right" if right else "wrong", kind, verdict, flush=True)
        for (kind, verdict), count in sorted(counts.items()):
            print(f"{'right' if right else 'wrong':6} {kind:20} {verdict:40} {count}")
    return int(bad > 0)


if __name__ == "__main__":
    raise SystemExit(main())
