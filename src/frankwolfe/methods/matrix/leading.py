"""Leading singular vectors of minus the gradient beside those of X, by subspace iteration."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frankwolfe.base.arrays import Array
from frankwolfe.core.gradients import MatrixGradient
from frankwolfe.core.low_rank import FactoredMatrix, as_rows, thin_svd
from frankwolfe.core.region_abilities import Factoring
from frankwolfe.core.tall import take_out, thin_qr
from frankwolfe.methods.matrix.policy import POLICY

__all__ = ["Leading", "leading_beside"]


class Leading(NamedTuple):
    """Singular vectors, one in each row, and values, largest first, of minus a gradient."""

    left: Array
    values: Array
    right: Array


def leading_beside(
    g: MatrixGradient, x: FactoredMatrix, form: Factoring, count: int, first: Array
) -> Leading:
    """Leading singular vectors of minus the part of g that is orthogonal to the terms of x.

    Along its own terms X is moved by the search on its factors. `first` is the vector that the
    oracle has found, on the shorter side. A fixed seed: a resumed run is the same; rough vectors
    do, the search mends them.
    """
    count = min(count, min(g.shape) - x.terms)
    if count <= 0:
        return Leading(x.left[:0], np.zeros(0), x.right[:0])
    return (_symmetric if form.symmetric else _general)(g, x, count, first)


def _general(g: MatrixGradient, x: FactoredMatrix, count: int, first: Array) -> Leading:
    """Singular vectors of a rectangular g; by a dense decomposition where that is small."""
    rows, columns = g.shape
    if min(rows, columns) <= count + x.terms + 1:
        full = g.dense()
        for side in (x.left, x.right):
            kept = g.place.get(side)
            full = full - kept.T @ (kept @ full)
            full = full.T
        u, s, vt = np.linalg.svd(full, full_matrices=False)
        return Leading(g.place.put(-u.T[:count]), s[:count], g.place.put(vt[:count].copy()))
    block = _noise(g, columns, count, first)
    image = g.place.empty((rows, block.shape[1]), g.dtype)
    for _ in range(_powers(count)):
        block = _orthonormal(block, x.right, g)
        g.apply_block(block, image)
        take_out(image, x.left)
        g.adjoint_block(image, block)
    block = _orthonormal(block, x.right, g)
    g.apply_block(block, image)
    take_out(image, x.left)
    u, s, wt = thin_svd(image)
    return Leading(-u.T[:count], s[:count], (g.place.put(wt) @ block.T)[:count].copy())


def _symmetric(g: MatrixGradient, x: FactoredMatrix, count: int, first: Array) -> Leading:
    """Eigenvectors of minus the symmetric part of g, shifted so that the largest ones lead."""
    n = g.shape[0]
    if n <= count + x.terms + 1:
        full = g.dense()
        own = g.place.get(x.left).T @ g.place.get(x.left)
        kept = np.eye(n) - own
        least = 2.0 * g.frobenius()  # the terms of x come last
        values, vectors = np.linalg.eigh(-0.5 * kept @ (full + full.T) @ kept - least * own)
    else:
        block = _noise(g, n, count, first)
        there, back = np.empty_like(block), np.empty_like(block)
        lift = g.frobenius()
        for _ in range(2 * _powers(count) + 1):
            block = _orthonormal(block, x.left, g)
            g.apply_block(block, there)
            g.adjoint_block(block, back)
            image = -0.5 * (there + back)
            basis, block = block, image + lift * block
        values, turn = np.linalg.eigh(g.place.get(basis.T @ image))
        vectors = basis @ g.place.put(turn)
    vectors = g.place.put(as_rows(vectors[:, ::-1][:, :count].T, vectors.dtype))
    return Leading(vectors, values[::-1][:count], vectors)


def _noise(g: MatrixGradient, rows: int, count: int, first: Array) -> Array:
    """First block of the iteration: random columns, and the oracle's vector in the first."""
    width = min(count + POLICY.oversampling, *g.shape)
    noise = np.random.default_rng(0).standard_normal((rows, width)).astype(g.dtype)
    block = g.place.put(noise)
    if first.size == rows:
        block[:, 0] = first
    elif first.size:
        image = g.place.empty(rows, np.float64)
        g.adjoint(first, image)
        block[:, 0] = image
    return block


def _orthonormal(block: Array, terms: Array, g: MatrixGradient) -> Array:
    """Orthonormal basis of the block's columns beside the terms."""
    take_out(block, terms)
    found = as_rows(thin_qr(block)[0], g.dtype)
    take_out(found, terms)  # what rounding has left of them is no longer small beside the rest
    return found


def _powers(count: int) -> int:
    """Number of powers of G'G: more where few vectors are asked for, which are to be good."""
    return min(max(POLICY.products // count, POLICY.min_powers), POLICY.max_powers)
