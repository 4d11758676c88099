"""Products with compressed matrices on the device, in an order that depends on them alone.

A row has as many threads as its mean length is worth; long rows are cut into parts, each with a
block of its own, whose sums are added first to last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import cupy
import numpy as np

from frankwolfe.engines.cuda.launch import ALL_CACHE, THREADS, Kernels
from frankwolfe.engines.cuda.source import TYPES

if TYPE_CHECKING:
    from frankwolfe.base.arrays import AnyArray
    from frankwolfe.engines.maps import DeviceArray

__all__ = ["CompressedProducts", "LongRows"]

MAX_SHORT_ROW = 4096  # entries; longer rows are shared by several blocks, with as many entries each

SOURCE = r"""
#define LOOP extern "C" __global__ void

#if SQUARE
#define ENTRY(e) ((double)data[e] * (double)data[e])
#else
#define ENTRY(e) ((double)__ldcs(data + (e)) * (double)__ldg(x + __ldcs(places + (e))))
#endif

// out_i = <compressed row i, x>, or |row i|^2, `lanes` threads a row; longer rows are left out
LOOP sparse_dot(const I* ends, const I* places, const T* data, long long rows, const T* x,
                int lanes, long long longest, OUT* out) {
    long long i = (blockIdx.x * (long long)THREADS + threadIdx.x) / lanes;
    int lane = threadIdx.x & (lanes - 1);
    long long low = 0, high = 0;
    if (i < rows) { low = ends[i]; high = ends[i + 1]; }
    bool mine = i < rows && high - low <= longest;
    double total = 0.0;
    if (mine) {
        long long e = low + lane;
        for (; e + 3 * lanes < high; e += 4 * lanes) {
            double part[4];
            #pragma unroll
            for (int u = 0; u < 4; ++u)
                part[u] = ENTRY(e + u * lanes);
            total += (part[0] + part[1]) + (part[2] + part[3]);
        }
        for (; e < high; e += lanes) total += ENTRY(e);
    }
    for (int o = lanes >> 1; o > 0; o >>= 1)
        total += __shfl_down_sync(0xffffffffu, total, o, lanes);
    if (mine && lane == 0) out[i] = (OUT)total;
}

// a part of a long row for each block
LOOP sparse_part(const I* places, const T* data, const long long* low, const long long* high,
                 const T* x, double* partial) {
    double sums[1] = {0.0};
    for (long long e = low[blockIdx.x] + threadIdx.x; e < high[blockIdx.x]; e += THREADS)
        sums[0] += ENTRY(e);
    block_sums<1>(sums);
    if (threadIdx.x == 0) partial[blockIdx.x] = sums[0];
}
LOOP sparse_fold(const double* partial, const long long* first, const long long* rows,
                 long long count, OUT* out) {
    long long k = blockIdx.x * (long long)THREADS + threadIdx.x;
    if (k >= count) return;
    double total = 0.0;
    for (long long p = first[k]; p < first[k + 1]; ++p) total += partial[p];
    out[rows[k]] = (OUT)total;
}
LOOP scatter(const I* places, const T* data, long long low, long long high, double scale, T* out) {
    long long e = low + blockIdx.x * (long long)THREADS + threadIdx.x;
    if (e < high) out[places[e]] = (T)((double)out[places[e]] + scale * (double)data[e]);
}
"""


class LongRows:
    """Long rows of a compressed matrix, cut into parts of at most `MAX_SHORT_ROW` entries."""

    def __init__(self, ends: AnyArray) -> None:
        sizes: Any = np.diff(ends.astype(np.int64))
        rows = np.flatnonzero(sizes > MAX_SHORT_ROW)
        parts = -(-sizes[rows] // MAX_SHORT_ROW)
        first = np.concatenate([[0], np.cumsum(parts)])
        within = np.arange(first[-1]) - np.repeat(first[:-1], parts)
        low = np.repeat(ends[rows].astype(np.int64), parts) + within * MAX_SHORT_ROW
        high = np.minimum(low + MAX_SHORT_ROW, np.repeat(ends[rows + 1].astype(np.int64), parts))
        self.count = rows.size
        self.parts = int(first[-1])
        if rows.size:
            self.rows, self.first, self.low, self.high = map(cupy.asarray, (rows, first, low, high))
        self.lanes = _lanes(float(sizes.mean()) if sizes.size else 1.0)


def _lanes(mean: float) -> int:
    """Threads for a row, a power of two: one for at most 8 entries of an average row."""
    lanes = 2
    while lanes < 32 and 8 * lanes < mean:
        lanes *= 2
    return lanes


class CompressedProducts(Kernels):
    """Kernels for products of compressed rows with vectors."""

    source = SOURCE
    macros: ClassVar[dict[str, str]] = {"SQUARE": "0", "OUT": "double", "I": "int"}

    def dot(
        self,
        ends: DeviceArray,
        places: DeviceArray,
        data: DeviceArray,
        long: LongRows,
        x: DeviceArray | None,
        out: DeviceArray,
    ) -> None:
        """out = A x for compressed rows; their squared norms without x."""
        rows, square = ends.size - 1, "1" if x is None else "0"
        x = data if x is None else x
        blocks = -(-rows * long.lanes // THREADS)
        arguments = (ends, places, data, rows, x, np.int32(long.lanes), MAX_SHORT_ROW, out)
        names = {"I": _whole(places), "OUT": TYPES[out.dtype], "SQUARE": square}
        self._start("sparse_dot", blocks, arguments, data, ALL_CACHE, names)
        if long.count:
            partial = cupy.empty(long.parts, dtype=np.float64)
            parts = (places, data, long.low, long.high, x, partial)
            self._start("sparse_part", long.parts, parts, data, names=names)
            rest = (partial, long.first, long.rows, long.count, out)
            self._start("sparse_fold", -(-long.count // THREADS), rest, data, names=names)

    def scatter(
        self,
        places: DeviceArray,
        data: DeviceArray,
        low: int,
        high: int,
        scale: float,
        out: DeviceArray,
    ) -> None:
        """Add scale times the entries low, ..., high - 1, whose places differ, to out."""
        if high > low:
            blocks, arguments = -(-(high - low) // THREADS), (places, data, low, high, scale, out)
            self._start("scatter", blocks, arguments, data, names={"I": _whole(places)})


def _whole(places: DeviceArray) -> str:
    """CUDA type of indices."""
    return "int" if places.dtype == np.int32 else "long long"
