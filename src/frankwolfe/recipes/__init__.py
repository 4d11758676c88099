"""The named methods. Adding one is a few lines over the five parts, and a line below."""

from __future__ import annotations

from collections.abc import Callable

from frankwolfe.method import Method
from frankwolfe.recipes.active import away_step, blended_pairwise, pairwise
from frankwolfe.recipes.blocks import block_coordinate
from frankwolfe.recipes.classic import afw, frank_wolfe, jacobi, jacobi_momentum
from frankwolfe.recipes.sampled import spider_fw, stochastic, svrf

__all__ = [
    "METHODS",
    "afw",
    "away_step",
    "blended_pairwise",
    "block_coordinate",
    "frank_wolfe",
    "jacobi",
    "jacobi_momentum",
    "pairwise",
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
}
