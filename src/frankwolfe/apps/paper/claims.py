"""Claims on the theory, experiment (c) and Theorem 2, and the rules that give verdicts.

A sentence about *every* case (a theorem, a bound at each step) does not hold once one case is
against it. A sentence about *several* things (two rivals, three methods, the splits of the data,
two readings of one word) holds if it does for all of them, does not if it does for none, and
holds in part otherwise. What rounding decides is judged over starts that differ by rounding, each
of which counts as one of several.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from frankwolfe.apps.paper import algebra
from frankwolfe.apps.paper.audit import Audit
from frankwolfe.apps.paper.completion import CompletionPanel
from frankwolfe.methods.polynomials import omega

__all__ = [
    "FAILS",
    "HOLDS",
    "PARTLY",
    "Claim",
    "about_audit",
    "about_completion",
    "about_theory",
    "of_all",
    "of_every",
    "of_share",
    "tally",
]

HOLDS, FAILS, PARTLY = "holds", "does not hold", "holds in part"
EXCEPTION_SHARE = 0.05
"""Share of steps that may be exceptions to a sentence about a curve, or to its opposite."""
PARAMETERS = ((1.2, 1.2, 2 / 3), (1450.0, 1450.0, 0.65), (3.0, 0.5, 0.3))
"""(α, β, γ) of experiments (a) and (b), and some with α ≠ β."""
IDENTITY_TOL = 1e-10  # error up to which an identity of numbers of size 1 counts as exact
TEST_ERROR_MARGIN = 1e-4  # relative; test errors that differ by less count as equal


@dataclass(frozen=True)
class Claim:
    """Claim of the paper, what was measured, and whether it holds."""

    where: str
    claim: str
    measured: str
    verdict: str


def of_every(true: bool) -> str:
    """Verdict on a sentence about every case."""
    return HOLDS if true else FAILS


def of_all(parts: Iterable[bool]) -> str:
    """Verdict on a sentence about several things, each of which it may be true of."""
    found = set(map(bool, parts))
    return PARTLY if len(found) == 2 else of_every(found == {True})


def of_share(share: float) -> str:
    """Verdict on a sentence about a curve that is true at this share of its steps."""
    return of_all((share >= EXCEPTION_SHARE, share >= 1.0 - EXCEPTION_SHARE))


def tally(claims: Sequence[Claim]) -> str:
    """Count the verdicts in a few words.

    Examples
    --------
    >>> tally([Claim("1", "a", "b", HOLDS), Claim("2", "a", "b", PARTLY)])
    '2 claims: 1 holds, 0 do not, 1 in part'
    """
    holds, fails, partly = (sum(c.verdict == v for c in claims) for v in (HOLDS, FAILS, PARTLY))
    plural = "" if len(claims) == 1 else "s"
    return (
        f"{len(claims)} claim{plural}: {holds} {'holds' if holds == 1 else 'hold'}, "
        f"{fails} {'does' if fails == 1 else 'do'} not, {partly} in part"
    )


def about_theory() -> list[Claim]:
    """Judge Sections 2 and 3, and the form of Algorithm 2; no data needed."""
    return [*_polynomials(), *_algorithm2()]


def _polynomials() -> list[Claim]:
    recurrence = max(algebra.recurrence_error(a, b) for a, b, _ in PARAMETERS)
    least, off_one = algebra.least_weight(1.2, 1.2), algebra.weight_sum_error(1.2, 1.2)
    unrolled = max(algebra.unrolled_error(*p) for p in PARAMETERS)
    jacobi = max(algebra.identity_error(*p) for p in PARAMETERS)
    norm, smallest = algebra.smaller_norm(1.2, 1.2, k=3, points=400)
    monic, smallest_monic = algebra.smaller_norm(1.2, 1.2, k=3, points=400, monic=True)
    return [
        Claim(
            "Section 2.2",
            "a_k + b_k - c_k = 1",
            f"largest deviation {recurrence:.1e} for k <= 1000 and three (α, β)",
            of_every(recurrence < 1e-12),
        ),
        Claim(
            "Section 3, (5)",
            "the combining weights θ_i of the optimal polynomial sum to 1 and lie in [0, 1]",
            f"for α = β = 1.2 and degree <= 10 they sum to 1 within {off_one:.1e}, but the "
            f"smallest is {least:.3g}",
            of_all((off_one < IDENTITY_TOL, least >= 0)),
        ),
        Claim(
            "Section 3",
            "p_k(1-γ) + γ Σ p_{k-i}(1-γ) = 1, so z lies in the hull of the atoms",
            f"largest deviation {unrolled:.1e} if p_{{k-i}} are what the sum (5) gives when it is "
            f"unrolled, {jacobi:.2g} if they are the Jacobi polynomials of Theorem 1, for k <= 10 "
            "and three (α, β, γ)",
            of_all((unrolled < IDENTITY_TOL, jacobi < IDENTITY_TOL)),
        ),
        Claim(
            "Theorem 1, (7)",
            "orthogonal polynomials minimize the weighted 1-norm",
            f"degree 3, α = β = 1.2: with p(1) = 1 the Jacobi polynomial has norm {norm:.4f}, a "
            f"linear program finds one with {smallest:.4f}, and one with {smallest_monic:.4f} if "
            "the leading coefficients are to be the same instead",
            of_all((norm <= smallest * (1 + 1e-6), monic <= smallest_monic * (1 + 1e-6))),
        ),
    ]


def _algorithm2() -> list[Claim]:
    collapse = max(algebra.collapse_error(*p) for p in PARAMETERS)
    change = max(abs(1.0 - omega(k, *p)) for p in PARAMETERS for k in range(10))
    steps = [max(omega(k, *p) * 2 / (k + 2) for k in range(1000)) for p in PARAMETERS]
    wild = max(omega(k, -0.9, -0.9, 0.0) * 2 / (k + 2) for k in range(10))
    out = algebra.text_recursion_norm()
    return [
        Claim(
            "Algorithm 2",
            "JFW combines the current iterate with a past one",
            "y_(k+1) is combined with x_k, which makes lines 4-6 one Frank-Wolfe step of size "
            f"ω_k γ_k from x_k (in lockstep the two differ by {collapse:.1e} at most); x_(k-1), "
            "the past iterate of the text, does not enter",
            of_all((change > IDENTITY_TOL, collapse > IDENTITY_TOL)),
        ),
        Claim(
            "Algorithm 2",
            "the correction step makes x_(k+1) feasible for every α >= β > -1, γ in [0, 1]",
            f"with α = β = -0.9, γ = 0 a step ω_k γ_k of {wild:.2f} would leave the region "
            f"(this library cuts it to 1); with the parameters of (a) and (b) it is {steps[0]:.2f} "
            f"and {steps[1]:.2f} at most",
            of_every(wild <= 1),
        ),
        Claim(
            "Section 4.1, text",
            "the recursion with x_k and x_(k-1) and its correction stay in C",
            f"on the logistic problem with t = 1 its norm reaches {out:.4f} t "
            "(`jacobi_momentum` guards against it)",
            of_every(out <= 1 + 1e-9),
        ),
    ]


def about_completion(panel: CompletionPanel, others: Sequence[CompletionPanel]) -> Claim:
    """Judge Section 5.3's sentence for one reading; `others` are further random splits."""
    last = int(panel.curves["FW"].steps[-1])
    splits = (panel, *others)
    words = []
    for name, curve in panel.curves.items():
        ends = [float(p.curves[name].test[-1]) for p in splits]
        spread = f" ({min(ends):.4f} to {max(ends):.4f} over {len(ends)} splits)" if others else ""
        words.append(f"{name} {curve.test[-1]:.4f}{spread}")
    last_tests = [(p.curves["JFW"].test[-1], p.curves["FW"].test[-1]) for p in splits]
    train = {m: float(panel.curves[m].train[-1]) for m in ("FW", "JFW")}
    return Claim(
        "Experiment (c)",
        f"JFW performs slightly better than FW ({panel.reading.title})",
        f"normalized test error after {last} steps: {', '.join(words)}; training loss: "
        f"FW {train['FW']:.4e}, JFW {train['JFW']:.4e}",
        of_all(jfw < fw * (1 - TEST_ERROR_MARGIN) for jfw, fw in last_tests),
    )


def about_audit(audit: Audit) -> Claim:
    """Judge Theorem 2 for every compact convex set."""
    broken = audit.broken
    where = "nowhere here"
    if broken.size:
        where = f"for k from {int(broken[0])} to {int(broken[-1])}"
    worst: Sequence[str] = [
        f"{name} {float(np.max(error / audit.bound)):.0f} times"
        for name, error in audit.errors.items()
    ]
    return Claim(
        "Theorem 2",
        "the O(1/k²) bound holds for every smooth convex f and compact convex C",
        f"|x|² on the {audit.n}-simplex, α = β: no vertex method can meet it {where} (nor on "
        f"simplices with n > 64 |α/β| for other α, β); largest error over the bound: "
        f"{', '.join(worst)}",
        of_every(not broken.size),
    )
