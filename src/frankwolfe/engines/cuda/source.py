"""Compilation of CUDA source, when a kernel of it is first called."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from frankwolfe.base.arrays import Dtype

__all__ = ["COMMON", "TYPES", "Kernel", "compiled"]

Kernel: TypeAlias = Any
"""A compiled kernel, `cupy.RawKernel`: called with its grid, block and arguments."""

Module: TypeAlias = Any
"""A compiled source, `cupy.RawModule`."""

TYPES: dict[Dtype, str] = {np.dtype(np.float32): "float", np.dtype(np.float64): "double"}

# Sums are made in a fixed order: each thread adds what is its own, a block adds its threads as a
# tree, and the block that is done last adds the blocks, first to last. A run gives the same bits
# each time, on any device; the one atomic operation counts blocks.
COMMON = r"""
#define THREADS 256

template <int K>
__device__ void block_sums(double* sums) {
    __shared__ double parts[THREADS / 32][K];
    for (int k = 0; k < K; ++k)
        for (int o = 16; o > 0; o >>= 1) sums[k] += __shfl_down_sync(0xffffffffu, sums[k], o);
    if ((threadIdx.x & 31) == 0)
        for (int k = 0; k < K; ++k) parts[threadIdx.x >> 5][k] = sums[k];
    __syncthreads();
    if (threadIdx.x == 0)
        for (int k = 0; k < K; ++k) {
            double total = parts[0][k];
            for (int w = 1; w < THREADS / 32; ++w) total += parts[w][k];
            sums[k] = total;
        }
    __syncthreads();
}

// the sums of all blocks in `out`; `partial` has K numbers a block, `count` is 0 before and after
template <int K>
__device__ void grid_sums(double* sums, double* partial, unsigned int* count, double* out) {
    block_sums<K>(sums);
    __shared__ bool last;
    if (threadIdx.x == 0) {
        for (int k = 0; k < K; ++k) partial[blockIdx.x * K + k] = sums[k];
        __threadfence();
        last = atomicAdd(count, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    for (int k = 0; k < K; ++k) {
        sums[k] = 0.0;
        for (int i = threadIdx.x; i < gridDim.x; i += THREADS) {
            sums[k] += ((volatile double*)partial)[i * K + k];
        }
    }
    block_sums<K>(sums);
    if (threadIdx.x == 0) {
        for (int k = 0; k < K; ++k) out[k] = sums[k];
        *count = 0;
        __threadfence_system();
    }
}
"""


@cache
def _module(code: str) -> Module:
    """Compiled CUDA module, once for each source."""
    import cupy

    return cupy.RawModule(code=code, options=("-std=c++17",))


@cache
def compiled(code: str, name: str, **names: str) -> Kernel:
    """Kernel `name` of CUDA source behind `COMMON`, with macros such as ``T="float"``."""
    macros = "".join(f"#define {macro} {text}\n" for macro, text in sorted(names.items()))
    return _module(macros + COMMON + code).get_function(name)
