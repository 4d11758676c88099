"""Steps of the Lanczos method on a device, and where they start."""

from __future__ import annotations

import math
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import Any

import cupy
import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.core.place import unit_noise
from frankwolfe.engines.cuda.source import compiled

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
    """Steps of the Lanczos method, as `frankwolfe.core.kernels.krylov` has them."""

    def __init__(self, place: Any) -> None:
        self._place = place

    def orthogonalize(self, basis: Any, k: int, w: Any) -> tuple[float, float]:
        """Take the parts along basis[0..k] out of w, twice; return <basis[k], w> and |w|."""
        n, count = np.int64(w.size), k + 1
        numbers = cupy.empty(2 * count + 1, np.float64)
        products, subtract = (compiled(SOURCE, name) for name in ("products", "subtract"))
        blocks = (-(-w.size // 256),)
        for parts in (numbers[:count], numbers[count:-1]):
            products((count,), (1024,), (basis, w, n, parts))
            subtract(blocks, (256,), (basis, parts, np.int32(count), n, w))
        products((1,), (1024,), (w, w, n, numbers[-1:]))
        found = self._place.get(numbers)
        return float(found[k]), math.sqrt(float(found[-1]))


@cache
def _aside() -> ThreadPoolExecutor:
    """A thread that makes numbers while the device works."""
    return ThreadPoolExecutor(1, "frankwolfe-noise")


class Noise:
    """The numbers of `unit_noise`; those of the next call are made before they are asked for.

    A run asks for them once a step, and they take as long as a few products with the data.
    """

    def __init__(self) -> None:
        self._next: dict[Any, Future[Array]] = {}

    def __call__(self, seed: tuple[int, int], size: int) -> Array:
        made = self._next.pop((seed, size), None)
        found = unit_noise(seed, size) if made is None else made.result()
        after = seed[0], seed[1] + 1
        self._next = {(after, size): _aside().submit(unit_noise, after, size)}
        return found
