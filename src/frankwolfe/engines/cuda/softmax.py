"""Softmax loss on a device, as in `frankwolfe.core.kernels.multinomial`: a thread a row.

Sums are taken relative to the largest entry and without it, so that nothing overflows and a small
loss keeps its digits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import cupy
import numpy as np

from frankwolfe.engines.cuda.launch import Launcher

if TYPE_CHECKING:
    from frankwolfe.base.arrays import Array
    from frankwolfe.engines.maps import DeviceArray

__all__ = ["Softmax"]

SOURCE = r"""
// y = z + t dz + b of each observation; sums: phi, <phi', z>, phi' and phi'' along dz. `p` gets
// probabilities and `slope` phi', where they are not null
extern "C" __global__ void softmax(
        const Z* z, const D* dz, int still, double t, const double* b, int shifted,
        const long long* labels, const double* w, int same, int K, long long rows, double* p,
        S* slope, double* partial, unsigned int* count, double* out) {
    double sums[4] = {0.0, 0.0, 0.0, 0.0};
    for (long long i = blockIdx.x * (long long)THREADS + threadIdx.x; i < rows;
         i += gridDim.x * (long long)THREADS) {
        long long at = i * K;
        int own = labels ? (int)labels[i] : 0, top = 0;
        double most = 0.0, mine = 0.0, rest = 0.0;
        #define ENTRY(k) (((double)z[at + k] + (still ? 0.0 : t * (double)dz[at + k])) \
                          + (shifted ? b[k] : 0.0))
        for (int k = 0; k < K; ++k) {
            double y = ENTRY(k);
            if (k == 0 || y > most) { most = y; top = k; }
            if (k == own) mine = y;
        }
        for (int k = 0; k < K; ++k) rest += k == top ? 0.0 : exp(ENTRY(k) - most);
        double share = 1.0 / (1.0 + rest), weight = labels ? w[same ? 0 : i] : 0.0;
        double mean = 0.0, square = 0.0, base = still ? 0.0 : (double)dz[at + own];
        for (int k = 0; k < K; ++k) {
            double e = exp(ENTRY(k) - most), d = e;
            if (k == own) d = -(top == k ? rest : 1.0 + rest - e);
            d *= weight * share;
            if (p) p[at + k] = e * share;
            if (slope) slope[at + k] = (S)d;
            sums[1] += d * (double)z[at + k];
            if (!still) mean += e * share * ((double)dz[at + k] - base);
        }
        if (!still)
            for (int k = 0; k < K; ++k) {
                double away = (double)dz[at + k] - (base + mean);
                square += exp(ENTRY(k) - most) * share * away * away;
            }
        sums[0] += weight * ((most - mine) + log1p(rest));
        sums[2] += weight * mean;
        sums[3] += weight * square;
    }
    grid_sums<4>(sums, partial, count, out);
}
"""

NULL = np.uint64(0)  # null pointer, as a kernel's argument


class Softmax:
    """Softmax loss of device arrays, one kernel a call; arrays by class are NumPy's."""

    def __init__(self, launcher: Launcher) -> None:
        self._launcher = launcher

    def _run(
        self,
        z: DeviceArray,
        classes: int,
        labels: DeviceArray | None,
        w: DeviceArray | None,
        dz: DeviceArray | None = None,
        t: float = 0.0,
        b: DeviceArray | None = None,
        p: DeviceArray | None = None,
        slope: DeviceArray | None = None,
    ) -> tuple[float, ...]:
        """Run the kernel at z + t dz + b: phi, <phi', z>, and phi' and phi'' along dz."""
        rows, still = z.size // classes, dz is None or dz.size == 0
        moved = b is not None and bool(np.any(b))
        shift = cupy.asarray(b, dtype=np.float64) if moved else NULL
        arguments = (
            *(z, z if still else dz, still, float(t), shift, moved),
            *(NULL if labels is None else labels, NULL if w is None else w),
            *(w is not None and w.size == 1, np.int32(classes), rows),
            *(NULL if p is None else p, NULL if slope is None else slope),
        )
        types = {"Z": z, "D": z if still else dz, "S": z if slope is None else slope}
        return self._launcher.sums(SOURCE, "softmax", rows, arguments, 4, types)

    def value(self, z: DeviceArray, classes: int, labels: DeviceArray, w: DeviceArray) -> float:
        return self._run(z, classes, labels, w)[0]

    def linearize(
        self, z: DeviceArray, b: Array, labels: DeviceArray, w: DeviceArray, slope: DeviceArray
    ) -> tuple[float, float]:
        total, inner, *_ = self._run(z, b.size, labels, w, b=b, slope=slope)
        return total, inner

    def along(
        self,
        z: DeviceArray,
        dz: DeviceArray,
        t: float,
        classes: int,
        labels: DeviceArray,
        w: DeviceArray,
    ) -> tuple[float, float, float]:
        total, _, first, second = self._run(z, classes, labels, w, dz, t)
        return total, first, second

    def probabilities(self, z: DeviceArray, classes: int, out: DeviceArray) -> None:
        self._run(z, classes, None, None, p=out)

    def shifted(
        self,
        z: DeviceArray,
        dz: DeviceArray,
        t: float,
        b: Array,
        labels: DeviceArray,
        w: DeviceArray,
        sums: Array,
        sizes: Array,
        cross: Array,
        gram: Array,
    ) -> tuple[float, float, float]:
        """Derivatives of (t, b) -> phi(z + t dz + b): return value, slope and curvature in t.

        Written are phi' and |phi'| summed by class, phi'' dz, and phi'' between classes.
        """
        count, shape = b.size, (z.size // b.size, b.size)
        p, slope = (cupy.empty(z.size, dtype=np.float64) for _ in range(2))
        total, _, first, second = self._run(z, count, labels, w, dz, t, b, p, slope)
        p, slope = p.reshape(shape), slope.reshape(shape)
        heavy = p * (w if w.size == 1 else w[:, None])
        both = heavy.T @ p
        sums[:], sizes[:] = slope.sum(axis=0).get(), cupy.abs(slope).sum(axis=0).get()
        cross[:] = 0.0
        if dz.size:
            d = dz.reshape(shape).astype(np.float64)
            d -= (p * d).sum(axis=1)[:, None]
            cross[:] = (heavy * d).sum(axis=0).get()
        _complete(both.get(), gram)
        self._launcher.bytes += 8 * count * (count + 3)
        return total, first, second


def _complete(both: Array, gram: Array) -> None:
    """gram = phi'' between classes, from p'diag(w)p, with curvature along (1, ..., 1) too.

    Rows of phi'' sum to zero, so that its diagonal follows from the rest without cancellation.
    A shift of all classes changes nothing; its curvature may be any, and makes gram regular.
    """
    classes = gram.shape[0]
    gram[:] = -0.5 * (both + both.T)
    np.fill_diagonal(gram, 0.0)
    np.fill_diagonal(gram, -gram.sum(axis=1))
    gram += np.trace(gram) / classes**2
