"""Block-coordinate Frank-Wolfe over products of regions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import number
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.memory import Memory
from frankwolfe.core.problem import Problem, Start
from frankwolfe.core.state import State
from frankwolfe.methods import references
from frankwolfe.methods.base import REFRESH, OwnSteps, beyond, check_accepted

__all__ = ["BlockCoordinate", "block_coordinate"]

ORDERS = ("cyclic", "random", "gap")


@dataclass(slots=True)
class _Gaps(Memory):
    """Last known gaps of the blocks, by which blocks are drawn."""

    gaps: Array


class _Sweep:
    """State of a sweep over the blocks: x, its image, and buffers for one step."""

    def __init__(self, state: State, widest: int) -> None:
        self.x, self.image = state.x, state.iterate.image.copy()
        self.slope, self.direction = np.empty_like(self.image), np.empty_like(self.image)
        self.gradient = np.empty(widest, dtype=self.x.dtype)
        self.room = np.empty(widest, dtype=self.x.dtype)


@dataclass(frozen=True)
class BlockCoordinate(OwnSteps):
    """Block-coordinate Frank-Wolfe; made by :func:`frankwolfe.methods.block_coordinate`."""

    order: str
    line_search: bool
    seed: int
    name: str
    reference: str

    @property
    def monotone(self) -> bool:
        """True if f never rises."""
        return self.line_search

    def accepts(self, problem: Problem) -> str | None:
        """None over a product of regions; else why not."""
        if not problem.objective.everywhere:
            return beyond(self.name)
        if problem.region.blocks:
            return None
        return (
            f"block_coordinate() goes through the blocks of a Product, which "
            f"{type(problem.region).__name__} does not have: use Product([(region, size), ...]), "
            "or frank_wolfe() here."
        )

    def init(self, problem: Problem, x0: Start = None) -> State[_Gaps]:
        check_accepted(self, problem)
        region = problem.region
        state = self.begin(problem, problem.start(x0), _Gaps(np.empty(len(region.blocks))))
        state.memory.gaps[:] = _block_gaps(state)
        return state

    def advance(self, state: State[_Gaps]) -> None:
        """Make as many block steps as there are blocks, then evaluate."""
        region, known = state.problem.region, state.memory
        count, columns = len(region.blocks), 0
        sweep = _Sweep(state, max(region.sizes))
        random = np.random.default_rng((self.seed, state.k))
        for j in range(count):
            i = j if self.order == "cyclic" else self._pick(random, known.gaps)
            self._step(state, sweep, i, state.k * count + j)
            columns += region.sizes[i]
        if state.problem.objective.cheap_line_search:
            state.gradient_calls += -(-columns // state.problem.n)
        else:
            state.gradient_calls += count  # a plain function gives its whole gradient each time
        stale = (state.k + 1) * count // REFRESH > state.k * count // REFRESH
        state.iterate.jump(sweep.x, None if stale else sweep.image)
        state.k += 1
        self.evaluate(state)
        known.gaps[:] = _block_gaps(state)

    def _pick(self, random: np.random.Generator, gaps: Array) -> int:
        """Draw a block: with equal chances, or in proportion to the gaps."""
        if self.order == "random" or not gaps.any():
            return int(random.integers(gaps.size))
        ends = np.cumsum(gaps)
        found = int(ends.searchsorted(random.random() * ends[-1], side="right"))
        return min(found, gaps.size - 1)

    def _step(self, state: State[_Gaps], sweep: _Sweep, i: int, k: int) -> None:
        """Move block i toward the atom of its own oracle."""
        region, objective = state.problem.region, state.problem.objective
        block, size = region.blocks[i], region.sizes[i]
        x, g = sweep.x[block], sweep.gradient[:size]
        objective.block_gradient(sweep.image, block, sweep.slope, g)
        atom = region.regions[i].ask(g, sweep.room[:size])
        state.oracle_calls += 1
        away = -x
        atom.add_to(away, 1.0)  # s - x, on the block
        state.memory.gaps[i] = max(-float(away.dot(g)), 0.0)
        objective.block_image(away, block, sweep.direction)
        state.step = self._size(state, sweep, k, len(region.blocks))
        x *= 1.0 - state.step
        atom.add_to(x, state.step)
        objective.loops.add_scaled(sweep.image, state.step, sweep.direction)

    def _size(self, state: State, sweep: _Sweep, k: int, count: int) -> float:
        """Step size in [0, 1]: exact line search, or 2N / (k + 2N)."""
        if not self.line_search:
            return 2.0 * count / (k + 2.0 * count)
        return state.line_search(sweep.direction, 1.0, sweep.image)


def _block_gaps(state: State) -> Array:
    """Gap of each block at the last evaluation; their sum is the Frank-Wolfe gap."""
    region = state.problem.region
    parts = state.gradient * (state.x - state.atom.dense(state.problem.n))
    starts = [block.start for block in region.blocks]
    gaps: Array = np.maximum(np.add.reduceat(parts.astype(np.float64), starts), 0.0)
    return gaps


def block_coordinate(
    order: Literal["cyclic", "random", "gap"] = "gap", *, line_search: bool = True, seed: int = 0
) -> BlockCoordinate:
    r"""Block-coordinate Frank-Wolfe over a :class:`~frankwolfe.Product` of N regions.

    .. code-block:: text

        for k = 0, 1, ...
            i       <- a block
            s_i     <- argmin over C_i of <grad_i f(x), s>
            x_i     <- x_i + gamma (s_i - x_i)

    with an exact line search, or :math:`\gamma = 2N/(k + 2N)`. A step reads the columns of its
    block only. N steps make a sweep, which is one step of the loop: it ends with an
    evaluation of the full gradient, which certifies the gap. ``njev`` counts passes over the
    columns, evaluations included.

    Parameters
    ----------
    order : {"gap", "cyclic", "random"}
        "gap" draws blocks in proportion to their last known gaps, "random" draws them with
        equal chances, "cyclic" takes them in turn.
    line_search : bool
        False takes :math:`2N/(k + 2N)`.
    seed : int
        Of the draws.

    References
    ----------
    S. Lacoste-Julien, M. Jaggi, M. Schmidt and P. Pletscher, *Block-Coordinate Frank-Wolfe
    Optimization for Structural SVMs*, ICML 2013, Algorithm 3; A. Osokin, J.-B. Alayrac,
    I. Lukasewitz, P. Dokania and S. Lacoste-Julien, *Minding the Gaps for Block Frank-Wolfe
    Optimization of Structured SVMs*, ICML 2016.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> rng = np.random.default_rng(0)
    >>> f = fw.SquaredError(rng.standard_normal((40, 12)), rng.standard_normal(40))
    >>> region = fw.Product([(fw.Simplex(), 3)] * 4)
    >>> fw.minimize(f, region, method=fw.methods.block_coordinate(), tol=1e-3).success
    True
    """
    if order not in ORDERS:
        raise InvalidInput(f"order must be one of {', '.join(ORDERS)}, got {order!r}.")
    return BlockCoordinate(
        order,
        bool(line_search),
        int(number("seed", seed, low=0.0)),
        f"block-coordinate FW ({order})",
        references.BLOCK_COORDINATE,
    )
