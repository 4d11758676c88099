"""With NUMBA_DISABLE_JIT=1 the kernels are plain Python, to be stepped through, and agree."""

import json
import os
import subprocess
import sys

import pytest

CODE = """
import json
import numpy as np
import frankwolfe as fw
from frankwolfe import traffic
from frankwolfe.base.kernels.double_double import divide, multiply

A, b = fw.datasets.breast_cancer().paper()  # the README's first example
objective = fw.Logistic(A, b)
first = fw.minimize(objective, fw.L2Ball(50.0), tol=1e-10)
assert first.certified and first.gap <= 1e-10
jfw = fw.minimize(objective, fw.L2Ball(50.0), max_iter=20, method=fw.jacobi())  # the fast path
rng = np.random.default_rng(0)
B, c = rng.standard_normal((12, 6)), rng.standard_normal(12)
completion = fw.Completion((*np.divmod(np.arange(0, 64, 3), 8), rng.random(22)), shape=(8, 8))
few = dict(tol=1e-9, max_iter=50)
results = [
    first,
    jfw,
    fw.minimize(fw.SquaredError(B, c), fw.Simplex(), **few),
    fw.minimize(fw.SquaredError(B, c), fw.Box(-np.ones(6) / 4, np.ones(6) / 4), **few),
    fw.minimize(fw.Huber(B, c), fw.L1Ball(1.0), method=fw.frank_wolfe(), max_iter=20),
    fw.minimize(fw.Multinomial(B, np.arange(12) % 3), fw.L1Ball(1.0), **few),
    fw.minimize(completion, fw.NuclearBall(5.0), **few),
    traffic.equilibrium(*traffic.braess(), tol=1e-8),
]
third = divide(1.0, 0.0, 3.0, 0.0)
pairs = [*multiply(*third, 3.0, 0.0), *third]  # exact fused products, in double-double arithmetic
print(json.dumps([pairs, [r.fun for r in results], first.x.tolist()]))
"""


def _printed(**more):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", CODE],
        env={**os.environ, **more},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return json.loads(done.stdout)


def test_kernels_run_as_plain_python_and_agree_with_compiled_ones():
    pairs, values, x = _printed()
    plain_pairs, plain_values, plain_x = _printed(NUMBA_DISABLE_JIT="1")
    assert plain_pairs == pairs
    assert plain_values == pytest.approx(values, rel=1e-8)
    assert plain_x == pytest.approx(x, rel=1e-4)
