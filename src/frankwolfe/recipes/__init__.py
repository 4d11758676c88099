"""The named methods. Adding one is a few lines over the five parts, and a line below."""

from __future__ import annotations

from collections.abc import Callable

from frankwolfe.method import Method
from frankwolfe.recipes.active import away_step, blended_pairwise, pairwise
from frankwolfe.recipes.classic import afw, frank_wolfe, jacobi, jacobi_momentum

__all__ = [
    "METHODS",
    "afw",
    "away_step",
    "blended_pairwise",
    "frank_wolfe",
    "jacobi",
    "jacobi_momentum",
    "pairwise",
]

METHODS: dict[str, Callable[[], Method]] = {
    "frank_wolfe": frank_wolfe,
    "jacobi": jacobi,
    "jacobi_momentum": jacobi_momentum,
    "afw": afw,
    "away_step": away_step,
    "pairwise": pairwise,
    "blended_pairwise": blended_pairwise,
}
