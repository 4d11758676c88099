"""CUDA source of the loops over observed cells.

A side of the layout (:mod:`frankwolfe.engines.cells_layout`) is a list of pieces. A group of
threads takes one piece, writes its sum to a place of its own, and a second kernel adds the pieces
of a line in order: no sum depends on which group was done first. Macros: T is the type of the
values, I that of a place within a panel, LANES how many threads take a piece.
"""

from __future__ import annotations

__all__ = ["EVALUATE", "PLAIN", "VECTORS"]

VECTORS = r"""
#define GROUP \
    (LANES == 32 ? 0xffffffffu : ((1u << (LANES & 31)) - 1) << ((threadIdx.x & 31) / LANES * LANES))

// vector[base...] of a panel, in shared memory where it fits
#if SHARED
#define PANEL(V, name, vector) \
    extern __shared__ double room[]; \
    V* name = (V*)room; \
    { \
        int size = (int)min((long long)width, length - base); \
        for (int i = threadIdx.x; i < size; i += blockDim.x) name[i] = vector[base + i]; \
    } \
    __syncthreads();
#else
#define PANEL(V, name, vector) const V* name = vector + base;
#endif

// the pieces of a group of threads: every so many of its panel
#define OWN_PIECES \
    int lane = threadIdx.x % LANES, each = blockDim.x / LANES, step = each * chunks; \
    int p = panels[panel] + chunk * each + threadIdx.x / LANES, end = panels[panel + 1];

// out[p] = sum of values[k] vector[place of k] over the cells k of piece p
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT) piece_sums(
    const int* starts, const int* panels, const I* index, const T* values, const double* vector,
    double* out, int width, long long length, int chunks) {
    int panel = blockIdx.x / chunks, chunk = blockIdx.x % chunks;
    long long base = (long long)panel * width;
    PANEL(double, part, vector)
    OWN_PIECES
    int first = p < end ? starts[p] : 0, last = p < end ? starts[p + 1] : 0;
    while (p < end) {
        int next = p + step;  // where it lies is on its way meanwhile
        int next_first = next < end ? starts[next] : 0;
        int next_last = next < end ? starts[next + 1] : 0;
        double total = 0.0;
        for (int k = first + lane; k < last; k += AHEAD * LANES) {
            const T* from = values + k;
            const I* at = index + k;
            int left = last - k;
            T value[AHEAD];
            I place[AHEAD];
#pragma unroll
            for (int a = 0; a < AHEAD; ++a) {  // all are on their way before the first is used
                value[a] = a * LANES < left ? from[a * LANES] : (T)0;
                place[a] = a * LANES < left ? at[a * LANES] : (I)0;
            }
#pragma unroll
            for (int a = 0; a < AHEAD; ++a) total += (double)value[a] * part[place[a]];
        }
#pragma unroll
        for (int o = LANES / 2; o > 0; o >>= 1) total += __shfl_xor_sync(GROUP, total, o);
        if (lane == 0) out[p] = total;
        p = next, first = next_first, last = next_last;
    }
}

// out[k] = scale u[i] v[j] on every cell
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT) rank_one(
    const int* starts, const int* panels, const int* owner, const I* index, double scale,
    const T* u, const T* v, T* out, int width, long long length, int chunks) {
    int panel = blockIdx.x / chunks, chunk = blockIdx.x % chunks;
    long long base = (long long)panel * width;
    PANEL(T, part, v)
    OWN_PIECES
    int first = p < end ? starts[p] : 0, last = p < end ? starts[p + 1] : 0;
    T own = p < end ? u[owner[p]] : (T)0;
    while (p < end) {
        int next = p + step;
        int next_first = next < end ? starts[next] : 0;
        int next_last = next < end ? starts[next + 1] : 0;
        T next_own = next < end ? u[owner[next]] : (T)0;
        double factor = scale * (double)own;
        for (int k = first + lane; k < last; k += AHEAD * LANES) {
            const I* at = index + k;
            T* to = out + k;
            int left = last - k;
            I place[AHEAD];
#pragma unroll
            for (int a = 0; a < AHEAD; ++a) place[a] = a * LANES < left ? at[a * LANES] : (I)0;
#pragma unroll
            for (int a = 0; a < AHEAD; ++a)
                if (a * LANES < left) to[a * LANES] = (T)(factor * (double)part[place[a]]);
        }
        p = next, first = next_first, last = next_last, own = next_own;
    }
}
"""

# what depends on the type of the values alone
PLAIN = r"""
// out[line] = the sum of its pieces, first to last; no `ids` where they lie in order
extern "C" __global__ void line_sums(const double* partial, const int* lines, const int* ids,
                                     double* out, int count) {
    int line = blockIdx.x * blockDim.x + threadIdx.x;
    if (line >= count) return;
    double total = 0.0;
    for (int t = lines[line]; t < lines[line + 1]; ++t) total += partial[ids ? ids[t] : t];
    out[line] = total;
}

// the same with a warp for each line
extern "C" __global__ void long_line_sums(const double* partial, const int* lines, const int* ids,
                                          double* out, int count) {
    int line = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (line >= count) return;
    double total = 0.0;
    for (int t = lines[line] + lane; t < lines[line + 1]; t += 32)
        total += partial[ids ? ids[t] : t];
    for (int o = 16; o > 0; o >>= 1) total += __shfl_xor_sync(0xffffffffu, total, o);
    if (lane == 0) out[line] = total;
}

// values of cells in another order
extern "C" __global__ void gather(const T* values, const int* places, T* out, long long size) {
    long long k = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (k < size) __stcs(out + k, values[__ldcs(places + k)]);  // both are read or written once
}
"""

# behind the losses of one term
EVALUATE = r"""
#define ENTRIES (16 / (int)sizeof(T))
struct __align__(16) Vec { T e[ENTRIES]; };

#define TERM(z, b, i) \
    Term term = pointwise(below, beyond, (double)(z), (double)(b)); \
    double weight = w[same ? 0 : (i)], d = weight * term.d; \
    sums[0] += weight * term.v; \
    sums[1] += d * (double)(z);

// phi'(z), written twice; phi(z) and <phi'(z), z>
extern "C" __global__ void __launch_bounds__(THREADS) evaluate(
    double below, double beyond, const T* z, const T* b, const double* w, int same,
    long long size, T* slope, T* out, double* partial, unsigned int* count, double* numbers) {
    double sums[2] = {0.0, 0.0};
    long long at = blockIdx.x * (long long)THREADS + threadIdx.x;
    long long step = gridDim.x * (long long)THREADS, vectors = size / ENTRIES;
#pragma unroll 2
    for (long long i = at; i < vectors; i += step) {
        Vec x = ((const Vec*)z)[i], y = ((const Vec*)b)[i], found;
#pragma unroll
        for (int e = 0; e < ENTRIES; ++e) {
            TERM(x.e[e], y.e[e], i * ENTRIES + e)
            found.e[e] = (T)d;
        }
        ((Vec*)slope)[i] = found;
        ((Vec*)out)[i] = found;
    }
    for (long long i = vectors * ENTRIES + at; i < size; i += step) {
        TERM(z[i], b[i], i)
        slope[i] = out[i] = (T)d;
    }
    grid_sums<2>(sums, partial, count, numbers);
}
"""
