"""The named methods. Adding one is a few lines over the five parts, and a line below."""

from __future__ import annotations

from collections.abc import Callable

from frankwolfe.method import Method
from frankwolfe.recipes.active import away_step, blended_pairwise, pairwise
from frankwolfe.recipes.blocks import block_coordinate
from frankwolfe.recipes.classic import afw, frank_wolfe, jacobi, jacobi_momentum
from frankwolfe.recipes.momentum import boosted, extra_fw, heavy_ball, partan
from frankwolfe.recipes.sampled import spider_fw, stochastic, svrf
from frankwolfe.recipes.sliding import sliding

__all__ = [
    "METHODS",
    "afw",
    "away_step",
    "blended_pairwise",
    "block_coordinate",
    "boosted",
    "extra_fw",
    "frank_wolfe",
    "heavy_ball",
    "jacobi",
    "jacobi_momentum",
    "pairwise",
    "partan",
    "sliding",
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
}
