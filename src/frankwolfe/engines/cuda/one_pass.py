"""Step of known size in one pass over A: image, loss, slope and gradient of each row read once.

For a dense matrix of rows in single precision. Rows flow through shared memory, a few of them at
a time for each block; a thread reads what it has itself asked for, so that only the products of a
row are exchanged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import cupy
import numpy as np

from frankwolfe.engines.cuda.launch import Launcher
from frankwolfe.engines.cuda.losses import PRELUDE, TERMS
from frankwolfe.engines.cuda.source import compiled

if TYPE_CHECKING:
    from frankwolfe.engines.cuda.losses import Threshold
    from frankwolfe.engines.maps import DeviceArray

__all__ = ["OnePass"]

BLOCKS = 132  # each with a range of rows; fixed, so that sums have the same bits on every device
THREADS = 512  # of a block, each with V vectors of four columns
ROWS_AT_ONCE = 3  # rows whose products are exchanged at once: fewer barriers a row
MAX_SINGLE_SUMS = 32  # groups of rows summed in float32 before float64: bounds the rounding
MAX_SHARED_BYTES = 200 * 1024  # for the rows that are on their way to a block
MAX_ROWS_AHEAD = 16  # of a block: enough to hide the latency of memory
MIN_COLUMNS = 256  # with fewer, a block has too little work between two exchanges
MAX_COLUMNS = 12_288  # of more, too few rows fit into shared memory at once

SOURCE = r"""
#define WARPS (WIDTH / 32)

__device__ __forceinline__ void ask(float4* to, const float4* from) {
    unsigned at = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(at), "l"(from) : "memory");
}
// row i into its room, as a group of its own; rows beyond the last are empty groups
__device__ __forceinline__ void ask_row(float4* to, const float4* from, int quads, bool there) {
    if (there)
        for (int q = threadIdx.x; q < quads; q += WIDTH) ask(to + q, from + q);
    asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int N> __device__ __forceinline__ void all_but() {
    asm volatile("cp.async.wait_group %0;" :: "n"(N) : "memory");
}

// z_new = keep z + gamma A s; slope = phi'(z_new); partial = A' slope and the sums of a block
extern "C" __global__ void __launch_bounds__(WIDTH, 1) one_pass(
        const float* A, long long rows, int columns, const float* s, double keep, double gamma,
        const float* z, const float* b, const double* w, int same, double below, double beyond,
        long long span, float* ahead, float* slope, double* partial) {
    extern __shared__ float4 room[];
    __shared__ float parts[2][TOGETHER][WIDTH / 32];
    __shared__ float steep[2][TOGETHER];
    int quads = columns / 4, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    long long low = blockIdx.x * span, high = min(rows, low + span);
    const float4* data = (const float4*)A;
    double* mine = partial + blockIdx.x * (long long)(columns + 2 * WARPS);
    for (int g = 0; g < ROOMS; ++g)
        ask_row(room + g * quads, data + (low + g) * quads, quads, low + g < high);
    float4 v[V], total[V];
    #pragma unroll
    for (int k = 0; k < V; ++k) {
        int q = threadIdx.x + k * WIDTH;
        v[k] = q < quads ? ((const float4*)s)[q] : make_float4(0.f, 0.f, 0.f, 0.f);
        total[k] = make_float4(0.f, 0.f, 0.f, 0.f);
        if (q < quads)
            for (int e = 0; e < 4; ++e) mine[4 * q + e] = 0.0;
    }
    double loss = 0.0, inner = 0.0;
    int place = 0, turn = 0, held = 0;
    for (long long first = low; first < high; first += TOGETHER) {
        // the warps that look at these rows take turns, and ask early for what they need
        int row = (warp - turn * TOGETHER) & (WARPS - 1);
        bool looks = row < TOGETHER && first + row < high;
        double before = 0.0, target = 0.0, weight = 0.0;
        if (looks) {
            before = z[first + row];
            target = b[first + row];
            weight = w[same ? 0 : first + row];
        }
        all_but<ROOMS - TOGETHER>();
        float4 a[TOGETHER][V];
        float product[TOGETHER];
        #pragma unroll
        for (int r = 0; r < TOGETHER; ++r) {
            float part = 0.f;
            #pragma unroll
            for (int k = 0; k < V; ++k) {
                int q = threadIdx.x + k * WIDTH;
                a[r][k] = q < quads && first + r < high ? room[place * quads + q]
                                                        : make_float4(0.f, 0.f, 0.f, 0.f);
                part += a[r][k].x * v[k].x + a[r][k].y * v[k].y;
                part += a[r][k].z * v[k].z + a[r][k].w * v[k].w;
            }
            product[r] = part;
            // a thread reads what it has asked for itself, so that the room is free at once
            long long next = first + ROOMS + r;
            ask_row(room + place * quads, data + next * quads, quads, next < high);
            place = place + 1 == ROOMS ? 0 : place + 1;
        }
        int even = turn & 1;
        #pragma unroll
        for (int r = 0; r < TOGETHER; ++r) {
            for (int o = 16; o > 0; o >>= 1)
                product[r] += __shfl_down_sync(0xffffffffu, product[r], o);
            if (lane == 0) parts[even][r][warp] = product[r];
        }
        __syncthreads();
        float there = 0.f;
        if (row < TOGETHER) {
            double sum = lane < WARPS ? (double)parts[even][row][lane] : 0.0;
            for (int o = WARPS / 2; o > 0; o >>= 1)
                sum += __shfl_down_sync(0xffffffffu, sum, o);
            there = (float)(keep * before + gamma * (double)(float)sum);
            if (lane == 0) {
                double d = looks ? weight * pointwise(below, beyond, there, target).d : 0.0;
                steep[even][row] = (float)d;
            }
        }
        __syncthreads();
        float d[TOGETHER];
        #pragma unroll
        for (int r = 0; r < TOGETHER; ++r) d[r] = steep[even][r];
        #pragma unroll
        for (int k = 0; k < V; ++k)
            #pragma unroll
            for (int r = 0; r < TOGETHER; ++r) {
                total[k].x += d[r] * a[r][k].x;
                total[k].y += d[r] * a[r][k].y;
                total[k].z += d[r] * a[r][k].z;
                total[k].w += d[r] * a[r][k].w;
            }
        if (looks && lane == 0) {  // what nobody waits for
            Term t = pointwise(below, beyond, there, target);
            ahead[first + row] = there;
            slope[first + row] = (float)(weight * t.d);
            loss += weight * t.v;
            inner += weight * t.d * (double)there;
        }
        ++turn;
        if (++held == HELD || first + TOGETHER >= high) {  // few sums in single precision
            held = 0;
            #pragma unroll
            for (int k = 0; k < V; ++k) {
                int q = threadIdx.x + k * WIDTH;
                if (q < quads) {
                    double2* to = (double2*)(mine + 4 * q);
                    double2 one = to[0], two = to[1];
                    one.x += (double)total[k].x; one.y += (double)total[k].y;
                    two.x += (double)total[k].z; two.y += (double)total[k].w;
                    to[0] = one; to[1] = two;
                }
                total[k] = make_float4(0.f, 0.f, 0.f, 0.f);
            }
        }
    }
    if (lane == 0) {
        mine[columns + warp] = loss;
        mine[columns + WARPS + warp] = inner;
    }
}

// the sums of the blocks, first to last: the gradient, then value and inner product
extern "C" __global__ void gather(const double* partial, int columns, int blocks, float* out,
                                  double* sums) {
    int j = blockIdx.x * THREADS + threadIdx.x, width = columns + 2 * WARPS;
    if (j >= columns + 2) return;
    double total = 0.0;
    if (j < columns) {
        #pragma unroll 8
        for (int p = 0; p < blocks; ++p) total += partial[(long long)p * width + j];
        out[j] = (float)total;
        return;
    }
    for (int p = 0; p < blocks; ++p)
        for (int r = 0; r < WARPS; ++r)
            total += partial[(long long)p * width + columns + (j - columns) * WARPS + r];
    sums[j - columns] = total;
    __threadfence_system();
}
"""

LossTerms: TypeAlias = "tuple[int, Threshold, DeviceArray, DeviceArray]"
"""A separable loss: the code of its term, threshold, targets and weights."""


class OnePass:
    """Step z -> (1 - γ)z + γAs with value and gradient, for a dense float32 matrix A by rows."""

    def __init__(self, launcher: Launcher, matrix: DeviceArray) -> None:
        self._launcher, self.matrix = launcher, matrix
        columns = matrix.shape[1]
        self.rooms = min(MAX_ROWS_AHEAD, MAX_SHARED_BYTES // (4 * columns))

    @staticmethod
    def takes(matrix: DeviceArray) -> bool:
        """True if the kernel can read the matrix, and there are rows enough for all blocks."""
        rows, columns = matrix.shape
        fits = (
            MIN_COLUMNS <= columns <= MAX_COLUMNS and columns % 4 == 0 and matrix.data.ptr % 16 == 0
        )
        single = matrix.dtype == np.float32 and bool(matrix.flags.c_contiguous)
        return fits and single and rows >= 4 * BLOCKS

    def __call__(
        self,
        terms: LossTerms,
        s: DeviceArray,
        z: DeviceArray,
        gamma: float,
        ahead: DeviceArray,
        slope: DeviceArray,
        out: DeviceArray,
    ) -> tuple[float, float]:
        """ahead = (1 - γ)z + γAs, slope = phi'(ahead), out = A'slope; return phi, <slope, ahead>"""
        code, delta, b, w = terms
        below, beyond = delta if isinstance(delta, tuple) else (delta, delta)
        rows, columns = self.matrix.shape
        each = -(-columns // (4 * THREADS))
        names = {"V": str(each), "ROOMS": str(self.rooms), "CODE": str(int(code))}
        names |= {
            "WIDTH": str(THREADS),
            "TOGETHER": str(ROWS_AT_ONCE),
            "HELD": str(MAX_SINGLE_SUMS),
        }
        kernel = compiled(PRELUDE + TERMS + SOURCE, "one_pass", **names)
        shared = self.rooms * 4 * columns
        kernel.max_dynamic_shared_size_bytes = shared
        span = -(-rows // BLOCKS)
        numbers = (np.float64(1.0 - gamma), np.float64(gamma))
        turns = (np.int32(w.size == 1), np.float64(below), np.float64(beyond), np.int64(span))
        first = (self.matrix, np.int64(rows), np.int32(columns), s, *numbers, z, b, w, *turns)
        partial = cupy.empty(BLOCKS * (columns + 2 * THREADS // 32), dtype=np.float64)
        kernel((BLOCKS,), (THREADS,), (*first, ahead, slope, partial), shared_mem=shared)
        room = self._launcher.answers.pointer
        last = (partial, np.int32(columns), np.int32(BLOCKS), out, room)
        blocks = (columns + 2 + 255) // 256
        compiled(PRELUDE + TERMS + SOURCE, "gather", **names)((blocks,), (256,), last)
        value, inner = self._launcher.wait(2)
        return value, inner
