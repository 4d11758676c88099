"""The same call gives the same bits, wherever in memory its arrays lie."""

import numpy as np
import pytest

import frankwolfe as fw
from frankwolfe.base.kernels import level, losses
from frankwolfe.base.kernels.terms import TERMS
from frankwolfe.core.kernels import logs, multinomial
from frankwolfe.solver.kernels import fast_path, one_pass

LENGTHS = (1, 5, 9, 17, 33, 64, 200)
CLASSES, COLUMNS = 3, 8


def laid_out(arrays, rng):
    """Copies in one block of memory, in any order, most of them side by side."""
    block = np.zeros(8 * sum(array.size for array in arrays) + 256)
    placed, at = [block] * len(arrays), int(rng.integers(0, 8))
    for k in rng.permutation(len(arrays)):
        array = arrays[k]
        placed[k] = block[at : at + array.size].reshape(array.shape)
        placed[k][:] = array
        near = rng.random() < 0.7
        at += array.size + int(rng.integers(0, 3 if near else 2 * array.size + 8))
    return placed


def loss(kernel, code, many):
    def make(n, rng):
        signs = np.sign(rng.standard_normal(n))
        return [rng.uniform(0.1, 2.0, n), signs, rng.random(n if many else 1), np.zeros(n)]

    return make, lambda z, b, w, slope: kernel(code, 1.0, z, b, w, slope)


def softmax(many):
    def make(n, rng):
        weights = rng.random(n if many else 1)
        return [rng.standard_normal(n * CLASSES), weights, np.zeros(n * CLASSES)]

    def call(z, w, slope):
        labels = np.arange(z.size // CLASSES) % CLASSES
        return multinomial.linearize(z, np.zeros(CLASSES), labels, w, slope)

    return make, call


def passes(many):
    def make(n, rng):
        room = [np.zeros(n), np.zeros(COLUMNS), np.zeros((one_pass.BLOCKS, COLUMNS))]
        data = [rng.standard_normal((n, COLUMNS)), np.sign(rng.standard_normal(n))]
        return [*data, rng.random(n if many else 1), rng.random(COLUMNS), rng.random(n), *room]

    def call(a, b, w, s, now, slope, g, parts):
        then = np.zeros(now.size)
        sums = one_pass.one_pass(False, a, s, 0.3, now, then, 0, 1.0, b, w, slope, g, parts)
        return sums, then.tobytes()

    return make, call


def products(n, rng):
    return [rng.standard_normal((COLUMNS, n)), rng.random(n), np.zeros(COLUMNS), np.zeros(n)]


def both(columns, slope, g, z):
    fast_path.adjoint(columns, slope, g)
    fast_path.image(columns, g, -1, z)


CALLS = {
    **{name: loss(losses.linearize, t.code, False) for name, t in TERMS.items()},
    **{f"weighted {name}": loss(losses.linearize, t.code, True) for name, t in TERMS.items()},
    "logarithm": loss(logs.linearize, 0, False),
    "softmax": softmax(False),
    "softmax of weights": softmax(True),
    "one pass": passes(False),
    "cut": (
        lambda n, rng: [rng.standard_normal(n), np.zeros(n)],
        lambda p, out: level.cut(p, p.min(), p.max(), 0.0, 1.0, 0.7 * p.size, out),
    ),
    "cut sizes": (
        lambda n, rng: [rng.standard_normal(n), np.zeros(n)],
        lambda p, out: level.cut_sizes(p, np.abs(p).max(), 1.0, 0.3 * p.size, out),
    ),
    "products": (products, both),
}


@pytest.mark.parametrize("name", CALLS)
def test_where_arrays_lie_changes_no_bit(name, rng):
    make, call = CALLS[name]
    for n in LENGTHS:
        arrays, found = make(n, rng), set()
        for _ in range(40):
            placed = laid_out(arrays, rng)
            answer = call(*placed)
            found.add((repr(answer), *(array.tobytes() for array in placed)))
        assert len(found) == 1


@pytest.mark.parametrize("method", [None, "frank_wolfe", "second_order"])
def test_a_disturbed_heap_changes_no_bit(method, rng):
    A, b = rng.standard_normal((200, 5)), np.sign(rng.standard_normal(200))
    blocks, found = [np.zeros(1)] * 300, set()
    for _ in range(150):
        for place in rng.integers(0, len(blocks), 30):  # NaN: what is read unwritten is seen
            blocks[place] = np.full(int(2.0 ** rng.uniform(0.0, 9.0)), np.nan)
        result = fw.minimize(fw.Logistic(A, b), fw.L2Ball(2.0), method=method, max_iter=12)
        found.add((result.fun, result.gap, result.nit, result.x.tobytes()))
    assert len(found) == 1
