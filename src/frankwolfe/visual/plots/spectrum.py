"""Plot of the singular values of a matrix."""

from __future__ import annotations

import numpy as np

from frankwolfe.base.arrays import AnyArray, Array
from frankwolfe.base.checks import all_finite
from frankwolfe.base.errors import InvalidInput
from frankwolfe.core.low_rank import FactoredMatrix
from frankwolfe.visual.plots.style import Axes, new_axes, style

__all__ = ["singular_values"]


def singular_values(
    matrix: FactoredMatrix | AnyArray, *, name: str | None = None, ax: Axes = None
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
    values = _values(matrix)
    size = float(values.sum())
    values = values[values > values[:1] * max(matrix.shape) * np.finfo(np.float64).eps]
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


def _values(matrix: FactoredMatrix | AnyArray) -> Array:
    """Singular values in falling order."""
    if isinstance(matrix, FactoredMatrix):
        return matrix.singular_values()
    array = np.asarray(matrix, dtype=np.float64)
    if array.ndim != 2 or array.size == 0 or not all_finite(array):
        raise InvalidInput(
            f"matrix must be a FactoredMatrix or a finite array of two dimensions, got shape "
            f"{array.shape}."
        )
    return np.linalg.svd(array, compute_uv=False)
