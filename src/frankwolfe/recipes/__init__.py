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
from frankwolfe.recipes.blocks import block_coordinate
from frankwolfe.recipes.cheap import (
    blended_conditional_gradients,
    lazy,
    lazy_away_step,
    lazy_blended_pairwise,
    lazy_frank_wolfe,
    sparing,
)
from frankwolfe.recipes.classic import afw, frank_wolfe, jacobi, jacobi_momentum
from frankwolfe.recipes.momentum import boosted, extra_fw, heavy_ball, partan
from frankwolfe.recipes.sampled import spider_fw, stochastic, svrf
from frankwolfe.recipes.sliding import sliding

__all__ = [
    "METHODS",
    "afw",
    "away_step",
    "blended_conditional_gradients",
    "blended_pairwise",
    "block_coordinate",
    "boosted",
    "decomposition_invariant",
    "extra_fw",
    "frank_wolfe",
    "heavy_ball",
    "jacobi",
    "jacobi_momentum",
    "lazy",
    "lazy_away_step",
    "lazy_blended_pairwise",
    "lazy_frank_wolfe",
    "pairwise",
    "partan",
    "sliding",
    "sparing",
    "spider_fw",
    "stochastic",
    "svrf",
]

METHODS: dict[str, Callable[[], Method]] = {
    "frank_wolfe": frank_wolfe,
    "jacobi": jacobi,
    "jacobi_momentum": jacobi_momentum,
    "afw": afw,
    "away_step": away_step,
    "pairwise": pairwise,
    "blended_pairwise": blended_pairwise,
    "stochastic": stochastic,
    "svrf": svrf,
    "spider_fw": spider_fw,
    "block_coordinate": block_coordinate,
    "heavy_ball": heavy_ball,
    "extra_fw": extra_fw,
    "partan": partan,
    "boosted": boosted,
    "sliding": sliding,
    "decomposition_invariant": decomposition_invariant,
    "lazy_frank_wolfe": lazy_frank_wolfe,
    "lazy_away_step": lazy_away_step,
    "lazy_blended_pairwise": lazy_blended_pairwise,
    "blended_conditional_gradients": blended_conditional_gradients,
}
