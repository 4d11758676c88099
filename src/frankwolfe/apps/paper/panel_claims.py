"""Claims about experiments (a) and (b), with measurements and verdicts."""

from __future__ import annotations

import numpy as np

from frankwolfe.apps.paper.claims import Claim, of_all, of_every, of_share
from frankwolfe.apps.paper.experiments import Panel, perturbed_errors
from frankwolfe.base import Floats
from frankwolfe.methods.polynomials import omega

__all__ = ["about_panel"]

PAPER = ("FW", "AFW", "JFW")  # the methods of its figure
EXPONENT_MARGIN = 0.1  # exponents of k that differ by less count as one rate
STABLE_END_RATIO = 1.01  # of last errors over starts; within it rounding does not matter


def about_panel(panel: Panel, runs: int) -> list[Claim]:
    """Judge Section 4's bounds and Section 5's sentences on one experiment."""
    where = f"Experiment ({panel.setup.key})"
    errors = {m: perturbed_errors(panel, m, runs) for m in PAPER}
    return [
        Claim(
            where,
            f"the optimal value, in the paper by {panel.setup.optimum_by}, can be computed",
            f"{panel.optimum.solver}: f* = {panel.optimum.value:.14g}, "
            f"|x*| = {panel.optimum.norm:.5f} < t = {panel.setup.radius:g}; our own bounds are "
            f"[{panel.optimum.own.lower_bound:.14g}, {panel.optimum.own.fun:.14g}]",
            of_every(panel.optimum.agrees),
        ),
        *_ordering(panel, where),
        _progress(panel, where),
        _rate(panel, where, errors),
        _rounding(panel, where, errors),
        *_bounds(panel, where),
    ]


def _ordering(panel: Panel, where: str) -> list[Claim]:
    last = len(panel.iterations) - 1
    claims = []
    for other in ("FW", "AFW"):
        ahead = float(np.mean(panel.error("JFW")[10:] < panel.error(other)[10:]))
        best, rival = panel.error("JFW")[1:].min(), panel.error(other)[1:].min()
        claims.append(
            Claim(
                where,
                f"JFW converges faster than {other}",
                f"best of steps 1 to {last}: JFW {best:.2e}, {other} {rival:.2e} above f*; "
                f"last two iterates: JFW {_pair(panel, 'JFW')}, {other} {_pair(panel, other)}; "
                f"JFW's iterate is ahead at {ahead:.1%} of the steps from 10 on",
                of_share(ahead),
            )
        )
    return claims


def _pair(panel: Panel, method: str) -> str:
    before, now = panel.error(method)[-2:]
    return f"{before:.2e}, {now:.2e}"


def _progress(panel: Panel, where: str) -> Claim:
    """Judge the last iterates by the first step, and by the point where the methods start."""
    start = float(panel.error("FW")[0])
    first = {m: float(panel.error(m)[1]) for m in PAPER}
    last = {m: float(panel.error(m)[-2:].max()) for m in PAPER}
    words = ", ".join(f"{m} {first[m]:.2e}, {last[m]:.2e}" for m in PAPER)
    return Claim(
        where,
        "the methods approach the optimum",
        f"the start x = 0 is {start:.2e} above f*; step 1, and the worse of the last two of "
        f"{int(panel.iterations[-1])} steps, are above f* by: {words}",
        of_all(last[m] < before for m in PAPER for before in (first[m], start)),
    )


def _rate(panel: Panel, where: str, errors: dict[str, Floats]) -> Claim:
    """Compare exponents of k, fitted to the worse of two neighbouring iterates."""
    slopes = {m: [_exponent(panel.iterations, e) for e in errors[m]] for m in PAPER}
    words = ", ".join(f"{m} {_range(slopes[m])}" for m in PAPER)
    return Claim(
        where,
        "JFW has a faster rate",
        "the worse of two neighbouring iterates, over the last 80 % of the steps, from "
        f"{len(errors['JFW'])} starts that differ by 1e-15, falls like: {words}",
        of_all(
            jfw < other - EXPONENT_MARGIN
            for rival in ("FW", "AFW")
            for jfw, other in zip(slopes["JFW"], slopes[rival], strict=True)
        ),
    )


def _range(slopes: list[float]) -> str:
    """Write exponents of k with two digits, once where they do not differ."""
    low, high = f"{min(slopes):.2f}", f"{max(slopes):.2f}"
    return f"k^{low}" if low == high else f"k^{low} to k^{high}"


def _exponent(k: Floats, error: Floats) -> float:
    """Exponent p of the fit error ~ k^p over the last 80 % of the steps."""
    upper = np.maximum(error[1:], error[:-1])
    window = slice(len(k) // 5, None)
    return float(np.polyfit(np.log(k[1:][window]), np.log(upper[window]), 1)[0])


def _rounding(panel: Panel, where: str, errors: dict[str, Floats]) -> Claim:
    ends = {m: errors[m][:, -1] for m in PAPER}
    words = ", ".join(f"{m} {e.min():.1e} to {e.max():.1e}" for m, e in ends.items())
    return Claim(
        where,
        "the curves show the methods (and not the rounding of the computer)",
        f"f - f* after {int(panel.iterations[-1])} steps from {len(ends['JFW'])} starts that "
        f"differ by 1e-15: {words}",
        of_all(e.max() <= STABLE_END_RATIO * e.min() for e in ends.values()),
    )


def _bounds(panel: Panel, where: str) -> list[Claim]:
    k = panel.iterations
    scale = panel.smoothness * panel.diameter**2
    classic = panel.error("FW")[1:] / (2 * scale / (k[1:] + 2))
    theorem2 = panel.error("JFW") / panel.theorem2()
    setup = panel.setup
    omegas = np.array([omega(int(j), setup.alpha, setup.beta, setup.gamma) for j in k])
    value = panel.results["JFW"].history["value"]
    promised = 6.0 * omegas[:-1] * scale / (k[:-1] + 2) ** 2
    descents = float(np.mean(value[1:] <= value[:-1] - promised))
    return [
        Claim(
            where,
            "FW: f(x_k) - f* <= 2LD²/(k+2)",
            f"L = {panel.smoothness:.4g}, D = {panel.diameter:g}: at most "
            f"{classic.max():.2g} of the bound for k = 1..{int(k[-1])}",
            of_every(bool(classic.max() <= 1)),
        ),
        Claim(
            where,
            "Theorem 2: f(x_k) - f* <= |α/β| 4LD²/((k+1)(k+2))",
            f"at most {theorem2.max():.2g} of the bound for k = 0..{int(k[-1])}",
            of_every(bool(theorem2.max() <= 1)),
        ),
        Claim(
            where,
            "ω_k lies in [0, 1]",
            f"{omegas.min():.3f} to {omegas.max():.3f} with the paper's parameters",
            of_every(bool(omegas.min() >= 0 and omegas.max() <= 1)),
        ),
        Claim(
            where,
            "descent: f(x_(k+1)) <= f(x_k) - 6 ω_k L D²/(k+2)²",
            f"true at {descents:.1%} of the steps (at k = 0 it asks f to fall by "
            f"{promised[0]:.3g} from {value[0]:.3g})",
            of_every(descents == 1.0),
        ),
    ]
