"""Objectives given by plain functions, with A = I."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any, Self, TypeAlias

import numpy as np

from frankwolfe.base.arrays import Array, Dtype
from frankwolfe.base.checks import as_float_array, at_least_one, number
from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.roots import bisected
from frankwolfe.core.atoms import Atom
from frankwolfe.core.objective import Objective

__all__ = ["Function", "UserFunction"]


UserFunction: TypeAlias = Callable[..., Any]
"""A function of the caller's, whose result is checked."""


class Function(Objective):
    """A function given by callables, in scipy's manner.

    Parameters
    ----------
    fun : callable
        ``fun(x) -> float``, or ``fun(x) -> (float, gradient)`` with ``jac=True``.
    jac : callable or True
        ``jac(x) -> gradient``, or True where `fun` returns both.
    n : int, optional
        Number of variables; taken from x0 or the region where absent.
    convex : bool
        True if the function is convex. This cannot be checked in advance: certificates
        hold if it is. A run that meets a proof of the contrary says so.
    smoothness : float, optional
        Lipschitz constant of the gradient, where known (the short step needs it).
    domain : callable, optional
        ``domain(x) -> bool``, for a function that is not finite everywhere: true where it is.
        The function is then called nowhere else. Its domain must be convex, and the start in it.
    check_gradient : bool
        True to compare the gradient with differences of values: at the start and the end,
        some fifty values in all, and where a step is impossible. A wrong one gets a sentence, and
        no certificate.

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> f = fw.Function(lambda x: float(x @ x), lambda x: 2 * x, n=3)
    >>> fw.minimize(f, fw.Simplex(), tol=1e-4).x.round(2)
    array([0.33, 0.33, 0.33])

    A function that is finite for x > 0 only:

    >>> f = fw.Function(lambda x: -np.log(x).sum(), lambda x: -1 / x, domain=lambda x: x.min() > 0)
    >>> fw.minimize(f, fw.Simplex(), x0=[0.8, 0.1, 0.1]).x.round(3)
    array([0.333, 0.333, 0.333])
    """

    cheap_line_search = False
    identity = carries_x = opaque = True
    dtype: Dtype = np.dtype(np.float64)

    def __init__(
        self,
        fun: UserFunction,
        jac: UserFunction | bool | None,
        *,
        n: int | None = None,
        convex: bool = True,
        smoothness: float | None = None,
        domain: Callable[[Array], object] | None = None,
        check_gradient: bool = True,
    ) -> None:
        if not callable(fun):
            raise InvalidInput(f"fun must be callable, got {type(fun).__name__}.")
        if jac is not True and not callable(jac):
            raise InvalidInput(
                "jac must be a function that returns the gradient, or True where fun returns "
                f"(value, gradient), got {jac!r}."
            )
        if domain is not None and not callable(domain):
            raise InvalidInput(
                f"domain must be a function x -> bool, or None, got {type(domain).__name__}."
            )
        self.fun, self.jac, self.convex = fun, jac, bool(convex)
        self.check_gradient = bool(check_gradient)
        self.domain, self.everywhere = domain, domain is None
        self.where = "everywhere" if domain is None else "domain(x) is true"
        self._snap: Callable[[Array], Array] | None = None
        self._smoothness = None if smoothness is None else number("smoothness", smoothness, above=0)
        if n is not None:
            self.n = self.m = at_least_one("n", n)

    def unchecked(self) -> Function:
        """A copy whose gradient is trusted: runs do not check it."""
        other = copy.copy(self)
        other.check_gradient = False
        return other

    def bound(self, n: int) -> Function:
        """A copy with n variables; the original is left unchanged."""
        if hasattr(self, "n") and self.n != n:
            raise InvalidInput(f"the function has {self.n} variables, but x0 or the region {n}.")
        other = copy.copy(self)  # the caller may use the function with another n, too
        other.n = other.m = n
        return other

    def over(self, n: int | None, snap: Callable[[Array], Array]) -> Function:
        """A copy for a region, which may fix n and snaps points to its bounds."""
        other = copy.copy(self) if n is None else self.bound(n)
        if not hasattr(other, "n"):
            raise InvalidInput(
                "the number of variables is unknown: pass x0, or Function(..., n=...)."
            )
        other._snap = snap
        return other

    def _copy(self, z: Array) -> Array:
        """A copy of z that the user's function may change, with rounding past a bound removed."""
        return z.copy() if self._snap is None else self._snap(z.copy())

    def in_domain(self, z: Array) -> bool:
        return self.domain is None or bool(self.domain(self._copy(z)))

    def max_step(self, z: Array, dz: Array, t: float) -> float:
        return t if self.domain is None else bisected(lambda s: self.in_domain(z + s * dz), t)

    def _evaluate(self, z: Array) -> tuple[float, Array]:
        """Value and gradient at z, checked; the user's functions are given copies."""
        if callable(self.jac):
            value, slope = self.fun(self._copy(z)), self.jac(self._copy(z))
        else:
            value, slope = self._both(self.fun(self._copy(z)))
        slope = as_float_array("the gradient", slope)
        if slope.shape != z.shape:
            raise InvalidInput(
                f"the gradient must have the shape of x, {z.shape}, got {slope.shape}."
            )
        return self._scalar(value), slope

    @staticmethod
    def _both(result: object) -> tuple[object, object]:
        """The pair (value, gradient) that fun returned, with jac=True."""
        if isinstance(result, tuple) and len(result) == 2:
            return result
        raise InvalidInput(
            f"with jac=True fun must return (value, gradient), got {type(result).__name__}."
        )

    @staticmethod
    def _scalar(value: object) -> float:
        """The value as a float; anything but one number is refused."""
        if value is None or isinstance(value, tuple | list | str):
            raise InvalidInput(f"fun must return one number, got {type(value).__name__}.")
        array = as_float_array("the value", value)
        if array.size != 1:
            raise InvalidInput(f"fun must return one number, got an array of shape {array.shape}.")
        return float(array.reshape(()))

    def image(self, x: Array, out: Array) -> None:
        out[:] = x

    def image_of(self, atom: Atom, out: Array) -> None:
        out[:] = 0.0
        atom.add_to(out, 1.0)

    def value(self, z: Array) -> float:
        if not self.in_domain(z):  # the user's function may raise there
            return math.inf
        result = self.fun(self._copy(z))
        return self._scalar(self._both(result)[0] if self.jac is True else result)

    def linearize(self, z: Array, slope: Array) -> tuple[float, float]:
        value, slope[:] = self._evaluate(z)
        return value, float(slope.dot(z))

    def gradient(self, slope: Array, out: Array) -> None:
        out[:] = slope

    def along(self, z: Array, dz: Array, t: float) -> tuple[float, float, float | None]:
        value, slope = self._evaluate(z + t * dz if t else z)
        return value, float(slope.dot(dz)), None

    def curvature_bound(self, dz: Array) -> float | None:
        return None if self._smoothness is None else self._smoothness * float(dz.dot(dz))

    @property
    def smoothness(self) -> float | None:
        """Lipschitz constant of the gradient as the caller gave it; None if none was given."""
        return self._smoothness

    @classmethod
    def example(cls, n: int, rng: np.random.Generator) -> Self:
        target = rng.standard_normal(n)

        def fun(x: Array) -> tuple[float, Array]:
            away = x - target
            root = np.sqrt(1.0 + away**2)
            return float(root.sum()), away / root

        return cls(fun, True, n=n, smoothness=1.0)

    def __repr__(self) -> str:
        name = getattr(self.fun, "__name__", type(self.fun).__name__)
        return f"Function({name}, {getattr(self, 'n', '?')} variables)"
