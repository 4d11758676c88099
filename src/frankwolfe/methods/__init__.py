"""Every named method. Adding one is a file here and a line below."""

# ruff: noqa: I001, E402  (the order below is the one in which they are listed)
from __future__ import annotations

from collections.abc import Callable

from frankwolfe.methods.base import Method as Method
from frankwolfe.methods.assembled import FrankWolfe as FrankWolfe
from frankwolfe.base.registry import exported, recipes

from frankwolfe.methods.classic import frank_wolfe as frank_wolfe
from frankwolfe.methods.classic import jacobi as jacobi
from frankwolfe.methods.classic import jacobi_momentum as jacobi_momentum
from frankwolfe.methods.classic import afw as afw
from frankwolfe.methods.active import away_step as away_step
from frankwolfe.methods.active import pairwise as pairwise
from frankwolfe.methods.active import blended_pairwise as blended_pairwise
from frankwolfe.methods.sampled import stochastic as stochastic
from frankwolfe.methods.sampled import svrf as svrf
from frankwolfe.methods.sampled import spider_fw as spider_fw
from frankwolfe.methods.blocks import block_coordinate as block_coordinate
from frankwolfe.methods.momentum import heavy_ball as heavy_ball
from frankwolfe.methods.momentum import extra_fw as extra_fw
from frankwolfe.methods.momentum import partan as partan
from frankwolfe.methods.momentum import boosted as boosted
from frankwolfe.methods.conjugate import conjugate_fw as conjugate_fw
from frankwolfe.methods.conjugate import biconjugate_fw as biconjugate_fw
from frankwolfe.methods.active import decomposition_invariant as decomposition_invariant
from frankwolfe.methods.lazy import lazy as lazy
from frankwolfe.methods.lazy import screening as screening
from frankwolfe.methods.lazy import blended_conditional_gradients as blended_conditional_gradients
from frankwolfe.methods.corrective.corrective import fully_corrective as fully_corrective
from frankwolfe.methods.corrective.corrective import working_set as working_set
from frankwolfe.methods.second_order import second_order as second_order
from frankwolfe.methods.bfgs import bfgs as bfgs
from frankwolfe.methods.quasi_newton import quasi_newton as quasi_newton
from frankwolfe.methods.relay import relay as relay
from frankwolfe.methods.interior import interior_point as interior_point
from frankwolfe.methods.projection import projection as projection
from frankwolfe.methods.matrix.hybrid import hybrid as hybrid
from frankwolfe.methods.matrix.in_face import in_face as in_face

METHODS: dict[str, Callable[[], Method]] = recipes(globals())
"""Functions that make a method and need no argument, by name."""

globals()["__all__"] = exported(globals())

# for applications, not listed above
from frankwolfe.methods.corrective.model import toward_model as toward_model
from frankwolfe.methods.default import best_for as best_for

# what a method of an app needs besides, and no name at the top
from frankwolfe.methods.base import OwnSteps as OwnSteps
from frankwolfe.methods.base import check_accepted as check_accepted
