"""Beckmann's function, whose minimizer over link flows is the user equilibrium."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.apps.traffic.kernels import link_costs, link_integrals
from frankwolfe.apps.traffic.network import Network
from frankwolfe.base import Array, Dtype, InvalidInput, Matrix, as_float_array, fingerprint
from frankwolfe.core import Atom, Itself, Objective

__all__ = ["Beckmann"]


class Beckmann(Objective):
    r"""Beckmann's function of link flows, whose minimizer is the user equilibrium.

    .. math:: f(x) = \sum_a \int_0^{v_a} t_a(s)\,ds + \langle c, x\rangle

    Its gradient is what links cost, so that over the flows which carry all trips
    (:class:`Flows`) a minimizer is an equilibrium: nobody has a cheaper way than the one taken.
    x holds the flows of one class of users after the other, v their sum on each link, and c what
    links cost each class besides their time. In the form :math:`\varphi(Ax)` the image is v, and
    the number :math:`\langle c, x\rangle`.

    Parameters
    ----------
    network : Network
        The links.
    fixed : array of shape (classes, m), optional
        What links cost each class besides their time; one class, with the network's tolls and
        lengths, by default.
    system_optimum : bool
        Minimize the time of all, :math:`\sum_a v_a t_a(v_a)`, instead.

    References
    ----------
    M. Beckmann, C. B. McGuire and C. B. Winsten, *Studies in the Economics of Transportation*,
    1956.

    Examples
    --------
    >>> import frankwolfe as fw
    >>> from frankwolfe import traffic
    >>> network = traffic.Network([1, 1], [2, 2], traffic.BPR([1.0, 2.0], 10.0, 1.0, 1.0))
    >>> flows = traffic.Flows(network, traffic.Trips([1], [2], [20.0]))
    >>> result = fw.minimize(fw.traffic.Beckmann(network), flows, tol=1e-9)
    >>> result.x.round(6), network.cost_of(result.x).round(6)       # both take as long
    (array([16.666667,  3.333333]), array([2.666667, 2.666667]))
    """

    convex = True
    least = 0.0
    second_order = Itself()
    dtype: Dtype = np.dtype(np.float64)

    def __init__(
        self, network: Network, fixed: ArrayLike | None = None, *, system_optimum: bool = False
    ) -> None:
        if not isinstance(network, Network):
            raise InvalidInput(f"network must be a Network, got {type(network).__name__}.")
        self.network, self.system_optimum = network, bool(system_optimum)
        self.cost = network.cost.marginal() if system_optimum else network.cost
        self.fixed: Array = np.atleast_2d(
            network.fixed if fixed is None else as_float_array("fixed", fixed).astype(np.float64)
        )
        fits = self.fixed.ndim == 2 and self.fixed.shape[1] == network.size
        if not fits or not np.isfinite(self.fixed).all():
            raise InvalidInput(
                f"fixed must have a finite number for each of {network.size} links, and a row for "
                f"each class, got shape {self.fixed.shape}."
            )
        self._classes, self._links = self.fixed.shape
        self.n, self.m = self.fixed.size, self._links + 1

    def image(self, x: Array, out: Array) -> None:
        out[:-1] = x.reshape(self.fixed.shape).sum(axis=0)
        out[-1] = self.fixed.ravel().dot(x)

    def image_of(self, atom: Atom, out: Array) -> None:
        self.image(atom.dense(self.n), out)

    def images(self, atoms: Sequence[Atom]) -> Matrix:
        out = np.empty((self.m, len(atoms)))
        for j, atom in enumerate(atoms):
            self.image_of(atom, out[:, j])
        return out

    def value(self, z: Array) -> float:
        return float(link_integrals.integrals(self.cost.kinds, self.cost.table, _flows(z)) + z[-1])

    def linearize(self, z: Array, slope: Array) -> tuple[float, float]:
        flows = _flows(z)
        link_costs.times(self.cost.kinds, self.cost.table, flows, slope[:-1])
        slope[-1] = 1.0
        return self.value(z), float(slope[:-1].dot(flows) + z[-1])

    def gradient(self, slope: Array, out: Array) -> None:
        np.add(self.fixed, slope[:-1], out=out.reshape(self.fixed.shape))

    def along(self, z: Array, dz: Array, t: float) -> tuple[float, float, float | None]:
        value, slope, curvature = link_integrals.total_along(
            self.cost.kinds, self.cost.table, z[:-1], dz[:-1], t
        )
        fixed = z[-1] + t * dz[-1]
        # A BPR power below 1 has an infinite second derivative at zero flow: no curvature there.
        bounded = float(curvature) if math.isfinite(curvature) else None
        return float(value + fixed), float(slope + dz[-1]), bounded

    def _time_slopes(self, z: Array) -> Array:
        """t_a'(v_a) for each link; 0 where it is infinite (BPR, power below 1, no flow)."""
        slopes = self.cost.slope(_flows(z))
        return np.where(np.isfinite(slopes), slopes, 0.0)

    def hessian(self, z: Array, left: Matrix, right: Matrix) -> Array:
        return np.asarray(left.T @ (np.append(self._time_slopes(z), 0.0)[:, None] * right))

    def full_hessian(self, z: Array) -> Array:
        """diag(t_a'(v_a)), repeated for each pair of classes."""
        return np.tile(np.diag(self._time_slopes(z)), (self._classes, self._classes))

    def curvature_bound(self, dz: Array) -> float | None:
        return None

    @property
    def smoothness(self) -> None:
        """No Lipschitz constant of the gradient: times may grow faster than any line."""
        return

    @classmethod
    def example(cls, n: int, rng: np.random.Generator) -> Self:
        from frankwolfe.apps.traffic.costs import BPR

        cost = BPR(rng.uniform(1.0, 3.0, n), rng.uniform(1.0, 2.0, n))
        return cls(Network(np.zeros(n, dtype=int), np.ones(n, dtype=int), cost))

    def fingerprint(self) -> str:
        return fingerprint(repr(self), [self.cost.kinds, self.cost.table, self.fixed])

    def __repr__(self) -> str:
        aim = ", system optimum" if self.system_optimum else ""
        several = f", {self._classes} classes" if self._classes > 1 else ""
        return f"Beckmann({self.network!r}{several}{aim})"


def _flows(z: Array) -> Array:
    """Total link flows v of an image z, clipped at 0 against rounding."""
    return np.maximum(z[:-1], 0.0)
