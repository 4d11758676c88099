"""The certificate of one evaluation: its gap and lower bound, and whether it is the best so far.

Plain functions of numbers, without Numba: the state calls them, and the fast path compiles the
same ones (`solver/kernels/fast_path.py`).
"""

from __future__ import annotations

import math

__all__ = ["certify", "improves"]

EPS = 2.0**-52  # of the double precision in which f is summed


def certify(
    value: float,
    above: float,
    support: float,
    error: float,
    lower_bound: float,
    eps: float,
    offset: float,
    seen: float,
) -> tuple[float, float]:
    r"""Upper bound on f(x) - min f (the gap), and the best lower bound on min f.

    The model :math:`c + \langle g, v \rangle` lies below f, so f(x) minus its minimum over the
    region bounds the error; a bound found earlier stays one.

    Parameters
    ----------
    value : float
        f(x).
    above : float
        f(x) minus the model's constant term c.
    support : float
        :math:`\langle g, s \rangle` at the oracle's atom.
    error : float
        Upper bound on that minus the minimum of :math:`\langle g, \cdot \rangle`; infinite where
        nothing is known.
    lower_bound : float
        The best lower bound so far.
    eps : float
        Machine epsilon of x and its image.
    offset : float
        Size of the terms that may cancel in f and in the gradient, with their rounding.
    seen : float
        Largest |f| and slope in the run: terms of a plain function may still be as large and
        cancel.

    Returns
    -------
    gap, lower_bound : float
        A gap of -1 says that f lies below its own minorant, or is not finite: nothing is proved.

    Examples
    --------
    >>> from frankwolfe.core.certificate import certify
    >>> gap, lower_bound = certify(2.0, 1.0, 0.5, 0.0, 1.0, 2.0**-52, 0.0, 2.0)
    >>> 0.5 < gap < 0.5 + 1e-14, 1.5 - 1e-14 < lower_bound < 1.5
    (True, True)
    """
    gap, slack = above - support, value - lower_bound
    # rounding of both products, of f itself (summed in double precision), of f through an image
    # in the type of x, and of terms that cancel; 8 eps each is several times what is seen
    noise = 8.0 * eps * (abs(above) + abs(support))
    noise += (8.0 * EPS + 2.0 * eps) * abs(value)
    noise += 8.0 * eps * offset
    # below -least f contradicts its own minorant; sqrt(eps), since gradients may be as far off
    least = math.sqrt(eps) * (abs(value) + abs(above) + abs(support))
    least += 1000.0 * eps * seen + 100.0 * noise
    if not (math.isfinite(value + gap) and slack >= -least and gap + error >= -least):
        return -1.0, lower_bound
    error += noise
    # a gap below zero is rounding: x itself is a point with this value
    return max(min(gap + error, slack), 0.0), max(lower_bound, value - max(gap, 0.0) - error)


def improves(value: float, best: float) -> bool:
    """True if a point of this value replaces the best one; of two equals the later is kept."""
    return math.isfinite(value) and value <= best
