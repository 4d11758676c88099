"""Verdicts on the paper's sentences, and the rules that give them.

A sentence about *every* case (a theorem, a bound at each step) does not hold once one case is
against it. A sentence about *several* things (two rivals, three methods, the splits of the data,
two readings of one word) holds if it does for all of them, does not if it does for none, and
holds in part otherwise. What rounding decides is judged over starts that differ by rounding, each
of which counts as one of several.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["FAILS", "HOLDS", "PARTLY", "Claim", "of_all", "of_every", "of_share", "tally"]

HOLDS, FAILS, PARTLY = "holds", "does not hold", "holds in part"
EXCEPTION_SHARE = 0.05
"""Share of steps that may be exceptions to a sentence about a curve, or to its opposite."""


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
