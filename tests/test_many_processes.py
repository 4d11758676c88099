"""One of many processes, or of two threads: who uses how many threads, and with which result."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from conftest import THREADS, in_threads

# a pool of one process, which says how it would use its cores, and what a run gives there
POOL = """
import json, multiprocessing, sys
import numpy as np
import frankwolfe as fw
from threadpoolctl import threadpool_info

def run(_):
    from frankwolfe.base import blas, kernels
    seen = []
    f = fw.SquaredError(np.linspace(-1.0, 1.0, 60).reshape(20, 3), np.ones(20))
    def threads(run):
        seen.append(max(p["num_threads"] for p in threadpool_info() if p["user_api"] == "blas"))
    result = fw.minimize(f, fw.L2Ball(1.0), max_iter=20, tol=0.0, callback=threads)
    return blas.one_of_many(), kernels.may_thread(), max(seen), result.x.tolist()

if __name__ == "__main__":
    with multiprocessing.get_context(sys.argv[1]).Pool(1) as pool:
        print(json.dumps([pool.map(run, [0])[0], run(0)]))
"""


def _pool(tmp_path, how: str, **said: str) -> list:
    """What a process of a pool says, and what its parent says."""
    program = tmp_path / "pool.py"
    program.write_text(POOL)
    environment = {k: v for k, v in os.environ.items() if k not in THREADS} | said
    command = [sys.executable, str(program), how]
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment)
    return json.loads(told.stdout)


@pytest.mark.parametrize("how", ["spawn", "forkserver"] if os.name == "posix" else ["spawn"])
def test_a_process_of_a_pool_uses_one_thread_unless_told(how, tmp_path):
    (crowded, threads, most, x), (alone, free, _, same) = _pool(tmp_path, how)
    assert (crowded, threads, most) == (True, False, 1)
    assert (alone, free) == (False, True)
    np.testing.assert_allclose(x, same, rtol=1e-12, atol=1e-14)  # a product of 20 x 3 numbers
    (crowded, threads, most, _), _ = _pool(
        tmp_path, how, NUMBA_NUM_THREADS="2", OPENBLAS_NUM_THREADS="2", MKL_NUM_THREADS="2"
    )
    assert (crowded, threads) == (False, True)


# the loops over blocks make the same blocks whatever the number of threads, and add them in order
BITS = """
import hashlib
import numba
import numpy as np
import frankwolfe as fw
from frankwolfe.solver import fast_path
from frankwolfe.base.kernels import parallel

bits = hashlib.sha256()
rng = np.random.default_rng(0)
for _ in range(50):
    z, dz, y = rng.standard_normal((3, 1001))
    b, w, slope = np.sign(y), rng.random(1001), np.empty(1001)
    numbers = [
        parallel.dot(z, y),
        parallel.value(0, 1.0, z, b, w),
        *parallel.linearize(0, 1.0, z, b, w, slope),
        *parallel.along(0, 1.0, z, dz, 0.3, b, w),
        *parallel.shifted(0, 1.0, z, dz, 0.3, 0.1, b, w),
    ]
    bits.update(np.array(numbers).tobytes() + slope.tobytes())
fast_path.MIN_ONE_PASS_ENTRIES = 1
A = rng.standard_normal((300, 7))
f = fw.Logistic(A, np.sign(A @ rng.standard_normal(7) + rng.standard_normal(300)))
bits.update(fw.solve(fw.Problem(f, fw.L2Ball(0.9)), fw.jacobi(), fw.Iterations(200)).x.tobytes())
print(numba.get_num_threads(), bits.hexdigest())
"""


@pytest.mark.long
def test_two_threads_give_the_bits_of_one():
    in_threads(1, BITS)  # compiles; from now on all load the same code
    one, two, many = (in_threads(count, BITS).split() for count in (1, 2, 5))
    assert (one[0], two[0], many[0]) == ("1", "2", "5")
    assert one[1] == two[1] == many[1]
