"""Functions written for PyTorch or JAX as objectives, by automatic differentiation."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Literal, TypeAlias

import numpy as np

from frankwolfe.base.arrays import AnyArray, Array
from frankwolfe.base.errors import InvalidInput, MissingExtra
from frankwolfe.objectives.function import Function, UserFunction

__all__ = ["Differentiated", "from_jax", "from_torch"]

Precision: TypeAlias = Literal["float64", "float32"]

Tensor: TypeAlias = Any
"""An array of PyTorch or JAX, which are loaded only where they are used."""


class Differentiated(Function):
    """A function whose gradient another library finds by automatic differentiation.

    See :func:`~frankwolfe.objectives.adapters.from_torch` and
    :func:`~frankwolfe.objectives.adapters.from_jax`. A value alone costs one call of
    the function, value and gradient together one pass forward and one back.
    """

    def __init__(self, function: UserFunction, dtype: Precision, **options: Any) -> None:
        if dtype not in ("float64", "float32"):
            raise InvalidInput(f'dtype must be "float64" or "float32", got {dtype!r}.')
        super().__init__(function, self._only_gradient, **options)
        self.dtype = np.dtype(dtype)

    @abstractmethod
    def _value(self, x: Array) -> AnyArray:
        """Return f(x) as an array of the other library's precision."""

    @abstractmethod
    def _pair(self, x: Array) -> tuple[AnyArray, Array]:
        """Return f(x), in the other library's precision, and its gradient."""

    def _only_gradient(self, x: Array) -> Array:
        return self._pair(x)[1]

    def _evaluate(self, z: Array) -> tuple[float, Array]:
        value, slope = self._pair(self._copy(z))
        return self._number(value), slope

    def value(self, z: Array) -> float:
        return self._number(self._value(self._copy(z))) if self.in_domain(z) else np.inf

    def linearize(self, z: Array, slope: Array) -> tuple[float, float]:
        value, along = super().linearize(z, slope)
        if self.dtype.itemsize < 8:  # f is rounded to few digits, which certificates must add
            self.offset = abs(value)
        return value, along

    def _number(self, value: AnyArray) -> float:
        """The value as a float; refused if it has fewer digits than `dtype` promises."""
        coarse = np.finfo(np.asarray(value).dtype).eps > np.finfo(self.dtype).eps
        if coarse:
            raise InvalidInput(
                f"the function was given x in {self.dtype} and returned {np.asarray(value).dtype}: "
                'let it compute in double precision, or pass dtype="float32".'
            )
        return self._scalar(value)


class _Torch(Differentiated):
    """A PyTorch function, evaluated on its device."""

    def __init__(
        self, function: UserFunction, dtype: Precision, device: object, **options: Any
    ) -> None:
        try:
            import torch
        except ImportError:
            raise MissingExtra("A PyTorch function", "torch", "torch") from None
        super().__init__(function, dtype, **options)
        self.device, self._torch = device, torch

    def _tensor(self, x: Array) -> Tensor:
        return self._torch.from_numpy(x).to(self.device)

    def _call(self, x: Tensor) -> Tensor:
        try:
            value = self.fun(x)
        except RuntimeError as error:
            # PyTorch's words depend on its version and on the routine that refuses
            if not any(word in str(error) for word in ("dtype", "scalar type")):
                raise
            raise InvalidInput(
                f"the function does not take a tensor of {self.dtype} ({error}): convert its data, "
                "or pass the dtype that they have."
            ) from error
        if not isinstance(value, self._torch.Tensor):
            raise InvalidInput(f"the function must return a tensor, got {type(value).__name__}.")
        if value.numel() != 1:
            raise InvalidInput(
                f"the function must return one number, got a tensor of shape {tuple(value.shape)}."
            )
        return value

    def _value(self, x: Array) -> AnyArray:
        with self._torch.no_grad():
            value: AnyArray = self._call(self._tensor(x)).cpu().numpy()
            return value

    def _pair(self, x: Array) -> tuple[AnyArray, Array]:
        with self._torch.enable_grad():
            point = self._tensor(x).requires_grad_()
            value = self._call(point)
            if not value.requires_grad:
                raise InvalidInput(
                    "the function's value does not depend on x by tensor operations: use torch's "
                    "functions throughout, without detach, item or numpy."
                )
            (slope,) = self._torch.autograd.grad(value, point)
        return value.detach().cpu().numpy(), slope.cpu().numpy()


class _Jax(Differentiated):
    """A JAX function, compiled where that is wanted."""

    def __init__(self, function: UserFunction, dtype: Precision, jit: bool, **options: Any) -> None:
        try:
            import jax
        except ImportError:
            raise MissingExtra("A JAX function", "jax", "jax") from None
        super().__init__(function, dtype, **options)
        # both are compiled: line searches need values alone, at half the cost
        compiled = jax.jit if jit else lambda same: same
        self._plain, self._two = compiled(function), compiled(jax.value_and_grad(function))
        self._precision = jax.enable_x64 if hasattr(jax, "enable_x64") else _older_x64()

    def _call(self, function: UserFunction, x: Array) -> Tensor:
        # JAX computes in single precision by default: double is set for the call alone
        with self._precision(self.dtype.itemsize == 8):
            try:
                return function(x)
            except TypeError as error:
                if "scalar-output" not in str(error):
                    raise
                raise InvalidInput(
                    f"the function must return one real number: {str(error).splitlines()[0]}"
                ) from error

    def _value(self, x: Array) -> AnyArray:
        return np.asarray(self._call(self._plain, x))

    def _pair(self, x: Array) -> tuple[AnyArray, Array]:
        value, slope = self._call(self._two, x)
        return np.asarray(value), np.asarray(slope)


def _older_x64() -> Callable[[bool], AbstractContextManager[None]]:
    """The context manager for double precision of older versions of JAX."""
    from jax.experimental import enable_x64

    older: Callable[[bool], AbstractContextManager[None]] = enable_x64
    return older


def from_torch(
    function: UserFunction,
    *,
    n: int | None = None,
    dtype: Precision = "float64",
    device: object = "cpu",
    convex: bool = True,
    smoothness: float | None = None,
    domain: Callable[[Array], object] | None = None,
    check_gradient: bool = True,
) -> Function:
    """A PyTorch function as an objective; autograd finds its gradient.

    Parameters
    ----------
    function : callable
        ``function(x) -> tensor`` with one number, for a tensor x of n entries.
    dtype : {"float64", "float32"}
        Type of x. In single precision certificates carry its rounding: a gap below about 1e-6
        of f cannot be reached.
    device : str or torch.device
        Where x is put before the call. The method itself runs on the processor, so each call
        copies x there and the gradient back. Tests cover "cpu".
    n, convex, smoothness, domain, check_gradient
        As in :class:`~frankwolfe.Function`; `domain` is given a NumPy array.

    Returns
    -------
    Function

    Examples
    --------
    >>> import frankwolfe as fw
    >>> import torch                                                    # doctest: +SKIP
    >>> f = fw.adapters.from_torch(lambda x: torch.logsumexp(3 * x, 0)) # doctest: +SKIP
    >>> fw.minimize(f, fw.Simplex(), x0=[1, 0, 0]).x.round(3)           # doctest: +SKIP
    array([0.333, 0.333, 0.333])
    """
    options = {"n": n, "convex": convex, "smoothness": smoothness, "domain": domain}
    options["check_gradient"] = check_gradient
    return _Torch(function, dtype, device, **options)


def from_jax(
    function: UserFunction,
    *,
    n: int | None = None,
    dtype: Precision = "float64",
    jit: bool = True,
    convex: bool = True,
    smoothness: float | None = None,
    domain: Callable[[Array], object] | None = None,
    check_gradient: bool = True,
) -> Function:
    """A JAX function as an objective; ``jax.value_and_grad`` finds its gradient.

    Parameters
    ----------
    function : callable
        ``function(x) -> number``, for a JAX array x of n entries.
    dtype : {"float64", "float32"}
        Type of x. JAX computes in single precision by default; here it is set to double
        precision during the calls, and stays as it was outside of them. In single precision
        certificates carry its rounding: a gap below about 1e-6 of f cannot be reached.
    jit : bool
        True to compile the function. Otherwise Python's own ifs and loops on values work.
    n, convex, smoothness, domain, check_gradient
        As in :class:`~frankwolfe.Function`; `domain` is given a NumPy array.

    Returns
    -------
    Function

    Examples
    --------
    >>> import frankwolfe as fw
    >>> import jax.numpy as jnp                                         # doctest: +SKIP
    >>> f = fw.adapters.from_jax(lambda x: jnp.log(jnp.exp(3 * x).sum()))  # doctest: +SKIP
    >>> fw.minimize(f, fw.Simplex(), x0=[1, 0, 0]).x.round(3)           # doctest: +SKIP
    array([0.333, 0.333, 0.333])
    """
    options = {"n": n, "convex": convex, "smoothness": smoothness, "domain": domain}
    options["check_gradient"] = check_gradient
    return _Jax(function, dtype, jit, **options)
