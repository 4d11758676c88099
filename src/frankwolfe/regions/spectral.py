"""Regions of matrices: nuclear-norm ball and spectraplex."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from frankwolfe.numerics.arrays import Array
from frankwolfe.numerics.atoms import Atom, RankOne
from frankwolfe.numerics.checks import all_finite, as_float_array, at_least_one, is_sparse, number
from frankwolfe.numerics.errors import InvalidInput
from frankwolfe.numerics.lanczos import DELTA, Pair, random_start, top_pair
from frankwolfe.numerics.low_rank import FactoredMatrix
from frankwolfe.numerics.memory import Memory
from frankwolfe.regions.base import Need, Region
from frankwolfe.regions.faces import Away, within_face

__all__ = ["NuclearBall", "Spectraplex"]

ROUNDING = 1e-9  # a gap below this share of <g, s> is not resolved further
QUICK = 4  # Lanczos steps from a warm start, where the accuracy asked for is ROUGH
ROUGH = 0.01
SMALL = 2500  # entries up to which the gradient is decomposed in full

TIGHT = Need(math.inf, math.inf, 0.0, 0)  # of a single call outside a run: the best there is


@dataclass(slots=True)
class Warm(Memory):
    """The last top vector, how many calls there were, and what remains in doubt."""

    vector: Array = field(default_factory=lambda: np.zeros(0))
    calls: int = 0
    since: int = 0  # calls since the last tight bound
    doubt: float = 0.0

    def bound_due(self, between: int) -> bool:
        """Whether it is time for a tight bound."""
        return self.calls == 0 or self.since >= between


class _MatrixRegion(Region):
    """What the two regions share: shapes, membership, and the oracle's accuracy."""

    matrix = True
    faces = True
    accuracy: float
    seed: int
    most_steps: int

    def _options(self, accuracy: float, seed: int, most_steps: int) -> None:
        self.accuracy = number("accuracy", accuracy, above=0.0, high=1.0)
        self.seed = int(number("seed", seed, low=0.0))
        self.most_steps = at_least_one("most_steps", most_steps)

    def check_dimension(self, n: Any) -> None:
        if not isinstance(n, tuple):
            raise InvalidInput(
                f"the region {self!r} holds matrices: use it with Completion, not with an "
                f"objective of {n} variables."
            )

    def start(self, n: Any) -> FactoredMatrix:
        return FactoredMatrix.zero(n)

    def lmo(self, g: Any, out: Array | None = None) -> Atom:
        return self.answer(g, Warm(), TIGHT)[0]

    def oracle_memory(self, shape: Any, dtype: np.dtype[Any]) -> Memory:
        return Warm()

    def doubt(self, memory: Memory) -> float:
        """Bound on the probability that a certificate so far does not hold."""
        return memory.doubt if isinstance(memory, Warm) else 0.0

    def _accuracy(self, need: Need, support: Any, due: bool) -> Any:
        """When the oracle may stop: `support` gives -<g, s> from an eigenvalue.

        The direction must be good, its error at most `accuracy` times the gap; the bound
        from above is made tight (half the gap) only where it is due and the bound found
        before is twice the gap, for a lower bound on min f stays one.
        """

        def enough(value: float, above: float, residual: float) -> bool:
            best = support(value)
            gap = max(need.above + best, ROUNDING * abs(best))
            if support(value + residual) - best > need.share * self.accuracy * gap:
                return False
            return bool(not due or need.slack <= 2.0 * gap or support(above) - best <= 0.5 * gap)

        return enough

    def _top(
        self, product: Any, n: int, ceiling: float, memory: Warm, need: Need, support: Any
    ) -> Pair:
        """The top pair, from the last one; `support` gives -<g, s> from an eigenvalue."""
        due = memory.bound_due(need.between)
        warm = memory.vector if memory.vector.size == n else None
        # the random part makes the bound hold, and costs steps: large only where it is due
        share = 0.3 if due else 0.02
        start, least = random_start(warm, n, (self.seed, memory.calls), share)
        enough = _tight if need is TIGHT else self._accuracy(need, support, due)
        # from a warm start a few steps will do for a tangent: the next call goes on from there
        quick = not due and warm is not None and need.share * self.accuracy >= ROUGH
        most = min(QUICK, self.most_steps) if quick else self.most_steps
        pair = top_pair(product, start, least, ceiling=ceiling, enough=enough, most=most)
        memory.vector = pair.vector / np.linalg.norm(pair.vector)
        memory.calls += 1
        memory.since = 0 if due else memory.since + 1
        memory.doubt += DELTA
        return Pair(pair.value, memory.vector, pair.above, pair.residual, pair.steps)


class NuclearBall(_MatrixRegion):
    r"""Matrices with :math:`\|X\|_\star \le` radius, the sum of singular values.

    The oracle is the top pair of singular vectors of the gradient, by Lanczos from the last
    pair and a random part; what it may be away from the minimum is added to the gap. Small
    gradients are decomposed in full. See :mod:`frankwolfe.numerics.lanczos` for the bound, which
    fails with probability 1e-10 a call at most.

    Parameters
    ----------
    radius : float
        > 0.
    accuracy : float
        How far an answer may be from the best one, as a share of the gap. From 0.01 up, a call
        that starts from the last answer ends after four Lanczos steps in any case.
    seed : int
        For the random part.
    most_steps : int
        Most Lanczos steps in one call.
    exact_below : int
        Gradients with at most so many entries are decomposed in full.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> fw.NuclearBall(2.0).lmo(np.diag([1.0, -3.0])).dense((2, 2)).round(12) + 0.0
    array([[0., 0.],
           [0., 2.]])
    """

    def __init__(
        self,
        radius: float = 1.0,
        *,
        accuracy: float = 0.05,
        seed: int = 0,
        most_steps: int = 300,
        exact_below: int = SMALL,
    ) -> None:
        self.radius = number("radius", radius, above=0.0)
        self._options(accuracy, seed, most_steps)
        self.exact_below = int(exact_below)

    def answer(self, g: Any, memory: Memory, need: Need) -> tuple[Atom, float, float]:
        assert isinstance(memory, Warm)
        g = _matrix(g)
        rows, columns = g.shape
        if isinstance(g, np.ndarray) or rows * columns <= self.exact_below:
            return self._decompose(g if isinstance(g, np.ndarray) else g.dense())
        transposed = rows < columns  # work with the smaller of G'G and GG'
        first, second = (g.adjoint, g.apply) if transposed else (g.apply, g.adjoint)
        image = np.empty(max(rows, columns))

        def product(x: Array, into: Array) -> None:
            first(x, image)
            second(image, into)

        pair = self._pair(product, min(rows, columns), g.frobenius() ** 2, memory, need)
        first(pair.vector, image)
        sigma = float(np.linalg.norm(image))  # >= the Ritz value's root, up to rounding
        other = image / sigma if sigma > 0 else _axis(image.size)
        u, v = (pair.vector, other) if transposed else (other, pair.vector)
        error = self.radius * max(math.sqrt(pair.above) - sigma, 0.0)
        dtype = g.values.dtype if hasattr(g, "values") else np.float64
        atom = RankOne(-self.radius, u.astype(dtype), v.astype(dtype))
        return atom, -self.radius * sigma, error

    def _pair(self, product: Any, n: int, ceiling: float, memory: Warm, need: Need) -> Pair:
        def support(value: float) -> float:
            return self.radius * math.sqrt(max(value, 0.0))

        return self._top(product, n, ceiling, memory, need, support)

    def _decompose(self, g: Array) -> tuple[Atom, float, float]:
        u, s, vt = np.linalg.svd(np.asarray(g, dtype=np.float64), full_matrices=False)
        atom = RankOne(-self.radius, u[:, 0].copy(), vt[0].copy())
        return atom, -self.radius * float(s[0]), 0.0

    def away(self, x: Any, g: Any) -> Away | None:
        return within_face(x, g, self.radius)

    def diameter(self, n: Any) -> float:
        return 2.0 * self.radius

    def violation(self, x: Any) -> float:
        x = x if isinstance(x, FactoredMatrix) else FactoredMatrix.from_array(x)
        return float(max(0.0, x.nuclear_norm() / self.radius - 1.0))

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        return [cls(1.5), cls(3.0, exact_below=0)]

    def __repr__(self) -> str:
        return f"NuclearBall(radius={self.radius:g})"


class Spectraplex(_MatrixRegion):
    r"""Symmetric matrices :math:`X \succeq 0` with trace = r, or trace <= r.

    The oracle is the eigenvector of the smallest eigenvalue of the gradient's symmetric part,
    found and bounded as in :class:`NuclearBall`.

    Parameters
    ----------
    trace : float
        r > 0.
    at_most : bool
        Whether the trace may be less than r.
    accuracy, seed, most_steps
        As in :class:`NuclearBall`.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> fw.Spectraplex(2.0).lmo(np.diag([1.0, -3.0])).dense((2, 2)).round(12) + 0.0
    array([[0., 0.],
           [0., 2.]])
    """

    def __init__(
        self,
        trace: float = 1.0,
        *,
        at_most: bool = False,
        accuracy: float = 0.05,
        seed: int = 0,
        most_steps: int = 300,
    ) -> None:
        self.trace = number("trace", trace, above=0.0)
        self.at_most = bool(at_most)
        self._options(accuracy, seed, most_steps)

    def check_dimension(self, n: Any) -> None:
        super().check_dimension(n)
        if n[0] != n[1]:
            raise InvalidInput(f"a spectraplex holds square matrices, got shape {n}.")

    def answer(self, g: Any, memory: Memory, need: Need) -> tuple[Atom, float, float]:
        assert isinstance(memory, Warm)
        g = _matrix(g)
        self.check_dimension(g.shape)
        n = g.shape[0]
        other = np.empty(n)

        def product(x: Array, into: Array) -> None:  # minus the symmetric part
            if isinstance(g, np.ndarray):
                np.dot(g + g.T, x, out=into)
            else:
                g.apply(x, into)
                g.adjoint(x, other)
                into += other
            into *= -0.5

        ceiling = float(np.linalg.norm(g)) if isinstance(g, np.ndarray) else g.frobenius()

        def support(value: float) -> float:
            return self.trace * value

        pair = self._top(product, n, ceiling, memory, need, support)
        product(memory.vector, other)
        value = float(memory.vector @ other)
        above = max(pair.above, value)
        dtype = g.values.dtype if hasattr(g, "values") else np.float64
        vector = memory.vector.astype(dtype)
        if self.at_most and value <= 0.0:  # zero is at least as good as any atom found
            return RankOne(0.0, vector, vector), 0.0, self.trace * max(above, 0.0)
        error = self.trace * (above - value)
        return RankOne(self.trace, vector, vector), -self.trace * value, error

    def away(self, x: Any, g: Any) -> Away | None:
        symmetric = FactoredMatrix(x.left, x.weights, x.left)  # to the bit
        return within_face(symmetric, g, self.trace)

    def scale_after_cut(self, x: Any) -> float:
        left = float(np.einsum("k,ki,ki->", x.weights, x.left, x.right))  # the trace that is left
        return 1.0 if self.at_most or left <= 0.0 else self.trace / left

    def start(self, n: Any) -> FactoredMatrix:
        if self.at_most:
            return FactoredMatrix.zero(n)
        axis = _axis(n[0])[None]
        return FactoredMatrix(axis, np.array([self.trace]), axis.copy())

    def diameter(self, n: Any) -> float:
        return self.trace * math.sqrt(2.0)

    def violation(self, x: Any) -> float:
        full = x.toarray() if isinstance(x, FactoredMatrix) else np.asarray(x, dtype=np.float64)
        asymmetry = float(np.abs(full - full.T).max())
        eigenvalues = np.linalg.eigvalsh(0.5 * (full + full.T))
        excess = float(eigenvalues.sum()) - self.trace
        excess = max(excess, 0.0) if self.at_most else abs(excess)
        return max(asymmetry, -float(eigenvalues[0]), excess, 0.0) / self.trace

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        return [cls(), cls(2.0, at_most=True)]

    def __repr__(self) -> str:
        return f"Spectraplex(trace {'<=' if self.at_most else '='} {self.trace:g})"


def _matrix(g: Any) -> Any:
    """A gradient that the oracle can work with: an operator, or a checked dense matrix."""
    if hasattr(g, "frobenius"):
        return g
    full = as_float_array("g", g.toarray() if is_sparse(g) else g)
    if full.ndim != 2 or not full.size or not all_finite(full):
        raise InvalidInput(f"g must be a finite matrix, got an array of shape {full.shape}.")
    return full


def _tight(value: float, above: float, residual: float) -> bool:
    return above - value <= 1e-13 * abs(value)


def _axis(n: int) -> Array:
    x = np.zeros(n)
    x[0] = 1.0
    return x
