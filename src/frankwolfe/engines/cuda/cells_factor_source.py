"""CUDA source of the loops over observed cells that read a row of factors for each cell.

A warp takes a piece (:mod:`frankwolfe.engines.cuda.cells_source`); G of its threads take a cell, Q
vectors of 16 bytes each. T is the type of the values, I that of a place within a panel.
"""

from __future__ import annotations

__all__ = ["FACTORS", "LOSS", "SUMS"]

# Factors have `vecs` vectors of 16 bytes a row, zeros at the end; a cell is read by G threads, Q
# vectors each.
FACTORS = r"""
#define FULL 0xffffffffu
#define ENTRIES (16 / (int)sizeof(T))
#define AT_ONCE (32 / G)
#define SLOT(q) (mine + (q) * G)

struct __align__(16) Vec { T e[ENTRIES]; };

__device__ __forceinline__ void read(Vec* out, const T* factors, long long row, int vecs, int mine,
                                     bool inside) {
    const Vec* from = (const Vec*)factors + row * vecs;
#pragma unroll
    for (int q = 0; q < Q; ++q) {
        if (inside && SLOT(q) < vecs) out[q] = from[SLOT(q)];
        else for (int e = 0; e < ENTRIES; ++e) out[q].e[e] = (T)0;
    }
}

template <class Sum>
__device__ __forceinline__ Sum inner_product(const Vec* x, const Vec* y) {
    Sum total = (Sum)0;
#pragma unroll
    for (int q = 0; q < Q; ++q)
#pragma unroll
        for (int e = 0; e < ENTRIES; ++e) total += (Sum)(x[q].e[e] * y[q].e[e]);
#pragma unroll
    for (int o = G / 2; o > 0; o >>= 1) total += __shfl_xor_sync(FULL, total, o);
    return total;
}

__device__ __forceinline__ void add(Vec* sum, T factor, const Vec* x) {
#pragma unroll
    for (int q = 0; q < Q; ++q)
#pragma unroll
        for (int e = 0; e < ENTRIES; ++e) sum[q].e[e] += factor * x[q].e[e];
}

// the sums of a warp's groups, written by the first of them
__device__ __forceinline__ void write(Vec* sum, T* out, long long row, int vecs, int lane) {
    int mine = lane % G;
#pragma unroll
    for (int q = 0; q < Q; ++q) {
#pragma unroll
        for (int e = 0; e < ENTRIES; ++e)
#pragma unroll
            for (int o = G; o < 32; o <<= 1)
                sum[q].e[e] += __shfl_xor_sync(FULL, sum[q].e[e], o);
        if (lane < G && SLOT(q) < vecs) ((Vec*)out)[row * vecs + SLOT(q)] = sum[q];
    }
}

// out[k] = <left_i, right_j> on every cell, products added in double
extern "C" __global__ void __launch_bounds__(256) factored(
    const int* starts, const int* owner, int pieces, const I* index, const T* left,
    const T* right, int vecs, T* out) {
    int p = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31, mine = lane % G;
    if (p >= pieces) return;
    Vec own[Q], other[Q];
    read(own, left, owner[p], vecs, mine, true);
    int last = starts[p + 1];
    for (int first = starts[p]; first < last; first += AT_ONCE) {
        int k = first + lane / G;
        bool inside = k < last;
        read(other, right, inside ? (long long)index[k] : 0, vecs, mine, inside);
        double z = inner_product<double>(own, other);
        if (inside && mine == 0) out[k] = (T)z;
    }
}

// partial[p - offset] = sum of values[place of k] factors_i over the cells k of piece p; a grid of
// blocks for each panel
extern "C" __global__ void __launch_bounds__(256) weighted(
    const int* starts, const int* panels, int panel, const I* index, const int* places,
    const T* values, const T* factors, int width, int vecs, T* partial, int offset) {
    panel += blockIdx.y;
    int p = panels[panel] + (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (p >= panels[panel + 1]) return;
    int lane = threadIdx.x & 31, mine = lane % G;
    long long base = (long long)panel * width;
    Vec other[Q], sum[Q];
    read(sum, factors, 0, vecs, mine, false);
    int first = starts[p], last = starts[p + 1], ahead = first + lane / G;
    long long row = ahead < last ? base + (long long)index[ahead] : 0;
    T factor = ahead < last ? values[places ? places[ahead] : ahead] : (T)0;
    for (; first < last; first += AT_ONCE) {
        T mine_now = factor;
        read(other, factors, row, vecs, mine, ahead < last);
        ahead += AT_ONCE;
        row = ahead < last ? base + (long long)index[ahead] : 0;
        factor = ahead < last ? values[places ? places[ahead] : ahead] : (T)0;
        add(sum, mine_now, other);
    }
    write(sum, partial, p - offset, vecs, lane);
}
"""

# the loss of factors: behind FACTORS, and behind the losses of one term
LOSS = r"""
// loss of tau L R' over the cells of a piece, and <G, tau L R'>, in totals; G in slope; and the
// piece's part of G R
extern "C" __global__ void __launch_bounds__(256) loss_rows(
    const int* starts, const int* owner, int pieces, const I* index, const T* left,
    const T* right, int vecs, double tau, double below, double beyond, const T* b,
    const double* w, int same, T* slope, T* partial, double2* totals) {
    int p = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31, mine = lane % G;
    if (p >= pieces) return;
    Vec own[Q], other[Q], sum[Q];
    read(own, left, owner[p], vecs, mine, true);
    read(sum, left, 0, vecs, mine, false);
    double total = 0.0, inner = 0.0;
    int first = starts[p], last = starts[p + 1], ahead = first + lane / G;
    long long column = ahead < last ? (long long)index[ahead] : 0;
    T target = ahead < last ? b[ahead] : (T)0;
    for (; first < last; first += AT_ONCE) {
        int k = ahead;
        bool inside = k < last;
        read(other, right, column, vecs, mine, inside);
        T aim = target;
        ahead += AT_ONCE;  // the next ones are on their way meanwhile
        column = ahead < last ? (long long)index[ahead] : 0;
        target = ahead < last ? b[ahead] : (T)0;
        double z = tau * (double)inner_product<T>(own, other);
        T factor = (T)0;
        if (inside) {
            Term term = pointwise(below, beyond, z, (double)aim);
            double weight = w[same ? 0 : k], d = weight * term.d;
            factor = (T)d;
            if (mine == 0) {
                slope[k] = factor;
                total += weight * term.v;
                inner += d * z;
            }
        }
        add(sum, factor, other);
    }
    write(sum, partial, p, vecs, lane);
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) {
        total += __shfl_xor_sync(FULL, total, o);
        inner += __shfl_xor_sync(FULL, inner, o);
    }
    if (lane == 0) totals[p] = make_double2(total, inner);
}
"""

# what depends on the type of the values alone
SUMS = r"""
// out[line] = (or +=) the sum of its pieces from `first` to `last`, in order
extern "C" __global__ void line_rows(const T* partial, const int* lines, const int* ids,
                                     int first, int last, int more, T* out,
                                     int count, int rank, int padded) {
    long long at = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (at >= (long long)count * rank) return;
    int line = (int)(at / rank), r = (int)(at % rank);
    double total = more ? (double)out[at] : 0.0;
    for (int t = lines[line]; t < lines[line + 1]; ++t) {
        int p = ids ? ids[t] : t;
        if (p >= first && p < last) total += (double)partial[(long long)(p - first) * padded + r];
    }
    out[at] = (T)total;
}

// factors with zeros behind each row
extern "C" __global__ void pad(const T* from, T* out, int count, int rank, int padded) {
    long long at = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (at >= (long long)count * padded) return;
    long long line = at / padded;
    int r = (int)(at % padded);
    out[at] = r < rank ? from[line * rank + r] : (T)0;
}

// the sums of two numbers over all pieces
extern "C" __global__ void both_sums(const double2* totals, long long size, double* partial,
                                     unsigned int* count, double* out) {
    double sums[2] = {0.0, 0.0};
    for (long long i = blockIdx.x * (long long)THREADS + threadIdx.x; i < size;
         i += gridDim.x * (long long)THREADS) {
        sums[0] += totals[i].x;
        sums[1] += totals[i].y;
    }
    grid_sums<2>(sums, partial, count, out);
}
"""
