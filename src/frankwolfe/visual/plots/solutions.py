"""Plots of solutions: coefficients along a regularization path, singular values of a matrix."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.base.arrays import Array
from frankwolfe.base.checks import all_finite, finite_vector
from frankwolfe.base.errors import InvalidInput
from frankwolfe.core.low_rank import FactoredMatrix
from frankwolfe.visual.plots.style import Axes, new_axes, style

__all__ = ["regularization_path", "singular_values"]

SHOWN = 8  # coefficients with a colour and a name of their own


def regularization_path(
    radii: ArrayLike, coefs: ArrayLike, names: Sequence[str] | None = None, *, ax: Axes = None
) -> Axes:
    """Plot coefficients against the radius of the region.

    The eight largest have a colour and a name, the others are thin and grey.

    Parameters
    ----------
    radii : array of shape (r,)
        The radii.
    coefs : array of shape (r, n)
        The coefficients at each, one row a radius.
    names : sequence of str, optional
        Names of the n coefficients; x_0, x_1, ... by default.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> f, radii = fw.SquaredError(np.eye(2), [1.0, 2.0]), [0.5, 1.0, 2.0]
    >>> coefs = [fw.minimize(f, fw.L1Ball(t)).x for t in radii]
    >>> ax = fw.plots.regularization_path(radii, coefs, ["age", "income"])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['income', 'age']
    """
    x, y = finite_vector("radii", radii), np.asarray(coefs, dtype=np.float64)
    if y.ndim != 2 or y.shape[0] != x.size or not all_finite(y):
        raise InvalidInput(
            f"coefs must be a finite array with one row a radius, of shape ({x.size}, n), "
            f"got shape {y.shape}."
        )
    n = y.shape[1]
    if names is not None and len(names) != n:
        raise InvalidInput(f"names must have one entry a coefficient, {n}, got {len(names)}.")
    words = [f"$x_{{{j}}}$" for j in range(n)] if names is None else list(names)
    order, rank = np.argsort(x), np.argsort(-np.abs(y).max(axis=0), kind="stable")
    ax = new_axes()[1][0] if ax is None else ax
    for j in rank[SHOWN:]:
        ax.plot(x[order], y[order, j], color="0.75", linewidth=0.6)
    for i, j in enumerate(rank[:SHOWN]):
        ax.plot(x[order], y[order, j], label=words[j], **style(i))
    ax.axhline(0.0, color="0.5", linewidth=0.6)
    ax.set_xlabel("radius of the region")
    ax.set_ylabel("coefficient")
    ax.grid(True, alpha=0.3)
    ax.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    return ax


def singular_values(
    matrix: FactoredMatrix | ArrayLike, *, name: str | None = None, ax: Axes = None
) -> Axes:
    """Plot singular values in falling order, on a logarithmic axis.

    Parameters
    ----------
    matrix : FactoredMatrix or array of shape (m, n)
        The matrix; a factored one is never formed in full.
    name : str, optional
        What the legend says; the rank and the nuclear norm are added.
    ax : matplotlib axes, optional
        Where to draw, beside what is there; a new figure by default.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> ax = fw.plots.singular_values(np.diag([3.0, 1.0, 0.0]), name="diagonal")
    >>> ax.get_legend().get_texts()[0].get_text()
    'diagonal: rank 2, nuclear norm 4'
    """
    found = matrix if isinstance(matrix, FactoredMatrix) else _checked(matrix)
    values: Array = (
        found.singular_values()
        if isinstance(found, FactoredMatrix)
        else np.linalg.svd(found, compute_uv=False)
    )
    size = float(values.sum())
    values = values[values > values[:1] * max(found.shape) * np.finfo(np.float64).eps]
    if not values.size:
        raise InvalidInput("matrix must not be zero: it has no singular values to draw.")
    ax = new_axes()[1][0] if ax is None else ax
    words = f"rank {values.size}, nuclear norm {size:.4g}"
    line = style(len(ax.get_lines())) | {"markevery": None}
    words = words if name is None else f"{name}: {words}"
    ax.semilogy(np.arange(1, values.size + 1), values, label=words, **line)
    ax.set_xlabel("index")
    ax.set_ylabel("singular value")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.grid(True, alpha=0.3)
    ax.legend()
    return ax


def _checked(matrix: ArrayLike) -> Array:
    """Matrix as a finite array of two dimensions."""
    array = np.asarray(matrix, dtype=np.float64)
    if array.ndim != 2 or array.size == 0 or not all_finite(array):
        raise InvalidInput(
            f"matrix must be a FactoredMatrix or a finite array of two dimensions, got shape "
            f"{array.shape}."
        )
    return array
