"""The named methods. Adding one is a few lines over the five parts, and a line below."""

from __future__ import annotations

from collections.abc import Callable

from frankwolfe.method import Method
from frankwolfe.recipes.active import (
    away_step,
    blended_pairwise,
    decomposition_invariant,
    pairwise,
)
from frankwolfe.recipes.cheap import (
    blended_conditional_gradients,
    lazy,
    lazy_away_step,
    lazy_blended_pairwise,
    lazy_frank_wolfe,
)
from frankwolfe.recipes.classic import afw, frank_wolfe, jacobi, jacobi_momentum

__all__ = [
    "METHODS",
    "afw",
    "away_step",
    "blended_conditional_gradients",
    "blended_pairwise",
    "decomposition_invariant",
    "frank_wolfe",
    "jacobi",
    "jacobi_momentum",
    "lazy",
    "lazy_away_step",
    "lazy_blended_pairwise",
    "lazy_frank_wolfe",
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
    "decomposition_invariant": decomposition_invariant,
    "lazy_frank_wolfe": lazy_frank_wolfe,
    "lazy_away_step": lazy_away_step,
    "lazy_blended_pairwise": lazy_blended_pairwise,
    "blended_conditional_gradients": blended_conditional_gradients,
}
