"""Vector updates of images in one pass each, as in `frankwolfe.base.kernels.vectors`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frankwolfe.engines.cuda.launch import Launcher

if TYPE_CHECKING:
    from frankwolfe.engines.maps import DeviceArray

__all__ = ["Loops"]

SOURCE = r"""
#define EACH(i) \
    _Pragma("unroll 4") for (long long i = blockIdx.x * (long long)THREADS + threadIdx.x; \
                             i < size; i += gridDim.x * (long long)THREADS)
#define LOOP extern "C" __global__ void

LOOP add_scaled(X* out, double weight, const Y* x, long long size) {
    EACH(i) out[i] = (X)((double)out[i] + weight * (double)x[i]);
}
LOOP ahead(O* out, const X* __restrict__ x, double gamma, const Y* __restrict__ d,
           long long size) {
    EACH(i) out[i] = (O)((double)x[i] + gamma * (double)d[i]);
}
LOOP blend(O* out, const X* __restrict__ x, double gamma, const Y* __restrict__ s,
           long long size) {
    double keep = 1.0 - gamma;
    EACH(i) out[i] = (O)(keep * (double)x[i] + gamma * (double)s[i]);
}
LOOP combine(X* x, double a, double b, const Y* y, long long size) {
    EACH(i) x[i] = (X)(a * (double)x[i] + b * (double)y[i]);
}
LOOP extend(X* x, double momentum, const Y* y, long long size) {
    EACH(i) x[i] = (X)((double)x[i] + momentum * ((double)x[i] - (double)y[i]));
}
LOOP subtract(O* out, const X* __restrict__ x, const Y* __restrict__ y, long long size) {
    EACH(i) out[i] = (O)((double)x[i] - (double)y[i]);
}
LOOP dot(const X* x, const Y* y, long long size, double* partial, unsigned int* count,
         double* out) {
    double sums[1] = {0.0};
    EACH(i) sums[0] += (double)x[i] * (double)y[i];
    grid_sums<1>(sums, partial, count, out);
}
LOOP weighted_square(const double* w, int same, const X* x, long long size, double* partial,
                     unsigned int* count, double* out) {
    double sums[1] = {0.0};
    EACH(i) sums[0] += w[same ? 0 : i] * (double)x[i] * (double)x[i];
    grid_sums<1>(sums, partial, count, out);
}
"""


class Loops:
    """Vector updates and inner products of device arrays, one kernel each, in float64."""

    def __init__(self, launcher: Launcher) -> None:
        self._launcher = launcher

    def _run(
        self,
        name: str,
        arguments: tuple[object, ...],
        out: DeviceArray,
        x: DeviceArray,
        y: DeviceArray,
    ) -> None:
        """Start the kernel `name`, compiled for the types of the three arrays."""
        types = {"O": out, "X": x, "Y": y}
        self._launcher.sums(SOURCE, name, x.size, (*arguments, x.size), 0, types)

    def add_scaled(self, out: DeviceArray, weight: float, x: DeviceArray) -> None:
        self._run("add_scaled", (out, float(weight), x), out, out, x)

    def ahead(self, out: DeviceArray, x: DeviceArray, gamma: float, d: DeviceArray) -> None:
        self._run("ahead", (out, x, float(gamma), d), out, x, d)

    def blend(self, out: DeviceArray, x: DeviceArray, gamma: float, s: DeviceArray) -> None:
        self._run("blend", (out, x, float(gamma), s), out, x, s)

    def combine(self, x: DeviceArray, a: float, b: float, y: DeviceArray) -> None:
        self._run("combine", (x, float(a), float(b), y), x, x, y)

    def extend(self, x: DeviceArray, momentum: float, y: DeviceArray) -> None:
        self._run("extend", (x, float(momentum), y), x, x, y)

    def subtract(self, out: DeviceArray, x: DeviceArray, y: DeviceArray) -> None:
        self._run("subtract", (out, x, y), out, x, y)

    def dot(self, x: DeviceArray, y: DeviceArray) -> float:
        types = {"O": x, "X": x, "Y": y}
        return self._launcher.sums(SOURCE, "dot", x.size, (x, y, x.size), 1, types)[0]

    def weighted_square(self, w: DeviceArray, x: DeviceArray) -> float:
        types, arguments = {"O": x, "X": x, "Y": x}, (w, w.size == 1, x, x.size)
        return self._launcher.sums(SOURCE, "weighted_square", x.size, arguments, 1, types)[0]
