"""Lanczos method on a device: orthogonalization, and random starts."""

from __future__ import annotations

import math
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING

import cupy
import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.core.place import unit_noise
from frankwolfe.engines.cuda.source import compiled

if TYPE_CHECKING:
    from frankwolfe.engines.cuda.columns import DeviceColumns
    from frankwolfe.engines.maps import DeviceArray

__all__ = ["Krylov", "Noise"]

# a block for each vector of the basis
SOURCE = r"""
extern "C" __global__ void __launch_bounds__(1024) products(const double* basis, const double* w,
                                                            long long n, double* out) {
    __shared__ double parts[32];
    const double* row = basis + blockIdx.x * n;
    double total = 0.0;
#pragma unroll 4
    for (long long i = threadIdx.x; i < n; i += blockDim.x) total += row[i] * w[i];
    for (int o = 16; o > 0; o >>= 1) total += __shfl_xor_sync(0xffffffffu, total, o);
    if ((threadIdx.x & 31) == 0) parts[threadIdx.x >> 5] = total;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int p = 1; p < blockDim.x / 32; ++p) total += parts[p];
        out[blockIdx.x] = total;
    }
}

extern "C" __global__ void subtract(const double* basis, const double* weights, int count,
                                    long long n, double* w) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i >= n) return;
    double total = 0.0;
    for (int j = 0; j < count; ++j) total += weights[j] * basis[j * n + i];
    w[i] -= total;
}
"""


class Krylov:
    """Kernels of the Lanczos method, as in `frankwolfe.core.kernels.krylov`."""

    def __init__(self, place: DeviceColumns) -> None:
        self._place = place

    def orthogonalize(self, basis: DeviceArray, k: int, w: DeviceArray) -> tuple[float, float]:
        """Orthogonalize w against basis[0..k], twice; return <basis[k], w> and |w|_2."""
        n, count = np.int64(w.size), k + 1
        numbers = cupy.empty(2 * count + 1, np.float64)
        products, subtract = (compiled(SOURCE, name) for name in ("products", "subtract"))
        blocks = (-(-w.size // 256),)
        # twice is enough: what rounding leaves of the first pass the second removes
        for parts in (numbers[:count], numbers[count:-1]):
            products((count,), (1024,), (basis, w, n, parts))
            subtract(blocks, (256,), (basis, parts, np.int32(count), n, w))
        products((1,), (1024,), (w, w, n, numbers[-1:]))
        found = self._place.get(numbers)
        return float(found[k]), math.sqrt(float(found[-1]))


@cache
def _aside() -> ThreadPoolExecutor:
    """Executor of one thread that draws random numbers while the device works."""
    return ThreadPoolExecutor(1, "frankwolfe-noise")


class Noise:
    """Random unit vectors of `unit_noise`, the next of which is drawn ahead of its call.

    A run asks for one a step, and it takes as long as a few products with the data.
    """

    def __init__(self) -> None:
        self._next: dict[tuple[tuple[int, int], int], Future[Array]] = {}

    def __call__(self, seed: tuple[int, int], size: int) -> Array:
        made = self._next.pop((seed, size), None)
        found = unit_noise(seed, size) if made is None else made.result()
        after = seed[0], seed[1] + 1
        self._next = {(after, size): _aside().submit(unit_noise, after, size)}
        return found
