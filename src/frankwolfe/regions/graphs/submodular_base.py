"""Base polytopes of submodular functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from itertools import permutations
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from frankwolfe.base.arrays import AnyArray, Array, Dtype, Indices
from frankwolfe.base.checks import all_finite, as_float_array, at_least_one, frobenius
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.fingerprint import fingerprint
from frankwolfe.core.atoms import Atom, Dense
from frankwolfe.core.feasibility import spacing
from frankwolfe.core.region import Region
from frankwolfe.regions.graphs.submodular import broken, order_behind
from frankwolfe.subproblems.membership import outside, spanning

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["Minimizer", "SubmodularBase"]

MAX_EXACT_DIAMETER = 6  # elements, of which 6! = 720 orders are listed
MAX_SPANNED = 300  # elements; above, vertices that span it cost too many oracle calls


class Minimizer(NamedTuple):
    """Set with a small value of F, and a bound on its excess over the least value."""

    indices: Indices
    value: float
    gap: float


class SubmodularBase(Region):
    r"""The base polytope of a submodular function F of sets, with F(no elements) = 0.

    F is submodular where an element adds less to a larger set. The oracle is Edmonds' greedy
    algorithm: elements by their entry of the gradient, the smallest first, and each gets what it
    adds to those before it. The point of least norm tells where F is smallest: `minimizer`.

    Parameters
    ----------
    F : callable
        ``F(indices) -> float`` for an array of different whole numbers from 0 to n - 1.
    n : int
        Number of elements.
    prefixes : callable, optional
        ``prefixes(order) -> array``: the n values of F for the first 1, 2, ..., n elements of an
        order, where these are found together at less cost than one after another.

    Notes
    -----
    Making one takes 2n + 2 values of F: the least and the largest gain of each element. Whether
    a point lies in the polytope is found by Wolfe's algorithm with the oracle, about ten calls
    for each element on the boundary. The diameter is exact for at most 6 elements; beyond that
    it is the bound by the largest and the least gain of each element. `check` looks for sets
    that show F not to be submodular. Functions have no identity that a file could keep: a
    checkpoint knows F by some of its values.

    References
    ----------
    J. Edmonds, Submodular functions, matroids, and certain polyhedra, 1970. F. Bach, Learning with
    submodular functions, Foundations and Trends in Machine Learning 6 (2013).

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> F = lambda chosen: float(np.sqrt(len(chosen)))
    >>> fw.regions.SubmodularBase(F, 3).lmo(np.array([2.0, 1.0, 3.0])).dense(3).round(3)
    array([0.414, 1.   , 0.318])
    """

    family = "graphs"
    formula = r"x(S) \le F(S),\ x(V) = F(V)"
    atom = "what each element adds to those before it"
    cost = "n log n, and n values of F"

    polytope = many_vertices = True

    def __init__(
        self,
        F: Callable[[AnyArray], float],
        n: int,
        *,
        prefixes: Callable[[AnyArray], ArrayLike] | None = None,
    ) -> None:
        self.n = self.dimension = at_least_one("n", n)
        for name, given in (("F", F), ("prefixes", prefixes)):
            if not callable(given) and (name == "F" or given is not None):
                raise InvalidInput(f"{name} must be a function, got {type(given).__name__}.")
        self._F, self._prefixes = F, prefixes
        self._low, self._high = self._gains()
        if abs(none := self.value(np.arange(0))) > 1e-12 * max(self.size, abs(self._total)):
            raise InvalidInput(f"F must be 0 for no elements, got {none:g}: subtract it.")
        if (self._low > self._high + 1e-9 * self.size).any():
            e = int((self._low - self._high).argmax())
            raise InvalidInput(
                f"F must be submodular, but element {e} adds {self._low[e]:g} to all others and "
                f"{self._high[e]:g} to none."
            )

    def value(self, indices: ArrayLike) -> float:
        """Value of F on a set."""
        number = self._F(np.asarray(indices, dtype=np.int64))
        if np.ndim(number) or not math.isfinite(number):
            raise InvalidInput(f"F must return a finite number, got {str(number)[:40]!r}.")
        return float(number)

    @cached_property
    def _total(self) -> float:
        """Value of F on all elements."""
        return self.value(np.arange(self.n))

    def _gains(self) -> tuple[Array, Array]:
        """Least and largest gain of each element: added last of all, and first."""
        everyone = np.arange(self.n)
        low = [self._total - self.value(np.delete(everyone, e)) for e in range(self.n)]
        return np.array(low), np.array([self.value(np.array([e])) for e in range(self.n)])

    @property
    def size(self) -> float:
        """Largest width of an entry over the polytope, or the largest entry where all are fixed."""
        width = float((self._high - self._low).max())
        largest = float(np.abs([self._low, self._high]).max())
        return width if width > 1e-12 * largest else largest or 1.0

    def values(self, order: Indices) -> Array:
        """Values of F on the first 1, ..., n elements of an order."""
        given: ArrayLike
        if self._prefixes is None:
            F = self._F
            name, given = "F", [F(order[:k]) for k in range(1, order.size + 1)]
        else:
            name, given = "prefixes", self._prefixes(order.copy())
        found = as_float_array(f"what {name} returns", given).astype(np.float64, copy=False)
        if found.shape != order.shape or not all_finite(found):
            raise InvalidInput(f"{name} must return finite numbers, one for each set.")
        return found

    def _vertex(self, g: Array) -> Array:
        """Best vertex for g, as a dense vector."""
        return self._along(np.argsort(g, kind="stable"))

    def _along(self, order: Indices) -> Array:
        """Vertex of an order: what each element adds to F of those before it."""
        x = np.empty(self.n)
        x[order] = np.diff(self.values(order), prepend=0.0)
        return x

    def lmo(self, g: Array, out: Array | None = None) -> Atom:
        out = np.empty_like(g) if out is None else out
        out[:] = self._vertex(g)
        return Dense(out)

    def minimizer(self, x: Array) -> Minimizer:
        """Set with the smallest F of those that the order of a point's entries shows.

        The sum of the negative entries of any point of the polytope bounds F from below; for the
        point of least norm the two are equal.

        Examples
        --------
        >>> import numpy as np, frankwolfe as fw
        >>> wish = np.array([-1.0, 0.3, -0.4])
        >>> F = lambda chosen: float(np.sqrt(len(chosen)) + wish[chosen].sum())
        >>> base = fw.regions.SubmodularBase(F, 3)
        >>> x = fw.minimize(fw.squared_distance(np.zeros(3)), base, tol=1e-10).x
        >>> best = base.minimizer(x)
        >>> best.indices, round(best.value, 6), best.gap < 1e-6
        (array([], dtype=int64), 0.0, True)
        """
        x = np.asarray(x, dtype=np.float64)
        order = np.argsort(x, kind="stable")
        values = np.concatenate([[0.0], self.values(order)])
        count = int(values.argmin())
        value = float(values[count])
        return Minimizer(np.sort(order[:count]), value, value - float(np.minimum(x, 0.0).sum()))

    def check(self, tries: int = 1000, seed: int = 0) -> None:
        """Raise if random sets show that F is not submodular."""
        found = broken(self.value, self.n, tries, seed, 1e-9 * self.size)
        if found is not None:
            raise InvalidInput(
                f"F must be submodular, but element {found.element} adds {found.alone:g} to "
                f"{found.rest} and {found.after:g} once {found.other} is there."
            )

    def diameter(self, n: int) -> float:
        return self._diameter

    @cached_property
    def _diameter(self) -> float:
        if self.n > MAX_EXACT_DIAMETER:
            return frobenius(self._high - self._low)
        vertices = np.array([self._along(np.array(o)) for o in permutations(range(self.n))])
        return max(float(np.linalg.norm(vertices - v, axis=1).max()) for v in vertices)

    def reach(self, weights: Array, n: int) -> float:
        each = np.broadcast_to(weights, (n,))
        return float(each @ np.maximum(np.abs(self._low), np.abs(self._high)))

    def resolution(self, n: int, dtype: Dtype) -> float:
        largest = float(np.abs([self._low, self._high]).max())
        return spacing(dtype, largest, self.size)

    def violation(self, x: Array) -> float:
        x = np.asarray(x, dtype=np.float64)
        off = max(abs(float(x.sum()) - self._total), float((x - self._high).max())) / self.size
        if off > 1e-6:
            return off
        near = 1e-12 * max(self.size, float(np.abs(x).max()))
        order = order_behind(self.value, x, self._low, self._high, near)
        if order is not None:  # a vertex, at less cost
            return max(off, float(np.abs(self._along(order) - x).max()) / self.size)
        return max(off, outside(self._vertex, x, self.size))

    def start(self, n: int) -> Array:
        return self._along(np.arange(self.n))

    def middle(self, n: int) -> Array:
        return self._inner.copy() if self.n <= MAX_SPANNED else self.start(n)

    @cached_property
    def _inner(self) -> Array:
        """Point off all faces: the mean of vertices that span the polytope."""
        return np.asarray(spanning(self._vertex, self.n, self.size).mean(axis=0))

    @classmethod
    def examples(cls, n: int, rng: np.random.Generator) -> list[Self]:
        """Examples: edges of a path that a set cuts, and a concave function of its size."""

        def cut(chosen: AnyArray) -> float:
            inside = np.zeros(n)
            inside[chosen] = 1.0
            return float(np.abs(np.diff(inside)).sum())

        def crowd(chosen: AnyArray) -> float:
            return math.sqrt(len(chosen)) - 0.3 * len(chosen)

        return [cls(cut, n), cls(crowd, n)] if n > 1 else [cls(crowd, n)]

    def fingerprint(self) -> str:
        order = np.random.default_rng(0).permutation(self.n)
        parts = [self.n, self._low, self._high, self.start(self.n), self._along(order)]
        return fingerprint(repr(self), parts)

    def __repr__(self) -> str:
        return f"SubmodularBase({self.n} elements, F(all) = {self._total:g})"
