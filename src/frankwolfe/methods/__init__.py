"""Every named method. Adding one is a file here and a line below."""

from __future__ import annotations

from collections.abc import Callable

from frankwolfe.methods.active import (
    away_step,
    blended_pairwise,
    decomposition_invariant,
    pairwise,
)
from frankwolfe.methods.base import Method
from frankwolfe.methods.blocks import block_coordinate
from frankwolfe.methods.classic import afw, frank_wolfe, jacobi, jacobi_momentum
from frankwolfe.methods.corrective.corrective import fully_corrective, working_set
from frankwolfe.methods.frank_wolfe import FrankWolfe
from frankwolfe.methods.lazy import (
    blended_conditional_gradients,
    lazy,
    lazy_away_step,
    lazy_blended_pairwise,
    lazy_frank_wolfe,
    sparing,
)
from frankwolfe.methods.matrix.hybrid import hybrid
from frankwolfe.methods.matrix.in_face import in_face
from frankwolfe.methods.momentum import boosted, extra_fw, heavy_ball, partan
from frankwolfe.methods.parts import steps
from frankwolfe.methods.parts.steps import *
from frankwolfe.methods.projection import nearest_point
from frankwolfe.methods.relay import relay
from frankwolfe.methods.sampled import spider_fw, stochastic, svrf
from frankwolfe.methods.second_order import second_order
from frankwolfe.methods.sliding import sliding

__all__ = [
    "METHODS",
    "FrankWolfe",
    "Method",
    "afw",
    "away_step",
    "blended_conditional_gradients",
    "blended_pairwise",
    "block_coordinate",
    "boosted",
    "decomposition_invariant",
    "extra_fw",
    "frank_wolfe",
    "fully_corrective",
    "heavy_ball",
    "hybrid",
    "in_face",
    "jacobi",
    "jacobi_momentum",
    "lazy",
    "lazy_away_step",
    "lazy_blended_pairwise",
    "lazy_frank_wolfe",
    "nearest_point",
    "pairwise",
    "partan",
    "relay",
    "second_order",
    "sliding",
    "sparing",
    "spider_fw",
    "stochastic",
    "svrf",
    "working_set",
]
__all__ += steps.__all__

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
    "fully_corrective": fully_corrective,
    "working_set": working_set,
    "second_order": second_order,
    "relay": relay,
    "nearest_point": nearest_point,
    "hybrid": hybrid,
    "in_face": in_face,
}
