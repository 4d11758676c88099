"""Products with dense matrices on the device: never TF32, sums in double.

Few products of single precision are added up before they go into a double, and in an order that
depends on the shape alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import cupy
import numpy as np

from frankwolfe.engines.cuda.launch import THREADS, Kernels
from frankwolfe.engines.cuda.source import TYPES

if TYPE_CHECKING:
    from frankwolfe.engines.maps import DeviceArray

__all__ = ["DenseProducts"]

ROWS_A_WARP = 4  # read at a time, as ROWS of the source: each entry of x serves four rows
MIN_WARPS = 16_384  # of a product; with fewer, rows are split so that no multiprocessor waits
MIN_SPLIT_COLUMNS = 4096  # columns of a row that are worth a warp of their own
MIN_BLOCKS = 2048  # of a sum over rows; with fewer, rows are split
MAX_ROW_PARTS = 512  # of the rows; bounds the partial sums that are added afterwards

SOURCE = r"""
#define ROWS 4
#define LOOP extern "C" __global__ void

template <typename E, int N> struct Pack { E at[N]; };
template <int N> struct Wide;
template <> struct Wide<16> { typedef float4 type; };
template <> struct Wide<8> { typedef float2 type; };
template <> struct Wide<4> { typedef float type; };
typedef Pack<T, W> Some;

__device__ __forceinline__ Some once(const T* at) {  // read and not kept in a cache
    typedef typename Wide<sizeof(T) * W>::type Raw;
    Raw raw = __ldcs((const Raw*)at);
    return *(Some*)&raw;
}
__device__ __forceinline__ Some often(const T* at) {
    typedef typename Wide<sizeof(T) * W>::type Raw;
    Raw raw = __ldg((const Raw*)at);
    return *(Some*)&raw;
}

// out_i = <row i, x>, or |row i|^2; with several parts of the columns, sums go to `partial`
LOOP rows_dot(const T* A, long long rows, long long columns, long long apart, const T* x,
              long long span, double* partial, OUT* out) {
    int lane = threadIdx.x & 31;
    long long first = ((blockIdx.x * (long long)THREADS + threadIdx.x) >> 5) * ROWS;
    if (first >= rows) return;
    long long low = blockIdx.y * span, high = min(columns, low + span);
    const T* row[ROWS];
    double total[ROWS];
    #pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        row[r] = A + min(first + r, rows - 1) * apart;
        total[r] = 0.0;
    }
    long long step = 32 * W, j = low + lane * W;
    for (; j + 3 * step < high; j += 4 * step) {
        Some a[4][ROWS];
        #pragma unroll
        for (int u = 0; u < 4; ++u)
            #pragma unroll
            for (int r = 0; r < ROWS; ++r) a[u][r] = once(row[r] + j + u * step);
#if SQUARE
        #pragma unroll
        for (int u = 0; u < 4; ++u)
            #pragma unroll
            for (int r = 0; r < ROWS; ++r)
                #pragma unroll
                for (int k = 0; k < W; ++k) {
                    double entry = a[u][r].at[k];
                    total[r] += entry * entry;
                }
#else
        T part[ROWS];
        #pragma unroll
        for (int r = 0; r < ROWS; ++r) part[r] = 0;
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            Some v = often(x + j + u * step);
            #pragma unroll
            for (int r = 0; r < ROWS; ++r)
                #pragma unroll
                for (int k = 0; k < W; ++k) part[r] += a[u][r].at[k] * v.at[k];
        }
        #pragma unroll
        for (int r = 0; r < ROWS; ++r) total[r] += (double)part[r];
#endif
    }
    for (; j < high; j += step) {
        #pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            Some a = once(row[r] + j);
#if SQUARE
            Some v = a;
#else
            Some v = often(x + j);
#endif
            #pragma unroll
            for (int k = 0; k < W; ++k) total[r] += (double)a.at[k] * (double)v.at[k];
        }
    }
    #pragma unroll
    for (int r = 0; r < ROWS; ++r)
        for (int o = 16; o > 0; o >>= 1) total[r] += __shfl_down_sync(0xffffffffu, total[r], o);
    if (lane) return;
    for (int r = 0; r < ROWS && first + r < rows; ++r) {
        if (gridDim.y > 1) partial[blockIdx.y * rows + first + r] = total[r];
        else out[first + r] = (OUT)total[r];
    }
}

// partial_j = the sum of y_i A_ij over the rows of one part, or of A_ij^2; `across` threads of a
// block take columns, the others rows
LOOP rows_sum(const T* A, long long rows, long long columns, long long apart, const T* y,
              long long span, int across, double* partial) {
    extern __shared__ double room[];
    int x = threadIdx.x & (across - 1), down = THREADS / across, by = threadIdx.x / across;
    long long j = (blockIdx.x * (long long)across + x) * W;
    long long low = blockIdx.y * span, high = min(rows, low + span);
    double total[W];
    #pragma unroll
    for (int k = 0; k < W; ++k) total[k] = 0.0;
    if (j < columns) {
        long long i = low + by;
        for (; i + 7 * down < high; i += 8 * down) {
            Some a[8];
            #pragma unroll
            for (int u = 0; u < 8; ++u) a[u] = once(A + (i + u * down) * apart + j);
#if SQUARE
            #pragma unroll
            for (int u = 0; u < 8; ++u)
                #pragma unroll
                for (int k = 0; k < W; ++k) total[k] += (double)a[u].at[k] * (double)a[u].at[k];
#else
            T c[8];
            #pragma unroll
            for (int u = 0; u < 8; ++u) c[u] = __ldg(y + i + u * down);
            #pragma unroll
            for (int k = 0; k < W; ++k) {
                T part = 0;
                #pragma unroll
                for (int u = 0; u < 8; ++u) part += c[u] * a[u].at[k];
                total[k] += (double)part;
            }
#endif
        }
        for (; i < high; i += down) {
            Some a = once(A + i * apart + j);
            #pragma unroll
            for (int k = 0; k < W; ++k)
#if SQUARE
                total[k] += (double)a.at[k] * (double)a.at[k];
#else
                total[k] += (double)y[i] * (double)a.at[k];
#endif
        }
    }
    if (down > 1) {
        for (int k = 0; k < W; ++k) room[threadIdx.x * W + k] = total[k];
        __syncthreads();
        if (by == 0)
            for (int d = 1; d < down; ++d)
                for (int k = 0; k < W; ++k) total[k] += room[(d * across + x) * W + k];
    }
    if (by == 0 && j < columns)
        for (int k = 0; k < W; ++k) partial[blockIdx.y * columns + j + k] = total[k];
}

// out_j = the sum of `parts` rows of `partial`, first to last
LOOP fold(const double* partial, long long size, long long parts, OUT* out) {
    long long j = blockIdx.x * (long long)THREADS + threadIdx.x;
    if (j >= size) return;
    double total = 0.0;
    #pragma unroll 8
    for (long long p = 0; p < parts; ++p) total += partial[p * size + j];
    out[j] = (OUT)total;
}

// out_ik = values_k A[i, places_k], or their sum over k
LOOP take(const T* A, long long rows, long long down, long long right, const long long* places,
          const double* values, long long count, int together, T* out) {
    long long i = blockIdx.x * (long long)THREADS + threadIdx.x;
    if (i >= rows) return;
    double total = 0.0;
    for (long long k = 0; k < count; ++k) {
        double entry = values[k] * (double)A[i * down + places[k] * right];
        if (together) total += entry;
        else out[k * rows + i] = (T)entry;
    }
    if (together) out[i] = (T)total;
}
"""


class DenseProducts(Kernels):
    """Kernels for products of dense matrices, whose rows are contiguous, with vectors."""

    source = SOURCE
    macros: ClassVar[dict[str, str]] = {"W": "1", "SQUARE": "0", "OUT": "double"}

    def rows_dot(self, A: DeviceArray, x: DeviceArray | None, out: DeviceArray) -> None:
        """out = A x for contiguous rows; squared norms of the rows without x."""
        rows, columns = A.shape
        warps = -(-rows // ROWS_A_WARP)
        parts = max(1, min(-(-MIN_WARPS // warps), columns // MIN_SPLIT_COLUMNS))
        span = -(-columns // (parts * 128)) * 128
        parts = -(-columns // span)
        partial = _room(parts * rows) if parts > 1 else out
        blocks = (-(-warps * 32 // THREADS), parts)
        square, x = ("1", A) if x is None else ("0", x)
        arguments = (A, rows, columns, _apart(A), x, span, partial, out)
        names = {"W": _width(A, x), "SQUARE": square, "OUT": TYPES[out.dtype]}
        self._start("rows_dot", blocks, arguments, A, names=names)
        if parts > 1:
            self._fold(partial, rows, parts, out)

    def rows_sum(self, A: DeviceArray, y: DeviceArray | None, out: DeviceArray) -> None:
        """out = A'y for contiguous rows; squared norms of the columns without y."""
        rows, columns = A.shape
        width = int(_width(A, A))
        across = 1
        while across < THREADS and across * width < columns:
            across *= 2
        tiles, down = -(-columns // (across * width)), THREADS // across
        parts = max(1, min(-(-MIN_BLOCKS // tiles), MAX_ROW_PARTS, -(-rows // (8 * down))))
        span = -(-rows // parts)
        parts = -(-rows // span)
        partial = _room(parts * columns)
        square, y = ("1", A) if y is None else ("0", y)
        arguments = (A, rows, columns, _apart(A), y, span, np.int32(across), partial)
        shared = 8 * THREADS * width if down > 1 else 0
        names = {"W": str(width), "SQUARE": square}
        self._start("rows_sum", (tiles, parts), arguments, A, shared, names)
        self._fold(partial, columns, parts, out)

    def _fold(self, partial: DeviceArray, size: int, parts: int, out: DeviceArray) -> None:
        """out = the sum of partial sums, first to last."""
        blocks = -(-size // THREADS)
        self._start(
            "fold", blocks, (partial, size, parts, out), out, names={"OUT": TYPES[out.dtype]}
        )

    def take(
        self,
        A: DeviceArray,
        places: DeviceArray,
        values: DeviceArray,
        out: DeviceArray,
        *,
        together: bool,
    ) -> None:
        """out = the columns `places` of A times `values`, side by side, or their sum."""
        rows = A.shape[0]
        down, right = (stride // A.itemsize for stride in A.strides)
        arguments = (A, rows, down, right, places, values, places.size, together, out)
        self._start("take", -(-rows // THREADS), arguments, A)


def _room(size: int) -> DeviceArray:
    """New float64 array from CuPy's pool: of this call alone, so that threads do not share it."""
    return cupy.empty(size, dtype=np.float64)


def _apart(A: DeviceArray) -> int:
    """Stride of the rows, in entries."""
    return int(A.strides[0] // A.itemsize)


def _width(A: DeviceArray, x: DeviceArray) -> str:
    """Entries that a thread reads at once: 16 bytes if all rows are aligned to that, else one."""
    width = 16 // A.itemsize
    even = A.shape[1] % width == 0 and _apart(A) % width == 0
    aligned = A.data.ptr % 16 == 0 and x.data.ptr % 16 == 0
    return str(width) if even and aligned else "1"
