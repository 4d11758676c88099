"""Separable losses on a device, by the formulas of `frankwolfe.base.kernels.losses`.

Terms are computed in double precision whatever the type of the image.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

from frankwolfe.base.kernels.terms import LOGARITHM
from frankwolfe.engines.cuda.launch import Launcher

if TYPE_CHECKING:
    from collections.abc import Callable

    from frankwolfe.engines.maps import DeviceArray


__all__ = ["PRELUDE", "TERMS", "Logarithms", "Losses"]

TERMS = r"""
struct Term { double v, d, h; };

__device__ __forceinline__ double exp_negative(double x) {
    const double E[10] = {0.5000000000000001, 0.16666666666666669, 0.04166666666662413,
        0.008333333333330062, 0.0013888888917213717, 0.00019841269863053618,
        2.4801521295954376e-05, 2.7557268459997064e-06, 2.7620088445409746e-07,
        2.510038549551032e-08};
    x = x < -708.0 ? -708.0 : x;  // NaN stays NaN
    double k = floor(x * 1.4426950408889634 + 0.5);
    double r = fma(-k, 1.90821492927058770002e-10, fma(-k, 6.93147180369123816490e-01, x));
    double r2 = r * r, r4 = r2 * r2;
    double low = (1.0 + r) + (E[0] + r * E[1]) * r2;
    double middle = (E[2] + r * E[3]) + (E[4] + r * E[5]) * r2;
    double high = (E[6] + r * E[7]) + (E[8] + r * E[9]) * r2;
    double p = low + r4 * (middle + r4 * high);
    return p * __longlong_as_double(((long long)k + 1023) << 52);
}

__device__ __forceinline__ void log1p_inverse(double e, double* log, double* inverse) {
    const double L[10] = {0.3333333333333333, 0.20000000000007298, 0.1428571428355253,
        0.11111111358900891, 0.09090894708663223, 0.07692785296456121, 0.06657067775440581,
        0.06000577591428889, 0.04400158825434387, 0.08082469084735669};
    double above = 1.0 + e, beyond = 2.0 + e;
    double shared = 1.0 / (above * beyond);
    double s = e * above * shared;
    double q = s * s, q2 = q * q, q4 = q2 * q2;
    double a = (L[0] + q * L[1]) + (L[2] + q * L[3]) * q2;
    double b = (L[4] + q * L[5]) + (L[6] + q * L[7]) * q2;
    double rest = q * (a + q4 * (b + q4 * (L[8] + q * L[9])));
    *log = fma(2.0 * s, rest, 2.0 * s);
    *inverse = beyond * shared;
}

__device__ __forceinline__ Term pointwise(double below, double beyond, double z, double b) {
#if CODE == 0
    double t = -b * z, e = exp_negative(-fabs(t)), logarithm, inverse;
    log1p_inverse(e, &logarithm, &inverse);
    double sigmoid = t > 0.0 ? inverse : e * inverse;
    return {(t > 0.0 ? t : 0.0) + logarithm, -b * sigmoid, e * inverse * inverse};
#elif CODE == 1
    double c = z - b;
    return {0.5 * c * c, c, 1.0};
#elif CODE == 2  // Huber, with a threshold on each side
    double c = z - b, size = fabs(c), turn = c > 0.0 ? beyond : below;
    bool inside = size <= turn;
    double sign = c > 0.0 ? 1.0 : -1.0;
    return {inside ? c * c : turn * (2.0 * size - turn), inside ? 2.0 * c : 2.0 * turn * sign,
            inside ? 2.0 : 0.0};
#else  // c z - b log z, where c is `below`
    if (b == 0.0) return {below * z, below, 0.0};
    if (z <= 0.0) return {CUDART_INF, CUDART_NAN, CUDART_NAN};
    double share = b / z;
    return {below * z - b * log(z), below - share, share / z};
#endif
}

"""

SOURCE = r"""
#define EACH(i) for (long long i = blockIdx.x * (long long)THREADS + threadIdx.x; i < size; \
                     i += gridDim.x * (long long)THREADS)
#define LOSS double below, double beyond, const Z* z, const B* b, const double* w, int same, \
             long long size
#define ROOM double* partial, unsigned int* count, double* out

extern "C" __global__ void value(LOSS, ROOM) {
    double sums[1] = {0.0};
    EACH(i) sums[0] += w[same ? 0 : i] * pointwise(below, beyond, z[i], b[i]).v;
    grid_sums<1>(sums, partial, count, out);
}

extern "C" __global__ void linearize(LOSS, S* slope, ROOM) {
    double sums[2] = {0.0, 0.0};
    EACH(i) {
        Term t = pointwise(below, beyond, z[i], b[i]);
        double weight = w[same ? 0 : i], d = weight * t.d;
        slope[i] = (S)d;
        sums[0] += weight * t.v;
        sums[1] += d * (double)z[i];
    }
    grid_sums<2>(sums, partial, count, out);
}

extern "C" __global__ void curvature(LOSS, double* bend) {
    EACH(i) bend[i] = w[same ? 0 : i] * pointwise(below, beyond, z[i], b[i]).h;
}

extern "C" __global__ void along(LOSS, const D* dz, double t, ROOM) {
    double sums[3] = {0.0, 0.0, 0.0};
    EACH(i) {
        double change = dz[i], weight = w[same ? 0 : i];
        Term p = pointwise(below, beyond, (double)z[i] + t * change, b[i]);
        sums[0] += weight * p.v;
        sums[1] += weight * p.d * change;
        sums[2] += weight * p.h * change * change;
    }
    grid_sums<3>(sums, partial, count, out);
}

extern "C" __global__ void shifted(LOSS, const D* dz, int still, double t, double c, ROOM) {
    double sums[7] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    EACH(i) {
        double change = still ? 0.0 : (double)dz[i], weight = w[same ? 0 : i];
        Term p = pointwise(below, beyond, ((double)z[i] + t * change) + c, b[i]);
        sums[0] += weight * p.v;
        sums[1] += weight * p.d * change;
        sums[2] += weight * p.h * change * change;
        sums[3] += weight * p.d;
        sums[4] += weight * fabs(p.d);
        sums[5] += weight * p.h;
        sums[6] += weight * p.h * change;
    }
    grid_sums<7>(sums, partial, count, out);
}
"""

PRELUDE = r"""
#define CUDART_INF __longlong_as_double(0x7ff0000000000000LL)
#define CUDART_NAN __longlong_as_double(0xfff8000000000000LL)
"""


LOSS_SOURCE = PRELUDE + TERMS + SOURCE

Threshold: TypeAlias = float | tuple[float, float]
"""The Huber loss's threshold, or one below and one above."""

Terms: TypeAlias = "tuple[int, Threshold, DeviceArray, DeviceArray, DeviceArray]"
"""A separable loss: the code of its term, threshold, z, targets and weights."""


class Losses:
    """Separable losses Σ_i w_i l(z_i, b_i) of device arrays: one kernel each, sums as numbers."""

    def __init__(self, launcher: Launcher) -> None:
        self._launcher = launcher

    def _run(
        self, name: str, terms: Terms, sums: int, *more: object, wait: bool = True
    ) -> tuple[float, ...]:
        """Start the kernel `name` over (code, delta, z, b, w), then `more` arguments."""
        code, delta, z, b, w = terms
        below, beyond = delta if isinstance(delta, tuple) else (delta, delta)
        types = {"Z": z, "B": b, "S": z, "D": z}
        # the first of `more` is the slope that is written, or the direction
        types |= {"S" if name == "linearize" else "D": array for array in more[:1]}
        arguments = (float(below), float(beyond), z, b, w, w.size == 1, z.size, *more)
        return self._launcher.sums(
            LOSS_SOURCE, name, z.size, arguments, sums, types, wait, CODE=str(int(code))
        )

    def value(
        self, code: int, delta: Threshold, z: DeviceArray, b: DeviceArray, w: DeviceArray
    ) -> float:
        return self._run("value", (code, delta, z, b, w), 1)[0]

    def linearize(
        self,
        code: int,
        delta: Threshold,
        z: DeviceArray,
        b: DeviceArray,
        w: DeviceArray,
        slope: DeviceArray,
    ) -> tuple[float, ...]:
        return self._run("linearize", (code, delta, z, b, w), 2, slope)

    def linearize_later(
        self,
        code: int,
        delta: Threshold,
        z: DeviceArray,
        b: DeviceArray,
        w: DeviceArray,
        slope: DeviceArray,
    ) -> Callable[[], tuple[float, ...]]:
        """`linearize` without waiting: its result is a function that waits for the sums."""
        self._run("linearize", (code, delta, z, b, w), 2, slope, wait=False)
        return lambda: self._launcher.wait(2)

    def curvature(
        self,
        code: int,
        delta: Threshold,
        z: DeviceArray,
        b: DeviceArray,
        w: DeviceArray,
        out: DeviceArray,
    ) -> None:
        self._run("curvature", (code, delta, z, b, w), 0, out)

    def along(
        self,
        code: int,
        delta: Threshold,
        z: DeviceArray,
        dz: DeviceArray,
        t: float,
        b: DeviceArray,
        w: DeviceArray,
    ) -> tuple[float, ...]:
        return self._run("along", (code, delta, z, b, w), 3, dz, float(t))

    def shifted(
        self,
        code: int,
        delta: Threshold,
        z: DeviceArray,
        dz: DeviceArray,
        t: float,
        c: float,
        b: DeviceArray,
        w: DeviceArray,
    ) -> tuple[float, ...]:
        still = dz.size == 0
        more = (z if still else dz, still, float(t), float(c))
        return self._run("shifted", (code, delta, z, b, w), 7, *more)


class Logarithms(Losses):
    """Losses with terms c z - b log z, and the largest step at which they are finite."""

    def _run(
        self, name: str, terms: Terms, sums: int, *more: object, wait: bool = True
    ) -> tuple[float, ...]:
        return super()._run(name, (LOGARITHM, *terms[1:]), sums, *more, wait=wait)

    def positive(self, z: DeviceArray, b: DeviceArray) -> bool:
        """True if z_i > 0 wherever b_i > 0."""
        return not bool(((b > 0.0) & ~(z > 0.0)).any())

    def first_zero(self, z: DeviceArray, dz: DeviceArray, b: DeviceArray) -> float:
        """Smallest t at which an entry of z + t dz with b > 0 is zero; infinity if none is."""
        falls = (b > 0.0) & (dz < 0.0)
        if not bool(falls.any()):
            return math.inf
        return float((-z[falls].astype("float64") / dz[falls]).min())
