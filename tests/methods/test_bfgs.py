"""Steps on a model that is learned from gradients: other solvers, the domain, who hands over."""

from __future__ import annotations

import numpy as np
import pytest

import frankwolfe as fw
from frankwolfe.base.roots import flat_enough
from frankwolfe.methods.chain import Chain
from frankwolfe.methods.default import best_for

REGIONS = {
    "simplex": fw.Simplex(2.0),
    "l1": fw.L1Ball(1.0),
    "l2": fw.L2Ball(0.7),
    "box": fw.Box(-0.2, 0.3),
    "ksparse": fw.KSparse(3, 1.0),
    "oracle": fw.regions.OracleRegion(lambda g: -np.sign(g) * np.eye(8)[np.abs(g).argmax()], n=8),
}


def plain(f: fw.Objective) -> fw.Function:
    """The same function, without its second derivatives."""
    return fw.Function(f, f.grad, n=f.n)


@pytest.mark.parametrize("name", REGIONS)
def test_it_finds_what_second_order_steps_find(name):
    rng = np.random.default_rng(3)
    A = rng.standard_normal((60, 8)) * np.geomspace(0.1, 10.0, 8)
    f, region = fw.Logistic(A, np.sign(A @ rng.standard_normal(8) + 1.0)), REGIONS[name]
    known = fw.minimize(f, region, method=fw.methods.second_order(), tol=1e-10)
    mine = fw.minimize(plain(f), region, method=fw.methods.bfgs(), tol=1e-8, max_iter=200)
    assert known.success
    assert mine.success
    assert abs(mine.fun - known.fun) <= 2e-8
    assert mine.lower_bound <= known.fun + 1e-10
    assert region.violation(mine.x) <= 1e-9


def logarithms(n: int, seen: list[float]) -> fw.Function:
    """Weights times logarithms, whose minimum over the simplex is known; `seen`: least entries."""
    weights = np.geomspace(1e-2, 1e2, n)

    def fun(x):
        seen.append(float(x.min()))
        return -float(weights @ np.log(x)), -weights / x

    return fw.Function(fun, True, n=n, domain=lambda x: x.min() > 0.0)


def test_the_default_hands_over_and_stays_in_the_domain():
    seen: list[float] = []
    f, region = logarithms(30, seen), fw.Simplex(3.0)
    method = best_for(fw.Problem(f, region))
    assert isinstance(method, Chain)
    result = fw.minimize(f, region, tol=1e-8)
    assert result.success
    assert result.nit < 2000
    weights = np.geomspace(1e-2, 1e2, 30)
    exact = 3.0 * weights / weights.sum()
    value = -float(weights @ np.log(exact))
    assert result.fun - value <= 1e-8 * abs(value)
    assert result.lower_bound <= value + 1e-12 * abs(value)
    assert min(seen) > 0.0
    assert fw.methods.bfgs().name in str(result)


def test_who_gets_it():
    wide = fw.Function(lambda x: float(x @ x), lambda x: 2 * x, n=600)
    problem = fw.Problem(wide, fw.Simplex())
    method = best_for(problem)
    assert isinstance(method, Chain)
    takes = [s.method.name for s in method.stages if s.method.accepts(problem) is None]
    assert fw.methods.bfgs().name not in takes
    assert "500" in str(fw.methods.bfgs().accepts(problem))
    bent = fw.Function(lambda x: -float(x @ x), lambda x: -2 * x, n=6, convex=False)
    with pytest.raises(fw.InvalidInput, match="convex"):
        fw.minimize(bent, fw.Simplex(), method="bfgs")


def test_a_search_by_few_slopes():
    for steep in (1.0, 1e4, 1e12):
        trials = []

        def along(t, steep=steep, trials=trials):  # smallest at 1 / steep
            trials.append(t)
            t = t * steep
            return t - np.log(1e-3 + t), steep * (1.0 - 1.0 / (1e-3 + t)), None

        start = along(0.0)
        t = flat_enough(along, 1.0)
        value, slope, _ = along(t)
        assert value < start[0]
        assert slope <= 0.2 * -start[1]
        assert len(trials) < 40
    assert flat_enough(lambda t: (1.0 + t, 1.0, None), 1.0) == 0.0
